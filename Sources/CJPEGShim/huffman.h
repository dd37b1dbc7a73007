/// Huffman codes of JPEG (ITU-T T.81, annexes C and F) for walking over entropy-coded data without decoding it.
#ifndef FCJPEG_HUFFMAN_H
#define FCJPEG_HUFFMAN_H

#include "seam.h"

/// How many bits the table of several symbols looks at.
#define FC_SKIP_BITS 13

/// Some AC symbols in a row, all of whose codes lie within the bits looked at.
typedef struct FCSkip {
  /// Bits of the codes and of the values behind them; 0 when not even one code fits.
  uint8_t bits;
  /// Coefficients passed.
  uint8_t passed;
  /// 1 when the last symbol ends the block (EOB), else 0.
  uint8_t ends;
} FCSkip;

/// One Huffman table, by what follows in the data.
typedef struct FCHuffman {
  /// By the next 16 bits: the code's length << 8 | its symbol; 0 where no code begins so.
  uint16_t symbols[1 << 16];
} FCHuffman;

typedef struct FCSkipTable {
  FCSkip entries[1 << FC_SKIP_BITS];
} FCSkipTable;

/// False when the lengths are those of no prefix code.
bool fc_huffman_build(FCHuffman *huffman, const JHUFF_TBL *table);
void fc_skip_build(FCSkipTable *skip, const FCHuffman *ac);

/// The next 57 bits or more from bit `position` on, at the top. Reads 8 bytes.
static inline uint64_t fc_peek(const uint8_t *bytes, uint64_t position) {
  uint64_t word;
  __builtin_memcpy(&word, bytes + (position >> 3), sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word << (position & 7);
}

/// Reads a DC difference (T.81, F.2.2.1) at `*position`. False where no code begins.
static inline bool fc_read_dc(const uint8_t *bytes, uint64_t *position, const FCHuffman *dc, int32_t *difference) {
  const uint64_t bits = fc_peek(bytes, *position);
  const uint32_t symbol = dc->symbols[bits >> 48];
  const uint32_t length = symbol >> 8, category = symbol & 0xFF;
  if (length == 0 || category > 15) return false;
  *position += length + category;
  if (category == 0) {
    *difference = 0;
    return true;
  }
  // EXTEND of T.81, figure F.12.
  const int32_t value = (int32_t)((bits << length) >> (64 - category));
  *difference = value < (1 << (category - 1)) ? value - (1 << category) + 1 : value;
  return true;
}

/// Passes over the AC coefficients of a block (T.81, F.2.2.2). False where no code begins, or where the codes lead past the
/// last coefficient.
static inline bool fc_skip_ac(const uint8_t *bytes, uint64_t *position, const FCHuffman *ac, const FCSkipTable *skip) {
  uint64_t at = *position;
  uint32_t k = 1;
  while (k < DCTSIZE2) {
    const uint64_t bits = fc_peek(bytes, at);
    const FCSkip several = skip->entries[bits >> (64 - FC_SKIP_BITS)];
    // Symbols behind a full block belong to the next one; then, one at a time.
    if (several.bits != 0 && k + several.passed + several.ends <= DCTSIZE2) {
      at += several.bits;
      k += several.passed;
      if (several.ends) break;
      continue;
    }
    const uint32_t symbol = ac->symbols[bits >> 48];
    const uint32_t length = symbol >> 8, run = (symbol >> 4) & 15, size = symbol & 15;
    if (length == 0) return false;
    at += length + size;
    if (size == 0 && run != 15) break;  // EOB
    k += run + 1;
    if (k > DCTSIZE2) return false;
  }
  *position = at;
  return true;
}

#endif
