#include "CRasterFixtures.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>
#include <zlib.h>

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

int fr_decode_webp_animation(const uint8_t *bytes, size_t count, int most, fr_picture *picture, int *ends) {
  const WebPData data = {bytes, count};
  WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, NULL);
  WebPAnimInfo info;
  if (decoder == NULL || !WebPAnimDecoderGetInfo(decoder, &info)) return 0;
  const size_t size = (size_t)info.canvas_width * info.canvas_height * 4;
  picture->pixels = malloc(size * (size_t)most);
  int frames = 0;
  uint8_t *shown = NULL;
  while (picture->pixels != NULL && frames < most && WebPAnimDecoderHasMoreFrames(decoder) &&
         WebPAnimDecoderGetNext(decoder, &shown, &ends[frames])) {
    memcpy(picture->pixels + size * (size_t)frames++, shown, size);
  }
  WebPAnimDecoderDelete(decoder);
  picture->width = info.canvas_width;
  picture->height = (size_t)info.canvas_height * (size_t)frames;
  return frames;
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

typedef struct {
  uint8_t *bytes;
  size_t count, capacity;
} file;

static void append(png_structp png, png_bytep bytes, size_t count) {
  file *written = png_get_io_ptr(png);
  if (written->count + count > written->capacity) {
    written->capacity = 2 * (written->count + count);
    written->bytes = realloc(written->bytes, written->capacity);
    if (written->bytes == NULL) png_error(png, "no memory");
  }
  memcpy(written->bytes + written->count, bytes, count);
  written->count += count;
}

static void flush(png_structp png) { (void)png; }

uint8_t *fr_encode_png(
  const uint8_t *samples, size_t width, size_t height, int channels, int interlaced, size_t *count) {
  const int colors[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGBA};
  file written = {NULL, 0, 0};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  *count = 0;
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return NULL;
  }
  png_set_write_fn(png, &written, append, flush);
  png_set_compression_level(png, 1);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, colors[channels],
    interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const int passes = png_set_interlace_handling(png);
  for (int pass = 0; pass < passes; pass++) {
    for (size_t y = 0; y < height; y++) png_write_row(png, samples + y * width * (size_t)channels);
  }
  png_write_end(png, NULL);
  png_destroy_write_struct(&png, &info);
  *count = written.count;
  return written.bytes;
}

uint8_t *fr_compress(const uint8_t *bytes, size_t length, size_t *count) {
  uLongf packed = compressBound(length);
  uint8_t *memory = malloc(packed);
  if (memory != NULL && compress2(memory, &packed, bytes, length, Z_BEST_COMPRESSION) != Z_OK) {
    free(memory);
    memory = NULL;
  }
  *count = packed;
  return memory;
}

void fr_free(void *memory) { free(memory); }
