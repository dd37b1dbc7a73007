/// Decodes regions of packed coefficients: hands libjpeg the coefficients of a cut as if it had read them itself.
#include "index/index.h"

typedef struct {
  const FCJPEGIndex *index;
  FCJPEGDecoder *decoder;
  FCJPEGRect cut;
} UnpackRequest;

static void unpack_block(const uint16_t **words, JCOEF *block) {
  block[0] = (JCOEF)*(*words)++;
  uint32_t k;
  int32_t value;
  while (fc_next_coefficient(words, &k, &value)) block[fc_zigzag[k]] = (JCOEF)value;
}

/// Fills the blocks, which libjpeg has zeroed except for the DC coefficient that it reads from the empty scan.
static void unpack(void *context) {
  const UnpackRequest *request = context;
  const FCJPEGIndex *index = request->index;
  FCJPEGDecoder *decoder = request->decoder;
  j_decompress_ptr cinfo = &decoder->cinfo;
  const FCJPEGRect cut = request->cut;
  for (uint32_t y = 0; y < cut.height; y++) {
    fc_check_cancelled(&decoder->seam);
    JBLOCKARRAY rows[MAX_COMPS_IN_SCAN];
    for (uint32_t c = 0; c < index->componentCount; c++) {
      const uint32_t height = index->components[c].height;
      const int component = index->decoder->cinfo.cur_comp_info[c]->component_index;
      rows[c] =
        cinfo->mem->access_virt_barray((j_common_ptr)cinfo, decoder->coefficients[component], y * height, height, TRUE);
    }
    const uint16_t *words = index->words + index->mcuWords[(size_t)(cut.y + y) * index->columns + cut.x];
    for (uint32_t x = 0; x < cut.width; x++) {
      for (uint32_t i = 0; i < index->blockCount; i++) {
        const FCIndexBlock block = index->blocks[i];
        unpack_block(&words, rows[block.component][block.y][x * index->components[block.component].width + block.x]);
      }
    }
  }
}

FCStatus fcjpeg_index_open(FCJPEGIndex *index, FCJPEGRect cut, int32_t scale, FCColor color,
                           FCJPEGDecoder **opened) {
  *opened = NULL;
  if (!index->keepsCoefficients || !fc_can_cut(index, cut)) return FCStatusMisuse;
  FCStatus status = fc_cut_empty(index, cut);
  if (status != FCStatusOk) return status;
  FCJPEGSource source = index->decoder->source;
  source.bytes = index->cut;
  source.count = index->cutCount;
  source.isFileMapping = false;
  source.maximumScans = 1;
  FCJPEGDecoder *decoder = fcjpeg_decoder_create(source);
  if (decoder == NULL) return FCStatusOutOfMemory;
  status = fcjpeg_decoder_start_scans(decoder, scale, color, true);
  bool isAtEnd = false;
  while (status == FCStatusOk && !isAtEnd) status = fcjpeg_decoder_absorb(decoder, false, cut.height, &isAtEnd);
  // Clears the damage of the empty scan, whose data follow now. libjpeg would smooth blocks of a first scan.
  decoder->damage = (FCDamage){0};
  decoder->cinfo.do_block_smoothing = FALSE;
  UnpackRequest request = {index, decoder, cut};
  if (status == FCStatusOk) status = fc_guard(&decoder->seam, unpack, &request);
  if (status != FCStatusOk) {
    fcjpeg_decoder_destroy(decoder);
    return status;
  }
  *opened = decoder;
  return FCStatusOk;
}
