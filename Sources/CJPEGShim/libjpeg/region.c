/// Decodes a region at any of the eight DCT scales, with exactly the pixels of a full decode.
#include "libjpeg/decoder.h"

#include <stdlib.h>
#include <string.h>

/// Extra columns decoded on each side of the region. Fancy upsampling needs a neighbor, which is missing at the edge of
/// the crop. Two columns suffice in libjpeg-turbo 2.1.5. More cost little, since all bits are read anyway.
static const uint32_t margin = 48;

FCJPEGDecoder *fcjpeg_decoder_create(FCJPEGSource source) {
  FCJPEGDecoder *decoder = calloc(1, sizeof *decoder);
  if (decoder == NULL) return NULL;
  decoder->source = source;
  decoder->seam.cancellation = source.cancellation;
  fc_seam_init(&decoder->seam);
  decoder->cinfo.err = &decoder->seam.manager;
  return decoder;
}

void fcjpeg_decoder_destroy(FCJPEGDecoder *decoder) {
  // Does nothing if the object was never created: its memory manager is NULL.
  jpeg_destroy_decompress(&decoder->cinfo);
  free(decoder->progressive);
  free(decoder->bases);
  free(decoder);
}

const char *fcjpeg_decoder_message(const FCJPEGDecoder *decoder) { return decoder->seam.message.text; }
FCDamage fcjpeg_decoder_damage(const FCJPEGDecoder *decoder) { return decoder->damage; }

void fc_note_damage(FCJPEGDecoder *decoder, FCDamageKind kind) {
  if (decoder->damage.kind != FCDamageKindNone) return;
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  const uint64_t rows = (uint64_t)cinfo->input_iMCU_row * (uint64_t)cinfo->max_v_samp_factor * DCTSIZE;
  decoder->damage.kind = kind;
  decoder->damage.intactRows = rows < decoder->height ? (uint32_t)rows : decoder->height;
  decoder->damage.pass = (uint32_t)cinfo->input_scan_number;
}

/// Sorts libjpeg's warnings into damage of the image and remarks.
static void emit_message(j_common_ptr common, int level) {
  if (level >= 0) return;  // traces
  FCJPEGDecoder *decoder = common->client_data;
  switch (common->err->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
      fc_note_damage(decoder, decoder->reachedEnd ? FCDamageKindTruncated : FCDamageKindCorrupt);
      break;
    default:
      decoder->damage.remarks += 1;
  }
}

void fc_open(FCJPEGDecoder *decoder, FCColor color) {
  j_decompress_ptr cinfo = &decoder->cinfo;
  jpeg_create_decompress(cinfo);
  cinfo->client_data = decoder;
  decoder->seam.manager.emit_message = emit_message;
  cinfo->mem->max_memory_to_use = (long)decoder->source.maximumCoefficientBytes;
  fc_source_install(decoder);

  jpeg_read_header(cinfo, TRUE);
  decoder->height = cinfo->image_height;
  decoder->isArithmetic = cinfo->arith_code;
  switch (cinfo->jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_YCbCr:
    case JCS_RGB:
      if (color == FCColorCMYK) fc_fail(&decoder->seam, FCStatusMisuse, "the image has no inks");
      cinfo->out_color_space = color == FCColorGray ? JCS_GRAYSCALE : JCS_RGB;
      break;
    case JCS_CMYK:
    case JCS_YCCK:
      cinfo->out_color_space = JCS_CMYK;
      break;
    default:
      fc_fail(&decoder->seam, FCStatusUnsupported, "the number of color components is not 1, 3 or 4");
  }
  cinfo->scale_denom = DCTSIZE;
  cinfo->dct_method = JDCT_ISLOW;
  cinfo->do_fancy_upsampling = TRUE;
}

/// Returns whether `jpeg_crop_scanline` is safe. For some samplings it reads uninitialized memory when it also scales
/// (libjpeg-turbo issue 669). Only known good ones are allowed.
static bool can_crop_columns(const struct jpeg_decompress_struct *cinfo) {
  const jpeg_component_info *component = cinfo->comp_info;
  if (cinfo->num_components == 1) return component[0].h_samp_factor == 1 && component[0].v_samp_factor == 1;
  if (cinfo->num_components != 3) return false;
  for (int i = 1; i < 3; i++) {
    if (component[i].h_samp_factor != 1 || component[i].v_samp_factor != 1) return false;
  }
  return component[0].h_samp_factor <= 2 && component[0].v_samp_factor <= 2;
}

void fc_position(FCJPEGDecoder *decoder) {
  j_decompress_ptr cinfo = &decoder->cinfo;
  const FCJPEGRegion region = decoder->region;
  if (decoder->row == NULL) {
    // An odd address on purpose: for aligned rows, libjpeg-turbo's color conversion bypasses the caches (`movntdq` in
    // simd/x86_64/jdcolext-avx2.asm). The rows are read again at once.
    const size_t bytes = (size_t)cinfo->output_width * (size_t)cinfo->output_components;
    decoder->row = (uint8_t *)cinfo->mem->alloc_large((j_common_ptr)cinfo, JPOOL_IMAGE, bytes + 1) + 1;
  }
  // One skip, from row 0, before any row is read: skipping after a read can give wrong rows (libjpeg-turbo issue 915).
  if (region.y > 0 && jpeg_skip_scanlines(cinfo, region.y) != region.y) {
    fc_fail(&decoder->seam, FCStatusCorrupt, "the rows above the region could not be skipped");
  }
  decoder->rowsLeft = region.height;
}

void fc_check_inside(FCJPEGDecoder *decoder) {
  const FCJPEGRegion region = decoder->region;
  if (region.width == 0 || region.height == 0 ||
      (uint64_t)region.x + region.width > decoder->cinfo.output_width ||
      (uint64_t)region.y + region.height > decoder->cinfo.output_height) {
    fc_fail(&decoder->seam, FCStatusMisuse, "the region lies outside the image");
  }
}

static void start_region(void *context) {
  FCJPEGDecoder *decoder = context;
  j_decompress_ptr cinfo = &decoder->cinfo;
  const FCJPEGRegion region = decoder->region;

  fc_open(decoder, region.color);
  // libjpeg would read all scans of such a file in one call, which nothing could cancel.
  if (jpeg_has_multiple_scans(cinfo)) fc_fail(&decoder->seam, FCStatusMisuse, "the file has several scans");
  cinfo->scale_num = (unsigned)region.scale;
  jpeg_start_decompress(cinfo);
  fc_check_inside(decoder);

  decoder->column = region.x;
  if (can_crop_columns(cinfo)) {
    const uint64_t right = (uint64_t)region.x + region.width + margin;
    JDIMENSION first = region.x > margin ? region.x - margin : 0;
    JDIMENSION width = (JDIMENSION)(right < cinfo->output_width ? right : cinfo->output_width) - first;
    // Moves `first` to an iMCU border, widens `width` and sets `output_width`.
    jpeg_crop_scanline(cinfo, &first, &width);
    decoder->column = region.x - first;
  }
  fc_position(decoder);
}

FCStatus fc_ended(FCJPEGDecoder *decoder, FCStatus status) {
  if (status == FCStatusOk) return status;
  decoder->stage = FCStageFailed;
  return status == FCStatusCorrupt && decoder->reachedEnd ? FCStatusTruncated : status;
}

FCStatus fcjpeg_decoder_start_region(FCJPEGDecoder *decoder, FCJPEGRegion region) {
  if (decoder->stage != FCStageNew || region.scale < 1 || region.scale > DCTSIZE) return FCStatusMisuse;
  decoder->region = region;
  decoder->stage = FCStageRegion;
  return fc_ended(decoder, fc_guard(&decoder->seam, start_region, decoder));
}

/// Converts CMYK without a profile, by removing each ink and black from white. Files hold inverted values, 255 for no
/// ink, as Adobe's programs write them (technical note 5116); browsers and libvips ignore Adobe's marker too.
static void convert_cmyk(const FCJPEGDecoder *decoder, const uint8_t *pixel, uint8_t *out) {
  if (decoder->region.color == FCColorCMYK) {
    for (int i = 0; i < 4; i++) out[i] = (uint8_t)(255 - pixel[i]);
    return;
  }
  uint8_t rgb[3];
  for (int i = 0; i < 3; i++) rgb[i] = (uint8_t)((pixel[i] * (uint32_t)pixel[3] + 127) / 255);
  if (decoder->region.color == FCColorRGB) memcpy(out, rgb, 3);
  else out[0] = fc_luma(rgb);
}

typedef struct {
  FCJPEGDecoder *decoder;
  uint8_t *rows;
  size_t stride;
  uint32_t count;
} RowsRequest;

static void read_rows(void *context) {
  const RowsRequest *request = context;
  FCJPEGDecoder *decoder = request->decoder;
  const uint32_t width = decoder->region.width;
  const size_t made = fc_channels(decoder->region.color);
  const size_t stored = (size_t)decoder->cinfo.output_components;
  JSAMPROW row = decoder->row;

  for (uint32_t i = 0; i < request->count; i++) {
    if (jpeg_read_scanlines(&decoder->cinfo, &row, 1) != 1) {
      fc_fail(&decoder->seam, FCStatusCorrupt, "the image has fewer rows than its header declares");
    }
    const uint8_t *from = row + (size_t)decoder->column * stored;
    uint8_t *to = request->rows + (size_t)i * request->stride;
    if (decoder->cinfo.out_color_space == JCS_CMYK) {
      for (uint32_t x = 0; x < width; x++) convert_cmyk(decoder, from + 4 * (size_t)x, to + made * x);
    } else {
      memcpy(to, from, width * made);
    }
  }
}

/// Reads from the last row to the end marker, like a full decode. Left-over bytes mean that earlier ones were misread,
/// although every code was valid; a file without an end marker may lack more than that.
static void read_end(void *context) {
  FCJPEGDecoder *decoder = context;
  j_decompress_ptr cinfo = &decoder->cinfo;
  while (!jpeg_input_complete(cinfo) && jpeg_consume_input(cinfo) != JPEG_SUSPENDED) continue;
  if (decoder->reachedEnd) fc_note_damage(decoder, FCDamageKindTruncated);
}

FCStatus fcjpeg_decoder_read_rows(FCJPEGDecoder *decoder, uint8_t *rows, size_t stride, size_t capacity,
                                  uint32_t maximumRows, uint32_t *read) {
  *read = 0;
  if (decoder->stage != FCStageRegion && decoder->stage != FCStageScanRegion) return FCStatusMisuse;
  const uint32_t count = maximumRows < decoder->rowsLeft ? maximumRows : decoder->rowsLeft;
  if (count == 0) return FCStatusOk;
  const size_t rowBytes = (size_t)decoder->region.width * fc_channels(decoder->region.color);
  if (!fc_rows_fit(rowBytes, stride, capacity, count)) return FCStatusMisuse;
  RowsRequest request = {decoder, rows, stride, count};
  const FCStatus status = fc_guard(&decoder->seam, read_rows, &request);
  if (status != FCStatusOk) return fc_ended(decoder, status);
  decoder->rowsLeft -= count;
  *read = count;
  const bool isLastRow = decoder->rowsLeft == 0 && decoder->cinfo.output_scanline == decoder->cinfo.output_height;
  if (isLastRow && decoder->stage == FCStageRegion && decoder->damage.kind == FCDamageKindNone) {
    const FCStatus end = fc_guard(&decoder->seam, read_end, decoder);
    if (end == FCStatusCancelled) return end;
    // Other data in its place do not affect the rows that were read.
    if (end != FCStatusOk) decoder->damage.remarks += 1;
  }
  return FCStatusOk;
}
