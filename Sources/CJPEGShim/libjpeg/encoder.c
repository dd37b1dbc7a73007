/// JPEG encoding into memory.
#include "libjpeg/destination.h"

#include <stdlib.h>

struct FCJPEGEncoder {
  FCSeam seam;
  struct jpeg_compress_struct cinfo;
  FCJPEGEncoding encoding;
  FCJPEGFile file;
  FCDestination destination;
  bool started;
};

FCJPEGEncoder *fcjpeg_encoder_create(void) {
  FCJPEGEncoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return NULL;
  fc_seam_init(&encoder->seam);
  encoder->cinfo.err = &encoder->seam.manager;
  return encoder;
}

void fcjpeg_encoder_destroy(FCJPEGEncoder *encoder) {
  jpeg_destroy_compress(&encoder->cinfo);
  free(encoder->file.bytes);
  free(encoder);
}

const char *fcjpeg_encoder_message(const FCJPEGEncoder *encoder) { return encoder->seam.message.text; }

/// Returns whether to optimize Huffman tables; see `FCJPEGLargestOptimized`.
static bool is_worth_optimizing(const FCJPEGEncoding *encoding) {
  const uint64_t pixels = (uint64_t)encoding->width * encoding->height;
  const uint64_t shared = (uint64_t)encoding->horizontalSubsampling * (uint64_t)encoding->verticalSubsampling;
  const uint64_t samples = encoding->color == FCColorGray ? pixels : pixels + 2 * pixels / shared;
  return samples * sizeof(JCOEF) <= FCJPEGLargestOptimized;
}

static void write_segments(j_compress_ptr cinfo, FCBytes segments) {
  const uint8_t *segment = segments.bytes;
  for (size_t left = segments.count; left > 0;) {
    const uint32_t length = left < 4 ? 0 : (uint32_t)segment[2] << 8 | segment[3];
    if (length < 2 || length > left - 2) fc_fail((FCSeam *)cinfo->err, FCStatusMisuse, "a segment is cut off");
    jpeg_write_marker(cinfo, segment[1], segment + 4, length - 2);
    segment += 2 + length;
    left -= 2 + length;
  }
}

static void start(void *context) {
  FCJPEGEncoder *encoder = context;
  const FCJPEGEncoding *encoding = &encoder->encoding;
  j_compress_ptr cinfo = &encoder->cinfo;

  jpeg_create_compress(cinfo);
  fc_destination_install(&encoder->destination, cinfo, &encoder->seam, &encoder->file);
  cinfo->image_width = encoding->width;
  cinfo->image_height = encoding->height;
  cinfo->input_components = encoding->color == FCColorRGB ? 3 : 1;
  cinfo->in_color_space = encoding->color == FCColorRGB ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults(cinfo);
  if (encoding->density > 0) {
    cinfo->density_unit = 1;
    cinfo->X_density = cinfo->Y_density = encoding->density;
  }
  jpeg_set_quality(cinfo, encoding->quality, TRUE);
  cinfo->dct_method = JDCT_ISLOW;
  if (encoding->color == FCColorRGB) {
    cinfo->comp_info[0].h_samp_factor = encoding->horizontalSubsampling;
    cinfo->comp_info[0].v_samp_factor = encoding->verticalSubsampling;
  }
  // Progressive files always have optimized tables.
  if (encoding->isProgressive) jpeg_simple_progression(cinfo);
  cinfo->optimize_coding = encoding->isProgressive || is_worth_optimizing(encoding);
  jpeg_start_compress(cinfo, TRUE);
  write_segments(cinfo, encoding->segments);
}

FCStatus fcjpeg_encoder_start(FCJPEGEncoder *encoder, FCJPEGEncoding encoding) {
  if (encoder->started || encoding.horizontalSubsampling < 1 || encoding.horizontalSubsampling > 2 ||
      encoding.verticalSubsampling < 1 || encoding.verticalSubsampling > 2) {
    return FCStatusMisuse;
  }
  encoder->started = true;
  encoder->encoding = encoding;
  encoder->seam.cancellation = encoding.cancellation;
  const FCStatus status = fc_guard(&encoder->seam, start, encoder);
  // The segments are borrowed for this call only.
  encoder->encoding.segments = (FCBytes){NULL, 0};
  return status;
}

typedef struct {
  FCJPEGEncoder *encoder;
  const uint8_t *rows;
  size_t stride;
  uint32_t count;
} RowsRequest;

static void write_rows(void *context) {
  const RowsRequest *request = context;
  fc_check_cancelled(&request->encoder->seam);
  for (uint32_t i = 0; i < request->count; i++) {
    // libjpeg only reads the row, although its type is not const.
    JSAMPROW row = (JSAMPROW)(uintptr_t)(request->rows + (size_t)i * request->stride);
    jpeg_write_scanlines(&request->encoder->cinfo, &row, 1);
  }
}

FCStatus fcjpeg_encoder_write_rows(FCJPEGEncoder *encoder, const uint8_t *rows, size_t stride, size_t capacity,
                                   uint32_t count) {
  const size_t rowBytes = (size_t)encoder->encoding.width * (encoder->encoding.color == FCColorRGB ? 3 : 1);
  if (!encoder->started || !fc_rows_fit(rowBytes, stride, capacity, count)) return FCStatusMisuse;
  RowsRequest request = {encoder, rows, stride, count};
  return fc_guard(&encoder->seam, write_rows, &request);
}

FCBytes fcjpeg_encoder_take(FCJPEGEncoder *encoder) {
  struct jpeg_destination_mgr *manager = &encoder->destination.manager;
  const FCBytes taken = {encoder->file.bytes, encoder->file.capacity - manager->free_in_buffer};
  manager->next_output_byte = encoder->file.bytes;
  manager->free_in_buffer = encoder->file.capacity;
  return taken;
}

static void finish(void *context) { jpeg_finish_compress(&((FCJPEGEncoder *)context)->cinfo); }

FCStatus fcjpeg_encoder_finish(FCJPEGEncoder *encoder, FCBytes *bytes) {
  *bytes = (FCBytes){NULL, 0};
  if (!encoder->started) return FCStatusMisuse;
  const FCStatus status = fc_guard(&encoder->seam, finish, encoder);
  if (status == FCStatusOk) *bytes = (FCBytes){encoder->file.bytes, encoder->file.count};
  return status;
}
