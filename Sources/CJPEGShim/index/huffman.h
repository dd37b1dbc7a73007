/// Huffman codes of JPEG (ITU-T T.81, annexes C and F), to walk over entropy-coded data without decoding it.
#pragma once

#include "libjpeg/seam.h"

/// Index bits of the table of several AC symbols, and of the table of one symbol.
#define FC_SKIP_BITS 13
#define FC_QUICK_BITS 9

/// The order of coefficients in a file (T.81, figure A.6).
extern const uint8_t fc_zigzag[DCTSIZE2];

/// One Huffman table.
typedef struct FCHuffman {
  /// For each value of the next 9 bits: length << 8 | symbol of a code that fits into them, else 0.
  uint16_t quick[1 << FC_QUICK_BITS];
  /// For each length: one past its last code, in 16 bits; and the offset from a code to its symbol. See T.81, F.2.2.3.
  uint32_t ends[17];
  int32_t offsets[17];
  uint8_t symbols[256];
} FCHuffman;

/// Runs of AC symbols whose codes all lie within the next 13 bits. The lowest 8 bits of an entry are the length of the
/// codes and their values. The next 7 bits are the coefficients that they fill, with 1 for an EOB; they exceed a block
/// if not even one code fits. The last bit is whether the last symbol is an EOB.
typedef struct FCSkipTable {
  uint16_t entries[1 << FC_SKIP_BITS];
} FCSkipTable;

#define FC_NO_ROOM 127u

/// Builds a table. Returns false if the lengths form no prefix code, or a DC category is above 15, as in libjpeg.
bool fc_huffman_build(FCHuffman *huffman, const JHUFF_TBL *table, bool isDC);
void fc_skip_build(FCSkipTable *skip, const FCHuffman *ac);

/// Returns the result of `fc_symbol` for a code longer than 9 bits, from the next 16 bits.
uint32_t fc_long_symbol(const FCHuffman *huffman, uint32_t bits);

// MARK: Bits

/// Loads 64 bits, most significant first.
static inline uint64_t fc_load(const uint8_t *bytes) {
  uint64_t word;
  __builtin_memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

/// Returns at least the next 57 bits from bit `position` on, at the top.
static inline uint64_t fc_peek(const uint8_t *bytes, uint64_t position) {
  return fc_load(bytes + (position >> 3)) << (position & 7);
}

/// A position in data without stuffing. Reads up to 16 bytes past the bits that it returns.
typedef struct FCBits {
  const uint8_t *bytes;
  const uint8_t *next;
  /// The next bits, at the top; `count` of them were taken from before `next`.
  uint64_t bits;
  uint32_t count;
} FCBits;

/// Refills to at least 56 bits without branches. The load does not wait for the length of the last code (F. Giesen,
/// "Reading bits in far too many ways, part 2", 2018, variant 4).
static inline void fc_bits_refill(FCBits *at) {
  at->bits |= fc_load(at->next) >> at->count;
  at->next += (63 - at->count) >> 3;
  at->count |= 56;
}

static inline void fc_bits_take(FCBits *at, uint32_t count) {
  at->bits <<= count;
  at->count -= count;
}

static inline FCBits fc_bits_at(const uint8_t *bytes, uint64_t position) {
  FCBits at = {bytes, bytes + (position >> 3), 0, 0};
  fc_bits_refill(&at);
  fc_bits_take(&at, position & 7);
  return at;
}

static inline uint64_t fc_bits_position(const FCBits *at) { return (uint64_t)(at->next - at->bytes) * 8 - at->count; }

// MARK: Blocks

/// Returns length << 8 | symbol of the code at the top of `bits`, or 0 for an invalid code.
static inline uint32_t fc_symbol(const FCHuffman *huffman, uint64_t bits) {
  const uint32_t symbol = huffman->quick[bits >> (64 - FC_QUICK_BITS)];
  return symbol != 0 ? symbol : fc_long_symbol(huffman, (uint32_t)(bits >> 48));
}

/// Returns the value of the `category` bits at the top (EXTEND of T.81, figure F.12).
static inline int32_t fc_extended(uint64_t bits, uint32_t category) {
  // Two shifts, since a shift by 64, for category 0, is undefined.
  const int32_t value = (int32_t)(bits >> 1 >> (63 - category));
  const int32_t isNegative = category != 0 && (bits >> 63) == 0;
  return value - (isNegative ? (1 << category) - 1 : 0);
}

/// Reads a DC difference (T.81, F.2.2.1). Returns false at an invalid code.
static inline bool fc_read_dc(FCBits *at, const FCHuffman *dc, int32_t *difference) {
  fc_bits_refill(at);
  const uint32_t symbol = fc_symbol(dc, at->bits);
  const uint32_t length = symbol >> 8, category = symbol & 0xFF;
  if (length == 0 || category > 15) return false;
  fc_bits_take(at, length);
  *difference = fc_extended(at->bits, category);
  fc_bits_take(at, category);
  return true;
}

typedef enum FCSkipped { FCSkippedNothing, FCSkippedSome, FCSkippedAll } FCSkipped;

/// Skips the symbols of one entry if the block has room for them. Symbols after a full block belong to the next block.
static inline FCSkipped fc_skip_several(FCBits *at, const FCSkipTable *skip, uint32_t *k) {
  const uint32_t several = skip->entries[at->bits >> (64 - FC_SKIP_BITS)];
  const uint32_t room = (several >> 8) & 127;
  if (*k + room > DCTSIZE2) return FCSkippedNothing;
  fc_bits_take(at, several & 0xFF);
  *k += room;
  return several >> 15 ? FCSkippedAll : FCSkippedSome;
}

/// Skips a block's AC coefficients from `k` on (T.81, F.2.2.2). Returns false at an invalid code or a wrong end.
static inline bool fc_skip_ac(FCBits *at, const FCHuffman *ac, const FCSkipTable *skip, uint32_t k) {
  while (k < DCTSIZE2) {
    fc_bits_refill(at);
    FCSkipped skipped = fc_skip_several(at, skip, &k);
    if (skipped == FCSkippedSome) {
      // An entry takes at most 28 bits, so another one fits before the next refill.
      if (fc_skip_several(at, skip, &k) == FCSkippedAll) return true;
      continue;
    }
    if (skipped == FCSkippedAll) return true;
    const uint32_t symbol = fc_symbol(ac, at->bits);
    const uint32_t length = symbol >> 8, run = (symbol >> 4) & 15, size = symbol & 15;
    if (length == 0) return false;
    fc_bits_take(at, length + size);
    if (size == 0 && run != 15) return true;  // EOB
    k += run + 1;
  }
  return k == DCTSIZE2;
}

/// Coefficients of an overview at a quarter, besides the first.
#define FC_LOW_COEFFICIENTS 3

/// Reads the lowest frequencies (across, down and both), and skips the others like `fc_skip_ac`.
static inline bool fc_read_low_ac(FCBits *at, const FCHuffman *ac, const FCSkipTable *skip, int16_t *low) {
  // Zigzag indices to the lowest frequencies; coefficient 3 is not one of them.
  static const uint8_t places[5] = {0, 0, 1, FC_LOW_COEFFICIENTS, 2};
  int16_t values[FC_LOW_COEFFICIENTS + 1] = {0};
  uint32_t k = 1;
  bool isAtEnd = false;
  while (k < 5 && !isAtEnd) {
    fc_bits_refill(at);
    const uint32_t symbol = fc_symbol(ac, at->bits);
    const uint32_t length = symbol >> 8, run = (symbol >> 4) & 15, size = symbol & 15;
    if (length == 0) return false;
    fc_bits_take(at, length);
    isAtEnd = size == 0 && run != 15;  // EOB
    k += run;
    if (k < 5 && size != 0) values[places[k]] = (int16_t)fc_extended(at->bits, size);
    fc_bits_take(at, size);
    k += 1;
  }
  for (int i = 0; i < FC_LOW_COEFFICIENTS; i++) low[i] = values[i];
  return isAtEnd || fc_skip_ac(at, ac, skip, k);
}
