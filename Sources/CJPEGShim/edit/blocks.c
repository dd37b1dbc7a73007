/// Edits coefficients in memory, and writes the whole image from them, like `jpegtran`. It serves files of several
/// scans, and arithmetic-coded ones.
#include "edit/edit.h"
#include "libjpeg/decoder.h"
#include "libjpeg/destination.h"
#include "libjpeg/segments.h"

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
  FCJPEGBlockRect rect;
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

FCJPEGStatus fcjpeg_decoder_means(
  FCJPEGDecoder *decoder, uint32_t component, FCJPEGBlockRect rect, float *means, size_t capacity) {
  if (!has_scans(decoder) || component >= fcjpeg_decoder_components(decoder)) return FCJPEGStatusMisuse;
  const FCJPEGBlocks blocks = fcjpeg_decoder_blocks(decoder, component);
  if ((uint64_t)rect.x + rect.width > blocks.columns || (uint64_t)rect.y + rect.height > blocks.rows ||
      (uint64_t)rect.width * rect.height > capacity) {
    return FCJPEGStatusMisuse;
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

FCJPEGStatus fcjpeg_decoder_edit_row(FCJPEGDecoder *decoder, uint32_t row, const FCJPEGStrip *strips) {
  if (!has_scans(decoder)) return FCJPEGStatusMisuse;
  for (uint32_t c = 0; c < fcjpeg_decoder_components(decoder); c++) {
    const FCJPEGBlocks blocks = fcjpeg_decoder_blocks(decoder, c);
    if ((uint64_t)strips[c].x + strips[c].width > blocks.columns ||
        ((uint64_t)row + 1) * blocks.vertical > blocks.rows) {
      return FCJPEGStatusMisuse;
    }
  }
  RowRequest request = {decoder, row, strips};
  return fc_guard(&decoder->seam, edit_row, &request);
}

// MARK: The file

typedef struct {
  FCDestination destination;
  FCJPEGDecoder *decoder;
  FCJPEGFile *file;
  FCJPEGSegments segments;
  struct jpeg_compress_struct cinfo;
  struct jpeg_progress_mgr progress;
  /// Whether the source's scans are written again, and their headers.
  bool keepsScans;
  jpeg_scan_info *scans;
  jpeg_scan_info components[MAX_COMPS_IN_SCAN];
} Rewrite;

static void monitor_progress(j_common_ptr cinfo) { fc_check_cancelled(&((FCJPEGDecoder *)cinfo->client_data)->seam); }

static void set_scans(Rewrite *rewrite) {
  j_decompress_ptr source = &rewrite->decoder->cinfo;
  j_compress_ptr cinfo = &rewrite->cinfo;
  const uint32_t count = rewrite->keepsScans ? fc_read_scans(rewrite->decoder, &rewrite->scans) : 0;
  if (count > 1) {
    cinfo->scan_info = rewrite->scans;
    cinfo->num_scans = (int)count;
    return;
  }
  int blocksInMCU = 0;
  for (int c = 0; c < cinfo->num_components; c++) {
    blocksInMCU += cinfo->comp_info[c].h_samp_factor * cinfo->comp_info[c].v_samp_factor;
    rewrite->components[c] = (jpeg_scan_info){.comps_in_scan = 1, .component_index = {c}, .Se = DCTSIZE2 - 1};
  }
  // An interleaved scan has room for ten blocks in an MCU (T.81, B.2.3); more need a scan for each component.
  if (cinfo->num_components > 1 && blocksInMCU > C_MAX_BLOCKS_IN_MCU) {
    cinfo->scan_info = rewrite->components;
    cinfo->num_scans = cinfo->num_components;
  } else if (source->progressive_mode) {
    jpeg_simple_progression(cinfo);
  }
}

static void check_codes(FCJPEGDecoder *decoder) {
  for (uint32_t c = 0; c < fcjpeg_decoder_components(decoder); c++) {
    const FCJPEGBlocks blocks = fcjpeg_decoder_blocks(decoder, c);
    for (uint32_t row = 0; row < blocks.rows; row++) {
      fc_check_cancelled(&decoder->seam);
      if (!fc_have_codes(rows_of(decoder, c, row, 1, false)[0], blocks.columns)) {
        fc_fail(&decoder->seam, FCJPEGStatusUnsupported, "a coefficient has no Huffman code");
      }
    }
  }
}

static void write_file(void *context) {
  Rewrite *rewrite = context;
  j_decompress_ptr source = &rewrite->decoder->cinfo;
  j_compress_ptr cinfo = &rewrite->cinfo;
  check_codes(rewrite->decoder);
  jpeg_create_compress(cinfo);
  fc_destination_install(&rewrite->destination, cinfo, &rewrite->decoder->seam, rewrite->file);
  cinfo->progress = &rewrite->progress;
  jpeg_copy_critical_parameters(source, cinfo);
  cinfo->optimize_coding = TRUE;
  // The marker means that CMYK is inverted, so it must not be added.
  if (cinfo->num_components == 4) cinfo->write_Adobe_marker = source->saw_Adobe_marker;
  set_scans(rewrite);
  jpeg_write_coefficients(cinfo, rewrite->decoder->coefficients);
  fc_write_segments(cinfo, rewrite->segments);
  jpeg_finish_compress(cinfo);
}

FCJPEGStatus fcjpeg_decoder_rewrite(FCJPEGDecoder *decoder, FCJPEGSegments segments, FCJPEGFile *file) {
  file->count = 0;
  if (!has_scans(decoder) || !fc_has_all_coefficients(decoder) || !fc_can_write_segments(segments)) {
    return FCJPEGStatusMisuse;
  }
  Rewrite rewrite = {
    .decoder = decoder, .file = file, .segments = segments,
    .cinfo = {.err = &decoder->seam.manager, .client_data = decoder},
    .progress = {.progress_monitor = monitor_progress}, .keepsScans = true,
  };
  FCJPEGStatus status = fc_guard(&decoder->seam, write_file, &rewrite);
  jpeg_destroy_compress(&rewrite.cinfo);
  free(rewrite.scans);
  if (status == FCJPEGStatusCorrupt) {
    // libjpeg does not write some sequences of scans that it reads.
    rewrite.keepsScans = false;
    rewrite.scans = NULL;
    status = fc_guard(&decoder->seam, write_file, &rewrite);
    jpeg_destroy_compress(&rewrite.cinfo);
  }
  if (status != FCJPEGStatusOk) file->count = 0;
  // The source was readable, so the fault is that libjpeg cannot write it.
  return status == FCJPEGStatusCorrupt ? FCJPEGStatusUnsupported : status;
}
