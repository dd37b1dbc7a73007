/// Writes entropy-coded data: bits with stuffing, bits copied from the file, and DC differences.
#include "index/writer.h"

#include <stdlib.h>
#include <string.h>

// MARK: Output

FCWriter fc_writer_begin(FCJPEGIndex *index) {
  index->cutCount = 0;
  FCWriter writer = {.index = index};
  for (int i = 0; i < NUM_HUFF_TBLS; i++) {
    if (index->dcTables[i] != NULL) writer.dcTables[i] = *index->decoder->cinfo.dc_huff_tbl_ptrs[i];
    if (index->acTables[i] != NULL) writer.acTables[i] = *index->decoder->cinfo.ac_huff_tbl_ptrs[i];
  }
  return writer;
}

void fc_writer_end(FCJPEGIndex *index) {
  free(index->row);
  index->row = NULL;
  index->rowCapacity = 0;
}

void fc_reserve(FCWriter *writer, size_t count) {
  FCJPEGIndex *index = writer->index;
  if (index->cutCapacity - index->cutCount >= count) return;
  const size_t capacity = index->cutCapacity * 2 + count + 4096;
  index->cut = fc_allocated(&index->decoder->seam, realloc(index->cut, capacity));
  index->cutCapacity = capacity;
}

void fc_put_byte(FCWriter *writer, uint32_t byte) {
  fc_reserve(writer, 1);
  writer->index->cut[writer->index->cutCount++] = (uint8_t)byte;
}

void fc_put_number(FCWriter *writer, uint32_t number) {
  fc_put_byte(writer, number >> 8);
  fc_put_byte(writer, number & 0xFF);
}

/// Returns whether a byte is 0xFF, which needs stuffing: its complement is 0 (H. S. Warren, "Hacker's Delight").
static bool has_mark(uint32_t word) { return (((~word - 0x01010101u) & word) & 0x80808080u) != 0; }

/// Writes up to 32 bits of entropy-coded data with stuffing. `out` must have room for 16 bytes.
static uint8_t *put(FCWriter *writer, uint8_t *out, uint32_t value, uint32_t count) {
  writer->bits = writer->bits << count | (value & (uint32_t)(((uint64_t)1 << count) - 1));
  writer->bitCount += count;
  if (writer->bitCount >= 32) {
    const uint32_t word = (uint32_t)(writer->bits >> (writer->bitCount - 32));
    if (!has_mark(word)) {
      writer->bitCount -= 32;
      for (uint32_t i = 0; i < 4; i++) *out++ = (uint8_t)(word >> (24 - 8 * i));
    }
  }
  while (writer->bitCount >= 8) {
    writer->bitCount -= 8;
    const uint8_t byte = (uint8_t)(writer->bits >> writer->bitCount);
    *out++ = byte;
    if (byte == 0xFF) *out++ = 0;
  }
  return out;
}

void fc_put_bits(FCWriter *writer, uint32_t value, uint32_t count) {
  fc_reserve(writer, 16);
  uint8_t *out = put(writer, writer->index->cut + writer->index->cutCount, value, count);
  writer->index->cutCount = (size_t)(out - writer->index->cut);
}

void fc_copy_bits(FCWriter *writer, const uint8_t *from, uint64_t start, uint64_t end) {
  if (start >= end) return;
  // Stuffing at most doubles the data.
  fc_reserve(writer, 2 * (size_t)((end - start) / 8) + 32);
  uint8_t *out = writer->index->cut + writer->index->cutCount;
  for (; end - start >= 32; start += 32) out = put(writer, out, (uint32_t)(fc_peek(from, start) >> 32), 32);
  if (end > start) {
    const uint32_t left = (uint32_t)(end - start);
    out = put(writer, out, (uint32_t)(fc_peek(from, start) >> (64 - left)), left);
  }
  writer->index->cutCount = (size_t)(out - writer->index->cut);
}

// MARK: Codes

/// Finds the code of a symbol. Returns false if the table has none.
static bool find_code(const JHUFF_TBL *table, uint32_t symbol, uint32_t *code, uint32_t *length) {
  uint32_t next = 0, place = 0;
  for (uint32_t l = 1; l <= 16; l++) {
    for (uint32_t i = 0; i < table->bits[l]; i++, place++, next++) {
      if (table->huffval[place] == symbol) {
        *code = next;
        *length = l;
        return true;
      }
    }
    next <<= 1;
  }
  return false;
}

/// Adds a code of 16 bits after all others, so that the existing canonical codes stay (T.81, C.2). The code of all ones
/// stays free, as the standard requires. Returns false if there is no room.
static bool add_code(JHUFF_TBL *table, uint32_t symbol) {
  uint32_t count = 0, next = 0;
  for (uint32_t l = 1; l <= 16; l++) {
    next = (next << 1) + table->bits[l];
    count += table->bits[l];
  }
  if (count >= 256 || next >= 0xFFFF || table->bits[16] == UINT8_MAX) return false;
  table->bits[16] += 1;
  table->huffval[count] = (UINT8)symbol;
  return true;
}

/// Adds a bit to the last of the longest codes with less than 16 bits, and keeps the symbols' order. False without one.
static bool lengthen_code(JHUFF_TBL *table) {
  uint32_t length = 15;
  while (length > 0 && table->bits[length] == 0) length--;
  if (length == 0 || table->bits[length + 1] == UINT8_MAX) return false;
  table->bits[length] -= 1;
  table->bits[length + 1] += 1;
  return true;
}

void fc_complete_table(JHUFF_TBL *table, bool isDC) {
  const uint32_t sixteenZeros = 0xF0, mostSize = isDC ? 11 : 10;
  for (uint32_t symbol = 0; symbol <= sixteenZeros + mostSize; symbol++) {
    const uint32_t size = isDC ? symbol : symbol & 15;
    const bool isValid = size <= mostSize && (size > 0 || isDC || symbol == 0 || symbol == sixteenZeros);
    uint32_t code, length;
    if (!isValid || find_code(table, symbol, &code, &length)) continue;
    while (!add_code(table, symbol)) {
      if (!lengthen_code(table)) return;
    }
  }
}

void fc_put_difference(FCWriter *writer, JHUFF_TBL *table, int32_t difference) {
  uint32_t magnitude = (uint32_t)(difference < 0 ? -difference : difference);
  uint32_t category = 0;
  while (magnitude >> category != 0) category++;
  uint32_t code = 0, length = 0;
  if (category > 15 || (!find_code(table, category, &code, &length) &&
                        !(!writer->isEdit && add_code(table, category) &&
                          find_code(table, category, &code, &length)))) {
    fc_fail(&writer->index->decoder->seam, FCStatusUnsupported, "there is no room for a Huffman code");
  }
  fc_put_bits(writer, code, length);
  // T.81, F.1.2.1: negative values are stored minus one, in their low bits.
  if (category > 0) fc_put_bits(writer, (uint32_t)(difference < 0 ? difference - 1 : difference), category);
}

int32_t fc_dc_at(const FCJPEGIndex *index, FCIndexBlock block, uint32_t column, uint32_t row) {
  const FCIndexComponent *component = &index->components[block.component];
  const size_t stride = (size_t)index->columns * component->width;
  const size_t y = (size_t)row * component->height + block.y, x = (size_t)column * component->width + block.x;
  return component->dc[y * stride + x];
}

// MARK: Rows

void fc_read_row(FCWriter *writer, uint32_t row, uint32_t endBit) {
  FCJPEGIndex *index = writer->index;
  const size_t count = (endBit + 7) / 8;
  const size_t capacity = count + FC_LARGEST_MCU;
  if (index->rowCapacity < capacity) {
    index->row = fc_allocated(&index->decoder->seam, realloc(index->row, capacity));
    index->rowCapacity = capacity;
  }
  const uint8_t *from = index->decoder->source.bytes + index->rowStarts[row].offset;
  const uint8_t *end = index->decoder->source.bytes + index->decoder->source.count;
  size_t done = 0;
  while (done < count) {
    done += fc_unstuff(&from, end, index->row + done, count - done);
    if (done == count) break;
    bool isRestart = false;
    for (uint32_t n = 0; n < 8 && !isRestart; n++) isRestart = fc_pass_restart(&from, end, n);
    if (!isRestart) fc_fail_changed(index);
  }
  memset(index->row + count, 0, FC_LARGEST_MCU);
}

_Noreturn void fc_fail_changed(const FCJPEGIndex *index) {
  fc_fail(&index->decoder->seam, FCStatusCorrupt, "the file changed during reading");
}

uint64_t fc_end_of_mcu(const FCWriter *writer, uint64_t start) {
  const FCJPEGIndex *index = writer->index;
  FCBits at = fc_bits_at(index->row, start);
  for (uint32_t i = 0; i < index->blockCount; i++) {
    const FCIndexComponent *component = &index->components[index->blocks[i].component];
    int32_t ignored;
    if (!fc_read_dc(&at, component->dcTable, &ignored) ||
        !fc_skip_ac(&at, component->acTable, component->skip, 1)) {
      fc_fail_changed(index);
    }
  }
  return fc_bits_position(&at);
}
