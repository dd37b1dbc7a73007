/// Counts the scans of a file, and reads their headers, from marker to marker, without decoding.
#include "libjpeg/decoder.h"

#include <stdlib.h>
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

FCStatus fcjpeg_decoder_count_scans(FCJPEGDecoder *decoder, uint32_t maximum, uint32_t *count) {
  CountRequest request = {.decoder = decoder, .maximum = maximum};
  const size_t released = decoder->released;
  const FCStatus status = fc_guard(&decoder->seam, count_scans, &request);
  // These pages may be read again, so they can be given back again.
  decoder->released = released;
  *count = request.count;
  return status;
}

// MARK: The headers of the scans

bool fc_read_scan(const FCJPEGDecoder *decoder, const uint8_t *bytes, size_t count, jpeg_scan_info *scan) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  if (count < 1 || bytes[0] < 1 || bytes[0] > MAX_COMPS_IN_SCAN || count != 4 + 2 * (size_t)bytes[0]) return false;
  *scan = (jpeg_scan_info){.comps_in_scan = bytes[0]};
  for (int i = 0; i < scan->comps_in_scan; i++) {
    scan->component_index[i] = -1;
    for (int c = 0; c < cinfo->num_components; c++) {
      if (cinfo->comp_info[c].component_id == bytes[1 + 2 * i]) scan->component_index[i] = c;
    }
    if (scan->component_index[i] < 0) return false;
  }
  const uint8_t *rest = bytes + 1 + 2 * scan->comps_in_scan;
  scan->Ss = rest[0];
  scan->Se = rest[1];
  scan->Ah = rest[2] >> 4;
  scan->Al = rest[2] & 15;
  return true;
}

uint32_t fc_read_scans(FCJPEGDecoder *decoder, jpeg_scan_info **scans) {
  const FCJPEGSource *source = &decoder->source;
  const uint32_t most = (uint32_t)source->maximumScans;
  *scans = fc_allocated(&decoder->seam, calloc(most, sizeof **scans));
  uint32_t count = 0;
  for (size_t position = 2; count < most;) {
    position = next_marker(decoder, position);
    if (source->count - position < 4 || source->bytes[position + 1] == JPEG_EOI) break;
    const size_t length = (size_t)source->bytes[position + 2] << 8 | source->bytes[position + 3];
    if (length < 2 || length > source->count - position - 2) return 0;
    if (source->bytes[position + 1] == 0xDA &&
        !fc_read_scan(decoder, source->bytes + position + 4, length - 2, &(*scans)[count++])) {
      return 0;
    }
    position += 2 + length;
  }
  return count;
}
