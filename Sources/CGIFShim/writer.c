/// Turns pixels into the indices of a frame, and compresses them.
#include <stdlib.h>
#include <string.h>

#include "palette.h"

/// Returns whether the frame must draw a pixel: it is opaque, and differs from the one before it.
static bool is_drawn(const FCGIFPicture *picture, size_t pixel) {
  const uint8_t *own = picture->pixels + 4 * pixel;
  if (own[3] < 128) return false;
  if (picture->previous == NULL) return true;
  const uint8_t *before = picture->previous + 4 * pixel;
  return before[3] < 128 || memcmp(own, before, 3) != 0;
}

FCStatus fcgif_find_changes(FCGIFPicture picture, FCGIFPart *part) {
  uint32_t left = picture.width, right = 0, top = picture.height, bottom = 0;
  for (uint32_t y = 0; y < picture.height; y++) {
    if (fc_cancellation_is_cancelled(picture.cancellation)) return FCStatusCancelled;
    const size_t start = (size_t)y * picture.width;
    for (uint32_t x = 0; x < picture.width; x++) {
      if (!is_drawn(&picture, start + x)) continue;
      if (x < left) left = x;
      if (x + 1 > right) right = x + 1;
      if (y < top) top = y;
      bottom = y + 1;
    }
  }
  // A frame has at least one pixel, which may be transparent.
  *part = right == 0 ? (FCGIFPart){0, 0, 1, 1} : (FCGIFPart){left, top, right - left, bottom - top};
  return FCStatusOk;
}

FCStatus fcgif_index(FCGIFPicture picture, FCGIFPart part, FCGIFPalette *colors, uint8_t *indices) {
  *colors = (FCGIFPalette){0};
  for (uint32_t y = part.y; y < part.y + part.height && !colors->hasTransparency; y++) {
    for (uint32_t x = part.x; x < part.x + part.width && !colors->hasTransparency; x++) {
      colors->hasTransparency = !is_drawn(&picture, (size_t)y * picture.width + x);
    }
  }
  FCPalette *palette = fcpalette_create(colors->hasTransparency ? 255 : 256);
  if (palette == NULL) return FCStatusOutOfMemory;
  bool isCancelled = false;
  for (int pass = 0; pass < 2 && !isCancelled; pass++) {
    for (uint32_t y = part.y; y < part.y + part.height && !isCancelled; y++) {
      isCancelled = fc_cancellation_is_cancelled(picture.cancellation);
      uint8_t *row = indices + (size_t)(y - part.y) * part.width;
      for (uint32_t x = part.x; x < part.x + part.width; x++) {
        const size_t pixel = (size_t)y * picture.width + x;
        const bool isDrawn = is_drawn(&picture, pixel);
        if (pass == 0 && isDrawn) fcpalette_count(palette, picture.pixels + 4 * pixel);
        if (pass == 1) {
          // The color after the others is the transparent one.
          row[x - part.x] =
            isDrawn ? fcpalette_number(palette, picture.pixels + 4 * pixel) : (uint8_t)colors->count;
        }
      }
    }
    if (pass == 0) colors->count = fcpalette_choose(palette, colors->colors);
  }
  free(palette);
  return isCancelled ? FCStatusCancelled : FCStatusOk;
}

typedef struct {
  uint8_t *out;
  size_t count, capacity;
  /// The place of the length of the current block.
  size_t block;
  uint32_t buffer, filled;
} Writer;

static void put_byte(Writer *writer, uint8_t byte) {
  if (writer->count < writer->capacity) writer->out[writer->count] = byte;
  writer->count += 1;
}

static void put_data(Writer *writer, uint8_t byte) {
  const size_t length = writer->count - writer->block - 1;
  if (length == 255) {
    if (writer->block < writer->capacity) writer->out[writer->block] = 255;
    writer->block = writer->count;
    put_byte(writer, 0);
  }
  put_byte(writer, byte);
}

static void put_code(Writer *writer, uint32_t code, uint32_t bits) {
  writer->buffer |= code << writer->filled;
  writer->filled += bits;
  while (writer->filled >= 8) {
    put_data(writer, (uint8_t)writer->buffer);
    writer->buffer >>= 8;
    writer->filled -= 8;
  }
}

enum { tableSize = 16384, codes = 4096 };

FCStatus fcgif_compress(const uint8_t *indices, size_t count, uint32_t minimumBits, uint8_t *out, size_t capacity,
                        const FCCancellation *cancellation, size_t *written) {
  *written = 0;
  if (minimumBits < 2 || minimumBits > 8 || count == 0) return FCStatusMisuse;
  // Each entry has a code's prefix and last index, and the code; `stamp` marks those since the last clear code.
  uint32_t *keys = calloc(tableSize, sizeof *keys), *stamps = calloc(tableSize, sizeof *stamps);
  uint16_t *values = calloc(tableSize, sizeof *values);
  FCStatus status = keys == NULL || stamps == NULL || values == NULL ? FCStatusOutOfMemory : FCStatusOk;
  const uint32_t clear = 1u << minimumBits, end = clear + 1;
  uint32_t bits = minimumBits + 1, next = end + 1, stamp = 1;
  Writer writer = {.out = out, .capacity = capacity};
  put_byte(&writer, (uint8_t)minimumBits);
  writer.block = writer.count;
  put_byte(&writer, 0);
  put_code(&writer, clear, bits);
  uint32_t prefix = indices[0];
  for (size_t i = 1; i < count && status == FCStatusOk; i++) {
    if (i % 4096 == 0 && fc_cancellation_is_cancelled(cancellation)) status = FCStatusCancelled;
    if (status != FCStatusOk) break;
    const uint32_t key = prefix << 8 | indices[i];
    uint32_t place = key * 2654435761u >> 18;
    while (stamps[place] == stamp && keys[place] != key) place = (place + 1) % tableSize;
    if (stamps[place] == stamp) {
      prefix = values[place];
      continue;
    }
    put_code(&writer, prefix, bits);
    prefix = indices[i];
    // The reader knows one code less, so the codes grow before this one is defined.
    if (next == 1u << bits && bits < 12) bits += 1;
    if (next < codes) {
      keys[place] = key;
      values[place] = (uint16_t)next++;
      stamps[place] = stamp;
    } else {
      put_code(&writer, clear, bits);
      stamp += 1;
      next = end + 1;
      bits = minimumBits + 1;
    }
  }
  if (status == FCStatusOk) {
    put_code(&writer, prefix, bits);
    if (next == 1u << bits && bits < 12) bits += 1;
    put_code(&writer, end, bits);
    if (writer.filled > 0) put_data(&writer, (uint8_t)writer.buffer);
    const size_t length = writer.count - writer.block - 1;
    if (writer.block < capacity) out[writer.block] = (uint8_t)length;
    if (length > 0) put_byte(&writer, 0);
    *written = writer.count;
    if (writer.count > capacity) status = FCStatusMisuse;
  }
  free(keys);
  free(stamps);
  free(values);
  return status;
}
