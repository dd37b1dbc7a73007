/// Writes metadata segments through libjpeg, or into an existing file.
#include "libjpeg/segments.h"

#include <stdlib.h>
#include <string.h>

/// Upper bounds of a segment (T.81, B.1.1.4), of a profile's bytes in one, and of its segments (ICC.1:2010, B.4).
static const size_t largestSegment = 65533, largestChunk = 65533 - 14, mostChunks = 255;

bool fc_can_write_segments(FCAttachments segments) {
  return segments.exif.count <= largestSegment && segments.xmp.count <= largestSegment &&
         segments.profile.count <= mostChunks * largestChunk;
}

void fc_write_segments(j_compress_ptr cinfo, FCAttachments segments) {
  const FCBytes exif = segments.exif, xmp = segments.xmp, profile = segments.profile;
  if (exif.count > 0) jpeg_write_marker(cinfo, JPEG_APP0 + 1, exif.bytes, (unsigned)exif.count);
  if (xmp.count > 0) jpeg_write_marker(cinfo, JPEG_APP0 + 1, xmp.bytes, (unsigned)xmp.count);
  if (profile.count > 0) jpeg_write_icc_profile(cinfo, profile.bytes, (unsigned)profile.count);
}

static uint8_t *put(uint8_t *out, const void *bytes, size_t count) {
  if (count > 0) memcpy(out, bytes, count);
  return out + count;
}

static uint8_t *put_marker(uint8_t *out, uint8_t code, size_t payload) {
  const uint8_t head[] = {0xFF, code, (uint8_t)((payload + 2) >> 8), (uint8_t)(payload + 2)};
  return put(out, head, sizeof head);
}

static uint8_t *put_segment(uint8_t *out, FCBytes payload) {
  return payload.count == 0 ? out : put(put_marker(out, JPEG_APP0 + 1, payload.count), payload.bytes, payload.count);
}

static uint8_t *put_segments(uint8_t *out, FCAttachments segments, size_t chunks) {
  out = put_segment(put_segment(out, segments.exif), segments.xmp);
  for (size_t i = 0; i < chunks; i++) {
    const size_t start = i * largestChunk, left = segments.profile.count - start;
    const size_t count = left < largestChunk ? left : largestChunk;
    out = put_marker(out, JPEG_APP0 + 2, 14 + count);
    out = put(out, "ICC_PROFILE", 12);
    out = put(out, (const uint8_t[]){(uint8_t)(i + 1), (uint8_t)chunks}, 2);
    out = put(out, segments.profile.bytes + start, count);
  }
  return out;
}

FCStatus fcjpeg_with_segments(const uint8_t *jpeg, size_t count, FCAttachments segments, FCJPEGFile *file) {
  file->count = 0;
  if (!fc_can_write_segments(segments)) return FCStatusMisuse;
  if (count < 2 || jpeg[0] != 0xFF || jpeg[1] != 0xD8) return FCStatusCorrupt;
  size_t head = 2;
  // JFIF's segments come first.
  while (count - head >= 4 && jpeg[head] == 0xFF && jpeg[head + 1] == JPEG_APP0) {
    const size_t length = (size_t)jpeg[head + 2] << 8 | jpeg[head + 3];
    if (length < 2 || length > count - head - 2) return FCStatusCorrupt;
    head += 2 + length;
  }
  const size_t exif = segments.exif.count, xmp = segments.xmp.count, profile = segments.profile.count;
  const size_t chunks = (profile + largestChunk - 1) / largestChunk;
  const size_t added = (exif > 0 ? 4 + exif : 0) + (xmp > 0 ? 4 + xmp : 0) + chunks * 18 + profile;
  uint8_t *bytes = malloc(count + added);
  if (bytes == NULL) return FCStatusOutOfMemory;
  uint8_t *out = put_segments(put(bytes, jpeg, head), segments, chunks);
  put(out, jpeg + head, count - head);
  free(file->bytes);
  *file = (FCJPEGFile){bytes, count + added, count + added};
  return FCStatusOk;
}
