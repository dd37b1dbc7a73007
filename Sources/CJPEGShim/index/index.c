/// The index of a file of one scan: header, memory, and results of the walk over the data (`walk.c`).
#include "index/index.h"

#include <stdlib.h>
#include <string.h>

// MARK: Start

static FCHuffman *make_table(FCJPEGIndex *index, FCHuffman **tables, JHUFF_TBL **sources, int number, bool isDC) {
  FCJPEGDecoder *decoder = index->decoder;
  if (number < 0 || number >= NUM_HUFF_TBLS || sources[number] == NULL) {
    fc_fail(&decoder->seam, FCStatusUnsupported, "a Huffman table is missing");
  }
  if (tables[number] == NULL) {
    tables[number] = fc_allocated(&decoder->seam, malloc(sizeof(FCHuffman)));
    if (!fc_huffman_build(tables[number], sources[number], isDC)) {
      fc_fail(&decoder->seam, FCStatusUnsupported, "a Huffman table is not valid in JPEG");
    }
  }
  return tables[number];
}

void fc_make_skips(FCJPEGIndex *index) {
  for (uint32_t c = 0; c < index->componentCount; c++) {
    FCIndexComponent *component = &index->components[c];
    FCSkipTable **skip = &index->skipTables[index->decoder->cinfo.cur_comp_info[c]->ac_tbl_no];
    if (*skip == NULL) {
      *skip = fc_allocated(&index->decoder->seam, malloc(sizeof(FCSkipTable)));
      fc_skip_build(*skip, component->acTable);
    }
    component->skip = *skip;
  }
}

static void start(void *context) {
  FCJPEGIndex *index = context;
  FCJPEGDecoder *decoder = index->decoder;
  FCSeam *seam = &decoder->seam;
  j_decompress_ptr cinfo = &decoder->cinfo;
  fc_open(decoder, FCColorGray);
  if (cinfo->progressive_mode || cinfo->arith_code || jpeg_has_multiple_scans(cinfo)) {
    fc_fail(&decoder->seam, FCStatusUnsupported, "the file is not one Huffman-coded scan");
  }

  // libjpeg decodes these with a warning, so it has to read the file.
  if (cinfo->Ss != 0 || cinfo->Se != DCTSIZE2 - 1 || cinfo->Ah != 0 || cinfo->Al != 0) {
    fc_fail(&decoder->seam, FCStatusUnsupported, "the scan is not sequential");
  }

  const FCJPEGGrid grid = fc_grid(cinfo);
  index->columns = grid.columns;
  index->rows = grid.rows;
  // T.81, A.2: a single component is not interleaved; its MCU is one block.
  const bool isInterleaved = cinfo->comps_in_scan > 1;
  index->componentCount = (uint32_t)cinfo->comps_in_scan;
  for (uint32_t c = 0; c < index->componentCount; c++) {
    FCIndexComponent *component = &index->components[c];
    component->width = isInterleaved ? (uint32_t)cinfo->cur_comp_info[c]->h_samp_factor : 1;
    component->height = isInterleaved ? (uint32_t)cinfo->cur_comp_info[c]->v_samp_factor : 1;
    for (uint32_t i = 0; i < component->width * component->height; i++) {
      if (index->blockCount == FC_BLOCKS_PER_MCU) {
        fc_fail(&decoder->seam, FCStatusUnsupported, "an MCU has too many blocks");
      }
      index->blocks[index->blockCount++] =
        (FCIndexBlock){(uint8_t)c, (uint8_t)(i % component->width), (uint8_t)(i / component->width)};
    }
  }

  // At most 65,500² / 64 MCUs of 10 blocks, which does not overflow 64 bits.
  const uint64_t mcus = (uint64_t)index->columns * index->rows;
  const bool keepsLow = !index->keepsCoefficients && index->scale == 2;
  const bool hasPixels = index->keepsCoefficients && index->scale > 1;
  const uint64_t perBlock = 1 + (keepsLow ? FC_LOW_COEFFICIENTS : hasPixels ? index->scale * index->scale : 0);
  const uint64_t bytes = mcus * (sizeof(uint32_t) + index->blockCount * perBlock * sizeof(int16_t));
  if (bytes > decoder->source.maximumCoefficientBytes) {
    fc_fail(&decoder->seam, FCStatusUnsupported, "the index would be too large");
  }
  index->rowStarts = fc_allocated(seam, calloc(index->rows, sizeof *index->rowStarts));
  index->mcuStarts = fc_allocated(seam, malloc((size_t)mcus * sizeof *index->mcuStarts));
  for (uint32_t c = 0; c < index->componentCount; c++) {
    FCIndexComponent *component = &index->components[c];
    const size_t blocks = (size_t)mcus * component->width * component->height;
    component->dc = fc_allocated(seam, malloc(blocks * sizeof *component->dc));
    if (keepsLow) component->low = fc_allocated(seam, malloc(blocks * FC_LOW_COEFFICIENTS * sizeof *component->low));
    if (hasPixels) {
      component->basis = fc_allocated(seam, malloc(sizeof *component->basis));
      component->pixels = fc_allocated(seam, malloc(blocks * index->scale * index->scale));
    }
  }
  if (index->keepsCoefficients) {
    index->mcuWords = fc_allocated(seam, malloc((size_t)mcus * sizeof *index->mcuWords));
  }

  for (uint32_t c = 0; c < index->componentCount; c++) {
    FCIndexComponent *component = &index->components[c];
    const jpeg_component_info *info = cinfo->cur_comp_info[c];
    if (info->quant_tbl_no < 0 || info->quant_tbl_no >= NUM_QUANT_TBLS ||
        cinfo->quant_tbl_ptrs[info->quant_tbl_no] == NULL) {
      fc_fail(&decoder->seam, FCStatusUnsupported, "a quantization table is missing");
    }
    component->dcTable = make_table(index, index->dcTables, cinfo->dc_huff_tbl_ptrs, info->dc_tbl_no, true);
    component->acTable = make_table(index, index->acTables, cinfo->ac_huff_tbl_ptrs, info->ac_tbl_no, false);
    if (!index->keepsCoefficients) continue;
    FCPackTable **pack = &index->packTables[info->ac_tbl_no];
    if (*pack == NULL) {
      *pack = fc_allocated(seam, malloc(sizeof(FCPackTable)));
      fc_pack_build(*pack, component->acTable, false);
    }
    component->pack = *pack;
    if (hasPixels) {
      fc_basis_images(component->basis, cinfo->quant_tbl_ptrs[info->quant_tbl_no]->quantval, (int)index->scale);
    }
  }

  if (!index->keepsCoefficients) fc_make_skips(index);
  fc_walk_begin(index);
}

void fc_reserve_words(FCJPEGIndex *index) {
  const size_t wanted = (size_t)index->blockCount * FC_WORDS_PER_BLOCK;
  if (index->wordCapacity - index->wordCount >= wanted) return;
  const size_t limit = index->decoder->source.maximumCoefficientBytes;
  const size_t most = (FCJPEGMostPacked < limit ? FCJPEGMostPacked : limit) / sizeof *index->words;
  if (index->wordCount >= most) {
    fc_fail(&index->decoder->seam, FCStatusUnsupported, "the coefficients would take too much memory");
  }
  // Two words per byte of the file are nearly always enough.
  const size_t first = 2 * index->decoder->source.count < most ? 2 * index->decoder->source.count : most;
  const size_t doubled = 2 * index->wordCapacity < most ? 2 * index->wordCapacity : most;
  const size_t capacity = (index->wordCapacity == 0 ? first : doubled) + wanted;
  index->words = fc_allocated(&index->decoder->seam, realloc(index->words, capacity * sizeof *index->words));
  index->wordCapacity = capacity;
}

FCJPEGIndex *fcjpeg_index_create(FCJPEGSource source) {
  FCJPEGIndex *index = calloc(1, sizeof *index);
  if (index == NULL) return NULL;
  index->decoder = fcjpeg_decoder_create(source);
  if (index->decoder == NULL) {
    free(index);
    return NULL;
  }
  return index;
}

void fcjpeg_index_destroy(FCJPEGIndex *index) {
  for (int i = 0; i < NUM_HUFF_TBLS; i++) {
    free(index->dcTables[i]);
    free(index->acTables[i]);
    free(index->skipTables[i]);
    free(index->packTables[i]);
  }
  for (int c = 0; c < MAX_COMPS_IN_SCAN; c++) {
    free(index->components[c].dc);
    free(index->components[c].low);
    free(index->components[c].basis);
    free(index->components[c].pixels);
  }
  free(index->words);
  free(index->mcuWords);
  free(index->rowStarts);
  free(index->mcuStarts);
  free(index->scan);
  free(index->cut);
  free(index->row);
  free(index->edit);
  fcjpeg_decoder_destroy(index->decoder);
  free(index);
}

FCStatus fcjpeg_index_start(FCJPEGIndex *index, uint32_t overviewScale, bool keepsCoefficients) {
  const bool isScale = overviewScale == 1 || overviewScale == 2 || (keepsCoefficients && overviewScale == 4);
  if (index->decoder->stage != FCStageNew || !isScale) return FCStatusMisuse;
  index->scale = overviewScale;
  index->keepsCoefficients = keepsCoefficients;
  const FCStatus status = fc_guard(&index->decoder->seam, start, index);
  index->decoder->stage = status == FCStatusOk ? FCStageIndex : FCStageFailed;
  return status;
}

// MARK: Questions to the index

FCJPEGGrid fcjpeg_index_grid(const FCJPEGIndex *index) { return fc_grid(&index->decoder->cinfo); }
uint32_t fcjpeg_index_rows_scanned(const FCJPEGIndex *index) { return index->rowsScanned; }
bool fcjpeg_index_lacks_end_marker(const FCJPEGIndex *index) { return index->lacksEndMarker; }
uint32_t fcjpeg_index_remarks(const FCJPEGIndex *index) { return index->decoder->damage.remarks; }

uint32_t fcjpeg_index_overview_planes(const FCJPEGIndex *index) {
  const struct jpeg_decompress_struct *cinfo = &index->decoder->cinfo;
  const uint32_t planes = fcjpeg_decoder_overview_planes(index->decoder);
  for (uint32_t c = 0; c < planes; c++) {
    if (c >= index->componentCount || cinfo->cur_comp_info[c] != &cinfo->comp_info[c]) return 0;
  }
  return planes;
}

FCJPEGPlane fcjpeg_index_plane(const FCJPEGIndex *index, uint32_t component) {
  return fcjpeg_decoder_plane(index->decoder, component, (int32_t)index->scale);
}

/// Computes a row of an overview at a quarter: 2×2 means of each block from the lowest frequencies. `first` is the
/// factor of a block's mean. `across` is the mean of the cosine (2i + 1)π/16 over half a block, scaled (T.81, A.3.3).
static void read_quarter(const FCIndexComponent *plane, const UINT16 *steps, size_t firstBlock, bool isLower,
                         uint8_t *pixels, uint32_t count) {
  const float first = 0.35355339F, second = isLower ? -0.32036487F : 0.32036487F, across = 0.32036487F;
  const float mean = first * first * (float)steps[0], right = first * across * (float)steps[1];
  const float down = second * first * (float)steps[DCTSIZE], both = second * across * (float)steps[DCTSIZE + 1];
  for (uint32_t x = 0; x < count; x++) {
    const size_t block = firstBlock + x / 2;
    const int16_t *low = plane->low + block * FC_LOW_COEFFICIENTS;
    const float middle = mean * (float)plane->dc[block] + down * (float)low[1] + (CENTERJSAMPLE + 0.5F);
    const float tilt = right * (float)low[0] + both * (float)low[2];
    const float value = x % 2 == 0 ? middle + tilt : middle - tilt;
    pixels[x] = (uint8_t)(value < 0 ? 0 : (value > MAXJSAMPLE ? MAXJSAMPLE : value));
  }
}

FCStatus fcjpeg_index_read_overview(
  const FCJPEGIndex *index, uint32_t component, uint32_t row, uint8_t *pixels, uint32_t count) {
  if (component >= fcjpeg_index_overview_planes(index)) return FCStatusMisuse;
  const FCIndexComponent *plane = &index->components[component];
  const struct jpeg_decompress_struct *cinfo = &index->decoder->cinfo;
  const JQUANT_TBL *table = cinfo->quant_tbl_ptrs[cinfo->comp_info[component].quant_tbl_no];
  const uint32_t scale = index->scale;
  if (row / scale / plane->height >= index->rowsScanned || count > index->columns * plane->width * scale ||
      table == NULL) {
    return FCStatusMisuse;
  }
  if (plane->pixels != NULL) {
    memcpy(pixels, plane->pixels + (size_t)row * index->columns * plane->width * scale, count);
    return FCStatusOk;
  }
  if (scale == 2) {
    read_quarter(plane, table->quantval, (size_t)(row / 2) * index->columns * plane->width, row % 2 == 1, pixels,
                 count);
    return FCStatusOk;
  }
  const int16_t *dc = plane->dc + (size_t)row * index->columns * plane->width;
  for (uint32_t x = 0; x < count; x++) {
    // libjpeg's inverse DCT to one point: the mean of the block plus the level shift. Like libjpeg it wraps steps to 16
    // bits and results to 10, both signed, which matters only for absurd tables.
    const int32_t level = (dc[x] * (int32_t)(int16_t)table->quantval[0] + 4) >> 3;
    const int32_t mean = (((level + 512) & 1023) - 512) + CENTERJSAMPLE;
    pixels[x] = (uint8_t)(mean < 0 ? 0 : (mean > MAXJSAMPLE ? MAXJSAMPLE : mean));
  }
  return FCStatusOk;
}
