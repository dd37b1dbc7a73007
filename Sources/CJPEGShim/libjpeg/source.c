/// A libjpeg source over memory, handed out in windows. libjpeg requests each window with `fill_input_buffer`, its only
/// call while it skips rows. Cancellation is therefore checked there, and pages are given back there.
#include "libjpeg/decoder.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/// Large enough that libjpeg's fast Huffman path, which needs some kilobytes ahead, runs nearly always; small enough
/// that cancellation takes only a few milliseconds.
static const size_t windowSize = 256 * 1024;

/// On a page fault, Linux also maps cached pages around it, even released ones (fault_around_bytes, usually 64 KiB).
static const size_t around = (size_t)1 << 16;

size_t fc_drop_pages(const FCJPEGDecoder *decoder, size_t start, size_t end) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t bytes = (uintptr_t)decoder->source.bytes;
  // The mapping begins at a page, but the image may not. A private read-only mapping can be read again from the file.
  const uintptr_t first = (bytes + start) / page * page, last = (bytes + end) / page * page;
  if (!decoder->source.isFileMapping || last <= first) return start;
  (void)madvise((void *)first, last - first, MADV_DONTNEED);
  return last > bytes + around ? last - bytes - around : 0;
}

void fc_release_pages(FCJPEGDecoder *decoder, size_t end) {
  decoder->released = fc_drop_pages(decoder, decoder->released, end);
}

static void init_source(j_decompress_ptr cinfo) { (void)cinfo; }
static void term_source(j_decompress_ptr cinfo) { (void)cinfo; }

static boolean fill_input_buffer(j_decompress_ptr cinfo) {
  static const JOCTET endOfImage[] = {0xFF, JPEG_EOI};
  FCJPEGDecoder *decoder = cinfo->client_data;
  fc_check_cancelled(&decoder->seam);
  fc_release_pages(decoder, decoder->handedOut);

  const size_t left = decoder->source.count - decoder->handedOut;
  if (left == 0) {
    // The arithmetic decoder reads zeros from here on without a warning, so the end itself is the damage.
    if (decoder->isArithmetic && !decoder->reachedEnd) fc_note_damage(decoder, FCDamageKindTruncated);
    decoder->reachedEnd = true;
    decoder->reader.next_input_byte = endOfImage;
    decoder->reader.bytes_in_buffer = sizeof endOfImage;
    return TRUE;
  }
  const size_t window = left < windowSize ? left : windowSize;
  decoder->reader.next_input_byte = decoder->source.bytes + decoder->handedOut;
  decoder->reader.bytes_in_buffer = window;
  decoder->handedOut += window;
  return TRUE;
}

static void skip_input_data(j_decompress_ptr cinfo, long count) {
  FCJPEGDecoder *decoder = cinfo->client_data;
  if (count <= 0) return;
  size_t left = (size_t)count;
  while (left > decoder->reader.bytes_in_buffer) {
    left -= decoder->reader.bytes_in_buffer;
    fill_input_buffer(cinfo);
    // Past the end every window is a fake EOI, which stays for the marker reader to find.
    if (decoder->reachedEnd) return;
  }
  decoder->reader.next_input_byte += left;
  decoder->reader.bytes_in_buffer -= left;
}

void fc_source_install(FCJPEGDecoder *decoder) {
  decoder->reader = (struct jpeg_source_mgr){
    .init_source = init_source,
    .fill_input_buffer = fill_input_buffer,
    .skip_input_data = skip_input_data,
    .resync_to_restart = jpeg_resync_to_restart,
    .term_source = term_source,
  };
  decoder->cinfo.src = &decoder->reader;
}

double fcjpeg_decoder_fraction_read(const FCJPEGDecoder *decoder) {
  if (decoder->reachedEnd || decoder->source.count == 0) return 1;
  const size_t byLibjpeg = decoder->handedOut - decoder->reader.bytes_in_buffer;
  const size_t read = decoder->progressive != NULL ? decoder->progressiveBytes : byLibjpeg;
  return (double)read / (double)decoder->source.count;
}
