// The yardsticks: libjpeg-turbo as its manual says. A file that cannot be decoded ends the process.

#ifndef CFULLDECODE_H
#define CFULLDECODE_H

#include <stddef.h>
#include <stdint.h>

// Decodes a whole JPEG to RGB, with the exact DCT and fancy upsampling, into `pixels`, which has room for width × height
// × 3 bytes.
void full_decode(const uint8_t *jpeg, size_t count, uint8_t *pixels);

// Decodes a whole JPEG to luma at 1/8 into `pixels`, which has room for the eighths of both sides, rounded up, in bytes.
void eighth_decode(const uint8_t *jpeg, size_t count, uint8_t *pixels);

#endif
