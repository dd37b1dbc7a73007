#include "CRasterFixtures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

typedef struct {
  uint8_t *bytes;
  size_t count, capacity, position;
} buffer;

static tmsize_t read_bytes(thandle_t handle, void *bytes, tmsize_t wanted) {
  buffer *from = handle;
  const size_t left = from->position < from->count ? from->count - from->position : 0;
  const size_t count = (size_t)wanted < left ? (size_t)wanted : left;
  memcpy(bytes, from->bytes + from->position, count);
  from->position += count;
  return (tmsize_t)count;
}

static tmsize_t write_bytes(thandle_t handle, void *bytes, tmsize_t count) {
  buffer *to = handle;
  const size_t end = to->position + (size_t)count;
  if (end > to->capacity) {
    uint8_t *larger = realloc(to->bytes, 2 * end);
    if (larger == NULL) return 0;
    memset(larger + to->capacity, 0, 2 * end - to->capacity);
    to->bytes = larger;
    to->capacity = 2 * end;
  }
  memcpy(to->bytes + to->position, bytes, (size_t)count);
  to->position = end;
  if (end > to->count) to->count = end;
  return count;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
  buffer *of = handle;
  of->position = (size_t)offset + (whence == SEEK_CUR ? of->position : whence == SEEK_END ? of->count : 0);
  return of->position;
}

static int close_nothing(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t size(thandle_t handle) { return ((buffer *)handle)->count; }

static TIFF *open_buffer(buffer *of, const char *mode) {
  TIFFSetErrorHandler(NULL);
  TIFFSetWarningHandler(NULL);
  return TIFFClientOpen("", mode, of, read_bytes, write_bytes, seek, close_nothing, size, NULL, NULL);
}

int fr_decode_tiff(const uint8_t *bytes, size_t count, fr_picture *picture) {
  buffer from = {.bytes = (uint8_t *)(uintptr_t)bytes, .count = count};
  TIFF *tiff = open_buffer(&from, "rm");
  if (tiff == NULL) return 0;
  uint32_t width = 0, height = 0;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  // Ignores the orientation.
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  uint32_t *raster = calloc((size_t)width * height, sizeof *raster);
  int isRead = raster != NULL && TIFFReadRGBAImageOriented(tiff, width, height, raster, ORIENTATION_TOPLEFT, 1);
  TIFFClose(tiff);
  if (!isRead) {
    free(raster);
    return 0;
  }
  picture->width = width;
  picture->height = height;
  picture->pixels = malloc((size_t)width * height * 4);
  if (picture->pixels == NULL) return 0;
  for (size_t i = 0; i < (size_t)width * height; i++) {
    picture->pixels[4 * i] = (uint8_t)TIFFGetR(raster[i]);
    picture->pixels[4 * i + 1] = (uint8_t)TIFFGetG(raster[i]);
    picture->pixels[4 * i + 2] = (uint8_t)TIFFGetB(raster[i]);
    picture->pixels[4 * i + 3] = (uint8_t)TIFFGetA(raster[i]);
  }
  free(raster);
  return 1;
}

uint8_t *fr_encode_tiff(const uint8_t *samples, size_t width, size_t height, fr_tiff kind, size_t *count) {
  buffer to = {0};
  TIFF *tiff = open_buffer(&to, "w");
  if (tiff == NULL) return NULL;
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind.channels);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kind.photometric);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind.compression);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  if (kind.predictor != 0) TIFFSetField(tiff, TIFFTAG_PREDICTOR, kind.predictor);
  if (kind.compression == COMPRESSION_JPEG && kind.photometric == PHOTOMETRIC_YCBCR) {
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  } else if (kind.photometric == PHOTOMETRIC_YCBCR) {
    TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, 1, 1);
  }
  const size_t rowBytes = (width * (size_t)kind.channels * (size_t)kind.bits + 7) / 8;
  int isWritten = 1;
  if (kind.tile > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, kind.tile);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, kind.tile);
    const size_t tile = (size_t)kind.tile, pixel = (size_t)kind.channels * (size_t)kind.bits / 8;
    uint8_t *part = calloc(tile * tile, pixel);
    for (size_t y = 0; part != NULL && isWritten && y < height; y += tile) {
      for (size_t x = 0; isWritten && x < width; x += tile) {
        const size_t columns = width - x < tile ? width - x : tile;
        for (size_t row = 0; row < tile && y + row < height; row++) {
          memcpy(part + row * tile * pixel, samples + (y + row) * rowBytes + x * pixel, columns * pixel);
        }
        isWritten = TIFFWriteTile(tiff, part, (uint32_t)x, (uint32_t)y, 0, 0) > 0;
      }
    }
    isWritten = isWritten && part != NULL;
    free(part);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, (uint32_t)kind.rowsPerStrip);
    uint8_t *row = malloc(rowBytes);
    for (size_t y = 0; row != NULL && isWritten && y < height; y++) {
      // A predictor changes its input.
      memcpy(row, samples + y * rowBytes, rowBytes);
      isWritten = TIFFWriteScanline(tiff, row, (uint32_t)y, 0) == 1;
    }
    isWritten = isWritten && row != NULL;
    free(row);
  }
  TIFFClose(tiff);
  if (!isWritten) {
    free(to.bytes);
    return NULL;
  }
  *count = to.count;
  return to.bytes;
}
