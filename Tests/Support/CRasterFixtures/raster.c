#include "CRasterFixtures.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/encode.h>

int fr_decode_png(const uint8_t *bytes, size_t count, fr_picture *picture) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, bytes, count)) return 0;
  image.format = PNG_FORMAT_RGBA;
  picture->width = image.width;
  picture->height = image.height;
  picture->pixels = malloc(PNG_IMAGE_SIZE(image));
  if (picture->pixels != NULL && png_image_finish_read(&image, NULL, picture->pixels, 0, NULL)) return 1;
  png_image_free(&image);
  free(picture->pixels);
  return 0;
}

int fr_decode_webp(const uint8_t *bytes, size_t count, fr_picture *picture) {
  int width = 0, height = 0;
  uint8_t *pixels = WebPDecodeRGBA(bytes, count, &width, &height);
  if (pixels == NULL) return 0;
  picture->width = (size_t)width;
  picture->height = (size_t)height;
  const size_t size = picture->width * picture->height * 4;
  picture->pixels = malloc(size);
  if (picture->pixels != NULL) memcpy(picture->pixels, pixels, size);
  WebPFree(pixels);
  return picture->pixels != NULL;
}

uint8_t *fr_encode_webp(const uint8_t *pixels, size_t width, size_t height, float quality, size_t *count) {
  uint8_t *bytes = NULL;
  const int w = (int)width, h = (int)height;
  *count = quality < 0 ? WebPEncodeLosslessRGBA(pixels, w, h, w * 4, &bytes)
                       : WebPEncodeRGBA(pixels, w, h, w * 4, quality, &bytes);
  if (*count == 0) return NULL;
  uint8_t *copy = malloc(*count);
  if (copy != NULL) memcpy(copy, bytes, *count);
  WebPFree(bytes);
  return copy;
}

void fr_free(void *memory) { free(memory); }
