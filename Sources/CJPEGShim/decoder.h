/// The decoder's state, shared by its files.
#ifndef FCJPEG_DECODER_H
#define FCJPEG_DECODER_H

#include "packed.h"
#include "seam.h"

typedef enum FCStage {
  FCStageNew,
  /// A pass of its own: `region.c`.
  FCStageRegion,
  /// Collecting coefficients: `scans.c`.
  FCStageScans,
  FCStageScanRegion,
  /// Walking over entropy-coded data: `walk.c`.
  FCStageIndex,
  /// A call failed; the libjpeg object is only fit to be destroyed.
  FCStageFailed,
} FCStage;

/// What draws the blocks of a component in overviews of two or four pixels a side.
typedef struct FCOverviewBasis {
  /// By which it was made.
  const JQUANT_TBL *table;
  int scale;
  FCBasisImages images;
  /// For each coefficient of a block, its place in the zigzag.
  uint8_t places[DCTSIZE2];
} FCOverviewBasis;

/// Rounded up.
static inline uint32_t fc_divided(uint64_t side, uint32_t by) { return (uint32_t)((side + by - 1) / by); }

struct FCJPEGDecoder {
  FCSeam seam;
  struct jpeg_decompress_struct cinfo;
  struct jpeg_source_mgr reader;
  FCJPEGSource source;
  /// Bytes handed to libjpeg, and those given back to the system.
  size_t handedOut, released;
  bool reachedEnd;
  FCJPEGDamage damage;
  /// What the header says. A second frame header, before it is refused, has changed libjpeg's own fields.
  uint32_t height;
  bool isArithmetic;
  FCStage stage;

  // The region being read.
  FCJPEGRegion region;
  /// Where the region's first column is in a decoded row.
  uint32_t column;
  uint32_t rowsLeft;
  uint8_t *row;

  // Scans.
  jvirt_barray_ptr *coefficients;
  bool absorbedFirstScan, absorbedAll;
  size_t scanEnd;
  /// iMCU rows whose coefficients were given back to the system.
  uint32_t releasedRows;
  /// One bit a component, set once a scan of it began.
  uint32_t componentsSeen;
  /// For each plane of an overview.
  FCOverviewBasis basis[3];
  /// Reads the scans in libjpeg's place; or NULL.
  struct FCProgressive *progressive;
};

/// Feeds libjpeg from `decoder->source` in windows, with a fake EOI at the end.
void fc_source_install(FCJPEGDecoder *decoder);

/// Gives the pages of a file mapping that lie before byte `end`, from that of byte `start` on, back to the system. Returns the
/// `start` of the next call: the last of them may come back when those behind them are read.
size_t fc_drop_pages(const FCJPEGDecoder *decoder, size_t start, size_t end);

/// The same up to byte `end`, from where it ended the last time.
void fc_release_pages(FCJPEGDecoder *decoder, size_t end);

/// Records damage at the place that libjpeg has come to, unless some was recorded before.
void fc_note_damage(FCJPEGDecoder *decoder, FCJPEGDamageKind kind);

/// Creates the libjpeg object, reads the header and sets what both ways of decoding have in common.
void fc_open(FCJPEGDecoder *decoder, FCJPEGColor color);

/// Fails unless the region lies inside the picture at its scale.
void fc_check_inside(FCJPEGDecoder *decoder);

/// Allocates the row buffer and skips to the region's first row. `cinfo` is ready to give rows.
void fc_position(FCJPEGDecoder *decoder);

#endif
