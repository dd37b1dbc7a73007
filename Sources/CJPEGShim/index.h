/// The index's state, shared by its files.
#ifndef FCJPEG_INDEX_H
#define FCJPEG_INDEX_H

#include "decoder.h"
#include "huffman.h"
#include "packed.h"

/// Blocks of one MCU at most (T.81, B.2.3).
#define FC_BLOCKS_PER_MCU 10

/// Where a row of MCUs begins in the file.
typedef struct FCIndexRow {
  /// The byte with the first bit.
  size_t offset;
  /// One past the row's last bit, counted from the first byte, without stuffing and markers.
  uint32_t endBit;
} FCIndexRow;

/// One block of an MCU.
typedef struct FCIndexBlock {
  /// Which of the scan's components the block is of.
  uint8_t component;
  /// The block's place inside the MCU, in blocks.
  uint8_t x, y;
} FCIndexBlock;

typedef struct FCIndexComponent {
  /// Blocks of the component in one MCU.
  uint32_t width, height;
  /// DC coefficients, quantized: `width` × columns of MCUs wide, `height` × rows high.
  int16_t *dc;
  /// `FC_LOW_COEFFICIENTS` for each of these, quantized; NULL where an eighth is enough.
  int16_t *low;
  const FCHuffman *dcTable, *acTable;
  const FCSkipTable *skip;
  // Where coefficients are kept.
  const FCPackTable *pack;
  FCBasisImages *basis;
  /// The overview: `scale` times as wide and high as the DC coefficients are; NULL where it is made of these.
  uint8_t *pixels;
} FCIndexComponent;

struct FCJPEGIndex {
  /// Holds the header, whose tables the index uses.
  FCJPEGDecoder *decoder;
  uint32_t columns, rows, rowsScanned;
  /// The overview's scale in eighths: 1 or 2; where coefficients are kept also 4.
  uint32_t scale;
  bool keepsCoefficients;
  uint32_t componentCount, blockCount;
  FCIndexComponent components[MAX_COMPS_IN_SCAN];
  FCIndexBlock blocks[FC_BLOCKS_PER_MCU];
  FCIndexRow *rowStarts;
  /// The bit at which each MCU begins, counted as `FCIndexRow.endBit`.
  uint32_t *mcuStarts;
  FCHuffman *dcTables[NUM_HUFF_TBLS], *acTables[NUM_HUFF_TBLS];
  FCSkipTable *skipTables[NUM_HUFF_TBLS];
  FCPackTable *packTables[NUM_HUFF_TBLS];
  /// All blocks as `packed.h` has them, in the scan's order, and the word at which each MCU begins.
  uint16_t *words;
  size_t wordCount, wordCapacity;
  uint32_t *mcuWords;
  struct FCIndexScan *scan;
  bool lacksEndMarker;
  /// The last cut.
  uint8_t *cut;
  size_t cutCount, cutCapacity;
};

/// Bytes that one MCU takes at most, each coefficient a code of 16 bits and a value of 15, and what is read ahead of it.
#define FC_LARGEST_MCU (FC_BLOCKS_PER_MCU * DCTSIZE2 * 31 / 8 + 32)

/// Copies entropy-coded data without its stuffing (T.81, B.1.1.5), up to `capacity` bytes or to a marker, where `*from`
/// then stands. Returns how many bytes it wrote.
size_t fc_unstuff(const uint8_t **from, const uint8_t *end, uint8_t *to, size_t capacity);

/// Stands before the first MCU; the header has been read. False when there is no memory.
bool fc_walk_begin(FCJPEGIndex *index);

/// Makes the tables by which AC coefficients are passed over, unless they are there; fails where there is no memory.
void fc_make_skips(FCJPEGIndex *index);

/// Makes room for one more MCU's words; fails where they are too many.
void fc_reserve_words(FCJPEGIndex *index);

/// Whether there is a cut of these MCUs: some, and all have been walked over.
bool fc_can_cut(const FCJPEGIndex *index, FCJPEGCut cut);

/// Makes `index->cut` a progressive file of a cut's size and colors, whose one scan has no data.
FCJPEGStatus fc_cut_empty(FCJPEGIndex *index, FCJPEGCut cut);

/// Whether `at` stands at the marker RSTn, before which fill bytes may be; then moves behind it.
bool fc_pass_restart(const uint8_t **at, const uint8_t *end, uint32_t n);

#endif
