#include "CRasterFixtures.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

typedef struct {
  uint8_t *bytes;
  size_t count, capacity;
} buffer;

typedef struct {
  const uint8_t *bytes;
  size_t left;
} input;

static int read_bytes(GifFileType *gif, GifByteType *bytes, int wanted) {
  input *from = gif->UserData;
  const size_t count = (size_t)wanted < from->left ? (size_t)wanted : from->left;
  memcpy(bytes, from->bytes, count);
  from->bytes += count;
  from->left -= count;
  return (int)count;
}

static int write_bytes(GifFileType *gif, const GifByteType *bytes, int count) {
  buffer *to = gif->UserData;
  if (to->count + (size_t)count > to->capacity) {
    const size_t capacity = 2 * (to->count + (size_t)count);
    uint8_t *larger = realloc(to->bytes, capacity);
    if (larger == NULL) return 0;
    to->bytes = larger;
    to->capacity = capacity;
  }
  memcpy(to->bytes + to->count, bytes, (size_t)count);
  to->count += (size_t)count;
  return count;
}

int fr_decode_gif(const uint8_t *bytes, size_t count, fr_picture *picture) {
  input from = {bytes, count};
  GifFileType *gif = DGifOpen(&from, read_bytes, NULL);
  if (gif == NULL) return 0;
  int isRead = 0;
  if (DGifSlurp(gif) == GIF_OK && gif->ImageCount > 0) {
    const SavedImage *frame = gif->SavedImages;
    picture->width = (size_t)frame->ImageDesc.Width;
    picture->height = (size_t)frame->ImageDesc.Height;
    picture->pixels = malloc(picture->width * picture->height);
    isRead = picture->pixels != NULL;
    if (isRead) memcpy(picture->pixels, frame->RasterBits, picture->width * picture->height);
  }
  DGifCloseFile(gif, NULL);
  return isRead;
}

uint8_t *fr_encode_gif(const uint8_t *indices, size_t width, size_t height, const uint8_t *colors, int interlaced,
                       size_t *count) {
  static const size_t first[] = {0, 4, 2, 1}, distance[] = {8, 8, 4, 2};
  buffer to = {0};
  GifFileType *gif = EGifOpen(&to, write_bytes, NULL);
  if (gif == NULL) return NULL;
  ColorMapObject *map = GifMakeMapObject(256, (const GifColorType *)(const void *)colors);
  int isWritten = map != NULL && EGifPutScreenDesc(gif, (int)width, (int)height, 8, 0, map) == GIF_OK &&
                  EGifPutImageDesc(gif, 0, 0, (int)width, (int)height, interlaced != 0, NULL) == GIF_OK;
  for (int pass = 0; pass < (interlaced ? 4 : 1); pass++) {
    const size_t step = interlaced ? distance[pass] : 1;
    for (size_t row = interlaced ? first[pass] : 0; isWritten && row < height; row += step) {
      isWritten = EGifPutLine(gif, (GifPixelType *)(uintptr_t)(indices + row * width), (int)width) == GIF_OK;
    }
  }
  GifFreeMapObject(map);
  if (EGifCloseFile(gif, NULL) != GIF_OK || !isWritten) {
    free(to.bytes);
    return NULL;
  }
  *count = to.count;
  return to.bytes;
}
