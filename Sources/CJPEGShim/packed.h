/// All coefficients of a file of one scan, packed: what is not zero takes two bytes, and nothing else takes any.
///
/// A block is its DC coefficient, then a word for each AC coefficient, then a zero. A word holds the place in the zigzag, 1 to 63, in
/// its lowest 6 bits, and the value in the others; of a value that needs more than 10 bits it holds 0 and, above, the place, and the
/// next word is the value.
#ifndef FCJPEG_PACKED_H
#define FCJPEG_PACKED_H

#include "huffman.h"

/// Bits that the table of coefficients looks at: five times as many fit into what a refill gives.
#define FC_PACK_BITS 11

/// Words of a block at most.
#define FC_WORDS_PER_BLOCK (2 * DCTSIZE2)

/// Up to two AC coefficients whose codes and values lie within the next 11 bits. An entry holds, from its low end: 8 bits, how many
/// bits they take; 8 bits, the room that they need in the block, in coefficients, an EOB being one; two words of 16 bits, packed as if
/// they were the block's first; 8 bits, how many of the words there are; and, at the top, whether the last is an EOB. Where not even
/// one fits, the room needed is more than there ever is.
typedef struct FCPackTable {
  uint64_t entries[1 << FC_PACK_BITS];
} FCPackTable;

/// - isProgressive: symbols that end several blocks are none of its (T.81, G.1.2.2).
void fc_pack_build(FCPackTable *pack, const FCHuffman *ac, bool isProgressive);

// MARK: Overviews

/// What one of each coefficient, in the zigzag's order, adds to the upper left quarter of a block's pixels, two rows of two: a cosine
/// is the same on the other side, or its opposite.
typedef struct FCBasisImages {
  float quarters[DCTSIZE2][4];
} FCBasisImages;

/// A block's upper left quarter, in parts: of the coefficients that are even or odd across (1) and down (2).
typedef struct FCBlockSums {
  float parts[4][4];
} FCBlockSums;

/// - points: pixels of a block along a side, 2 or 4.
void fc_basis_images(FCBasisImages *basis, const UINT16 *steps, int points);

/// A block's pixels.
void fc_draw_block(const FCBlockSums *block, int points, uint8_t *pixels, size_t stride);

typedef float FCQuarter __attribute__((vector_size(16), aligned(4)));

/// The sums of a block whose only coefficient is the first.
static inline FCBlockSums fc_block_sums(const FCBasisImages *basis, int32_t dc) {
  FCBlockSums block = {{{0}}};
  FCQuarter *even = (FCQuarter *)block.parts[0];
  *even = *(const FCQuarter *)basis->quarters[0] * (float)dc + (CENTERJSAMPLE + 0.5F);
  return block;
}

static inline void fc_add_coefficient(FCBlockSums *block, const FCBasisImages *basis, uint32_t k, int32_t value) {
  // For each place in the zigzag.
  static const uint8_t parts[DCTSIZE2] = {
    0, 1, 2, 0, 3, 0, 1, 2, 1, 2, 0, 3, 0, 3, 0, 1, 2, 1, 2, 1, 2, 0, 3, 0, 3, 0, 3, 0, 1, 2, 1, 2,
    1, 2, 1, 2, 3, 0, 3, 0, 3, 0, 3, 1, 2, 1, 2, 1, 2, 3, 0, 3, 0, 3, 1, 2, 1, 2, 3, 0, 3, 1, 2, 3,
  };
  FCQuarter *part = (FCQuarter *)block->parts[parts[k]];
  *part += *(const FCQuarter *)basis->quarters[k] * (float)value;
}

typedef JCOEF FCCoefficientRow __attribute__((vector_size(16)));
typedef bool FCFlags __attribute__((ext_vector_type(DCTSIZE)));

/// Which of a row of a block's coefficients are not zero, a bit for each from the lowest on.
static inline uint32_t fc_nonzero(const JCOEF *coefficients) {
  FCCoefficientRow row;
  __builtin_memcpy(&row, coefficients, sizeof row);
  const FCFlags flags = __builtin_convertvector(row != 0, FCFlags);
  uint8_t bits;
  __builtin_memcpy(&bits, &flags, sizeof bits);
  return bits;
}

// MARK: Blocks

/// Reads the AC coefficients of a block into `*words` and moves it behind them (T.81, F.2.2.2). False where no code begins, or where
/// the codes lead past the last coefficient.
///
/// - block: gets what the coefficients add to its pixels, while the next code is waited for; NULL, as `basis`, for none.
__attribute__((always_inline)) static inline bool fc_pack_ac(
  FCBits *bits, const FCHuffman *ac, const FCPackTable *pack, uint16_t **words, const FCBasisImages *basis,
  FCBlockSums *block) {
  FCBits at = *bits;
  uint16_t *to = *words;
  uint32_t k = 0;
  bool isAtEnd = false;
  while (!isAtEnd) {
    fc_bits_refill(&at);
    uint64_t entry = pack->entries[at.bits >> (64 - FC_PACK_BITS)];
    uint32_t room = (entry >> 8) & 0xFF;
    if (k + room < DCTSIZE2) {
      // None of them needs more than the refill has given.
      for (int left = 5; left > 0 && k + room < DCTSIZE2; left--) {
        const uint32_t first = (uint32_t)(entry >> 16) + k, second = (uint32_t)(entry >> 32) + k;
        fc_bits_take(&at, entry & 0xFF);
        to[0] = (uint16_t)first;
        to[1] = (uint16_t)second;
        to += (entry >> 48) & 3;
        k += room;
        if (basis != NULL) {
          // One that is not there adds nothing.
          fc_add_coefficient(block, basis, first % DCTSIZE2, (int16_t)first >> 6);
          fc_add_coefficient(block, basis, second % DCTSIZE2, (int16_t)second >> 6);
        }
        isAtEnd = entry >> 63;
        if (isAtEnd) break;
        entry = pack->entries[at.bits >> (64 - FC_PACK_BITS)];
        room = (entry >> 8) & 0xFF;
      }
      continue;
    }
    if (k == DCTSIZE2 - 1) break;
    const uint32_t symbol = fc_symbol(ac, at.bits);
    const uint32_t length = symbol >> 8, run = (symbol >> 4) & 15, size = symbol & 15;
    if (length == 0) return false;
    fc_bits_take(&at, length);
    isAtEnd = size == 0 && run != 15;  // EOB
    if (isAtEnd) break;
    k += run + 1;
    if (k >= DCTSIZE2) return false;
    if (size == 0) continue;
    const int32_t value = fc_extended(at.bits, size);
    fc_bits_take(&at, size);
    if (basis != NULL) fc_add_coefficient(block, basis, k, value);
    if (value >= -512 && value < 512) {
      *to++ = (uint16_t)((uint32_t)value << 6 | k);
    } else {
      *to++ = (uint16_t)(k << 6);
      *to++ = (uint16_t)value;
    }
  }
  *to++ = 0;
  *bits = at;
  *words = to;
  return true;
}

/// The next AC coefficient of a block; false at its end. Moves `*words` behind it.
static inline bool fc_next_coefficient(const uint16_t **words, uint32_t *k, int32_t *value) {
  const uint32_t word = *(*words)++;
  *k = word & 63;
  *value = (int16_t)word >> 6;
  if (*k != 0) return true;
  if (word == 0) return false;
  *k = word >> 6;
  *value = (int16_t)*(*words)++;
  return true;
}

#endif
