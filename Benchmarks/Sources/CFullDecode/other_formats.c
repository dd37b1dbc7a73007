#include "CFullDecode.h"

#include <libheif/heif.h>
#include <png.h>
#include <webp/decode.h>

bool full_decode_png(const uint8_t *file, size_t count, uint8_t *pixels) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_memory(&image, file, count)) return false;
  image.format = image.format & PNG_FORMAT_FLAG_ALPHA ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  const bool done = png_image_finish_read(&image, NULL, pixels, 0, NULL);
  png_image_free(&image);
  return done;
}

bool full_decode_webp(const uint8_t *file, size_t count, uint8_t *pixels) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(file, count, &features) != VP8_STATUS_OK || features.has_animation) return false;
  const size_t samples = features.has_alpha ? 4 : 3;
  const size_t size = (size_t)features.width * (size_t)features.height * samples;
  const int stride = features.width * (int)samples;
  return features.has_alpha ? WebPDecodeRGBAInto(file, count, pixels, size, stride) != NULL
                            : WebPDecodeRGBInto(file, count, pixels, size, stride) != NULL;
}

bool full_decode_heif(const uint8_t *file, size_t count, uint8_t *pixels) {
  (void)pixels;
  struct heif_context *context = heif_context_alloc();
  struct heif_image_handle *handle = NULL;
  struct heif_image *image = NULL;
  const bool done = heif_context_read_from_memory_without_copy(context, file, count, NULL).code == heif_error_Ok &&
                    heif_context_get_primary_image_handle(context, &handle).code == heif_error_Ok &&
                    heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGB, NULL).code ==
                        heif_error_Ok;
  if (image) heif_image_release(image);
  if (handle) heif_image_handle_release(handle);
  heif_context_free(context);
  return done;
}
