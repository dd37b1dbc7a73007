/// Edits coefficients in memory, and writes the whole image from them, like `jpegtran`. It serves files of several
/// scans, and arithmetic-coded ones.
#include "edit/edit.h"
#include "libjpeg/lossless.h"

#include <stdlib.h>

// MARK: Questions

static bool has_scans(const FCJPEGDecoder *decoder) {
  return (decoder->stage == FCStageScans || decoder->stage == FCStageScanRegion) && decoder->absorbedAll &&
         decoder->releasedRows == 0;
}

uint32_t fcjpeg_decoder_components(const FCJPEGDecoder *decoder) { return (uint32_t)decoder->cinfo.num_components; }

FCJPEGBlocks fcjpeg_decoder_blocks(const FCJPEGDecoder *decoder, uint32_t component) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  const jpeg_component_info *info = &cinfo->comp_info[component];
  const uint32_t across = (uint32_t)info->h_samp_factor, down = (uint32_t)info->v_samp_factor;
  return (FCJPEGBlocks){
    across, down, (info->width_in_blocks + across - 1) / across * across,
    (info->height_in_blocks + down - 1) / down * down, (uint32_t)cinfo->max_h_samp_factor, across,
    (uint32_t)cinfo->max_v_samp_factor, down, fc_is_chroma(cinfo, (int)component)};
}

/// Returns a component's table; NULL for a component that no scan has.
static const JQUANT_TBL *table_of(const FCJPEGDecoder *decoder, uint32_t component) {
  const jpeg_component_info *info = &decoder->cinfo.comp_info[component];
  return info->quant_table;
}

static JBLOCKARRAY rows_of(FCJPEGDecoder *decoder, uint32_t component, uint32_t row, uint32_t count, bool isWritten) {
  j_decompress_ptr cinfo = &decoder->cinfo;
  return cinfo->mem->access_virt_barray((j_common_ptr)cinfo, decoder->coefficients[component], row, count, isWritten);
}

typedef struct {
  FCJPEGDecoder *decoder;
  uint32_t component;
  FCJPEGRect rect;
  float *means;
} MeansRequest;

static void read_means(void *context) {
  const MeansRequest *request = context;
  FCJPEGDecoder *decoder = request->decoder;
  const JQUANT_TBL *table = table_of(decoder, request->component);
  float *next = request->means;
  for (uint32_t y = 0; y < request->rect.height; y++) {
    const JBLOCK *blocks = rows_of(decoder, request->component, request->rect.y + y, 1, false)[0] + request->rect.x;
    for (uint32_t x = 0; x < request->rect.width; x++) {
      *next++ = table == NULL ? CENTERJSAMPLE : fc_block_mean(blocks[x][0], table);
    }
  }
}

FCStatus fcjpeg_decoder_means(
  FCJPEGDecoder *decoder, uint32_t component, FCJPEGRect rect, float *means, size_t capacity) {
  if (!has_scans(decoder) || component >= fcjpeg_decoder_components(decoder)) return FCStatusMisuse;
  const FCJPEGBlocks blocks = fcjpeg_decoder_blocks(decoder, component);
  if ((uint64_t)rect.x + rect.width > blocks.columns || (uint64_t)rect.y + rect.height > blocks.rows ||
      (uint64_t)rect.width * rect.height > capacity) {
    return FCStatusMisuse;
  }
  MeansRequest request = {decoder, component, rect, means};
  return fc_guard(&decoder->seam, read_means, &request);
}

// MARK: Edits

typedef struct {
  FCJPEGDecoder *decoder;
  uint32_t row;
  const FCJPEGStrip *strips;
} RowRequest;

static void edit_row(void *context) {
  const RowRequest *request = context;
  FCJPEGDecoder *decoder = request->decoder;
  fc_check_cancelled(&decoder->seam);
  for (uint32_t c = 0; c < fcjpeg_decoder_components(decoder); c++) {
    const FCJPEGBlocks blocks = fcjpeg_decoder_blocks(decoder, c);
    const FCJPEGStrip *strip = &request->strips[c];
    const JQUANT_TBL *table = table_of(decoder, c);
    if (strip->width == 0 || strip->mask == NULL || table == NULL) continue;
    JBLOCKARRAY rows = rows_of(decoder, c, request->row * blocks.vertical, blocks.vertical, true);
    for (uint32_t y = 0; y < blocks.vertical; y++) {
      for (uint32_t x = strip->x; x < strip->x + strip->width; x++) {
        if (fc_edited_samples(strip, x, y) > 0) fc_edit_block(strip, x, y, table, rows[y][x]);
      }
    }
  }
}

FCStatus fcjpeg_decoder_edit_row(FCJPEGDecoder *decoder, uint32_t row, const FCJPEGStrip *strips) {
  if (!has_scans(decoder)) return FCStatusMisuse;
  for (uint32_t c = 0; c < fcjpeg_decoder_components(decoder); c++) {
    const FCJPEGBlocks blocks = fcjpeg_decoder_blocks(decoder, c);
    if ((uint64_t)strips[c].x + strips[c].width > blocks.columns ||
        ((uint64_t)row + 1) * blocks.vertical > blocks.rows) {
      return FCStatusMisuse;
    }
  }
  RowRequest request = {decoder, row, strips};
  return fc_guard(&decoder->seam, edit_row, &request);
}

// MARK: The file

typedef struct {
  FCCopy copy;
  /// The headers of the source's scans, which are written again, unless libjpeg cannot.
  jpeg_scan_info *scans;
  bool keepsScans;
} Rewrite;

static void set_scans(Rewrite *rewrite) {
  j_compress_ptr cinfo = &rewrite->copy.cinfo;
  const uint32_t count = rewrite->keepsScans ? fc_read_scans(rewrite->copy.decoder, &rewrite->scans) : 0;
  if (count > 1) {
    cinfo->scan_info = rewrite->scans;
    cinfo->num_scans = (int)count;
  } else {
    fc_copy_choose_scans(&rewrite->copy);
  }
}

static void write_file(void *context) {
  Rewrite *rewrite = context;
  FCJPEGDecoder *decoder = rewrite->copy.decoder;
  for (uint32_t c = 0; c < fcjpeg_decoder_components(decoder); c++) {
    const FCJPEGBlocks blocks = fcjpeg_decoder_blocks(decoder, c);
    for (uint32_t row = 0; row < blocks.rows; row++) {
      fc_copy_check_codes(decoder, rows_of(decoder, c, row, 1, false)[0], blocks.columns);
    }
  }
  fc_copy_begin(&rewrite->copy);
  set_scans(rewrite);
  jpeg_write_coefficients(&rewrite->copy.cinfo, decoder->coefficients);
  jpeg_finish_compress(&rewrite->copy.cinfo);
}

FCStatus fcjpeg_decoder_rewrite(FCJPEGDecoder *decoder, FCBytes *file) {
  *file = (FCBytes){NULL, 0};
  if (!has_scans(decoder) || !fc_has_all_coefficients(decoder)) return FCStatusMisuse;
  Rewrite rewrite = {.copy = {.decoder = decoder}, .keepsScans = true};
  const FCStatus status = fc_copy(&rewrite.copy, write_file, file);
  free(rewrite.scans);
  if (status != FCStatusUnsupported) return status;
  // libjpeg does not write some sequences of scans that it reads.
  rewrite.keepsScans = false;
  return fc_copy(&rewrite.copy, write_file, file);
}
