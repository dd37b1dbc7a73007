/// Parses everything before the pixels without libpng. The chunks are few and simple, and their payloads can stay in
/// place; only requested ones are read.
// For `memmem`.
#define _GNU_SOURCE
#include "decoder.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

/// Far more than any real file has, so that a file of empty chunks cannot waste time.
static const uint32_t maximumChunks = 65536;

/// Counts a visited chunk, and ends the guarded body if the work is cancelled.
static void step(FCPNGDecoder *decoder) {
  if (fc_cancellation_step(decoder->source.cancellation, 1)) {
    fcpng_fail(&decoder->seam, FCStatusCancelled, "cancelled");
  }
}

static void parse_size(FCPNGDecoder *decoder, const FCPNGChunk *chunk) {
  FCPNGHeader *header = &decoder->header;
  const uint32_t maximum = INT32_MAX;
  header->width = fcpng_number(chunk->data);
  header->height = fcpng_number(chunk->data + 4);
  header->bitDepth = chunk->data[8];
  header->isInterlaced = chunk->data[12] == 1;
  const uint32_t depth = header->bitDepth;
  const bool isDepth = depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
  bool isLegal = isDepth && header->width > 0 && header->width <= maximum && header->height > 0 &&
                 header->height <= maximum && chunk->data[10] == 0 && chunk->data[11] == 0 && chunk->data[12] <= 1;
  switch (chunk->data[9]) {
    case FCPNGColorTypeGray:
      break;
    case FCPNGColorTypePalette:
      isLegal = isLegal && depth <= 8;
      break;
    case FCPNGColorTypeGrayAlpha:
    case FCPNGColorTypeRGBA:
      header->hasTransparency = true;
      isLegal = isLegal && depth >= 8;
      break;
    case FCPNGColorTypeRGB:
      isLegal = isLegal && depth >= 8;
      break;
    default:
      isLegal = false;
  }
  if (!isLegal) fcpng_fail(&decoder->seam, FCStatusCorrupt, "the header has values that are invalid in PNG");
  header->colorType = (FCPNGColorType)chunk->data[9];
}

static const FCPart damaged = {FCPartStateDamaged, NULL, 0}, tooLarge = {FCPartStateTooLarge, NULL, 0};

/// Decompresses up to `maximum` bytes into `*memory`, which belongs to the decoder.
static FCPart inflate_within(
  FCPNGDecoder *decoder, const uint8_t *data, size_t length, size_t maximum, uint8_t **memory) {
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)length};
  FCPart part = damaged;
  size_t count = 0, capacity = 0;
  int result = inflateInit(&stream);
  while (result == Z_OK && !fc_cancellation_is_cancelled(decoder->source.cancellation)) {
    if (count == capacity) {
      if (capacity >= maximum) {
        part = tooLarge;
        break;
      }
      size_t larger = capacity == 0 ? 4096 : capacity <= maximum / 2 ? 2 * capacity : maximum;
      if (larger > maximum) larger = maximum;
      uint8_t *moved = realloc(*memory, larger);
      if (moved == NULL) {
        result = Z_MEM_ERROR;
        break;
      }
      *memory = moved;
      capacity = larger;
    }
    const size_t room = capacity - count;
    stream.next_out = *memory + count;
    stream.avail_out = room < (1 << 18) ? (uInt)room : 1 << 18;
    const uInt asked = stream.avail_out;
    result = inflate(&stream, Z_NO_FLUSH);
    count += asked - stream.avail_out;
    if (result == Z_STREAM_END) part = (FCPart){FCPartStatePresent, *memory, count};
  }
  (void)inflateEnd(&stream);
  if (part.state != FCPartStatePresent) {
    free(*memory);
    *memory = NULL;
  }
  if (result == Z_MEM_ERROR) fcpng_fail(&decoder->seam, FCStatusOutOfMemory, "no memory for the metadata");
  fcpng_check_cancelled(&decoder->seam);
  return part;
}

static FCPart parse_profile(FCPNGDecoder *decoder, const FCPNGChunk *chunk) {
  const size_t maximum = decoder->source.maximumMetadataBytes;
  // The size of a profile's header.
  const size_t smallest = 128;
  if (chunk->length > maximum) return tooLarge;
  if (!fcpng_chunk_is_whole(chunk)) return damaged;
  // A name of at most 79 bytes and its end, the method, then the compressed profile.
  const uint8_t *nameEnd = memchr(chunk->data, 0, chunk->length < 80 ? chunk->length : 80);
  if (nameEnd == NULL) return damaged;
  const size_t start = (size_t)(nameEnd - chunk->data) + 2;
  if (start >= chunk->length || nameEnd[1] != 0) return damaged;
  const FCPart profile =
    inflate_within(decoder, chunk->data + start, chunk->length - start, maximum, &decoder->profile);
  return profile.state == FCPartStatePresent && profile.count < smallest ? damaged : profile;
}

static FCPart parse_exif(const FCPNGSource *source, const FCPNGChunk *chunk) {
  if (chunk->length > source->maximumMetadataBytes) return tooLarge;
  if (!fcpng_chunk_is_whole(chunk) || chunk->length < 8) return damaged;
  // Some writers add JPEG's prefix here too.
  const size_t prefix = memcmp(chunk->data, "Exif\0\0", 6) == 0 ? 6 : 0;
  return (FCPart){FCPartStatePresent, chunk->data + prefix, chunk->length - prefix};
}

static const char xmpKeyword[] = "XML:com.adobe.xmp";

/// Returns whether a text chunk (iTXt) is an XMP packet (ISO 16684-3, 4.3.7).
static bool is_xmp(const FCPNGChunk *chunk) {
  return chunk->name == FCPNG_NAME('i', 'T', 'X', 't') && chunk->length > sizeof xmpKeyword + 4 &&
         memcmp(chunk->data, xmpKeyword, sizeof xmpKeyword) == 0;
}

static FCPart parse_xmp(FCPNGDecoder *decoder, const FCPNGChunk *chunk) {
  const size_t maximum = decoder->source.maximumXMPBytes;
  if (chunk->length > maximum + 256) return tooLarge;
  if (!fcpng_chunk_is_whole(chunk)) return damaged;
  // The compression flag and method, a language, and the translated keyword; the last two end with a zero.
  const uint8_t *at = chunk->data + sizeof xmpKeyword, *end = chunk->data + chunk->length;
  const bool isCompressed = at[0] != 0;
  if (at[0] > 1 || (isCompressed && at[1] != 0)) return damaged;
  at += 2;
  for (int i = 0; i < 2; i++) {
    at = memchr(at, 0, (size_t)(end - at));
    if (at == NULL) return damaged;
    at += 1;
  }
  const size_t length = (size_t)(end - at);
  if (isCompressed) return inflate_within(decoder, at, length, maximum, &decoder->xmp);
  return length <= maximum ? (FCPart){FCPartStatePresent, at, length} : tooLarge;
}

static bool parse_chromaticities(FCPNGHeader *header, const FCPNGChunk *chunk) {
  if (header->hasChromaticities || chunk->length != 32 || !fcpng_chunk_is_whole(chunk)) return false;
  double values[8];
  for (int i = 0; i < 8; i++) values[i] = fcpng_number(chunk->data + 4 * (size_t)i) / 100000.0;
  header->chromaticities = (FCPNGChromaticities){values[0], values[1], values[2], values[3],
                                                 values[4], values[5], values[6], values[7]};
  header->hasChromaticities = true;
  return true;
}

/// Parses an ancillary chunk. Returns false for an invalid one.
static bool parse_ancillary(FCPNGDecoder *decoder, const FCPNGChunk *chunk, uint32_t paletteSize) {
  FCPNGHeader *header = &decoder->header;
  switch (chunk->name) {
    case FCPNG_NAME('s', 'R', 'G', 'B'):
      if (header->isSRGB || chunk->length != 1 || !fcpng_chunk_is_whole(chunk) || chunk->data[0] > 3) return false;
      header->isSRGB = true;
      return true;
    case FCPNG_NAME('g', 'A', 'M', 'A'):
      if (header->hasGamma || chunk->length != 4 || !fcpng_chunk_is_whole(chunk)) return false;
      header->gamma = fcpng_number(chunk->data) / 100000.0;
      header->hasGamma = header->gamma > 0;
      return header->hasGamma;
    case FCPNG_NAME('c', 'H', 'R', 'M'):
      return parse_chromaticities(header, chunk);
    case FCPNG_NAME('c', 'I', 'C', 'P'):
      // libpng knows it from version 1.6.45 on. PNG has no colors but RGB, whose matrix is 0.
      if (header->hasCodePoints || chunk->length != 4 || !fcpng_chunk_is_whole(chunk)) return false;
      if (chunk->data[2] != 0 || chunk->data[3] > 1) return false;
      header->primaries = chunk->data[0];
      header->transfer = chunk->data[1];
      header->isFullRange = chunk->data[3] == 1;
      header->hasCodePoints = true;
      return true;
    case FCPNG_NAME('i', 'C', 'C', 'P'):
      if (header->profile.state != FCPartStateNone) return false;
      header->profile = parse_profile(decoder, chunk);
      return header->profile.state == FCPartStatePresent;
    case FCPNG_NAME('e', 'X', 'I', 'f'):
      if (header->exif.state != FCPartStateNone) return false;
      header->exif = parse_exif(&decoder->source, chunk);
      return header->exif.state == FCPartStatePresent;
    case FCPNG_NAME('i', 'T', 'X', 't'):
      if (!is_xmp(chunk)) return true;
      if (header->xmp.state != FCPartStateNone) return false;
      header->xmp = parse_xmp(decoder, chunk);
      return header->xmp.state == FCPartStatePresent || header->xmp.state == FCPartStateTooLarge;
    case FCPNG_NAME('p', 'H', 'Y', 's'): {
      if (header->pixelsPerMeter != 0 || chunk->length != 9 || !fcpng_chunk_is_whole(chunk)) return false;
      const uint32_t x = fcpng_number(chunk->data), y = fcpng_number(chunk->data + 4);
      if (chunk->data[8] == 1 && x == y) header->pixelsPerMeter = x;
      return true;
    }
    case FCPNG_NAME('a', 'c', 'T', 'L'):
      if (chunk->length != 8 || !fcpng_chunk_is_whole(chunk)) return false;
      header->frameCount = fcpng_number(chunk->data);
      return header->frameCount > 0;
    case FCPNG_NAME('t', 'R', 'N', 'S'): {
      const bool fits = header->colorType == FCPNGColorTypeGray    ? chunk->length == 2
                        : header->colorType == FCPNGColorTypeRGB ? chunk->length == 6
                        : header->colorType == FCPNGColorTypePalette
                          ? chunk->length > 0 && chunk->length <= paletteSize
                          : false;
      if (!fits || !fcpng_chunk_is_whole(chunk)) return false;
      header->hasTransparency = true;
      return true;
    }
    default:
      return true;
  }
}

void fcpng_parse_header(FCPNGDecoder *decoder) {
  const FCPNGSource *source = &decoder->source;
  FCPNGSeam *seam = &decoder->seam;
  if (decoder->hasHeader) return;
  const size_t head = source->count < sizeof signature ? source->count : sizeof signature;
  if (head > 0 && memcmp(source->bytes, signature, head) != 0) {
    fcpng_fail(seam, FCStatusCorrupt, "the file is not PNG");
  }

  free(decoder->profile);
  free(decoder->xmp);
  decoder->profile = decoder->xmp = NULL;
  decoder->header = (FCPNGHeader){.frameCount = 1};
  uint32_t paletteSize = 0;
  FCPNGChunk chunk;
  size_t position = sizeof signature;
  for (uint32_t i = 0; fcpng_chunk_at(source, position, &chunk); i++, position = chunk.next) {
    step(decoder);
    if (i == 0 && chunk.name == FCPNG_NAME('C', 'g', 'B', 'I')) {
      fcpng_fail(seam, FCStatusUnsupported, "the file is Apple's CgBI variant of PNG");
    }
    const bool isHeader = chunk.name == FCPNG_NAME('I', 'H', 'D', 'R');
    const bool isPalette = chunk.name == FCPNG_NAME('P', 'L', 'T', 'E');
    if (isHeader != (i == 0) || chunk.length > INT32_MAX || i == maximumChunks || (isHeader && chunk.length != 13) ||
        (isPalette && (chunk.length == 0 || chunk.length > 768 || chunk.length % 3 != 0)) ||
        chunk.name == FCPNG_NAME('I', 'E', 'N', 'D')) {
      fcpng_fail(seam, FCStatusCorrupt, "the chunks before the pixels are out of order");
    }
    if (chunk.name == FCPNG_NAME('I', 'D', 'A', 'T')) {
      if (decoder->header.colorType == FCPNGColorTypePalette && paletteSize == 0) {
        fcpng_fail(seam, FCStatusCorrupt, "the palette is missing");
      }
      decoder->pixels = position;
      decoder->hasHeader = true;
      return;
    }
    if (isHeader || isPalette) {
      if (!chunk.isComplete) break;
      if (!fcpng_chunk_is_whole(&chunk)) fcpng_fail(seam, FCStatusCorrupt, "a checksum before the pixels is wrong");
      if (isHeader) parse_size(decoder, &chunk);
      else paletteSize = chunk.length / 3;
    } else if (chunk.isComplete && !parse_ancillary(decoder, &chunk, paletteSize)) {
      decoder->header.remarks += 1;
    }
  }
  fcpng_fail(seam, FCStatusTruncated, "the file ends before the pixels");
}

static void read_header(void *context) { fcpng_parse_header(context); }

FCStatus fcpng_decoder_read_header(FCPNGDecoder *decoder, FCPNGHeader *header) {
  const FCStatus status = fcpng_guard(&decoder->seam, read_header, decoder);
  *header = status == FCStatusOk ? decoder->header : (FCPNGHeader){0};
  return status;
}

/// Returns whether chunks follow one another from `position` to the end mark.
static bool leads_to_end(FCPNGDecoder *decoder, size_t position) {
  FCPNGChunk chunk;
  for (; fcpng_chunk_at(&decoder->source, position, &chunk); position = chunk.next) {
    step(decoder);
    if (chunk.name == FCPNG_NAME('I', 'E', 'N', 'D')) return true;
  }
  return false;
}

/// Finds a chunk near the file's end without reading the data before it. The chunk must have that name, be wanted, have
/// the right checksum, and be followed only by valid chunks.
static bool find_late(
  FCPNGDecoder *decoder, const char name[4], bool (*isWanted)(const FCPNGChunk *), FCPNGChunk *found) {
  const FCPNGSource *source = &decoder->source;
  const size_t reach = 256 * 1024;
  const size_t first = source->count - decoder->pixels > reach ? source->count - reach : decoder->pixels;
  const uint8_t *at = source->bytes + first, *end = source->bytes + source->count;
  // A hostile file can contain the name everywhere.
  int tries = 16;
  while (tries-- > 0 && (at = memmem(at, (size_t)(end - at), name, 4)) != NULL) {
    const size_t place = (size_t)(at - source->bytes);
    FCPNGChunk chunk;
    at += 1;
    step(decoder);
    if (place < decoder->pixels + 4 || !fcpng_chunk_at(source, place - 4, &chunk) || !isWanted(&chunk) ||
        !fcpng_chunk_is_whole(&chunk) || !leads_to_end(decoder, chunk.next)) {
      continue;
    }
    *found = chunk;
    return true;
  }
  return false;
}

static bool is_complete(const FCPNGChunk *chunk) { return chunk->isComplete; }
static bool is_complete_xmp(const FCPNGChunk *chunk) { return chunk->isComplete && is_xmp(chunk); }

static void find_late_metadata(void *context) {
  FCPNGDecoder *decoder = context;
  fcpng_parse_header(decoder);
  FCPNGChunk chunk;
  if (decoder->header.exif.state == FCPartStateNone && find_late(decoder, "eXIf", is_complete, &chunk)) {
    decoder->header.exif = parse_exif(&decoder->source, &chunk);
  }
  if (decoder->header.xmp.state == FCPartStateNone && find_late(decoder, "iTXt", is_complete_xmp, &chunk)) {
    decoder->header.xmp = parse_xmp(decoder, &chunk);
  }
}

FCStatus fcpng_decoder_find_late_metadata(FCPNGDecoder *decoder, FCPNGHeader *header) {
  if (header->exif.state != FCPartStateNone && header->xmp.state != FCPartStateNone) return FCStatusOk;
  const FCStatus status = fcpng_guard(&decoder->seam, find_late_metadata, decoder);
  if (status == FCStatusOk) *header = decoder->header;
  return status;
}
