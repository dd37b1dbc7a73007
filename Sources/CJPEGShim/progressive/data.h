/// The data of a progressive scan, between two markers: blocks, rows and restarts.
#pragma once

#include "libjpeg/decoder.h"
#include "index/index.h"
#include "index/packed.h"

/// Bytes of entropy-coded data held without stuffing, besides the read-ahead of one MCU.
#define FC_PROGRESSIVE_WINDOW ((size_t)1 << 16)

/// A scan: its header, and the current position.
typedef struct FCScan {
  int count;
  const jpeg_component_info *components[MAX_COMPS_IN_SCAN];
  const FCHuffman *dc[MAX_COMPS_IN_SCAN];
  const FCHuffman *ac;
  const FCPackTable *pack;
  uint32_t first, last, low;
  bool isRefined;
  /// In MCUs, which are blocks if there is a single component.
  uint32_t columns, rows, row;
  uint32_t mcusToRestart, restarts;
  /// Blocks left in the current end of band; they have no more data in this scan.
  uint32_t endOfBand;
  int32_t predictors[MAX_COMPS_IN_SCAN];
} FCScan;

/// The reader of a progressive file: tables, known bits of the coefficients, and the current scan.
struct FCProgressive {
  uint8_t window[FC_PROGRESSIVE_WINDOW + FC_LARGEST_MCU];
  size_t count;
  FCBits at;
  const uint8_t *next, *end;
  bool isAtMarker;
  FCHuffman dcTables[NUM_HUFF_TBLS], acTables[NUM_HUFF_TBLS];
  /// The table of the current scan.
  FCPackTable pack;
  bool hasDC[NUM_HUFF_TBLS], hasAC[NUM_HUFF_TBLS];
  uint32_t interval, scansRead;
  /// The lowest known bit of each coefficient; -1 for none.
  int8_t known[MAX_COMPONENTS][DCTSIZE2];
  /// For each row of a block, and each mask of its coefficients, the mask of their indices in zigzag order.
  uint64_t places[DCTSIZE][1 << DCTSIZE];
  FCScan scan;
};

/// Fills `reader->places`.
void fc_progressive_fill_places(struct FCProgressive *reader);

/// Begins to read the data at `reader->next`.
void fc_progressive_begin_data(struct FCProgressive *reader);

/// Reads a row of the scan's MCUs into libjpeg's arrays. Returns false at any fault.
bool fc_progressive_read_row(FCJPEGDecoder *decoder, struct FCProgressive *reader);

/// Returns whether all data up to a marker have been read, except the padding of the last byte.
bool fc_progressive_is_at_marker(struct FCProgressive *reader);
