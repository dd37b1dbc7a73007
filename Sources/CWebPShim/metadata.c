#include "metadata.h"

#include <limits.h>
#include <webp/mux.h>

bool fcwebp_metadata_fit(const FCWebPEncoding *encoding) {
  const size_t largest = INT_MAX / 4;
  return encoding->exifCount <= largest && encoding->xmpCount <= largest && encoding->profileCount <= largest;
}

bool fcwebp_has_metadata(const FCWebPEncoding *encoding) {
  return (encoding->exif != NULL && encoding->exifCount > 0) || (encoding->xmp != NULL && encoding->xmpCount > 0) ||
         (encoding->profile != NULL && encoding->profileCount > 0);
}

static bool add(WebPMux *mux, const char name[4], const uint8_t *bytes, size_t count) {
  const WebPData data = {bytes, count};
  return bytes == NULL || count == 0 || WebPMuxSetChunk(mux, name, &data, 0) == WEBP_MUX_OK;
}

bool fcwebp_add_metadata(const FCWebPEncoding *encoding, const WebPData *picture, WebPData *file) {
  WebPMux *mux = WebPMuxCreate(picture, 0);
  const bool isAdded = mux != NULL && add(mux, "ICCP", encoding->profile, encoding->profileCount) &&
                       add(mux, "EXIF", encoding->exif, encoding->exifCount) &&
                       add(mux, "XMP ", encoding->xmp, encoding->xmpCount) &&
                       WebPMuxAssemble(mux, file) == WEBP_MUX_OK;
  WebPMuxDelete(mux);
  return isAdded;
}
