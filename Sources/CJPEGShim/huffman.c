#include "huffman.h"

#include <string.h>

bool fc_huffman_build(FCHuffman *huffman, const JHUFF_TBL *table) {
  memset(huffman, 0, sizeof *huffman);
  uint32_t code = 0;  // as in T.81, figure C.2
  uint32_t place = 0;
  for (uint32_t length = 1; length <= 16; length++) {
    for (uint32_t i = 0; i < table->bits[length]; i++) {
      if (place >= 256 || code >= 1u << length) return false;
      const uint32_t first = code << (16 - length), count = 1u << (16 - length);
      for (uint32_t k = 0; k < count; k++) {
        huffman->symbols[first + k] = (uint16_t)(length << 8 | table->huffval[place]);
      }
      code++;
      place++;
    }
    code <<= 1;
  }
  return true;
}

void fc_skip_build(FCSkipTable *skip, const FCHuffman *ac) {
  for (uint32_t prefix = 0; prefix < 1u << FC_SKIP_BITS; prefix++) {
    FCSkip entry = {0, 0, 0};
    uint32_t position = 0;
    while (position < FC_SKIP_BITS && !entry.ends) {
      const uint32_t symbol = ac->symbols[(prefix << (16 - FC_SKIP_BITS) << position) & 0xFFFF];
      const uint32_t length = symbol >> 8, run = (symbol >> 4) & 15, size = symbol & 15;
      // The code has to lie in the bits known; the value behind it is only passed over.
      if (length == 0 || position + length > FC_SKIP_BITS) break;
      position += length + size;
      if (size == 0 && run != 15) {
        entry.ends = 1;
      } else {
        entry.passed = (uint8_t)(entry.passed + run + 1);
      }
      entry.bits = (uint8_t)position;
    }
    skip->entries[prefix] = entry;
  }
}
