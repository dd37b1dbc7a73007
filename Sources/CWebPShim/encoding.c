#include "encoding.h"

#include <limits.h>
#include <webp/mux.h>

bool fcwebp_can_encode(const FCWebPEncoding *encoding) {
  // A chunk's length has 32 bits.
  const size_t largest = INT_MAX / 4;
  const FCAttachments *attachments = &encoding->attachments;
  return encoding->width > 0 && encoding->width <= WEBP_MAX_DIMENSION && encoding->height > 0 &&
         encoding->height <= WEBP_MAX_DIMENSION && attachments->exif.count <= largest &&
         attachments->xmp.count <= largest && attachments->profile.count <= largest;
}

FCStatus fcwebp_prepare(
  const FCWebPEncoding *encoding, WebPConfig *config, WebPPicture *picture, FCMessage *message) {
  if (!WebPPictureInit(picture) || !WebPConfigInit(config)) {
    return fc_refuse(message, FCStatusUnsupported, "the version of libwebp differs from its headers");
  }
  config->lossless = encoding->isLossless;
  config->quality = encoding->quality;
  config->method = 4;
  config->exact = 0;
  config->low_memory = !encoding->keepsTokens;
  config->alpha_compression = !encoding->hasRawAlpha;
  if (!WebPValidateConfig(config)) return fc_refuse(message, FCStatusMisuse, "the quality is not 0 to 100");
  picture->width = (int)encoding->width;
  picture->height = (int)encoding->height;
  return FCStatusOk;
}

bool fcwebp_import(WebPPicture *picture, FCColor color, const uint8_t *rows, size_t stride) {
  return color == FCColorRGBA ? WebPPictureImportRGBA(picture, rows, (int)stride)
                                  : WebPPictureImportRGB(picture, rows, (int)stride);
}

static bool add(WebPMux *mux, const char name[4], FCBytes part) {
  const WebPData data = {part.bytes, part.count};
  return part.count == 0 || WebPMuxSetChunk(mux, name, &data, 0) == WEBP_MUX_OK;
}

bool fcwebp_attach(const FCAttachments *attachments, WebPData *file) {
  if (attachments->exif.count + attachments->xmp.count + attachments->profile.count == 0) return true;
  WebPMux *mux = WebPMuxCreate(file, 0);
  WebPData whole;
  WebPDataInit(&whole);
  const bool isAdded = mux != NULL && add(mux, "ICCP", attachments->profile) && add(mux, "EXIF", attachments->exif) &&
                       add(mux, "XMP ", attachments->xmp) && WebPMuxAssemble(mux, &whole) == WEBP_MUX_OK;
  WebPMuxDelete(mux);
  if (!isAdded) return false;
  WebPDataClear(file);
  *file = whole;
  return true;
}
