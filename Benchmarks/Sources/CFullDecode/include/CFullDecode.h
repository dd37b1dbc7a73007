// The yardsticks: decodes as each format's library documents it. A damaged file ends the process.

#ifndef CFULLDECODE_H
#define CFULLDECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decodes a whole JPEG to RGB, with the exact DCT and fancy upsampling. `pixels` needs width × height × 3 bytes.
void full_decode(const uint8_t *jpeg, size_t count, uint8_t *pixels);

// Decodes a whole JPEG to luma at 1/8. `pixels` needs the product of both sides' eighths, rounded up, in bytes.
void eighth_decode(const uint8_t *jpeg, size_t count, uint8_t *pixels);

// Decodes a whole JPEG to RGB, or to CMYK if it has four channels, one row at a time. `row` needs width × 4 bytes.
bool full_decode_of_rows(const uint8_t *jpeg, size_t count, uint8_t *row);

// Decode a whole file of another format to RGB, or RGBA if it has alpha. Return false for an unsupported file. `pixels`
// needs width × height × 4 bytes; HEIF stays in the library's own memory.
bool full_decode_png(const uint8_t *file, size_t count, uint8_t *pixels);
bool full_decode_webp(const uint8_t *file, size_t count, uint8_t *pixels);
bool full_decode_heif(const uint8_t *file, size_t count, uint8_t *pixels);

#endif
