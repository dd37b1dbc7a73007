/// WebP encoding into memory.
#include "encoding.h"

#include <limits.h>

/// Returns whether to continue; libwebp calls it to report progress.
static int report_progress(int percent, const WebPPicture *picture) {
  (void)percent;
  return !fc_cancellation_is_cancelled(picture->user_data);
}

static FCStatus encode(
  const FCWebPEncoding *encoding, const uint8_t *rows, size_t stride, WebPMemoryWriter *writer, FCMessage *message) {
  WebPConfig config;
  WebPPicture picture;
  const FCStatus status = fcwebp_prepare(encoding, &config, &picture, message);
  if (status != FCStatusOk) return status;
  picture.use_argb = encoding->isLossless;
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = writer;
  picture.progress_hook = report_progress;
  picture.user_data = (void *)(uintptr_t)encoding->cancellation;
  const bool isEncoded = fcwebp_import(&picture, encoding->color, rows, stride) && WebPEncode(&config, &picture);
  const WebPEncodingError error = picture.error_code;
  WebPPictureFree(&picture);
  if (isEncoded) return FCStatusOk;
  switch (error) {
    case VP8_ENC_ERROR_USER_ABORT:
      return fc_refuse(message, FCStatusCancelled, "cancelled");
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
    case VP8_ENC_ERROR_FILE_TOO_BIG:
    case VP8_ENC_ERROR_BAD_DIMENSION:
      return fc_refuse(message, FCStatusUnsupported, "the image is too large for WebP");
    default:
      return fc_refuse(message, FCStatusOutOfMemory, "no memory for encoding");
  }
}

FCStatus fcwebp_encode(
  FCWebPEncoding encoding, const uint8_t *rows, size_t stride, size_t capacity, FCBytes *file, FCMessage *message) {
  *file = (FCBytes){NULL, 0};
  if (!fcwebp_can_encode(&encoding) || stride > INT_MAX ||
      !fc_rows_fit((size_t)encoding.width * fc_channels(encoding.color), stride, capacity, encoding.height)) {
    return fc_refuse(message, FCStatusMisuse, "the size is not valid in WebP, or the memory is too small");
  }
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  FCStatus status = encode(&encoding, rows, stride, &writer, message);
  WebPData made = {writer.mem, writer.size};
  if (status == FCStatusOk && !fcwebp_attach(&encoding.attachments, &made)) {
    status = fc_refuse(message, FCStatusOutOfMemory, "no memory for the metadata");
  }
  if (status == FCStatusOk) *file = (FCBytes){made.bytes, made.size};
  else WebPDataClear(&made);
  return status;
}

void fcwebp_file_free(FCBytes file) { WebPFree((void *)(uintptr_t)file.bytes); }
