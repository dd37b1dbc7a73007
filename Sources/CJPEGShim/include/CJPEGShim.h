/// libjpeg-turbo behind one seam: region and overview decoding, coefficients of multi-scan files, encoding.
///
/// Every call that can fail returns an `FCJPEGStatus`; its text is read with `…_message` before the next call on the same
/// object. No longjmp and no output on standard error leaves this library. An object is used by one thread at a time.
/// Cancellation is looked at once every 256 KiB of entropy-coded data and once every iMCU row, or more often.
#ifndef CJPEGSHIM_H
#define CJPEGSHIM_H

#include <CCancellation.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum __attribute__((enum_extensibility(closed))) FCJPEGStatus {
  FCJPEGStatusOk = 0,
  /// The file breaks the format's rules; nothing can be decoded from here on.
  FCJPEGStatusCorrupt,
  /// The data ended where the format needs more.
  FCJPEGStatusTruncated,
  /// A legal JPEG of a kind that libjpeg-turbo 2.1 or this shim does not decode.
  FCJPEGStatusUnsupported,
  /// More scans than `FCJPEGSource.maximumScans`.
  FCJPEGStatusTooManyScans,
  /// The coefficients need more than `FCJPEGSource.maximumCoefficientBytes`.
  FCJPEGStatusTooMuchMemory,
  FCJPEGStatusOutOfMemory,
  FCJPEGStatusCancelled,
  /// The caller asked for something outside the picture or out of order.
  FCJPEGStatusMisuse,
} FCJPEGStatus;

// MARK: Decoding

/// What a decoder reads. The bytes and the flag are borrowed until the decoder is destroyed.
typedef struct FCJPEGSource {
  const uint8_t *bytes;
  size_t count;
  /// `bytes` is a read-only file mapping: pages already read are given back to the system, so that the resident size
  /// does not grow with the file.
  bool isFileMapping;
  int32_t maximumScans;
  size_t maximumCoefficientBytes;
  const FCCancellation *cancellation;
} FCJPEGSource;

/// Damage that libjpeg reported and decoded past. The first place counts.
typedef enum __attribute__((enum_extensibility(closed))) FCJPEGDamageKind {
  FCJPEGDamageKindNone = 0,
  FCJPEGDamageKindTruncated,
  FCJPEGDamageKindCorrupt,
} FCJPEGDamageKind;

typedef struct FCJPEGDamage {
  FCJPEGDamageKind kind;
  /// Rows of the stored picture, at full size, that lie wholly above the damage (a whole number of iMCU rows).
  uint32_t intactRows;
  /// The scan, from 1, in which it was found. Above 1, earlier scans gave the whole picture coarsely.
  int32_t scan;
  /// Harmless irregularities (bytes between segments, for example).
  uint32_t remarks;
} FCJPEGDamage;

typedef enum __attribute__((enum_extensibility(closed))) FCJPEGColor {
  /// One byte a pixel: luma.
  FCJPEGColorGray = 0,
  /// Three bytes a pixel: R, G, B. CMYK and YCCK are converted without a profile.
  FCJPEGColorRGB,
  /// Four bytes a pixel, 0 for no ink, of CMYK and YCCK alone.
  FCJPEGColorCMYK,
} FCJPEGColor;

/// A rectangle of the stored picture as scaled to `ceil(side · scale / 8)`.
typedef struct FCJPEGRegion {
  /// Eighths of the full size, 1…8.
  int32_t scale;
  FCJPEGColor color;
  uint32_t x, y, width, height;
} FCJPEGRegion;

typedef struct FCJPEGDecoder FCJPEGDecoder;

/// NULL when there is no memory.
FCJPEGDecoder *_Nullable fcjpeg_decoder_create(FCJPEGSource source);
void fcjpeg_decoder_destroy(FCJPEGDecoder *decoder);
/// What the last failed call had to say; valid until the next call.
const char *fcjpeg_decoder_message(const FCJPEGDecoder *decoder);
FCJPEGDamage fcjpeg_decoder_damage(const FCJPEGDecoder *decoder);

/// The part of the source's bytes that libjpeg has read, 0…1.
double fcjpeg_decoder_fraction_read(const FCJPEGDecoder *decoder);

/// Starts a pass over a file of one scan, positioned at the region's first row. Once per decoder.
FCJPEGStatus fcjpeg_decoder_start_region(FCJPEGDecoder *decoder, FCJPEGRegion region);

/// Counts the scans of a file by their markers, up to `maximum`. At any time; nothing is decoded.
FCJPEGStatus fcjpeg_decoder_count_scans(FCJPEGDecoder *decoder, uint32_t maximum, uint32_t *count);

/// Starts to collect the coefficients of a file of several scans (progressive, or sequential and not interleaved).
/// Once per decoder, instead of `fcjpeg_decoder_start_region`. All its regions have this scale, in eighths, and color.
///
/// - byLibjpeg: false for a reader of the shim's own, which is faster, where the file is progressive.
FCJPEGStatus fcjpeg_decoder_start_scans(FCJPEGDecoder *decoder, int32_t scale, FCJPEGColor color, bool byLibjpeg);

/// Whether the shim's own reader is at work. Where it finds anything wrong `fcjpeg_decoder_absorb` gives `FCJPEGStatusUnsupported`, and
/// libjpeg has to read the file from its beginning.
bool fcjpeg_decoder_reads_scans(const FCJPEGDecoder *decoder);

/// One component of an overview.
typedef struct FCJPEGPlane {
  uint32_t width, height;
  /// Pixels of the overview that one of the plane stands for: 1 for luma, more for subsampled chroma.
  uint32_t horizontal, vertical;
} FCJPEGPlane;

/// How many planes an overview can be made of: 1, luma at the full resolution; 3, YCbCr with chroma at whole fractions of
/// it; 0 for all other kinds of color.
uint32_t fcjpeg_decoder_overview_planes(const FCJPEGDecoder *decoder);
/// A plane below that number, at `scale` eighths.
FCJPEGPlane fcjpeg_decoder_plane(const FCJPEGDecoder *decoder, uint32_t component, int32_t scale);

/// True when that many planes of the 1/8 overview can be had from the first scan alone: it carries their DC coefficients.
bool fcjpeg_decoder_first_scan_is_dc(const FCJPEGDecoder *decoder, uint32_t planes);

/// Reads up to `steps` iMCU rows of entropy-coded data; `finished` says that the goal is reached: the end of the first
/// scan, or of the last one.
FCJPEGStatus fcjpeg_decoder_absorb(FCJPEGDecoder *decoder, bool onlyFirstScan, uint32_t steps, bool *finished);

/// Where the last whole scan ends in the source, in bytes; 0 before the end of the first. A file that ends inside a segment
/// behind it can be read again up to here.
size_t fcjpeg_decoder_scan_end(const FCJPEGDecoder *decoder);

/// One row of blocks of a plane by a `scale`-point inverse DCT of what has been absorbed so far: `scale` rows (fewer at the
/// plane's lower edge) of its width in bytes, `stride` bytes apart.
FCJPEGStatus fcjpeg_decoder_read_overview(FCJPEGDecoder *decoder, uint32_t component, int32_t scale, uint32_t blockRow,
                                          uint8_t *rows, size_t stride, size_t capacity);

/// Starts an output pass at a region from the absorbed coefficients. Any number of times, once all scans are in.
FCJPEGStatus fcjpeg_decoder_start_scan_region(FCJPEGDecoder *decoder, FCJPEGRegion region);

/// Gives the memory of coefficients back to the system that the rows which are still to be read of a scan region do not need.
/// No region can be started any more.
void fcjpeg_decoder_release_coefficients(FCJPEGDecoder *decoder);

/// Decodes up to `maximumRows` further rows of the region into `rows`, `stride` bytes apart; `capacity` is the size of
/// `rows` in bytes. `read` is 0 only after the region's last row.
FCJPEGStatus fcjpeg_decoder_read_rows(
  FCJPEGDecoder *decoder, uint8_t *rows, size_t stride, size_t capacity, uint32_t maximumRows, uint32_t *read);

/// One row of a plane: samples, of which each stands for `steps` pixels.
typedef struct FCJPEGSamples {
  const uint8_t *samples;
  uint32_t count, steps;
} FCJPEGSamples;

/// What chroma adds to the luma of a row of pixels: red's, green's and blue's shifts, `width` of each, one behind the other.
void fcjpeg_fill_shifts(FCJPEGSamples blue, FCJPEGSamples red, int16_t *shifts, uint32_t width);

/// A row of RGB pixels of luma and its shifts.
void fcjpeg_shift_luma(const uint8_t *luma, const int16_t *shifts, uint8_t *pixels, uint32_t width);

// MARK: Random access to files of one Huffman-coded scan

/// Where each MCU of a baseline or extended sequential file begins, and the DC coefficient of each block, from one walk over
/// the entropy-coded data that computes no AC coefficient. See `walk.c` and `cut.c`.
typedef struct FCJPEGIndex FCJPEGIndex;

/// A rectangle of MCUs.
typedef struct FCJPEGCut {
  uint32_t x, y, width, height;
} FCJPEGCut;

/// Bytes of coefficients that an index keeps at most.
static const size_t FCJPEGMostPacked = (size_t)4 << 20;

/// NULL when there is no memory.
FCJPEGIndex *_Nullable fcjpeg_index_create(FCJPEGSource source);
void fcjpeg_index_destroy(FCJPEGIndex *index);

/// Reads the header. `FCJPEGStatusUnsupported` for files of other kinds, and when the index would need more than the
/// source's `maximumCoefficientBytes`. Once per index.
///
/// - overviewScale: the overview's, in eighths, 1 or 2. One eighth has the pixels of libjpeg's; a quarter is made of the lowest
///   frequencies alone, and a little smoother.
/// - keepsCoefficients: for small files: the walk reads all coefficients and keeps them, packed, from which `fcjpeg_index_open` has
///   pixels. The overview may be a half then, 4, and is, unless it is an eighth, the mean of the full size's pixels. The walk ends with `FCJPEGStatusUnsupported` where they take more memory than `FCJPEGMostPacked`, or than
///   `maximumCoefficientBytes`.
FCJPEGStatus fcjpeg_index_start(FCJPEGIndex *index, uint32_t overviewScale, bool keepsCoefficients);

/// The picture in MCUs, and the pixels of one MCU.
uint32_t fcjpeg_index_columns(const FCJPEGIndex *index);
uint32_t fcjpeg_index_rows(const FCJPEGIndex *index);
uint32_t fcjpeg_index_mcu_width(const FCJPEGIndex *index);
uint32_t fcjpeg_index_mcu_height(const FCJPEGIndex *index);
/// Rows of MCUs that have been walked over.
uint32_t fcjpeg_index_rows_scanned(const FCJPEGIndex *index);
/// Whether the walk came to the end of the file where the end marker should be.
bool fcjpeg_index_lacks_end_marker(const FCJPEGIndex *index);
/// Harmless irregularities of the header.
uint32_t fcjpeg_index_remarks(const FCJPEGIndex *index);
/// How many planes an overview can be made of; see `fcjpeg_decoder_overview_planes`.
uint32_t fcjpeg_index_overview_planes(const FCJPEGIndex *index);
FCJPEGPlane fcjpeg_index_plane(const FCJPEGIndex *index, uint32_t component);

/// Walks over up to `rows` further rows of MCUs. `FCJPEGStatusCorrupt` at the first thing that is not as it should be: the
/// index is of no more use then, and libjpeg decides what the file is worth.
FCJPEGStatus fcjpeg_index_scan(FCJPEGIndex *index, uint32_t rows);

/// Row `row` of a plane of the overview: `count` pixels, at most the plane's width.
FCJPEGStatus fcjpeg_index_read_overview(
  const FCJPEGIndex *index, uint32_t component, uint32_t row, uint8_t *pixels, uint32_t count);

/// Writes a JPEG file of some MCUs, with their coefficients as they are; `bytes` belong to the index and live until the next
/// call. `FCJPEGStatusUnsupported` when the file's own Huffman tables leave no room for a code that is needed.
FCJPEGStatus fcjpeg_index_cut(
  FCJPEGIndex *index, FCJPEGCut cut, const uint8_t *_Nullable *_Nonnull bytes, size_t *count);

/// A decoder of some MCUs out of the coefficients that were kept. It is as if it had absorbed a file of several scans:
/// `fcjpeg_decoder_start_scan_region` starts a region of the cut, any number of times. It needs the index no more.
FCJPEGStatus fcjpeg_index_open(FCJPEGIndex *index, FCJPEGCut cut, int32_t scale, FCJPEGColor color,
                               FCJPEGDecoder *_Nullable *_Nonnull decoder);

// MARK: Lossless crops

/// Metadata for a file; borrowed for the call.
typedef struct FCJPEGSegments {
  /// The whole EXIF payload ("Exif\0\0" and the TIFF structure), at most 65,533 bytes, or none.
  const uint8_t *_Nullable exif;
  size_t exifCount;
  /// The whole XMP payload (its identifier and the packet), at most 65,533 bytes, or none.
  const uint8_t *_Nullable xmp;
  size_t xmpCount;
  /// The ICC profile, split into as many segments as it needs, or none.
  const uint8_t *_Nullable profile;
  size_t profileCount;
} FCJPEGSegments;

/// A JPEG file in memory. Used again, it gives its last bytes up.
typedef struct FCJPEGFile FCJPEGFile;

/// NULL when there is no memory.
FCJPEGFile *_Nullable fcjpeg_file_create(void);
void fcjpeg_file_destroy(FCJPEGFile *file);
/// NULL and 0 until a call has filled it, and after one that failed. They live until the next call with the file.
const uint8_t *_Nullable fcjpeg_file_bytes(const FCJPEGFile *file);
size_t fcjpeg_file_count(const FCJPEGFile *file);

/// A picture in iMCUs, and the pixels of one.
typedef struct FCJPEGGrid {
  uint32_t columns, rows;
  uint32_t mcuWidth, mcuHeight;
} FCJPEGGrid;

/// The grid that lossless crops keep to, once `fcjpeg_decoder_start_scans` has succeeded; the index's, where there is one.
FCJPEGGrid fcjpeg_decoder_grid(const FCJPEGDecoder *decoder);

/// Writes some iMCUs to a file of their own, with their coefficients and quantization tables as they are. Any number of
/// times, once all scans are in; files of one scan are absorbed by `fcjpeg_decoder_start_scans` as well. Unless the source is
/// progressive, the decoder must have been started for RGB and a scale above 1: libjpeg leaves out what it needs not. The
/// file is progressive if the source is (unless its sampling factors rule an interleaved scan out), sequential otherwise,
/// and holds of the source's segments only what tells colors and density.
///
/// The coefficients of the crop take memory besides the source's, by the same limit. `FCJPEGStatusUnsupported` when libjpeg
/// cannot write what it has read (coefficients that have no code, a quantization table that changes between scans). The
/// decoder stays of use after a failure and has its message. Damage is the decoder's to tell.
FCJPEGStatus fcjpeg_lossless_crop(FCJPEGDecoder *decoder, FCJPEGCut cut, FCJPEGSegments segments, FCJPEGFile *file);

/// Copies a JPEG file and puts segments behind its start marker and JFIF's segments. `jpeg` may be the file's own bytes.
/// `FCJPEGStatusCorrupt` when it does not begin as a JPEG file.
FCJPEGStatus fcjpeg_with_segments(const uint8_t *jpeg, size_t count, FCJPEGSegments segments, FCJPEGFile *file);

// MARK: Encoding

typedef struct FCJPEGEncoding {
  uint32_t width, height;
  FCJPEGColor color;
  /// 1…100, libjpeg's scale.
  int32_t quality;
  /// Pixels that a sample of chroma stands for, along each axis: 1 or 2.
  int32_t horizontalSubsampling, verticalSubsampling;
  /// Ten scans, coarse to fine, instead of one; libjpeg keeps all coefficients for them: 2 bytes a sample.
  bool isProgressive;
  /// Pixels per inch, for JFIF's segment; 0 says nothing.
  uint16_t density;
  FCJPEGSegments segments;
  const FCCancellation *cancellation;
} FCJPEGEncoding;

/// Bytes of coefficients, two a sample, up to which a file of one scan gets Huffman tables of its own: a few percent smaller,
/// but libjpeg keeps all coefficients until it knows the tables. For larger outputs that is too dear.
static const uint64_t FCJPEGLargestOptimized = 64u << 10;

typedef struct FCJPEGEncoder FCJPEGEncoder;

/// NULL when there is no memory.
FCJPEGEncoder *_Nullable fcjpeg_encoder_create(void);
void fcjpeg_encoder_destroy(FCJPEGEncoder *encoder);
const char *fcjpeg_encoder_message(const FCJPEGEncoder *encoder);
/// Once per encoder. The segments are copied into the output here.
FCJPEGStatus fcjpeg_encoder_start(FCJPEGEncoder *encoder, FCJPEGEncoding encoding);
FCJPEGStatus fcjpeg_encoder_write_rows(
  FCJPEGEncoder *encoder, const uint8_t *rows, size_t stride, size_t capacity, uint32_t count);
/// Gives the bytes that the file has grown by since the last such call, valid until the next call on the encoder: a file that is written
/// as it grows. Once it is started, and before it is finished.
void fcjpeg_encoder_take(FCJPEGEncoder *encoder, const uint8_t *_Nullable *_Nonnull bytes, size_t *count);
/// Ends the file; `bytes`, those that were not taken, belong to the encoder and live as long as it.
FCJPEGStatus fcjpeg_encoder_finish(
  FCJPEGEncoder *encoder, const uint8_t *_Nullable *_Nonnull bytes, size_t *count);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
