/// libjpeg behind one seam. This header has the decoder's state, which the files of all folders share.
///
/// libjpeg reports a fault by a call of `error_exit`, which must not return. `seam.c` has the only `setjmp` of the
/// library. A call of libjpeg runs in a body that `fc_guard` starts, and a fault jumps out of the body. So a body owns
/// nothing on its stack: what it allocates belongs to an object that somebody destroys later. After a fault, an object
/// of libjpeg can only be destroyed (`FCStageFailed`).
///
/// A decode of a file of one scan has four steps:
///
///     header          fc_open         size, colors and tables; the output's scale in eighths
///     rows above      fc_position     parsed but not drawn: their codes must be read to find the region
///     region          region.c        drawn, with a margin of columns on both sides
///     rows below                      not read
///
/// The pixels equal those of a full decode. libjpeg's "fancy" upsampling of chroma looks at neighbors, so the margin is
/// needed.
///
/// `source.c` gives the file to libjpeg in windows. Between two windows it looks at the flag of cancellation, and it
/// returns pages of a file mapping to the system, so that memory does not grow with the file. A file that ends early
/// gets an end marker, and the damage is noted: libjpeg fills the rest with gray, which a caller wants to know.
///
/// | file | task |
/// |---|---|
/// | `seam` | faults, warnings, cancellation |
/// | `source` | bytes of the file for libjpeg |
/// | `region` | regions of files of one scan |
/// | `scan_count` | headers of scans, without decoding |
/// | `colors` | colors of overviews |
/// | `encoder`, `destination` | JPEG files in memory |
/// | `lossless` | crops of coefficients that libjpeg holds |
///
/// The folders `index`, `progressive` and `edit` use this folder. It uses none of them. `index` reads files of one scan
/// faster than libjpeg, and `progressive` does so for files of several scans. Both stop at any fault, and libjpeg then
/// decodes the file, so that the answer to a damaged file is always libjpeg's.
#pragma once

#include "libjpeg/seam.h"

typedef enum FCStage {
  FCStageNew,
  /// Decoding a region of a file of one scan: `region.c`.
  FCStageRegion,
  /// Collecting coefficients: `scans.c`.
  FCStageScans,
  FCStageScanRegion,
  /// Walking over entropy-coded data: `walk.c`.
  FCStageIndex,
  /// A call failed; the libjpeg object can only be destroyed.
  FCStageFailed,
} FCStage;

/// Divides and rounds up.
static inline uint32_t fc_divided(uint64_t side, uint32_t by) { return (uint32_t)((side + by - 1) / by); }

/// Returns the pixels of some iMCUs along a side; the image's last one may be incomplete.
static inline uint32_t fc_pixels(uint32_t first, uint32_t count, uint32_t mcu, uint32_t side) {
  const uint64_t end = (uint64_t)(first + count) * mcu;
  return (uint32_t)((end < side ? end : side) - (uint64_t)first * mcu);
}

/// Returns the grid of an image whose header was read.
FCJPEGGrid fc_grid(const struct jpeg_decompress_struct *cinfo);

struct FCJPEGDecoder {
  FCSeam seam;
  struct jpeg_decompress_struct cinfo;
  struct jpeg_source_mgr reader;
  FCJPEGSource source;
  /// Bytes handed to libjpeg, and bytes whose pages were given back to the system.
  size_t handedOut, released;
  bool reachedEnd;
  FCDamage damage;
  /// Copies from the header. A second frame header changes libjpeg's own fields before it is refused.
  uint32_t height;
  bool isArithmetic;
  FCStage stage;

  // The region being read.
  FCJPEGRegion region;
  /// The region's first column in a decoded row.
  uint32_t column;
  uint32_t rowsLeft;
  uint8_t *row;

  // Scans.
  jvirt_barray_ptr *coefficients;
  bool absorbedFirstScan, absorbedAll;
  size_t scanEnd;
  /// iMCU rows whose coefficients were given back to the system.
  uint32_t releasedRows;
  /// One bit for each component whose first scan has begun.
  uint32_t componentsSeen;
  // Objects of the folder `progressive`, each in one block of memory, or NULL.
  struct FCOverviewBasis *bases;
  struct FCProgressive *progressive;
  /// Bytes that `progressive` has read.
  size_t progressiveBytes;
};

/// Feeds libjpeg from `decoder->source` in windows, with a fake EOI at the end.
void fc_source_install(FCJPEGDecoder *decoder);

/// Gives the pages of a file mapping between the bytes `start` and `end` back to the system. Returns the `start` for
/// the next call: reading later pages may bring the last ones back.
size_t fc_drop_pages(const FCJPEGDecoder *decoder, size_t start, size_t end);

/// Gives pages up to byte `end` back, from the end of the previous call on.
void fc_release_pages(FCJPEGDecoder *decoder, size_t end);

/// Records damage at libjpeg's position, unless some was recorded before.
void fc_note_damage(FCJPEGDecoder *decoder, FCDamageKind kind);

/// Creates the libjpeg object, reads the header, and makes the settings that all kinds of decoding share.
void fc_open(FCJPEGDecoder *decoder, FCColor color);

/// Fails unless the region lies inside the image at its scale.
void fc_check_inside(FCJPEGDecoder *decoder);

/// Returns whether all coefficients are kept. libjpeg's sequential Huffman decoder drops the chroma of gray outputs
/// and, at 1/8, the AC coefficients.
bool fc_has_all_coefficients(const FCJPEGDecoder *decoder);

/// Reads a scan's header (T.81, B.2.3). Returns false if it is invalid.
bool fc_read_scan(const FCJPEGDecoder *decoder, const uint8_t *bytes, size_t count, jpeg_scan_info *scan);

/// Reads the headers of the file's scans, up to `maximumScans`, into `scans`, which the caller frees. Returns their
/// number, or 0 if one is invalid.
uint32_t fc_read_scans(FCJPEGDecoder *decoder, jpeg_scan_info **scans);

/// Ends decoding after a failure. Returns the status, which is truncated for damage after the end of the data.
FCStatus fc_ended(FCJPEGDecoder *decoder, FCStatus status);

/// Allocates the row buffer and skips to the region's first row. `cinfo` must be ready to give rows.
void fc_position(FCJPEGDecoder *decoder);
