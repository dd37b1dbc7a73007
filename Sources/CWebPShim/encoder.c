/// WebP encoding into memory.
#include "metadata.h"

#include <limits.h>
#include <stdlib.h>
#include <webp/encode.h>

struct FCWebPEncoder {
  const char *message;
  FCWebPEncoding encoding;
  WebPPicture picture;
  WebPMemoryWriter writer;
  WebPData file;
  bool started;
};

FCWebPEncoder *fcwebp_encoder_create(void) {
  FCWebPEncoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return NULL;
  encoder->message = "";
  WebPMemoryWriterInit(&encoder->writer);
  WebPDataInit(&encoder->file);
  return encoder;
}

/// Frees everything that only encoding needs.
static void release(FCWebPEncoder *encoder) {
  if (encoder->started) WebPPictureFree(&encoder->picture);
}

void fcwebp_encoder_destroy(FCWebPEncoder *encoder) {
  release(encoder);
  WebPMemoryWriterClear(&encoder->writer);
  WebPDataClear(&encoder->file);
  free(encoder);
}

const char *fcwebp_encoder_message(const FCWebPEncoder *encoder) { return encoder->message; }

/// Returns whether to continue; libwebp calls it to report progress.
static int report_progress(int percent, const WebPPicture *picture) {
  (void)percent;
  const FCWebPEncoder *encoder = picture->user_data;
  return !fc_cancellation_is_cancelled(encoder->encoding.cancellation);
}

static FCWebPStatus encode(FCWebPEncoder *encoder, const uint8_t *rows, int stride) {
  const FCWebPEncoding *encoding = &encoder->encoding;
  WebPPicture *picture = &encoder->picture;
  WebPConfig config;
  if (!WebPPictureInit(picture) || !WebPConfigInit(&config)) {
    return fcwebp_refuse(&encoder->message, FCWebPStatusUnsupported, "the version of libwebp differs from its headers");
  }
  config.lossless = encoding->isLossless;
  config.quality = encoding->quality;
  config.method = 4;
  config.exact = 0;
  config.low_memory = !encoding->keepsTokens;
  config.alpha_compression = !encoding->hasRawAlpha;
  if (!WebPValidateConfig(&config)) {
    return fcwebp_refuse(&encoder->message, FCWebPStatusMisuse, "the quality is not 0 to 100");
  }
  picture->width = (int)encoding->width;
  picture->height = (int)encoding->height;
  picture->use_argb = encoding->isLossless;
  picture->writer = WebPMemoryWrite;
  picture->custom_ptr = &encoder->writer;
  picture->progress_hook = report_progress;
  picture->user_data = encoder;
  const bool isImported = encoding->color == FCWebPColorRGBA ? WebPPictureImportRGBA(picture, rows, stride)
                                                             : WebPPictureImportRGB(picture, rows, stride);
  if (isImported && WebPEncode(&config, picture)) return FCWebPStatusOk;
  switch (picture->error_code) {
    case VP8_ENC_ERROR_USER_ABORT:
      return fcwebp_refuse(&encoder->message, FCWebPStatusCancelled, "cancelled");
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
    case VP8_ENC_ERROR_FILE_TOO_BIG:
    case VP8_ENC_ERROR_BAD_DIMENSION:
      return fcwebp_refuse(&encoder->message, FCWebPStatusUnsupported, "the image is too large for WebP");
    default:
      return fcwebp_refuse(&encoder->message, FCWebPStatusOutOfMemory, "no memory for encoding");
  }
}

static FCWebPStatus add_metadata(FCWebPEncoder *encoder) {
  const WebPData picture = {encoder->writer.mem, encoder->writer.size};
  if (!fcwebp_add_metadata(&encoder->encoding, &picture, &encoder->file)) {
    return fcwebp_refuse(&encoder->message, FCWebPStatusOutOfMemory, "no memory for the metadata");
  }
  WebPMemoryWriterClear(&encoder->writer);
  return FCWebPStatusOk;
}

FCWebPStatus fcwebp_encoder_encode(FCWebPEncoder *encoder, FCWebPEncoding encoding, const uint8_t *rows, size_t stride,
                                   size_t capacity, const uint8_t **bytes, size_t *count) {
  *bytes = NULL;
  *count = 0;
  encoder->message = "";
  if (encoder->started || encoding.width == 0 || encoding.width > WEBP_MAX_DIMENSION || encoding.height == 0 ||
      encoding.height > WEBP_MAX_DIMENSION || !fcwebp_metadata_fit(&encoding) || stride > INT_MAX ||
      !fcwebp_rows_fit((size_t)encoding.width * (uint32_t)encoding.color, stride, capacity, encoding.height)) {
    return fcwebp_refuse(
      &encoder->message, FCWebPStatusMisuse, "the encoder has finished, or the size is not valid in WebP");
  }
  encoder->started = true;
  encoder->encoding = encoding;
  FCWebPStatus status = encode(encoder, rows, (int)stride);
  const bool hasMetadata = fcwebp_has_metadata(&encoding);
  if (status == FCWebPStatusOk && hasMetadata) status = add_metadata(encoder);
  release(encoder);
  // The bytes are borrowed for this call only.
  encoder->encoding.exif = encoder->encoding.xmp = NULL;
  encoder->encoding.profile = NULL;
  if (status == FCWebPStatusOk) {
    *bytes = hasMetadata ? encoder->file.bytes : encoder->writer.mem;
    *count = hasMetadata ? encoder->file.size : encoder->writer.size;
  }
  return status;
}
