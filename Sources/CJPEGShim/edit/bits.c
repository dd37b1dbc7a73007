/// Edits an indexed file: copies the bits of blocks that stay, and writes codes for the others with the file's tables.
/// If these lack a code, a second attempt completes them, and writes the same coefficients with longer codes.
///
/// A block after an edited one gets a new DC difference (T.81, F.1.2.1). Restart markers stay where they were, so the
/// predictors are 0 after the same MCUs.
#include "edit/edit.h"

#include <stdlib.h>
#include <string.h>

/// The code of each symbol; a length of 0 is none.
typedef struct Codes {
  uint16_t codes[256];
  uint8_t lengths[256];
} Codes;

struct FCEdit {
  FCWriter writer;
  uint32_t row;
  /// Whether the tables are not the file's, so that no bits can be copied.
  bool hasNewCodes;
  Codes ac[NUM_HUFF_TBLS];
  /// The DC coefficients before the next block, in the file and in the output.
  int32_t old[MAX_COMPS_IN_SCAN], new[MAX_COMPS_IN_SCAN];
};

/// Frees the running edit.
static void free_edit(FCJPEGIndex *index) {
  fc_writer_end(index);
  free(index->edit);
  index->edit = NULL;
}

static void fill_codes(Codes *codes, const JHUFF_TBL *table) {
  uint32_t next = 0, place = 0;
  for (uint32_t length = 1; length <= 16; length++) {
    for (uint32_t i = 0; i < table->bits[length]; i++, place++, next++) {
      codes->codes[table->huffval[place]] = (uint16_t)next;
      codes->lengths[table->huffval[place]] = (uint8_t)length;
    }
    next <<= 1;
  }
}

// MARK: Questions

uint32_t fcjpeg_index_components(const FCJPEGIndex *index) { return index->componentCount; }

FCJPEGBlocks fcjpeg_index_blocks(const FCJPEGIndex *index, uint32_t component) {
  const FCIndexComponent *plane = &index->components[component];
  const struct jpeg_decompress_struct *cinfo = &index->decoder->cinfo;
  const bool isInterleaved = index->componentCount > 1;
  return (FCJPEGBlocks){
    plane->width, plane->height, index->columns * plane->width, index->rows * plane->height,
    isInterleaved ? (uint32_t)cinfo->max_h_samp_factor : 1, plane->width,
    isInterleaved ? (uint32_t)cinfo->max_v_samp_factor : 1, plane->height,
    fc_is_chroma(cinfo, cinfo->cur_comp_info[component]->component_index)};
}

static const JQUANT_TBL *table_of(const FCJPEGIndex *index, uint32_t component) {
  const struct jpeg_decompress_struct *cinfo = &index->decoder->cinfo;
  return cinfo->quant_tbl_ptrs[cinfo->cur_comp_info[component]->quant_tbl_no];
}

FCStatus fcjpeg_index_means(
  const FCJPEGIndex *index, uint32_t component, FCJPEGRect rect, float *means, size_t capacity) {
  if (index->decoder->stage != FCStageIndex || component >= index->componentCount) return FCStatusMisuse;
  const FCJPEGBlocks blocks = fcjpeg_index_blocks(index, component);
  if ((uint64_t)rect.x + rect.width > blocks.columns || (uint64_t)rect.y + rect.height > blocks.rows ||
      rect.y + rect.height > index->rowsScanned * blocks.vertical || (uint64_t)rect.width * rect.height > capacity) {
    return FCStatusMisuse;
  }
  const JQUANT_TBL *table = table_of(index, component);
  for (uint32_t y = 0; y < rect.height; y++) {
    const int16_t *dc = index->components[component].dc + (size_t)(rect.y + y) * blocks.columns + rect.x;
    for (uint32_t x = 0; x < rect.width; x++) *means++ = fc_block_mean(dc[x], table);
  }
  return FCStatusOk;
}

// MARK: Blocks

/// Reads a block's AC coefficients into `block`, in rows.
static bool read_ac(FCBits *at, const FCHuffman *ac, JCOEF *block) {
  uint32_t k = 1;
  while (k < DCTSIZE2) {
    fc_bits_refill(at);
    const uint32_t symbol = fc_symbol(ac, at->bits);
    const uint32_t length = symbol >> 8, run = (symbol >> 4) & 15, size = symbol & 15;
    if (length == 0) return false;
    fc_bits_take(at, length);
    if (size == 0 && run != 15) return true;  // EOB
    k += run;
    if (k >= DCTSIZE2) return false;
    if (size != 0) block[fc_zigzag[k]] = (JCOEF)fc_extended(at->bits, size);
    fc_bits_take(at, size);
    k += 1;
  }
  return true;
}

static void put_code(FCWriter *writer, const Codes *codes, uint32_t symbol) {
  if (codes->lengths[symbol] == 0) {
    fc_fail(&writer->index->decoder->seam, FCStatusUnsupported, "a coefficient has no Huffman code");
  }
  fc_put_bits(writer, codes->codes[symbol], codes->lengths[symbol]);
}

static void put_ac(FCWriter *writer, const Codes *codes, const JCOEF *block) {
  const uint32_t sixteenZeros = 0xF0, endOfBlock = 0;
  uint32_t run = 0;
  for (uint32_t k = 1; k < DCTSIZE2; k++) {
    const int32_t value = block[fc_zigzag[k]];
    const uint32_t magnitude = (uint32_t)abs(value);
    uint32_t size = 0;
    while (magnitude >> size != 0) size++;
    if (value == 0) {
      run += 1;
      continue;
    }
    for (; run > 15; run -= 16) put_code(writer, codes, sixteenZeros);
    put_code(writer, codes, run << 4 | size);
    fc_put_bits(writer, (uint32_t)(value < 0 ? value - 1 : value), size);
    run = 0;
  }
  if (run > 0) put_code(writer, codes, endOfBlock);
}

/// Returns whether a strip changes a block of the MCU.
static bool is_edited(const FCJPEGIndex *index, const FCJPEGStrip *strips, uint32_t column) {
  for (uint32_t i = 0; i < index->blockCount && strips != NULL; i++) {
    const FCIndexBlock block = index->blocks[i];
    const uint32_t x = column * index->components[block.component].width + block.x;
    if (fc_edited_samples(&strips[block.component], x, block.y) > 0) return true;
  }
  return false;
}

/// Writes an MCU with edited blocks, or after one, or with new codes.
static void put_mcu(struct FCEdit *edit, const FCJPEGStrip *strips, uint32_t column, uint64_t start) {
  FCWriter *writer = &edit->writer;
  FCJPEGIndex *index = writer->index;
  FCBits at = fc_bits_at(writer->index->row, start);
  for (uint32_t i = 0; i < index->blockCount; i++) {
    const FCIndexBlock block = index->blocks[i];
    const uint32_t c = block.component;
    const FCIndexComponent *component = &index->components[c];
    const jpeg_component_info *info = index->decoder->cinfo.cur_comp_info[c];
    JHUFF_TBL *dcTable = &writer->dcTables[info->dc_tbl_no];
    const int32_t dc = fc_dc_at(index, block, column, edit->row);
    int32_t ignored;
    if (!fc_read_dc(&at, component->dcTable, &ignored)) fc_fail_changed(index);
    const uint32_t x = column * component->width + block.x;
    const bool isEdited = strips != NULL && fc_edited_samples(&strips[c], x, block.y) > 0;
    if (isEdited || edit->hasNewCodes) {
      JCOEF coefficients[DCTSIZE2] = {(JCOEF)dc};
      if (!read_ac(&at, component->acTable, coefficients)) fc_fail_changed(index);
      if (isEdited) fc_edit_block(&strips[c], x, block.y, table_of(index, c), coefficients);
      fc_put_difference(writer, dcTable, coefficients[0] - edit->new[c]);
      put_ac(writer, &edit->ac[info->ac_tbl_no], coefficients);
      edit->new[c] = coefficients[0];
    } else {
      const uint64_t first = fc_bits_position(&at);
      if (!fc_skip_ac(&at, component->acTable, component->skip, 1)) fc_fail_changed(index);
      fc_put_difference(writer, dcTable, dc - edit->new[c]);
      fc_copy_bits(writer, writer->index->row, first, fc_bits_position(&at));
      edit->new[c] = dc;
    }
    edit->old[c] = dc;
  }
}

// MARK: Rows

/// Copies the MCUs `first`..<`end` of the row, whose predecessor is the one in the file.
static void copy_mcus(struct FCEdit *edit, uint32_t first, uint32_t end) {
  if (first == end) return;
  FCWriter *writer = &edit->writer;
  const FCJPEGIndex *index = writer->index;
  const uint32_t *starts = index->mcuStarts + (size_t)edit->row * index->columns;
  fc_copy_bits(writer, writer->index->row, starts[first], fc_end_of_mcu(writer, starts[end - 1]));
  for (uint32_t i = 0; i < index->blockCount; i++) {
    const uint32_t c = index->blocks[i].component;
    edit->old[c] = edit->new[c] = fc_dc_at(index, index->blocks[i], end - 1, edit->row);
  }
}

static void pad(FCWriter *writer) {
  if (writer->bitCount > 0) fc_put_bits(writer, 0x7F, 8 - writer->bitCount);  // ones: T.81, F.1.2.3
}

static void put_restart(struct FCEdit *edit, uint64_t number) {
  pad(&edit->writer);
  fc_put_byte(&edit->writer, 0xFF);
  fc_put_byte(&edit->writer, JPEG_RST0 + (uint32_t)(number % 8));
  memset(edit->old, 0, sizeof edit->old);
  memset(edit->new, 0, sizeof edit->new);
}

typedef struct {
  FCJPEGIndex *index;
  const FCJPEGStrip *strips;
} RowRequest;

static void edit_row(void *context) {
  const RowRequest *request = context;
  FCJPEGIndex *index = request->index;
  struct FCEdit *edit = index->edit;
  const uint32_t interval = index->decoder->cinfo.restart_interval;
  fc_check_cancelled(&index->decoder->seam);
  fc_read_row(&edit->writer, edit->row, index->rowStarts[edit->row].endBit);
  const uint32_t *starts = index->mcuStarts + (size_t)edit->row * index->columns;
  uint32_t first = 0;
  for (uint32_t column = 0; column < index->columns; column++) {
    const uint64_t number = (uint64_t)edit->row * index->columns + column;
    if (interval != 0 && number > 0 && number % interval == 0) {
      copy_mcus(edit, first, column);
      first = column;
      put_restart(edit, number / interval - 1);
    }
    const bool isShifted =
      edit->hasNewCodes || (first == column && memcmp(edit->old, edit->new, sizeof edit->old) != 0);
    const bool isEdited = is_edited(index, request->strips, column);
    if (!isShifted && !isEdited) continue;
    copy_mcus(edit, first, column);
    put_mcu(edit, isEdited ? request->strips : NULL, column, starts[column]);
    first = column + 1;
  }
  copy_mcus(edit, first, index->columns);
  // Reading brings back pages that the walk has released.
  const size_t done = index->rowStarts[edit->row].offset, window = 256 * 1024;
  if (done > window) (void)fc_drop_pages(index->decoder, done - window, done);
  edit->row += 1;
}

typedef struct {
  FCJPEGIndex *index;
  bool completesTables;
} StartRequest;

static void start(void *context) {
  const StartRequest *request = context;
  FCJPEGIndex *index = request->index;
  struct FCEdit *edit = index->edit = fc_allocated(&index->decoder->seam, calloc(1, sizeof *index->edit));
  edit->writer = fc_writer_begin(index);
  edit->writer.isEdit = true;
  edit->hasNewCodes = request->completesTables;
  for (int i = 0; i < NUM_HUFF_TBLS; i++) {
    if (edit->hasNewCodes && index->dcTables[i] != NULL) fc_complete_table(&edit->writer.dcTables[i], true);
    if (index->acTables[i] == NULL) continue;
    if (edit->hasNewCodes) fc_complete_table(&edit->writer.acTables[i], false);
    fill_codes(&edit->ac[i], &edit->writer.acTables[i]);
  }
  const FCJPEGRect whole = {0, 0, index->columns, index->rows};
  fc_put_header(&edit->writer, whole, false);
  fc_make_skips(index);
}

FCStatus fcjpeg_index_edit_start(FCJPEGIndex *index, bool completesTables) {
  if (index->decoder->stage != FCStageIndex || index->rowsScanned < index->rows) return FCStatusMisuse;
  free_edit(index);
  StartRequest request = {index, completesTables};
  return fc_guard(&index->decoder->seam, start, &request);
}

FCStatus fcjpeg_index_edit_row(FCJPEGIndex *index, const FCJPEGStrip *strips) {
  if (index->edit == NULL || index->edit->row >= index->rows) return FCStatusMisuse;
  for (uint32_t c = 0; c < index->componentCount && strips != NULL; c++) {
    const FCJPEGBlocks blocks = fcjpeg_index_blocks(index, c);
    if ((uint64_t)strips[c].x + strips[c].width > blocks.columns) return FCStatusMisuse;
  }
  RowRequest request = {index, strips};
  const FCStatus status = fc_guard(&index->decoder->seam, edit_row, &request);
  if (status != FCStatusOk) free_edit(index);
  return status;
}

static void finish(void *context) {
  FCWriter *writer = &((FCJPEGIndex *)context)->edit->writer;
  pad(writer);
  fc_put_byte(writer, 0xFF);
  fc_put_byte(writer, JPEG_EOI);
}

FCStatus fcjpeg_index_edit_finish(FCJPEGIndex *index, FCBytes *bytes) {
  *bytes = (FCBytes){NULL, 0};
  if (index->edit == NULL || index->edit->row < index->rows) return FCStatusMisuse;
  const FCStatus status = fc_guard(&index->decoder->seam, finish, index);
  free_edit(index);
  if (status == FCStatusOk) *bytes = (FCBytes){index->cut, index->cutCount};
  return status;
}
