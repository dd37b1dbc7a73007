#include "index/huffman.h"

#include <string.h>

const uint8_t fc_zigzag[DCTSIZE2] = {
  0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
  41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
  30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

bool fc_huffman_build(FCHuffman *huffman, const JHUFF_TBL *table, bool isDC) {
  memset(huffman, 0, sizeof *huffman);
  uint32_t code = 0;  // as in T.81, figure C.2
  uint32_t place = 0;
  for (uint32_t length = 1; length <= 16; length++) {
    huffman->offsets[length] = (int32_t)place - (int32_t)code;
    for (uint32_t i = 0; i < table->bits[length]; i++, code++, place++) {
      if (place >= 256 || code >= 1u << length || (isDC && table->huffval[place] > 15)) return false;
      huffman->symbols[place] = table->huffval[place];
      if (length > FC_QUICK_BITS) continue;
      const uint32_t first = code << (FC_QUICK_BITS - length), count = 1u << (FC_QUICK_BITS - length);
      for (uint32_t k = first; k < first + count; k++) {
        huffman->quick[k] = (uint16_t)(length << 8 | table->huffval[place]);
      }
    }
    huffman->ends[length] = code << (16 - length);
    code <<= 1;
  }
  return true;
}

uint32_t fc_long_symbol(const FCHuffman *huffman, uint32_t bits) {
  for (uint32_t length = FC_QUICK_BITS + 1; length <= 16; length++) {
    if (bits >= huffman->ends[length]) continue;
    return length << 8 | huffman->symbols[(int32_t)(bits >> (16 - length)) + huffman->offsets[length]];
  }
  return 0;
}

void fc_skip_build(FCSkipTable *skip, const FCHuffman *ac) {
  for (uint32_t prefix = 0; prefix < 1u << FC_SKIP_BITS; prefix++) {
    uint32_t position = 0, room = 0, ends = 0;
    while (position < FC_SKIP_BITS && !ends && room < DCTSIZE2) {
      const uint32_t symbol = fc_symbol(ac, (uint64_t)prefix << (64 - FC_SKIP_BITS) << position);
      const uint32_t length = symbol >> 8, run = (symbol >> 4) & 15, size = symbol & 15;
      // The code must lie in the known bits; its value is only skipped.
      if (length == 0 || position + length > FC_SKIP_BITS) break;
      position += length + size;
      ends = size == 0 && run != 15;
      room += ends ? 1 : run + 1;
    }
    skip->entries[prefix] = (uint16_t)(position | (position == 0 ? FC_NO_ROOM : room) << 8 | ends << 15);
  }
}
