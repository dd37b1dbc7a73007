#include "index/packed.h"

#include "index/basis.h"

#include <string.h>

void fc_pack_build(FCPackTable *pack, const FCHuffman *ac, bool isProgressive) {
  for (uint32_t prefix = 0; prefix < 1u << FC_PACK_BITS; prefix++) {
    uint64_t words = 0;
    uint32_t position = 0, room = 0, count = 0, ends = 0;
    while (count < 2 && !ends) {
      const uint64_t bits = (uint64_t)prefix << (64 - FC_PACK_BITS) << position;
      const uint32_t symbol = fc_symbol(ac, bits);
      const uint32_t length = symbol >> 8, run = (symbol >> 4) & 15, size = symbol & 15;
      // Code and value must lie in the known bits. Values of more bits do not fit into one word.
      if (length == 0 || position + length + size > FC_PACK_BITS || size > 9) break;
      if (size == 0 && (run == 15 || (isProgressive && run > 0))) break;
      position += length + size;
      ends = size == 0;
      room += ends ? 1 : run + 1;
      if (ends) break;
      const uint32_t value = (uint32_t)fc_extended(bits << length, size);
      words |= (uint64_t)(uint16_t)(value << 6 | room) << 16 * count++;
    }
    if (position == 0) room = 0xFF;
    pack->entries[prefix] =
      position | (uint64_t)(room & 0xFF) << 8 | words << 16 | (uint64_t)count << 48 | (uint64_t)ends << 63;
  }
}

// MARK: Overviews

void fc_basis_images(FCBasisImages *basis, const UINT16 *steps, int points) {
  float side[DCTSIZE][DCTSIZE] = {{0}};
  (void)fc_fill_basis(side, points);
  for (int k = 0; k < DCTSIZE2; k++) {
    const int u = fc_zigzag[k] % DCTSIZE, v = fc_zigzag[k] / DCTSIZE;
    for (int i = 0; i < 4; i++) basis->quarters[k][i] = side[i / 2][v] * side[i % 2][u] * (float)steps[fc_zigzag[k]];
  }
}

static inline uint8_t level(float value) {
  return (uint8_t)(value < 0 ? 0 : (value > MAXJSAMPLE ? MAXJSAMPLE : value));
}

void fc_draw_block(const FCBlockSums *block, int points, uint8_t *pixels, size_t stride) {
  FCQuarter even, across, down, both;
  memcpy(&even, block->parts[0], sizeof even);
  memcpy(&across, block->parts[1], sizeof across);
  memcpy(&down, block->parts[2], sizeof down);
  memcpy(&both, block->parts[3], sizeof both);
  const FCQuarter top = even + down, bottom = even - down, tilt = across + both, opposite = across - both;
  const FCQuarter left[2] = {top + tilt, bottom + opposite}, right[2] = {top - tilt, bottom - opposite};
  if (points == 2) {
    for (size_t y = 0; y < 2; y++) {
      pixels[y * stride] = level(left[y][0]);
      pixels[y * stride + 1] = level(right[y][0]);
    }
    return;
  }
  // Rows from the top, pixels from the left; the lower half is mirrored.
  const FCQuarter rows[4] = {
    __builtin_shufflevector(left[0], right[0], 0, 1, 5, 4), __builtin_shufflevector(left[0], right[0], 2, 3, 7, 6),
    __builtin_shufflevector(left[1], right[1], 2, 3, 7, 6), __builtin_shufflevector(left[1], right[1], 0, 1, 5, 4)};
  typedef int32_t Numbers __attribute__((vector_size(16)));
  typedef uint8_t Pixels __attribute__((vector_size(4)));
  const FCQuarter dark = {0}, white = dark + MAXJSAMPLE;
  for (int y = 0; y < 4; y++, pixels += stride) {
    const FCQuarter levels = __builtin_elementwise_min(__builtin_elementwise_max(rows[y], dark), white);
    const Pixels drawn = __builtin_convertvector(__builtin_convertvector(levels, Numbers), Pixels);
    memcpy(pixels, &drawn, sizeof drawn);
  }
}
