/// Feeds libpng from memory. Every byte of the file passes here, so cancellation is checked and pages are given back
/// here. The checksums of the pixels are too: libpng would stop at a wrong one, although good rows may follow.
#include "decoder.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

static const size_t window = 256 * 1024;

uint32_t fcpng_number(const uint8_t *bytes) { return FCPNG_NAME(bytes[0], bytes[1], bytes[2], bytes[3]); }

bool fcpng_chunk_at(const FCPNGSource *source, size_t position, FCPNGChunk *chunk) {
  if (position > source->count || source->count - position < 8) return false;
  const uint8_t *bytes = source->bytes + position;
  const size_t left = source->count - position - 8;
  chunk->length = fcpng_number(bytes);
  chunk->name = fcpng_number(bytes + 4);
  chunk->data = bytes + 8;
  chunk->isComplete = left >= 4 && chunk->length <= left - 4;
  chunk->next = chunk->isComplete ? position + 12 + chunk->length : source->count + 1;
  return true;
}

bool fcpng_chunk_is_whole(const FCPNGChunk *chunk) {
  if (!chunk->isComplete) return false;
  return crc32_z(0, chunk->data - 4, (size_t)chunk->length + 4) == fcpng_number(chunk->data + chunk->length);
}

/// On a page fault, Linux also maps cached pages around it, even released ones (fault_around_bytes, usually 64 KiB).
static const size_t around = (size_t)1 << 16;

void fcpng_release_pages(const FCPNGSource *source, size_t *released, size_t end) {
  if (!source->isFileMapping || end < *released + window) return;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t wholePages = (end < source->count ? end : source->count) / page * page;
  // The mapping begins at a page. A private read-only mapping can always be read again from the file.
  if (wholePages > *released) {
    (void)madvise((void *)(uintptr_t)(source->bytes + *released), wholePages - *released, MADV_DONTNEED);
  }
  *released = wholePages > around ? wholePages - around : 0;
}

static void enter_chunk(FCPNGDecoder *decoder) {
  FCPNGReader *reader = &decoder->reader;
  FCPNGChunk chunk;
  reader->chunk = reader->position;
  reader->isPixels = false;
  reader->nextChunk = decoder->source.count + 1;
  if (!fcpng_chunk_at(&decoder->source, reader->position, &chunk)) return;
  reader->nextChunk = chunk.next;
  reader->isPixels = chunk.name == FCPNG_NAME('I', 'D', 'A', 'T');
  reader->checksum = 0;
  reader->rowsBefore = decoder->rowsDecoded;
  reader->passBefore = decoder->pass;
}

/// Continues the checksum over the bytes just handed out, and compares it at the end of the chunk.
static void check(FCPNGDecoder *decoder, size_t start) {
  FCPNGReader *reader = &decoder->reader;
  if (!reader->isPixels || reader->nextChunk > decoder->source.count) return;
  // The checksum covers the name and the data, but neither the length before nor the checksum after them.
  const size_t first = reader->chunk + 4, last = reader->nextChunk - 4;
  const size_t from = start > first ? start : first;
  const size_t to = reader->position < last ? reader->position : last;
  if (from < to) reader->checksum = (uint32_t)crc32_z(reader->checksum, decoder->source.bytes + from, to - from);
  if (reader->position == reader->nextChunk && reader->checksum != fcpng_number(decoder->source.bytes + last)) {
    fcpng_note_damage(decoder, FCDamageKindCorrupt, reader->rowsBefore, reader->passBefore);
  }
}

static void read_bytes(png_structp png, png_bytep bytes, size_t count) {
  FCPNGDecoder *decoder = png_get_io_ptr(png);
  FCPNGReader *reader = &decoder->reader;
  while (count > 0) {
    fcpng_check_cancelled(&decoder->seam);
    if (reader->position == reader->nextChunk) enter_chunk(decoder);
    const size_t start = reader->position;
    const size_t end = reader->nextChunk < decoder->source.count ? reader->nextChunk : decoder->source.count;
    size_t step = count < end - start ? count : end - start;
    if (step == 0) {
      reader->reachedEnd = true;
      fcpng_fail(&decoder->seam, FCStatusTruncated, "the file ends too early");
    }
    if (step > window) step = window;
    memcpy(bytes, decoder->source.bytes + start, step);
    bytes += step;
    count -= step;
    reader->position += step;
    check(decoder, start);
    fcpng_release_pages(&decoder->source, &reader->released, reader->position);
  }
}

void fcpng_source_install(FCPNGDecoder *decoder) {
  // The first 8 bytes are the signature.
  decoder->reader = (FCPNGReader){.nextChunk = 8};
  png_set_read_fn(decoder->png, decoder, read_bytes);
}

void fcpng_source_check_chunk(FCPNGDecoder *decoder) {
  FCPNGChunk chunk;
  if (!decoder->reader.isPixels || !fcpng_chunk_at(&decoder->source, decoder->reader.chunk, &chunk)) return;
  if (!chunk.isComplete || fcpng_chunk_is_whole(&chunk)) return;
  fcpng_note_damage(decoder, FCDamageKindCorrupt, decoder->reader.rowsBefore, decoder->reader.passBefore);
}

bool fcpng_source_has_end(const FCPNGDecoder *decoder) {
  FCPNGChunk chunk;
  size_t released = decoder->reader.released;
  for (size_t position = decoder->reader.chunk; fcpng_chunk_at(&decoder->source, position, &chunk);
       position = chunk.next) {
    fcpng_release_pages(&decoder->source, &released, position);
    // IEND may lack its own checksum, but nothing else.
    if (chunk.name == FCPNG_NAME('I', 'E', 'N', 'D')) return true;
  }
  return false;
}

double fcpng_decoder_fraction_read(const FCPNGDecoder *decoder) {
  if (decoder->reader.reachedEnd || decoder->source.count == 0) return 1;
  return (double)decoder->reader.position / (double)decoder->source.count;
}

uint32_t fcpng_checksum(const uint8_t *bytes, size_t count) { return (uint32_t)crc32_z(0, bytes, count); }
