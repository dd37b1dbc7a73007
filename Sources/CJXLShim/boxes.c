/// The boxes of a JPEG XL file (ISO/IEC 18181-2), and the codestream in them.
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

static uint64_t number(const uint8_t *bytes, uint32_t count) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < count; i++) value = value << 8 | bytes[i];
  return value;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

uint8_t *fcjxl_codestream(const uint8_t *bytes, size_t count, size_t most, size_t *length) {
  most = least(most, count);
  uint8_t *stream = malloc(most > 0 ? most : 1);
  *length = 0;
  if (stream == NULL) return NULL;
  if (count >= 2 && bytes[0] == 0xFF && bytes[1] == 0x0A) {
    memcpy(stream, bytes, most);
    *length = most;
    return stream;
  }
  // Boxes (ISO/IEC 18181-2): "jxlc" has the whole codestream, "jxlp" a piece after four bytes with its index.
  for (size_t at = 0; count - at >= 8 && *length < most;) {
    uint64_t size = number(bytes + at, 4);
    size_t head = 8;
    if (size == 1 && count - at >= 16) {
      size = number(bytes + at + 8, 8);
      head = 16;
    }
    if (size == 0 || size > count - at) size = count - at;
    const bool isPiece = memcmp(bytes + at + 4, "jxlp", 4) == 0;
    if (isPiece) head += 4;
    if (size < head) break;
    if (isPiece || memcmp(bytes + at + 4, "jxlc", 4) == 0) {
      const size_t part = least((size_t)size - head, most - *length);
      memcpy(stream + *length, bytes + at + head, part);
      *length += part;
    }
    at += (size_t)size;
  }
  return stream;
}

bool fcjxl_shorten_sizes(FCJXLDecoder *decoder) {
  FCJXLSource *source = &decoder->source;
  const size_t count = source->count;
  if (count < 12 || memcmp(source->bytes + 4, "JXL ", 4) != 0) return true;
  for (size_t at = 0; count - at >= 16;) {
    uint64_t size = number(source->bytes + at, 4);
    if (size == 1) {
      size = number(source->bytes + at + 8, 8);
      if (size < 16 || size - 8 > UINT32_MAX) return true;
      if (decoder->copy == NULL) {
        if ((decoder->copy = malloc(count)) == NULL) return false;
        memcpy(decoder->copy, source->bytes, count);
        source->bytes = decoder->copy;
      }
      // An empty box of an unknown type, and the same box with the usual size.
      uint8_t *head = decoder->copy + at;
      const uint8_t empty[8] = {0, 0, 0, 8, 'n', 'o', 'n', 'e'};
      memcpy(head + 12, head + 4, 4);
      memcpy(head, empty, sizeof empty);
      for (int i = 0; i < 4; i++) head[8 + i] = (uint8_t)((size - 8) >> (24 - 8 * i));
    }
    if (size < 8 || size > count - at) return true;
    at += (size_t)size;
  }
  return true;
}
