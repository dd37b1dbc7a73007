/// Reads a file of one scan in one walk. This header has the index's state, which the files of this folder share.
///
/// Face detection needs a small overview of the whole image, and the crop needs the pixels of a region. libjpeg would
/// read the entropy-coded data twice. The walk reads them once, and does less with each code.
///
///     file     bytes of Huffman codes: DC difference, AC run, AC run, …, end of block
///     walk     DC: decoded, because each depends on the one before
///              AC: skipped, or kept as packed words; a table tells several codes at once (`huffman.h`, `packed.h`)
///     results  for each block its DC value, for each MCU its first bit, for each row of MCUs its place in the file
///
/// The DC value is eight times the mean of a block, so the DC values are the image at an eighth. With a few low AC
/// values, or with all of them, the overview is at a quarter or at half the size.
///
/// A region then has two ways, and no third read of the file above it:
///
/// - `cut.c` makes a small JPEG file. It copies the bits of the region's MCUs. The first MCU of each row gets new DC
///   differences, because it has another predecessor than in the file (T.81, F.1.2.1). libjpeg decodes the small file,
///   or it is the result of a lossless crop.
/// - `unpack.c` fills libjpeg's arrays from packed coefficients, if the walk kept them.
///
/// Entropy-coded data have a zero byte after each 0xFF (stuffing), and restart markers between some MCUs. `walk.c`
/// removes both in windows of 64 KiB, so that the decoder sees plain bits. A position counts bits without stuffing; a
/// few known places in each window lead back to the bytes of the file.
///
/// Bits are read from a 64-bit word. A refill reads ahead, so zeros follow the data in each buffer, as many as the
/// largest MCU has (`FC_LARGEST_MCU`). A damaged MCU ends there, and is refused by its position.
///
/// | file | task |
/// |---|---|
/// | `huffman`, `packed`, `basis` | codes, coefficients in two bytes each, pixels of a coefficient |
/// | `index` | memory, tables, overviews |
/// | `walk` | the walk |
/// | `cut`, `writer`, `unpack` | regions |
///
/// The folder `libjpeg` is below this one, `progressive` and `edit` are above it.
#pragma once

#include "libjpeg/decoder.h"
#include "index/huffman.h"
#include "index/packed.h"

/// Upper bound of the blocks of one MCU (T.81, B.2.3).
#define FC_BLOCKS_PER_MCU 10

/// The start of a row of MCUs in the file.
typedef struct FCIndexRow {
  /// The byte with the first bit.
  size_t offset;
  /// One past the row's last bit, counted from the first byte, without stuffing and markers.
  uint32_t endBit;
} FCIndexRow;

/// One block of an MCU.
typedef struct FCIndexBlock {
  /// The index of the block's component in the scan.
  uint8_t component;
  /// The block's position inside the MCU, in blocks.
  uint8_t x, y;
} FCIndexBlock;

typedef struct FCIndexComponent {
  /// Blocks of the component in one MCU.
  uint32_t width, height;
  /// Quantized DC coefficients: `width` × columns of MCUs wide, `height` × rows high.
  int16_t *dc;
  /// `FC_LOW_COEFFICIENTS` quantized values for each DC coefficient, or NULL for an overview at an eighth.
  int16_t *low;
  const FCHuffman *dcTable, *acTable;
  const FCSkipTable *skip;
  // Only set if coefficients are kept.
  const FCPackTable *pack;
  FCBasisImages *basis;
  /// The overview, `scale` times as wide and high as the DC coefficients, or NULL to compute it from them.
  uint8_t *pixels;
} FCIndexComponent;

struct FCJPEGIndex {
  /// The header, whose tables the index uses.
  FCJPEGDecoder *decoder;
  uint32_t columns, rows, rowsScanned;
  /// The overview's scale in eighths: 1 or 2, or 4 if coefficients are kept.
  uint32_t scale;
  bool keepsCoefficients;
  uint32_t componentCount, blockCount;
  FCIndexComponent components[MAX_COMPS_IN_SCAN];
  FCIndexBlock blocks[FC_BLOCKS_PER_MCU];
  FCIndexRow *rowStarts;
  /// The first bit of each MCU, counted like `FCIndexRow.endBit`.
  uint32_t *mcuStarts;
  FCHuffman *dcTables[NUM_HUFF_TBLS], *acTables[NUM_HUFF_TBLS];
  FCSkipTable *skipTables[NUM_HUFF_TBLS];
  FCPackTable *packTables[NUM_HUFF_TBLS];
  /// All blocks, packed as in `packed.h`, in the scan's order, and the first word of each MCU.
  uint16_t *words;
  size_t wordCount, wordCapacity;
  uint32_t *mcuWords;
  struct FCIndexScan *scan;
  bool lacksEndMarker;
  /// The last cut.
  uint8_t *cut;
  size_t cutCount, cutCapacity;
  /// Entropy-coded data of one row for cuts and edits, without stuffing.
  uint8_t *row;
  size_t rowCapacity;
  /// The running edit of the folder `edit`, in one block of memory, or NULL.
  struct FCEdit *edit;
};

/// Upper bound of the bytes of one MCU, with 16 bits for each code and 15 for each value, and of the read-ahead.
#define FC_LARGEST_MCU (FC_BLOCKS_PER_MCU * DCTSIZE2 * 31 / 8 + 32)

/// Copies entropy-coded data without its stuffing (T.81, B.1.1.5), up to `capacity` bytes or a marker, and moves
/// `*from` there. Returns the number of bytes written.
size_t fc_unstuff(const uint8_t **from, const uint8_t *end, uint8_t *to, size_t capacity);

/// Moves to the first MCU after the header was read. Fails if memory runs out.
void fc_walk_begin(FCJPEGIndex *index);

/// Makes the tables that skip AC coefficients, unless they exist. Fails if memory runs out.
void fc_make_skips(FCJPEGIndex *index);

/// Makes room for one more MCU's words. Fails if the limit is reached.
void fc_reserve_words(FCJPEGIndex *index);

/// Returns whether the cut has at least one MCU, and all its MCUs have been walked over.
bool fc_can_cut(const FCJPEGIndex *index, FCJPEGRect cut);

/// Makes `index->cut` a progressive file with a cut's size and colors, whose one scan has no data.
FCStatus fc_cut_empty(FCJPEGIndex *index, FCJPEGRect cut);

/// Moves past the marker RSTn and the fill bytes before it. Returns false if `at` is not there.
bool fc_pass_restart(const uint8_t **at, const uint8_t *end, uint32_t n);
