// The yardsticks: each format's library as its manual says. A file that cannot be decoded ends the process.

#ifndef CFULLDECODE_H
#define CFULLDECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decodes a whole JPEG to RGB, with the exact DCT and fancy upsampling, into `pixels`, which has room for width × height
// × 3 bytes.
void full_decode(const uint8_t *jpeg, size_t count, uint8_t *pixels);

// Decodes a whole JPEG to luma at 1/8 into `pixels`, which has room for the eighths of both sides, rounded up, in bytes.
void eighth_decode(const uint8_t *jpeg, size_t count, uint8_t *pixels);

// Decodes a whole JPEG to RGB, or to its inks where it has four, row by row into one `row`, which has room for width × 4 bytes.
bool full_decode_of_rows(const uint8_t *jpeg, size_t count, uint8_t *row);

// Decode a whole file of another format to RGB, or RGBA where it has alpha; false for one that cannot be. `pixels` has room for width ×
// height × 4 bytes; those of HEIF stay in the library's own memory.
bool full_decode_png(const uint8_t *file, size_t count, uint8_t *pixels);
bool full_decode_webp(const uint8_t *file, size_t count, uint8_t *pixels);
bool full_decode_heif(const uint8_t *file, size_t count, uint8_t *pixels);

#endif
