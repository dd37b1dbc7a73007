/// Cuts some MCUs out of a JPEG file into another, with unchanged coefficients.
///
/// The bits of each row of MCUs are copied. An MCU with a new predecessor, at the left border or after a restart, gets
/// new DC differences (T.81, F.1.2.1).
#include "index/writer.h"

#include <stdlib.h>
#include <string.h>

/// Writes an MCU that has another predecessor than in the file.
static void put_first_mcu(FCWriter *writer, uint64_t start, uint32_t column, uint32_t row, const int32_t *predictors) {
  const FCJPEGIndex *index = writer->index;
  FCBits at = fc_bits_at(writer->index->row, start);
  bool isWritten[MAX_COMPS_IN_SCAN] = {false};
  for (uint32_t i = 0; i < index->blockCount; i++) {
    const FCIndexBlock block = index->blocks[i];
    const FCIndexComponent *component = &index->components[block.component];
    int32_t ignored;
    bool isWhole = fc_read_dc(&at, component->dcTable, &ignored);
    if (!isWritten[block.component]) {
      isWritten[block.component] = true;
      JHUFF_TBL *table = &writer->dcTables[index->decoder->cinfo.cur_comp_info[block.component]->dc_tbl_no];
      fc_put_difference(writer, table, fc_dc_at(index, block, column, row) - predictors[block.component]);
      start = fc_bits_position(&at);
    }
    isWhole = isWhole && fc_skip_ac(&at, component->acTable, component->skip, 1);
    if (!isWhole) fc_fail_changed(index);
    const uint64_t end = fc_bits_position(&at);
    fc_copy_bits(writer, writer->index->row, start, end);
    start = end;
  }
}

// MARK: Rows

static void put_row(FCWriter *writer, FCJPEGRect cut, uint32_t row, int32_t *predictors) {
  const FCJPEGIndex *index = writer->index;
  const uint32_t *starts = index->mcuStarts + (size_t)row * index->columns;
  const uint32_t interval = index->decoder->cinfo.restart_interval;
  const uint32_t last = cut.x + cut.width;
  const uint32_t endBit = last < index->columns ? starts[last] : index->rowStarts[row].endBit;
  fc_read_row(writer, row, endBit);

  for (uint32_t column = cut.x; column < last;) {
    // A piece ends at the next restart or at the end of the cut.
    const uint64_t number = (uint64_t)row * index->columns + column;
    uint32_t pieceEnd = last;
    if (interval != 0) {
      const uint64_t toRestart = interval - number % interval;
      if (toRestart < last - column) pieceEnd = column + (uint32_t)toRestart;
    }
    put_first_mcu(writer, starts[column], column, row, predictors);
    if (pieceEnd > column + 1) {
      fc_copy_bits(writer, index->row, starts[column + 1], fc_end_of_mcu(writer, starts[pieceEnd - 1]));
    }
    // The last block of each component is the predecessor of the next MCU.
    for (uint32_t i = 0; i < index->blockCount; i++) {
      predictors[index->blocks[i].component] = fc_dc_at(index, index->blocks[i], pieceEnd - 1, row);
    }
    column = pieceEnd;
  }
}

// MARK: The file

static void put_marker(FCWriter *writer, uint32_t code) {
  fc_put_byte(writer, 0xFF);
  fc_put_byte(writer, code);
}

/// Returns whether a component has a quantization table. Other tables can hold anything.
static bool is_used(const struct jpeg_decompress_struct *cinfo, int number) {
  for (int i = 0; i < cinfo->num_components; i++) {
    if (cinfo->comp_info[i].quant_tbl_no == number) return true;
  }
  return false;
}

static bool is_wide(const JQUANT_TBL *table) {
  for (int i = 0; i < DCTSIZE2; i++) {
    if (table->quantval[i] > 255) return true;
  }
  return false;
}

static void put_quantization(FCWriter *writer) {
  const struct jpeg_decompress_struct *cinfo = &writer->index->decoder->cinfo;
  for (uint32_t number = 0; number < NUM_QUANT_TBLS; number++) {
    const JQUANT_TBL *table = cinfo->quant_tbl_ptrs[number];
    if (table == NULL || !is_used(cinfo, (int)number)) continue;
    const bool isWide = is_wide(table);
    put_marker(writer, 0xDB);
    fc_put_number(writer, 3 + DCTSIZE2 * (isWide ? 2 : 1));
    fc_put_byte(writer, (isWide ? 1u << 4 : 0) | number);
    for (int i = 0; i < DCTSIZE2; i++) {
      const uint32_t value = table->quantval[fc_zigzag[i]];
      if (isWide) fc_put_number(writer, value); else fc_put_byte(writer, value);
    }
  }
}

static void put_huffman(FCWriter *writer, const JHUFF_TBL *table, uint32_t kindAndNumber) {
  uint32_t count = 0;
  for (uint32_t l = 1; l <= 16; l++) count += table->bits[l];
  put_marker(writer, 0xC4);
  fc_put_number(writer, 3 + 16 + count);
  fc_put_byte(writer, kindAndNumber);
  for (uint32_t l = 1; l <= 16; l++) fc_put_byte(writer, table->bits[l]);
  for (uint32_t i = 0; i < count; i++) fc_put_byte(writer, table->huffval[i]);
}

/// Returns whether a file of one scan is baseline: steps of 8 bits, and two Huffman tables of each kind (T.81, B.2.4).
static bool is_baseline(const struct jpeg_decompress_struct *cinfo) {
  for (int i = 0; i < cinfo->num_components; i++) {
    const jpeg_component_info *component = &cinfo->comp_info[i];
    if (component->dc_tbl_no > 1 || component->ac_tbl_no > 1) return false;
    const JQUANT_TBL *table = cinfo->quant_tbl_ptrs[component->quant_tbl_no];
    if (table != NULL && is_wide(table)) return false;
  }
  return true;
}

void fc_put_header(FCWriter *writer, FCJPEGRect cut, bool isEmpty) {
  const FCJPEGIndex *index = writer->index;
  const struct jpeg_decompress_struct *cinfo = &index->decoder->cinfo;
  const FCJPEGGrid grid = fc_grid(cinfo);
  const uint32_t width = fc_pixels(cut.x, cut.width, grid.mcuWidth, cinfo->image_width);
  const uint32_t height = fc_pixels(cut.y, cut.height, grid.mcuHeight, cinfo->image_height);
  put_marker(writer, 0xD8);
  if (cinfo->saw_JFIF_marker) {
    static const uint8_t jfif[] = {'J', 'F', 'I', 'F', 0, 1, 1};
    put_marker(writer, JPEG_APP0);
    fc_put_number(writer, 2 + sizeof jfif + 7);
    for (size_t i = 0; i < sizeof jfif; i++) fc_put_byte(writer, jfif[i]);
    fc_put_byte(writer, writer->isEdit ? cinfo->density_unit : 0);
    fc_put_number(writer, writer->isEdit ? cinfo->X_density : 1);
    fc_put_number(writer, writer->isEdit ? cinfo->Y_density : 1);
    fc_put_number(writer, 0);  // no thumbnail
  }
  if (cinfo->saw_Adobe_marker) {
    static const uint8_t adobe[] = {'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0};
    put_marker(writer, JPEG_APP0 + 14);
    fc_put_number(writer, 2 + sizeof adobe + 1);
    for (size_t i = 0; i < sizeof adobe; i++) fc_put_byte(writer, adobe[i]);
    fc_put_byte(writer, cinfo->Adobe_transform);
  }
  put_quantization(writer);

  put_marker(writer, isEmpty ? 0xC2 : is_baseline(cinfo) ? 0xC0 : 0xC1);
  fc_put_number(writer, 8 + 3 * (uint32_t)cinfo->num_components);
  fc_put_byte(writer, 8);
  fc_put_number(writer, height);
  fc_put_number(writer, width);
  fc_put_byte(writer, (uint32_t)cinfo->num_components);
  for (int i = 0; i < cinfo->num_components; i++) {
    const jpeg_component_info *component = &cinfo->comp_info[i];
    fc_put_byte(writer, (uint32_t)component->component_id);
    fc_put_byte(writer, (uint32_t)(component->h_samp_factor << 4 | component->v_samp_factor));
    fc_put_byte(writer, (uint32_t)component->quant_tbl_no);
  }
  for (uint32_t number = 0; number < NUM_HUFF_TBLS; number++) {
    if (index->dcTables[number] != NULL) put_huffman(writer, &writer->dcTables[number], number);
    if (index->acTables[number] != NULL && !isEmpty) {
      put_huffman(writer, &writer->acTables[number], 1u << 4 | number);
    }
  }
  if (writer->isEdit && cinfo->restart_interval != 0) {
    put_marker(writer, 0xDD);
    fc_put_number(writer, 4);
    fc_put_number(writer, cinfo->restart_interval);
  }
  put_marker(writer, 0xDA);
  fc_put_number(writer, 6 + 2 * (uint32_t)cinfo->comps_in_scan);
  fc_put_byte(writer, (uint32_t)cinfo->comps_in_scan);
  for (int i = 0; i < cinfo->comps_in_scan; i++) {
    const jpeg_component_info *component = cinfo->cur_comp_info[i];
    fc_put_byte(writer, (uint32_t)component->component_id);
    fc_put_byte(writer, (uint32_t)(component->dc_tbl_no << 4 | (isEmpty ? 0 : component->ac_tbl_no)));
  }
  fc_put_byte(writer, 0);
  fc_put_byte(writer, isEmpty ? 0 : DCTSIZE2 - 1);
  fc_put_byte(writer, 0);
}

typedef struct {
  FCWriter writer;
  FCJPEGRect cut;
  uint8_t *data;
  size_t dataCount;
} CutRequest;

static void make_cut(void *context) {
  CutRequest *request = context;
  FCWriter *writer = &request->writer;
  FCJPEGIndex *index = writer->index;
  const FCJPEGRect cut = request->cut;
  fc_make_skips(index);
  // The data come first, since they may add codes to the tables in the header.
  int32_t predictors[MAX_COMPS_IN_SCAN] = {0};
  size_t start = index->rowStarts[cut.y].offset;
  for (uint32_t row = cut.y; row < cut.y + cut.height; row++) {
    fc_check_cancelled(&index->decoder->seam);
    put_row(writer, cut, row, predictors);
    // Reading brings back pages that the walk has released; in a tall image, a region's rows are half of the file.
    const size_t done = index->rowStarts[row].offset;
    if (done - start >= 256 * 1024) start = fc_drop_pages(index->decoder, start, done);
  }
  if (writer->bitCount > 0) fc_put_bits(writer, 0x7F, 8 - writer->bitCount);  // padding is ones: T.81, F.1.2.3
  put_marker(writer, JPEG_EOI);

  request->data = index->cut;
  request->dataCount = index->cutCount;
  index->cut = NULL;
  index->cutCount = index->cutCapacity = 0;
  fc_put_header(writer, cut, false);
  fc_reserve(writer, request->dataCount);
  memcpy(index->cut + index->cutCount, request->data, request->dataCount);
  index->cutCount += request->dataCount;
}

bool fc_can_cut(const FCJPEGIndex *index, FCJPEGRect cut) {
  return index->decoder->stage == FCStageIndex && cut.width > 0 && cut.height > 0 &&
    (uint64_t)cut.x + cut.width <= index->columns && (uint64_t)cut.y + cut.height <= index->rowsScanned;
}

static void make_empty(void *context) {
  CutRequest *request = context;
  fc_put_header(&request->writer, request->cut, true);
  put_marker(&request->writer, JPEG_EOI);
}

FCStatus fc_cut_empty(FCJPEGIndex *index, FCJPEGRect cut) {
  CutRequest request = {.writer = fc_writer_begin(index), .cut = cut};
  return fc_guard(&index->decoder->seam, make_empty, &request);
}

FCStatus fcjpeg_index_cut(FCJPEGIndex *index, FCJPEGRect cut, FCBytes *bytes) {
  *bytes = (FCBytes){NULL, 0};
  if (!fc_can_cut(index, cut)) return FCStatusMisuse;
  CutRequest request = {.writer = fc_writer_begin(index), .cut = cut};
  const FCStatus status = fc_guard(&index->decoder->seam, make_cut, &request);
  fc_writer_end(index);
  free(request.data);
  if (status == FCStatusOk) *bytes = (FCBytes){index->cut, index->cutCount};
  return status;
}
