/// Lossless crops: writes some iMCUs of an image to a file, coefficient by coefficient, like `jpegtran -crop`. It uses
/// the coefficients that `scans.c` collected, for files of every kind. With an index, `cut.c` is faster.
#include "libjpeg/lossless.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  FCCopy copy;
  FCJPEGRect cut;
  jvirt_barray_ptr blocks[MAX_COMPS_IN_SCAN];
} Crop;

// MARK: Files from coefficients

static void monitor_progress(j_common_ptr cinfo) { fc_check_cancelled(&((FCJPEGDecoder *)cinfo->client_data)->seam); }

void fc_copy_begin(FCCopy *copy) {
  j_decompress_ptr source = &copy->decoder->cinfo;
  j_compress_ptr cinfo = &copy->cinfo;
  jpeg_create_compress(cinfo);
  cinfo->mem->max_memory_to_use = (long)copy->decoder->source.maximumCoefficientBytes;
  fc_destination_install(&copy->destination, cinfo, &copy->decoder->seam, &copy->file);
  copy->progress.progress_monitor = monitor_progress;
  cinfo->progress = &copy->progress;
  jpeg_copy_critical_parameters(source, cinfo);
  cinfo->optimize_coding = TRUE;
  // The marker means that CMYK is inverted, so it must not be added.
  if (cinfo->num_components == 4) cinfo->write_Adobe_marker = source->saw_Adobe_marker;
}

void fc_copy_choose_scans(FCCopy *copy) {
  j_compress_ptr cinfo = &copy->cinfo;
  int blocksInMCU = 0;
  for (int c = 0; c < cinfo->num_components; c++) {
    blocksInMCU += cinfo->comp_info[c].h_samp_factor * cinfo->comp_info[c].v_samp_factor;
    copy->scans[c] = (jpeg_scan_info){.comps_in_scan = 1, .component_index = {c}, .Se = DCTSIZE2 - 1};
  }
  // An interleaved scan has room for ten blocks in an MCU (T.81, B.2.3); more need a scan for each component.
  if (cinfo->num_components > 1 && blocksInMCU > C_MAX_BLOCKS_IN_MCU) {
    cinfo->scan_info = copy->scans;
    cinfo->num_scans = cinfo->num_components;
  } else if (copy->decoder->cinfo.progressive_mode) {
    jpeg_simple_progression(cinfo);
  }
}

void fc_copy_check_codes(FCJPEGDecoder *decoder, const JBLOCK *blocks, size_t count) {
  fc_check_cancelled(&decoder->seam);
  for (size_t i = 0; i < count; i++) {
    uint32_t magnitudes = 0;
    for (int k = 1; k < DCTSIZE2; k++) magnitudes |= (uint32_t)abs(blocks[i][k]);
    if (magnitudes > 1023 || abs(blocks[i][0]) > 2047) {
      fc_fail(&decoder->seam, FCStatusUnsupported, "a coefficient has no Huffman code");
    }
  }
}

FCStatus fc_copy(FCCopy *copy, void (*body)(void *context), FCBytes *bytes) {
  *bytes = (FCBytes){NULL, 0};
  copy->file = (FCJPEGFile){0};
  copy->cinfo = (struct jpeg_compress_struct){.err = &copy->decoder->seam.manager, .client_data = copy->decoder};
  const FCStatus status = fc_guard(&copy->decoder->seam, body, copy);
  jpeg_destroy_compress(&copy->cinfo);
  if (status == FCStatusOk) {
    *bytes = (FCBytes){copy->file.bytes, copy->file.count};
  } else {
    free(copy->file.bytes);
  }
  return status == FCStatusCorrupt ? FCStatusUnsupported : status;
}

// MARK: The crop

FCJPEGGrid fc_grid(const struct jpeg_decompress_struct *cinfo) {
  // T.81, A.2.2: a single component is not interleaved; its MCU is one block whatever its sampling factors.
  const bool isInterleaved = cinfo->num_components > 1;
  const uint32_t width = DCTSIZE * (isInterleaved ? (uint32_t)cinfo->max_h_samp_factor : 1);
  const uint32_t height = DCTSIZE * (isInterleaved ? (uint32_t)cinfo->max_v_samp_factor : 1);
  return (FCJPEGGrid){
    (cinfo->image_width + width - 1) / width, (cinfo->image_height + height - 1) / height, width, height};
}

FCJPEGGrid fcjpeg_decoder_grid(const FCJPEGDecoder *decoder) {
  const bool isThere = decoder->stage == FCStageScans || decoder->stage == FCStageScanRegion;
  return isThere ? fc_grid(&decoder->cinfo) : (FCJPEGGrid){0, 0, 0, 0};
}

/// Sets up the header, and room for the coefficients.
static void set_parameters(Crop *crop) {
  const FCJPEGGrid grid = fcjpeg_decoder_grid(crop->copy.decoder);
  j_decompress_ptr source = &crop->copy.decoder->cinfo;
  j_compress_ptr cinfo = &crop->copy.cinfo;
  cinfo->image_width = fc_pixels(crop->cut.x, crop->cut.width, grid.mcuWidth, source->image_width);
  cinfo->image_height = fc_pixels(crop->cut.y, crop->cut.height, grid.mcuHeight, source->image_height);
  if (cinfo->num_components == 1) cinfo->comp_info[0].h_samp_factor = cinfo->comp_info[0].v_samp_factor = 1;
  for (int c = 0; c < cinfo->num_components; c++) {
    const jpeg_component_info *info = &cinfo->comp_info[c];
    crop->blocks[c] = cinfo->mem->request_virt_barray(
      (j_common_ptr)cinfo, JPOOL_IMAGE, FALSE, crop->cut.width * (JDIMENSION)info->h_samp_factor,
      crop->cut.height * (JDIMENSION)info->v_samp_factor, (JDIMENSION)info->v_samp_factor);
  }
  fc_copy_choose_scans(&crop->copy);
}

static void copy_blocks(Crop *crop, int c) {
  FCJPEGDecoder *decoder = crop->copy.decoder;
  j_common_ptr from = (j_common_ptr)&decoder->cinfo, to = (j_common_ptr)&crop->copy.cinfo;
  const uint32_t horizontal = (uint32_t)crop->copy.cinfo.comp_info[c].h_samp_factor;
  const uint32_t vertical = (uint32_t)crop->copy.cinfo.comp_info[c].v_samp_factor;
  const uint32_t column = crop->cut.x * horizontal, firstRow = crop->cut.y * vertical;
  const size_t count = (size_t)crop->cut.width * horizontal;
  for (uint32_t row = 0; row < crop->cut.height * vertical; row++) {
    const JBLOCK *source =
      from->mem->access_virt_barray(from, decoder->coefficients[c], firstRow + row, 1, FALSE)[0] + column;
    fc_copy_check_codes(decoder, source, count);
    memcpy(to->mem->access_virt_barray(to, crop->blocks[c], row, 1, TRUE)[0], source, count * sizeof(JBLOCK));
  }
}

static void make_crop(void *context) {
  Crop *crop = context;
  j_compress_ptr cinfo = &crop->copy.cinfo;
  fc_copy_begin(&crop->copy);
  set_parameters(crop);
  // Allocates the arrays and writes the file's first bytes; `jpeg_finish_compress` reads the blocks.
  jpeg_write_coefficients(cinfo, crop->blocks);
  for (int c = 0; c < cinfo->num_components; c++) copy_blocks(crop, c);
  jpeg_finish_compress(cinfo);
}

bool fc_has_all_coefficients(const FCJPEGDecoder *decoder) {
  for (int c = 0; c < decoder->cinfo.num_components && !decoder->cinfo.progressive_mode; c++) {
    const jpeg_component_info *info = &decoder->cinfo.comp_info[c];
    if (!info->component_needed || info->DCT_scaled_size < 2) return false;
  }
  return decoder->absorbedAll;
}

void fcjpeg_file_free(FCBytes file) { free((void *)(uintptr_t)file.bytes); }

FCStatus fcjpeg_lossless_crop(FCJPEGDecoder *decoder, FCJPEGRect cut, FCBytes *file) {
  const FCJPEGGrid grid = fcjpeg_decoder_grid(decoder);
  *file = (FCBytes){NULL, 0};
  if (cut.width == 0 || cut.height == 0 || (uint64_t)cut.x + cut.width > grid.columns ||
      (uint64_t)cut.y + cut.height > grid.rows || !fc_has_all_coefficients(decoder)) {
    return FCStatusMisuse;
  }
  Crop crop = {.copy = {.decoder = decoder}, .cut = cut};
  return fc_copy(&crop.copy, make_crop, file);
}
