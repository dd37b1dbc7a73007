/// libjpeg-turbo behind one seam: decodes regions and overviews, keeps coefficients of multi-scan files, and encodes.
///
/// Cancellation is checked at least every 256 KiB of entropy-coded data and every iMCU row.
#pragma once

#include <CBasics.h>

FC_BEGIN

// MARK: Decoding

/// The input of a decoder. It borrows the bytes and the flag until it is destroyed.
typedef struct FCJPEGSource {
  const uint8_t *bytes;
  size_t count;
  /// Whether `bytes` is a read-only file mapping. If it is, pages already read are given back to the system, so that
  /// the resident size does not grow with the file.
  bool isFileMapping;
  int32_t maximumScans;
  size_t maximumCoefficientBytes;
  const FCCancellation *cancellation;
} FCJPEGSource;

/// A rectangle of the stored image, which is scaled to `ceil(side · scale / 8)`.
typedef struct FCJPEGRegion {
  /// The scale in eighths of the full size, 1…8.
  int32_t scale;
  /// Gray, RGB, or for CMYK and YCCK the inks. Inks become gray or RGB without a profile.
  FCColor color;
  uint32_t x, y, width, height;
} FCJPEGRegion;

typedef struct FCJPEGDecoder FCJPEGDecoder;

/// Creates a decoder, or returns NULL if memory runs out.
FCJPEGDecoder *_Nullable fcjpeg_decoder_create(FCJPEGSource source);
void fcjpeg_decoder_destroy(FCJPEGDecoder *decoder);
/// Returns the message of the last failed call, valid until the next call.
const char *fcjpeg_decoder_message(const FCJPEGDecoder *decoder);
/// Returns the damage found so far. Rows are those of the stored image, at full size: a whole number of iMCU rows.
FCDamage fcjpeg_decoder_damage(const FCJPEGDecoder *decoder);

/// Returns the fraction of the source's bytes that libjpeg has read, 0…1.
double fcjpeg_decoder_fraction_read(const FCJPEGDecoder *decoder);

/// Starts a pass over a file of one scan, at the region's first row. Call it once per decoder.
FCStatus fcjpeg_decoder_start_region(FCJPEGDecoder *decoder, FCJPEGRegion region);

/// Counts the scans of a file by their markers, up to `maximum`, without decoding. Call it at any time.
FCStatus fcjpeg_decoder_count_scans(FCJPEGDecoder *decoder, uint32_t maximum, uint32_t *count);

/// Starts to collect the coefficients of a file of several scans (progressive, or sequential and not interleaved). Call
/// it once per decoder, instead of `fcjpeg_decoder_start_region`. All regions have this color and scale (in eighths).
///
/// - byLibjpeg: false to read progressive files with the shim's own reader, which is faster.
FCStatus fcjpeg_decoder_start_scans(FCJPEGDecoder *decoder, int32_t scale, FCColor color, bool byLibjpeg);

/// Returns whether the shim's own reader is in use. If it finds a fault, `fcjpeg_decoder_absorb` returns
/// `FCStatusUnsupported`, and libjpeg must read the file from the beginning.
bool fcjpeg_decoder_reads_scans(const FCJPEGDecoder *decoder);

/// One component of an overview.
typedef struct FCJPEGPlane {
  uint32_t width, height;
  /// The size of one sample in pixels of the overview: 1 for luma, more for subsampled chroma.
  uint32_t horizontal, vertical;
} FCJPEGPlane;

/// Returns the number of planes of an overview: 1 for luma, 3 for YCbCr subsampled by whole numbers, else 0.
uint32_t fcjpeg_decoder_overview_planes(const FCJPEGDecoder *decoder);
/// Returns the size of plane `component` at `scale` eighths.
FCJPEGPlane fcjpeg_decoder_plane(const FCJPEGDecoder *decoder, uint32_t component, int32_t scale);

/// Returns whether the first scan contains the DC coefficients of `planes` planes, enough for an overview at 1/8.
bool fcjpeg_decoder_first_scan_is_dc(const FCJPEGDecoder *decoder, uint32_t planes);

/// Reads up to `steps` iMCU rows of entropy-coded data. Sets `finished` at the end of the first scan if
/// `onlyFirstScan`, otherwise at the end of the last.
FCStatus fcjpeg_decoder_absorb(FCJPEGDecoder *decoder, bool onlyFirstScan, uint32_t steps, bool *finished);

/// Returns the end of the last complete scan in the source, in bytes; 0 before the end of the first. A file that is
/// truncated after it can be decoded again up to here.
size_t fcjpeg_decoder_scan_end(const FCJPEGDecoder *decoder);

/// Decodes one row of blocks of a plane from the coefficients read so far, with a `scale`-point inverse DCT. Writes
/// `scale` rows of the plane's width, fewer at its lower edge, `stride` bytes apart.
FCStatus fcjpeg_decoder_read_overview(FCJPEGDecoder *decoder, uint32_t component, int32_t scale, uint32_t blockRow,
                                      uint8_t *rows, size_t stride, size_t capacity);

/// Starts to decode a region from the coefficients. Call it any number of times, once all scans are read.
FCStatus fcjpeg_decoder_start_scan_region(FCJPEGDecoder *decoder, FCJPEGRegion region);

/// Frees the memory of coefficients that the rest of a region does not need. No region can be started after it.
void fcjpeg_decoder_release_coefficients(FCJPEGDecoder *decoder);

/// Decodes up to `maximumRows` further rows of the region into `rows`, `stride` bytes apart. `capacity` is the size of
/// `rows` in bytes. `read` is 0 only after the region's last row.
FCStatus fcjpeg_decoder_read_rows(
  FCJPEGDecoder *decoder, uint8_t *rows, size_t stride, size_t capacity, uint32_t maximumRows, uint32_t *read);

/// A row of `count` samples of a plane, each `steps` pixels wide.
typedef struct FCJPEGSamples {
  const uint8_t *samples;
  uint32_t count, steps;
} FCJPEGSamples;

/// Computes the values that chroma adds to luma: `width` shifts for red, then as many for green and for blue.
void fcjpeg_fill_shifts(FCJPEGSamples blue, FCJPEGSamples red, int16_t *shifts, uint32_t width);

/// Converts a row of luma and its shifts to RGB.
void fcjpeg_shift_luma(const uint8_t *luma, const int16_t *shifts, uint8_t *pixels, uint32_t width);

// MARK: Random access to files of one Huffman-coded scan

/// The start of each MCU of a baseline or extended sequential file, and the DC coefficient of each block. One walk over
/// the entropy-coded data finds them without decoding AC coefficients. See `walk.c` and `cut.c`.
typedef struct FCJPEGIndex FCJPEGIndex;

/// A rectangle of MCUs, or of blocks of a component.
typedef struct FCJPEGRect {
  uint32_t x, y, width, height;
} FCJPEGRect;

/// Upper bound of the coefficients that an index keeps, in bytes.
static const size_t FCJPEGMostPacked = (size_t)4 << 20;

/// Creates an index, or returns NULL if memory runs out.
FCJPEGIndex *_Nullable fcjpeg_index_create(FCJPEGSource source);
void fcjpeg_index_destroy(FCJPEGIndex *index);

/// Reads the header. Returns `FCStatusUnsupported` for other kinds of files, and if the index would need more than
/// the source's `maximumCoefficientBytes`. Call it once per index.
///
/// - overviewScale: in eighths. 1 gives libjpeg's pixels; 2 uses only the lowest frequencies, slightly smoother.
/// - keepsCoefficients: for small files: keeps all coefficients, packed, so that `fcjpeg_index_open` can decode them.
///   `overviewScale` may then also be 4, and above 1 the overview averages the pixels of the full size. The walk ends
///   with `FCStatusUnsupported` if the coefficients exceed `FCJPEGMostPacked` or `maximumCoefficientBytes`.
FCStatus fcjpeg_index_start(FCJPEGIndex *index, uint32_t overviewScale, bool keepsCoefficients);

/// The size of an image in iMCUs, and of one iMCU in pixels.
typedef struct FCJPEGGrid {
  uint32_t columns, rows;
  uint32_t mcuWidth, mcuHeight;
} FCJPEGGrid;

FCJPEGGrid fcjpeg_index_grid(const FCJPEGIndex *index);
/// Returns the rows of MCUs walked so far.
uint32_t fcjpeg_index_rows_scanned(const FCJPEGIndex *index);
/// Returns whether the file ends without an end marker.
bool fcjpeg_index_lacks_end_marker(const FCJPEGIndex *index);
/// Returns the number of harmless irregularities in the header.
uint32_t fcjpeg_index_remarks(const FCJPEGIndex *index);
/// Returns the number of planes of an overview; see `fcjpeg_decoder_overview_planes`.
uint32_t fcjpeg_index_overview_planes(const FCJPEGIndex *index);
FCJPEGPlane fcjpeg_index_plane(const FCJPEGIndex *index, uint32_t component);

/// Walks over up to `rows` further rows of MCUs. Returns `FCStatusCorrupt` at the first fault; the index is then
/// unusable, and libjpeg must decode the file.
FCStatus fcjpeg_index_scan(FCJPEGIndex *index, uint32_t rows);

/// Reads the first `count` pixels of row `row` of a plane of the overview.
FCStatus fcjpeg_index_read_overview(
  const FCJPEGIndex *index, uint32_t component, uint32_t row, uint8_t *pixels, uint32_t count);

/// Writes a JPEG file of some MCUs with unchanged coefficients. Returns `FCStatusUnsupported` if the file's Huffman
/// tables have no room for a new code. `bytes` belong to the index and stay valid until the next call.
FCStatus fcjpeg_index_cut(FCJPEGIndex *index, FCJPEGRect cut, FCBytes *bytes);

/// Opens a decoder for some MCUs from the kept coefficients. It behaves as if it had read a file of several scans:
/// `fcjpeg_decoder_start_scan_region` starts regions of the cut. It does not need the index afterwards.
FCStatus fcjpeg_index_open(FCJPEGIndex *index, FCJPEGRect cut, int32_t scale, FCColor color,
                           FCJPEGDecoder *_Nullable *_Nonnull decoder);

// MARK: Lossless crops

/// Returns the grid for lossless crops, once `fcjpeg_decoder_start_scans` has succeeded. The index has the same grid.
FCJPEGGrid fcjpeg_decoder_grid(const FCJPEGDecoder *decoder);

/// Writes some iMCUs to a file, with unchanged coefficients and quantization tables. `fcjpeg_file_free` frees it; after
/// a failure it is empty. Call it any number of times, once all scans are read; for this, `fcjpeg_decoder_start_scans`
/// also reads files of one scan. Unless the source is progressive, start the decoder for RGB and a scale above 1, since
/// libjpeg otherwise drops coefficients.
///
/// The file is progressive if the source is and its sampling factors allow an interleaved scan, otherwise sequential.
/// Only the segments for colors and density are copied.
///
/// The crop's coefficients count against the same limit as the source's. Returns `FCStatusUnsupported` if libjpeg
/// cannot write the file: a coefficient has no code, or a quantization table changes between scans. After a failure the
/// decoder is still usable and has the message. Check `fcjpeg_decoder_damage` for damage.
FCStatus fcjpeg_lossless_crop(FCJPEGDecoder *decoder, FCJPEGRect cut, FCBytes *file);
void fcjpeg_file_free(FCBytes file);

// MARK: Edited blocks

/// The blocks of a component. A row of MCUs has `vertical` rows of blocks, and `columns` blocks in each.
typedef struct FCJPEGBlocks {
  /// Blocks of the component in one MCU.
  uint32_t horizontal, vertical;
  /// The size of the component in blocks, in whole MCUs.
  uint32_t columns, rows;
  /// The pixels of the image that one sample covers along each side, as fractions.
  uint32_t horizontalPixels, horizontalSamples, verticalPixels, verticalSamples;
  /// Whether the samples are differences of colors, with 128 for none.
  bool isChroma;
} FCJPEGBlocks;

/// New samples for blocks of one component in one row of MCUs. They have `width` blocks from column `x` on, and the
/// component's rows of blocks. Samples are 0…255, eight rows for each row of blocks, `8 · width` apart.
typedef struct FCJPEGStrip {
  uint32_t x, width;
  const float *_Nullable samples;
  /// One byte a sample: whether it is replaced. A block without such a sample keeps its coefficients.
  const uint8_t *_Nullable mask;
} FCJPEGStrip;

/// Returns the number of components, and the blocks of one. Components are in the order of the scan.
uint32_t fcjpeg_index_components(const FCJPEGIndex *index);
FCJPEGBlocks fcjpeg_index_blocks(const FCJPEGIndex *index, uint32_t component);
/// Computes the mean sample of each block of a rectangle, row by row, into `means`. The walk must have reached them.
FCStatus fcjpeg_index_means(
  const FCJPEGIndex *index, uint32_t component, FCJPEGRect rect, float *means, size_t capacity);

/// Starts to write the file again, once the walk is complete. The header has the file's values, and only the tables
/// that the scan uses. The restart interval stays.
///
/// - completesTables: false to keep the file's Huffman tables, and copy the bits of unedited blocks. True to add all
///   codes of 8-bit JPEG to them, and write every block anew, with the same coefficients.
FCStatus fcjpeg_index_edit_start(FCJPEGIndex *index, bool completesTables);
/// Writes the next row of MCUs. `strips` has one strip for each component, or is NULL to keep the row. Returns
/// `FCStatusUnsupported` if the tables lack a code.
FCStatus fcjpeg_index_edit_row(FCJPEGIndex *index, const FCJPEGStrip *_Nullable strips);
/// Ends the file, after the last row. `bytes` are the whole file, and belong to the index until the next call.
FCStatus fcjpeg_index_edit_finish(FCJPEGIndex *index, FCBytes *bytes);

/// The same for coefficients in memory, once all scans are read, with the conditions of `fcjpeg_lossless_crop`.
/// Components are in the order of the frame.
uint32_t fcjpeg_decoder_components(const FCJPEGDecoder *decoder);
FCJPEGBlocks fcjpeg_decoder_blocks(const FCJPEGDecoder *decoder, uint32_t component);
FCStatus fcjpeg_decoder_means(
  FCJPEGDecoder *decoder, uint32_t component, FCJPEGRect rect, float *means, size_t capacity);
/// Changes the coefficients of row `row` of MCUs in place.
FCStatus fcjpeg_decoder_edit_row(FCJPEGDecoder *decoder, uint32_t row, const FCJPEGStrip *strips);
/// Writes the whole image from the coefficients, with the source's scans and optimized Huffman tables. The errors are
/// those of `fcjpeg_lossless_crop`.
FCStatus fcjpeg_decoder_rewrite(FCJPEGDecoder *decoder, FCBytes *file);

// MARK: Encoding

typedef struct FCJPEGEncoding {
  uint32_t width, height;
  /// Gray or RGB.
  FCColor color;
  /// 1…100, libjpeg's scale.
  int32_t quality;
  /// The size of one chroma sample in pixels along each axis: 1 or 2.
  int32_t horizontalSubsampling, verticalSubsampling;
  /// Whether to write ten scans, coarse to fine. libjpeg then keeps all coefficients, at 2 bytes a sample.
  bool isProgressive;
  /// Pixels per inch, for JFIF's segment; 0 writes none.
  uint16_t density;
  /// Segments for behind JFIF's, one after the other, with their markers and lengths.
  FCBytes segments;
  const FCCancellation *cancellation;
} FCJPEGEncoding;

/// Upper bound of the coefficients, at 2 bytes a sample, for which a file of one scan gets optimized Huffman tables.
/// These save a few percent, but libjpeg must keep all coefficients, which takes too much memory for larger outputs.
static const uint64_t FCJPEGLargestOptimized = 64u << 10;

typedef struct FCJPEGEncoder FCJPEGEncoder;

/// Creates an encoder, or returns NULL if memory runs out.
FCJPEGEncoder *_Nullable fcjpeg_encoder_create(void);
void fcjpeg_encoder_destroy(FCJPEGEncoder *encoder);
const char *fcjpeg_encoder_message(const FCJPEGEncoder *encoder);
/// Starts a file and copies the segments into it. Call it once per encoder.
FCStatus fcjpeg_encoder_start(FCJPEGEncoder *encoder, FCJPEGEncoding encoding);
FCStatus fcjpeg_encoder_write_rows(
  FCJPEGEncoder *encoder, const uint8_t *rows, size_t stride, size_t capacity, uint32_t count);
/// Returns the bytes that were written since the last such call, so that a caller can write the file as it grows. They
/// stay valid until the next call on the encoder. Call it between the start and the finish.
FCBytes fcjpeg_encoder_take(FCJPEGEncoder *encoder);
/// Ends the file. Returns the bytes that were not taken yet, which live as long as the encoder.
FCStatus fcjpeg_encoder_finish(FCJPEGEncoder *encoder, FCBytes *bytes);

FC_END
