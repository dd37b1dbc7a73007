// The yardstick: libjpeg-turbo as its manual says.

#ifndef CFULLDECODE_H
#define CFULLDECODE_H

#include <stddef.h>
#include <stdint.h>

// Decodes a whole JPEG to RGB, with the exact DCT and fancy upsampling, into `pixels`, which has room for width × height
// × 3 bytes. A file that cannot be decoded ends the process.
void full_decode(const uint8_t *jpeg, size_t count, uint8_t *pixels);

#endif
