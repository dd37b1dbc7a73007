/// Fuzzes the index against plain decoding: where the index takes a file to be whole, so does libjpeg, and a region cut out
/// of it has the same pixels.
#include "CJPEGShim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Pixels of the largest picture that is decoded.
static const uint64_t largest = 1 << 18;

static void fail(const char *what) {
  fprintf(stderr, "index_differential: %s\n", what);
  abort();
}

/// Decodes a region; NULL when that fails or the picture is damaged. Touches every byte, for the sanitizers.
static uint8_t *decode(FCJPEGSource source, FCJPEGRegion region) {
  FCJPEGDecoder *decoder = fcjpeg_decoder_create(source);
  if (decoder == NULL) abort();
  const size_t stride = (size_t)region.width * 3, capacity = stride * region.height;
  uint8_t *pixels = malloc(capacity);
  uint32_t done = 0, read = 1;
  FCJPEGStatus status = fcjpeg_decoder_start_region(decoder, region);
  while (status == FCJPEGStatusOk && done < region.height && read > 0) {
    status = fcjpeg_decoder_read_rows(decoder, pixels + done * stride, stride, capacity - done * stride, 7, &read);
    done += read;
  }
  const bool isWhole =
    status == FCJPEGStatusOk && done == region.height && fcjpeg_decoder_damage(decoder).kind == FCJPEGDamageKindNone;
  fcjpeg_decoder_destroy(decoder);
  if (isWhole) return pixels;
  free(pixels);
  return NULL;
}

static uint32_t within(uint8_t fuzz, uint32_t from, uint32_t to) { return from + fuzz * (to - from) / 256; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 8) return 0;
  // The last bytes choose the rectangle of MCUs and the scale.
  const uint8_t *choice = data + size - 5;
  FCJPEGCancellation *never = fcjpeg_cancellation_create();
  const FCJPEGSource source = {data, size - 5, false, 20, 1 << 20, never};
  FCJPEGIndex *index = fcjpeg_index_create(source);
  if (index == NULL || never == NULL) abort();

  if (fcjpeg_index_start(index) == FCJPEGStatusOk) {
    const uint32_t columns = fcjpeg_index_columns(index), rows = fcjpeg_index_rows(index);
    const uint32_t width = fcjpeg_index_mcu_width(index), height = fcjpeg_index_mcu_height(index);
    if ((uint64_t)columns * width * rows * height <= largest && fcjpeg_index_scan(index, rows) == FCJPEGStatusOk) {
      FCJPEGCut cut = {.x = within(choice[0], 0, columns), .y = within(choice[1], 0, rows)};
      cut.width = within(choice[2], 1, columns - cut.x + 1);
      cut.height = within(choice[3], 1, rows - cut.y + 1);
      const uint8_t *bytes;
      size_t count;
      if (fcjpeg_index_cut(index, cut, &bytes, &count) == FCJPEGStatusOk) {
        // The MCUs of the cut but for its border, where color reaches over; and nothing that sticks out of the picture.
        const uint32_t left = cut.x > 0, top = cut.y > 0, right = cut.x + cut.width < columns;
        const uint32_t bottom = cut.y + cut.height < rows;
        if (cut.width > left + right && cut.height > top + bottom) {
          FCJPEGRegion inner = {8, FCJPEGColorRGB, left * width, top * height, 1, 1};
          inner.width = (cut.width - left - right - 1) * width + 1;
          inner.height = (cut.height - top - bottom - 1) * height + 1;
          FCJPEGRegion outer = inner;
          outer.x += cut.x * width;
          outer.y += cut.y * height;
          uint8_t *expected = decode(source, outer);
          const FCJPEGSource cutSource = {bytes, count, false, 20, 1 << 20, never};
          uint8_t *cutPixels = decode(cutSource, inner);
          if ((expected == NULL) != (cutPixels == NULL)) fail("one way decodes, the other does not");
          if (expected != NULL && memcmp(expected, cutPixels, (size_t)inner.width * inner.height * 3) != 0) {
            fail("the pixels differ");
          }
          free(expected);
          free(cutPixels);
        }
      }
    }
  }
  fcjpeg_index_destroy(index);
  fcjpeg_cancellation_destroy(never);
  return 0;
}
