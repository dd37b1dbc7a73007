/// The data of a progressive scan, between two markers: blocks, rows and restarts.
#ifndef FCJPEG_PROGRESSIVE_DATA_H
#define FCJPEG_PROGRESSIVE_DATA_H

#include "decoder.h"
#include "index.h"
#include "packed.h"

/// Bytes of entropy-coded data that are held without stuffing at a time, and what is read ahead of an MCU at most.
#define FC_PROGRESSIVE_WINDOW ((size_t)1 << 16)

/// A scan: what its header says, and how far it has been read.
typedef struct FCScan {
  int count;
  const jpeg_component_info *components[MAX_COMPS_IN_SCAN];
  const FCHuffman *dc[MAX_COMPS_IN_SCAN];
  const FCHuffman *ac;
  const FCPackTable *pack;
  uint32_t first, last, low;
  bool isRefined;
  /// In MCUs; those of a single component are blocks.
  uint32_t columns, rows, row;
  uint32_t mcusToRestart, restarts;
  /// Blocks to come that have nothing more in this scan.
  uint32_t endOfBand;
  int32_t predictors[MAX_COMPS_IN_SCAN];
} FCScan;

/// The reader of a progressive file: its tables, what is known of its coefficients, and the scan under way.
struct FCProgressive {
  uint8_t window[FC_PROGRESSIVE_WINDOW + FC_LARGEST_MCU];
  size_t count;
  FCBits at;
  const uint8_t *next, *end;
  bool isAtMarker;
  FCHuffman dcTables[NUM_HUFF_TBLS], acTables[NUM_HUFF_TBLS];
  /// Of the scan under way.
  FCPackTable pack;
  bool hasDC[NUM_HUFF_TBLS], hasAC[NUM_HUFF_TBLS];
  uint32_t interval, scansRead;
  /// For each coefficient the lowest bit that is known of it; -1 for none.
  int8_t known[MAX_COMPONENTS][DCTSIZE2];
  /// For each row of a block, and each choice of its coefficients, their places in the zigzag, a bit for each.
  uint64_t places[DCTSIZE][1 << DCTSIZE];
  FCScan scan;
};

/// Fills in `reader->places`.
void fc_progressive_fill_places(struct FCProgressive *reader);

/// Begins to read the data at `reader->next`.
void fc_progressive_begin_data(struct FCProgressive *reader);

/// Reads a row of the scan's MCUs into libjpeg's arrays; false at anything that is not as it should be.
bool fc_progressive_read_row(FCJPEGDecoder *decoder, struct FCProgressive *reader);

/// Whether all data up to a marker have been read, but for the padding of the last byte.
bool fc_progressive_is_at_marker(struct FCProgressive *reader);

#endif
