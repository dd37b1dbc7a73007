/// Encoding of animations by libwebp, which finds the parts that change.
#include "metadata.h"

#include <limits.h>
#include <stdlib.h>
#include <webp/encode.h>
#include <webp/mux.h>

struct FCWebPAnimation {
  const char *message;
  FCWebPEncoding encoding;
  WebPConfig config;
  WebPAnimEncoder *encoder;
  WebPData frames, file;
};

FCWebPAnimation *fcwebp_animation_create(void) {
  FCWebPAnimation *animation = calloc(1, sizeof *animation);
  if (animation == NULL) return NULL;
  animation->message = "";
  WebPDataInit(&animation->frames);
  WebPDataInit(&animation->file);
  return animation;
}

static void release(FCWebPAnimation *animation) {
  WebPAnimEncoderDelete(animation->encoder);
  animation->encoder = NULL;
}

void fcwebp_animation_destroy(FCWebPAnimation *animation) {
  release(animation);
  WebPDataClear(&animation->frames);
  WebPDataClear(&animation->file);
  free(animation);
}

const char *fcwebp_animation_message(const FCWebPAnimation *animation) { return animation->message; }

static FCWebPStatus fail(FCWebPAnimation *animation, FCWebPStatus status, const char *message) {
  release(animation);
  return fcwebp_refuse(&animation->message, status, message);
}

FCWebPStatus fcwebp_animation_start(FCWebPAnimation *animation, FCWebPEncoding encoding, uint32_t loops) {
  WebPAnimEncoderOptions options;
  // The number of repetitions has 16 bits.
  if (animation->encoder != NULL || animation->frames.size > 0 || encoding.width == 0 ||
      encoding.width > WEBP_MAX_DIMENSION || encoding.height == 0 || encoding.height > WEBP_MAX_DIMENSION ||
      loops > UINT16_MAX) {
    return fail(animation, FCWebPStatusMisuse, "the encoder has started, or the size is not valid in WebP");
  }
  if (!WebPAnimEncoderOptionsInit(&options) || !WebPConfigInit(&animation->config)) {
    return fail(animation, FCWebPStatusUnsupported, "the version of libwebp differs from its headers");
  }
  options.anim_params.loop_count = (int)loops;
  options.anim_params.bgcolor = 0;
  WebPConfig *config = &animation->config;
  config->lossless = encoding.isLossless;
  config->quality = encoding.quality;
  config->method = 4;
  config->low_memory = !encoding.keepsTokens;
  config->alpha_compression = !encoding.hasRawAlpha;
  if (!WebPValidateConfig(config)) return fail(animation, FCWebPStatusMisuse, "the quality is not 0 to 100");
  animation->encoding = encoding;
  animation->encoder = WebPAnimEncoderNew((int)encoding.width, (int)encoding.height, &options);
  if (animation->encoder == NULL) return fail(animation, FCWebPStatusOutOfMemory, "no memory for encoding");
  return FCWebPStatusOk;
}

FCWebPStatus fcwebp_animation_add(FCWebPAnimation *animation, FCWebPColor color, const uint8_t *rows, size_t stride,
                                  size_t capacity, int32_t milliseconds) {
  const FCWebPEncoding *encoding = &animation->encoding;
  if (animation->encoder == NULL || stride > INT_MAX ||
      !fcwebp_rows_fit((size_t)encoding->width * (uint32_t)color, stride, capacity, encoding->height)) {
    return fail(animation, FCWebPStatusMisuse, "the encoder has finished, or the memory is too small");
  }
  if (fc_cancellation_is_cancelled(encoding->cancellation)) {
    return fail(animation, FCWebPStatusCancelled, "cancelled");
  }
  WebPPicture picture;
  if (!WebPPictureInit(&picture)) {
    return fail(animation, FCWebPStatusUnsupported, "the version of libwebp differs from its headers");
  }
  picture.width = (int)encoding->width;
  picture.height = (int)encoding->height;
  picture.use_argb = 1;
  const bool isImported = color == FCWebPColorRGBA ? WebPPictureImportRGBA(&picture, rows, (int)stride)
                                                   : WebPPictureImportRGB(&picture, rows, (int)stride);
  const bool isAdded =
    isImported && WebPAnimEncoderAdd(animation->encoder, &picture, milliseconds, &animation->config);
  WebPPictureFree(&picture);
  return isAdded ? FCWebPStatusOk : fail(animation, FCWebPStatusOutOfMemory, "no memory for encoding");
}

FCWebPStatus fcwebp_animation_finish(FCWebPAnimation *animation, FCWebPEncoding encoding, int32_t milliseconds,
                                     const uint8_t **bytes, size_t *count) {
  *bytes = NULL;
  *count = 0;
  if (animation->encoder == NULL || !fcwebp_metadata_fit(&encoding)) {
    return fail(animation, FCWebPStatusMisuse, "the encoder has finished, or the metadata are too long");
  }
  if (!WebPAnimEncoderAdd(animation->encoder, NULL, milliseconds, NULL) ||
      !WebPAnimEncoderAssemble(animation->encoder, &animation->frames)) {
    return fail(animation, FCWebPStatusOutOfMemory, "no memory for the frames");
  }
  release(animation);
  const bool hasMetadata = fcwebp_has_metadata(&encoding);
  if (hasMetadata && !fcwebp_add_metadata(&encoding, &animation->frames, &animation->file)) {
    return fail(animation, FCWebPStatusOutOfMemory, "no memory for the metadata");
  }
  if (hasMetadata) WebPDataClear(&animation->frames);
  const WebPData *file = hasMetadata ? &animation->file : &animation->frames;
  *bytes = file->bytes;
  *count = file->size;
  return FCWebPStatusOk;
}
