/// All coefficients of a file of one scan, packed: only coefficients other than zero take memory, two bytes each.
///
/// A block is its DC coefficient, a word for each AC coefficient, and a zero. The lowest 6 bits of a word hold the
/// index in zigzag order, 1 to 63, and the others the value. If the value needs more than 10 bits, the lowest 6 bits
/// are 0 and the others hold the index. The next word is then the value.
#pragma once

#include "index/huffman.h"

/// Index bits of the table of coefficients. Five lookups fit into one refill.
#define FC_PACK_BITS 11

/// Upper bound of the words of a block.
#define FC_WORDS_PER_BLOCK (2 * DCTSIZE2)

/// Up to two AC coefficients whose codes and values lie within the next 11 bits. An entry holds, from its low end:
///
/// - 8 bits: the length of the codes and values;
/// - 8 bits: the coefficients that they fill, with 1 for an EOB; more than a block has if not even one fits;
/// - two words of 16 bits, packed as if they were the block's first;
/// - 8 bits: the number of these words; the top bit: whether the last symbol is an EOB.
typedef struct FCPackTable {
  uint64_t entries[1 << FC_PACK_BITS];
} FCPackTable;

/// Builds a table; `isProgressive` leaves out symbols that end several blocks (T.81, G.1.2.2).
void fc_pack_build(FCPackTable *pack, const FCHuffman *ac, bool isProgressive);

// MARK: Overviews

/// The pixels that each coefficient, in zigzag order, adds to the upper left quarter of a block, two rows of two.
/// Symmetry gives the other quarters: a cosine is mirrored, with the same or the opposite sign.
typedef struct FCBasisImages {
  float quarters[DCTSIZE2][4];
} FCBasisImages;

/// A block's upper left quarter in four parts, for coefficients that are even or odd across (1) and down (2).
typedef struct FCBlockSums {
  float parts[4][4];
} FCBlockSums;

/// Fills `basis` for quantization `steps` and blocks of 2 or 4 `points` a side.
void fc_basis_images(FCBasisImages *basis, const UINT16 *steps, int points);

/// Writes a block's pixels.
void fc_draw_block(const FCBlockSums *block, int points, uint8_t *pixels, size_t stride);

typedef float FCQuarter __attribute__((vector_size(16), aligned(4)));

/// Returns the sums of a block that has only the first coefficient.
static inline FCBlockSums fc_block_sums(const FCBasisImages *basis, int32_t dc) {
  FCBlockSums block = {{{0}}};
  FCQuarter *even = (FCQuarter *)block.parts[0];
  *even = *(const FCQuarter *)basis->quarters[0] * (float)dc + (CENTERJSAMPLE + 0.5F);
  return block;
}

static inline void fc_add_coefficient(FCBlockSums *block, const FCBasisImages *basis, uint32_t k, int32_t value) {
  // The part for each index in zigzag order.
  static const uint8_t parts[DCTSIZE2] = {
    0, 1, 2, 0, 3, 0, 1, 2, 1, 2, 0, 3, 0, 3, 0, 1, 2, 1, 2, 1, 2, 0, 3, 0, 3, 0, 3, 0, 1, 2, 1, 2,
    1, 2, 1, 2, 3, 0, 3, 0, 3, 0, 3, 1, 2, 1, 2, 1, 2, 3, 0, 3, 0, 3, 1, 2, 1, 2, 3, 0, 3, 1, 2, 3,
  };
  FCQuarter *part = (FCQuarter *)block->parts[parts[k]];
  *part += *(const FCQuarter *)basis->quarters[k] * (float)value;
}

typedef JCOEF FCCoefficientRow __attribute__((vector_size(16)));
typedef bool FCFlags __attribute__((ext_vector_type(DCTSIZE)));

/// Returns a mask of the coefficients of a block's row that are not zero, lowest bit first.
static inline uint32_t fc_nonzero(const JCOEF *coefficients) {
  FCCoefficientRow row;
  __builtin_memcpy(&row, coefficients, sizeof row);
  const FCFlags flags = __builtin_convertvector(row != 0, FCFlags);
  uint8_t bits;
  __builtin_memcpy(&bits, &flags, sizeof bits);
  return bits;
}

// MARK: Blocks

/// Reads the AC coefficients of a block into `*words` and moves it past them (T.81, F.2.2.2). Adds their pixels to
/// `block` unless it and `basis` are NULL. Returns false at an invalid code, or past the last coefficient.
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
      // The refill has enough bits for all of them.
      for (int left = 5; left > 0 && k + room < DCTSIZE2; left--) {
        const uint32_t first = (uint32_t)(entry >> 16) + k, second = (uint32_t)(entry >> 32) + k;
        fc_bits_take(&at, entry & 0xFF);
        to[0] = (uint16_t)first;
        to[1] = (uint16_t)second;
        to += (entry >> 48) & 3;
        k += room;
        if (basis != NULL) {
          // A missing coefficient adds nothing.
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

/// Reads the next AC coefficient of a block and moves `*words` past it. Returns false at the block's end.
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
