/// A writer of entropy-coded data, shared by cuts and edits of indexed files.
#pragma once

#include "index/index.h"

/// The state of a writer, which appends to `index->cut`.
typedef struct FCWriter {
  FCJPEGIndex *index;
  /// Bits that do not fill a byte yet, at the low end.
  uint64_t bits;
  uint32_t bitCount;
  /// The tables of the output, with added codes.
  JHUFF_TBL dcTables[NUM_HUFF_TBLS], acTables[NUM_HUFF_TBLS];
  /// Whether the whole file is written again. Its header is written before its data, so that a missing code is a
  /// failure. It keeps its restart interval and its density.
  bool isEdit;
} FCWriter;

/// Begins a new file with the tables of the index.
FCWriter fc_writer_begin(FCJPEGIndex *index);

/// Frees the memory of a writer.
void fc_writer_end(FCJPEGIndex *index);

/// Makes room for more bytes. Like all functions below, it fails if memory runs out.
void fc_reserve(FCWriter *writer, size_t count);
void fc_put_byte(FCWriter *writer, uint32_t byte);
void fc_put_number(FCWriter *writer, uint32_t number);

/// Writes up to 32 bits of entropy-coded data with stuffing.
void fc_put_bits(FCWriter *writer, uint32_t value, uint32_t count);

/// Copies bits of data without stuffing.
void fc_copy_bits(FCWriter *writer, const uint8_t *from, uint64_t start, uint64_t end);

/// Writes a DC difference. Fails with `FCStatusUnsupported` if the table has no code and no room for one.
void fc_put_difference(FCWriter *writer, JHUFF_TBL *table, int32_t difference);

/// Adds a code for each symbol of 8-bit JPEG that a table lacks (T.81, tables F.1 and F.2). Others become longer.
void fc_complete_table(JHUFF_TBL *table, bool isDC);

/// Returns the DC coefficient of a block of an MCU in the file.
int32_t fc_dc_at(const FCJPEGIndex *index, FCIndexBlock block, uint32_t column, uint32_t row);

/// Writes a header for some MCUs from libjpeg's fields: what the file's segments hold beside them does not survive.
/// libjpeg needs the markers of JFIF and Adobe to determine the colors.
///
/// - isEmpty: whether the frame is a progressive one without data, whose coefficients libjpeg keeps.
void fc_put_header(FCWriter *writer, FCJPEGRect cut, bool isEmpty);

/// Copies a row's data up to a bit into `index->row`, without stuffing and restart markers.
void fc_read_row(FCWriter *writer, uint32_t row, uint32_t endBit);

/// Returns the end of an MCU in `index->row`, which begins at bit `start`, without the padding before a restart marker.
uint64_t fc_end_of_mcu(const FCWriter *writer, uint64_t start);

/// Fails because bits that the walk has read are no longer valid.
_Noreturn void fc_fail_changed(const FCJPEGIndex *index);
