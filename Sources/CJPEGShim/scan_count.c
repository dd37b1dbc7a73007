/// Counts the scans of a file from marker to marker, without decoding.
#include "decoder.h"

#include <string.h>

typedef struct {
  FCJPEGDecoder *decoder;
  uint32_t maximum, count;
} CountRequest;

/// Returns the first marker at or after `position` outside entropy-coded data, or the source's end.
static size_t next_marker(FCJPEGDecoder *decoder, size_t position) {
  const FCJPEGSource *source = &decoder->source;
  const size_t window = 256 * 1024;
  while (position + 1 < source->count) {
    fc_check_cancelled(&decoder->seam);
    fc_release_pages(decoder, position);
    const size_t left = source->count - 1 - position;
    const uint8_t *mark = memchr(source->bytes + position, 0xFF, left < window ? left : window);
    if (mark == NULL) {
      position += left < window ? left : window;
      continue;
    }
    position = (size_t)(mark - source->bytes);
    const uint8_t code = source->bytes[position + 1];
    if (code != 0 && code != 0xFF && (code < JPEG_RST0 || code > JPEG_RST0 + 7)) return position;
    position += code == 0xFF ? 1 : 2;
  }
  return source->count;
}

static void count_scans(void *context) {
  CountRequest *request = context;
  const FCJPEGSource *source = &request->decoder->source;
  size_t position = 2;
  while (request->count < request->maximum) {
    position = next_marker(request->decoder, position);
    if (source->count - position < 4 || source->bytes[position + 1] == JPEG_EOI) return;
    if (source->bytes[position + 1] == 0xDA) request->count += 1;
    // A segment's length includes its own two bytes.
    const size_t length = (size_t)source->bytes[position + 2] << 8 | source->bytes[position + 3];
    position = length < source->count - position - 2 ? position + 2 + length : source->count;
  }
}

FCJPEGStatus fcjpeg_decoder_count_scans(FCJPEGDecoder *decoder, uint32_t maximum, uint32_t *count) {
  CountRequest request = {.decoder = decoder, .maximum = maximum};
  const size_t released = decoder->released;
  const FCJPEGStatus status = fc_guard(&decoder->seam, count_scans, &request);
  // These pages may be read again, so they can be given back again.
  decoder->released = released;
  *count = request.count;
  return status;
}
