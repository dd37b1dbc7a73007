/// Encoding of animations by libwebp, which finds the parts that change.
#include "encoding.h"

#include <limits.h>
#include <stdlib.h>
#include <webp/mux.h>

struct FCWebPAnimation {
  FCMessage message;
  FCWebPEncoding encoding;
  WebPConfig config;
  /// The frame without its pixels.
  WebPPicture picture;
  WebPAnimEncoder *encoder;
  WebPData file;
};

FCWebPAnimation *fcwebp_animation_create(void) { return calloc(1, sizeof(FCWebPAnimation)); }

static void release(FCWebPAnimation *animation) {
  WebPAnimEncoderDelete(animation->encoder);
  animation->encoder = NULL;
}

void fcwebp_animation_destroy(FCWebPAnimation *animation) {
  release(animation);
  WebPDataClear(&animation->file);
  free(animation);
}

const char *fcwebp_animation_message(const FCWebPAnimation *animation) { return animation->message.text; }

static FCStatus fail(FCWebPAnimation *animation, FCStatus status, const char *message) {
  release(animation);
  return fc_refuse(&animation->message, status, message);
}

FCStatus fcwebp_animation_start(FCWebPAnimation *animation, FCWebPEncoding encoding, uint32_t loops) {
  WebPAnimEncoderOptions options;
  // The number of repetitions has 16 bits.
  if (animation->encoder != NULL || animation->file.size > 0 || !fcwebp_can_encode(&encoding) || loops > UINT16_MAX) {
    return fail(animation, FCStatusMisuse, "the encoder has started, or the size is not valid in WebP");
  }
  if (!WebPAnimEncoderOptionsInit(&options)) {
    return fail(animation, FCStatusUnsupported, "the version of libwebp differs from its headers");
  }
  options.anim_params.loop_count = (int)loops;
  options.anim_params.bgcolor = 0;
  const FCStatus status = fcwebp_prepare(&encoding, &animation->config, &animation->picture, &animation->message);
  if (status != FCStatusOk) return status;
  animation->picture.use_argb = 1;
  animation->encoding = encoding;
  animation->encoder = WebPAnimEncoderNew((int)encoding.width, (int)encoding.height, &options);
  if (animation->encoder == NULL) return fail(animation, FCStatusOutOfMemory, "no memory for encoding");
  return FCStatusOk;
}

FCStatus fcwebp_animation_add(FCWebPAnimation *animation, FCColor color, const uint8_t *rows, size_t stride,
                              size_t capacity, int32_t milliseconds) {
  const FCWebPEncoding *encoding = &animation->encoding;
  if (animation->encoder == NULL || stride > INT_MAX ||
      !fc_rows_fit((size_t)encoding->width * fc_channels(color), stride, capacity, encoding->height)) {
    return fail(animation, FCStatusMisuse, "the encoder has finished, or the memory is too small");
  }
  if (fc_cancellation_is_cancelled(encoding->cancellation)) return fail(animation, FCStatusCancelled, "cancelled");
  WebPPicture picture = animation->picture;
  const bool isAdded = fcwebp_import(&picture, color, rows, stride) &&
                       WebPAnimEncoderAdd(animation->encoder, &picture, milliseconds, &animation->config);
  WebPPictureFree(&picture);
  return isAdded ? FCStatusOk : fail(animation, FCStatusOutOfMemory, "no memory for encoding");
}

FCStatus fcwebp_animation_finish(
  FCWebPAnimation *animation, FCAttachments attachments, int32_t milliseconds, FCBytes *file) {
  *file = (FCBytes){NULL, 0};
  animation->encoding.attachments = attachments;
  if (animation->encoder == NULL || !fcwebp_can_encode(&animation->encoding)) {
    return fail(animation, FCStatusMisuse, "the encoder has finished, or the metadata are too long");
  }
  if (!WebPAnimEncoderAdd(animation->encoder, NULL, milliseconds, NULL) ||
      !WebPAnimEncoderAssemble(animation->encoder, &animation->file)) {
    return fail(animation, FCStatusOutOfMemory, "no memory for the frames");
  }
  release(animation);
  if (!fcwebp_attach(&attachments, &animation->file)) {
    return fail(animation, FCStatusOutOfMemory, "no memory for the metadata");
  }
  *file = (FCBytes){animation->file.bytes, animation->file.size};
  return FCStatusOk;
}
