#include "CTIFFShim.h"

#include <string.h>
#include <zlib.h>

size_t fctiff_strip_bound(size_t count) { return compressBound(count); }

/// Applies horizontal differencing (TIFF 6.0, section 14) from the right, so that it needs no second row.
static void difference(uint8_t *row, size_t count, uint32_t channels) {
  for (size_t i = count; i-- > channels;) row[i] = (uint8_t)(row[i] - row[i - channels]);
}

FCStatus fctiff_compress_strip(const uint8_t *rows, size_t stride, uint32_t width, uint32_t channels,
  uint32_t count, uint8_t *scratch, uint8_t *out, size_t *out_count) {
  const size_t bytes = (size_t)width * channels;
  for (uint32_t y = 0; y < count; y++) {
    memcpy(scratch + y * bytes, rows + y * stride, bytes);
    difference(scratch + y * bytes, bytes, channels);
  }
  uLongf made = (uLongf)*out_count;
  switch (compress2(out, &made, scratch, bytes * count, Z_DEFAULT_COMPRESSION)) {
    case Z_OK: *out_count = made; return FCStatusOk;
    case Z_MEM_ERROR: return FCStatusOutOfMemory;
    default: return FCStatusMisuse;
  }
}
