/// Fuzzes the index against plain decoding: libjpeg must accept every file that the index accepts. A region that is cut
/// out of it, or decoded from kept coefficients, must have the same pixels.
#include "CJPEGShim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Pixels of the largest decoded image.
static const uint64_t largest = 1 << 18;

static void fail(const char *what) {
  fprintf(stderr, "index_differential: %s\n", what);
  abort();
}

/// Decodes a region, or returns NULL if that fails or the image is damaged. Touches every byte for the sanitizers.
///
/// A file that has all rows but no end marker counts as complete; libjpeg only notices if it happens to read ahead.
static uint8_t *decode(FCJPEGSource source, FCJPEGRegion region, uint32_t lastRow) {
  FCJPEGDecoder *decoder = fcjpeg_decoder_create(source);
  if (decoder == NULL) abort();
  const size_t stride = (size_t)region.width * (region.color == FCColorRGB ? 3 : 1),
               capacity = stride * region.height;
  uint8_t *pixels = malloc(capacity);
  uint32_t done = 0, read = 1;
  FCStatus status = fcjpeg_decoder_start_region(decoder, region);
  while (status == FCStatusOk && done < region.height && read > 0) {
    status = fcjpeg_decoder_read_rows(decoder, pixels + done * stride, stride, capacity - done * stride, 7, &read);
    done += read;
  }
  const FCDamage damage = fcjpeg_decoder_damage(decoder);
  const bool lacksItsEnd = damage.kind == FCDamageKindTruncated && damage.intactRows > lastRow;
  const bool isWhole =
    status == FCStatusOk && done == region.height && (damage.kind == FCDamageKindNone || lacksItsEnd);
  fcjpeg_decoder_destroy(decoder);
  if (isWhole) return pixels;
  free(pixels);
  return NULL;
}

/// Returns a row of pixels in the last row of MCUs.
static uint32_t last_row(const FCJPEGIndex *index) {
  const FCJPEGGrid grid = fcjpeg_index_grid(index);
  return (grid.rows - 1) * grid.mcuHeight;
}

/// Compares the planes of the index with libjpeg's decode to 1/8. Gray is luma. Color is only equal without
/// subsampling; other chroma planes are just touched.
static void compare_overview(FCJPEGSource source, const FCJPEGIndex *index, bool isEighth) {
  const uint32_t planes = fcjpeg_index_overview_planes(index);
  for (uint32_t c = 0; c < planes; c++) {
    const FCJPEGPlane plane = fcjpeg_index_plane(index, c);
    uint8_t *read = malloc((size_t)plane.width * plane.height);
    for (uint32_t y = 0; y < plane.height; y++) {
      if (fcjpeg_index_read_overview(index, c, y, read + (size_t)y * plane.width, plane.width) != FCStatusOk) {
        fail("a row of the overview cannot be read");
      }
    }
    // A quarter differs slightly from libjpeg's.
    if (c == 0 && isEighth) {
      const FCJPEGRegion whole = {1, FCColorGray, 0, 0, plane.width, plane.height};
      uint8_t *expected = decode(source, whole, last_row(index));
      if (expected == NULL) fail("the index has an overview, libjpeg has none");
      if (memcmp(expected, read, (size_t)plane.width * plane.height) != 0) fail("the overviews differ");
      free(expected);
    }
    free(read);
  }
}

/// Decodes a region of a cut from the kept coefficients; returns NULL if that fails.
static uint8_t *unpack(FCJPEGIndex *index, FCJPEGRect cut, FCJPEGRegion region) {
  FCJPEGDecoder *decoder;
  if (fcjpeg_index_open(index, cut, region.scale, region.color, &decoder) != FCStatusOk) return NULL;
  const size_t stride = (size_t)region.width * 3, capacity = stride * region.height;
  uint8_t *pixels = malloc(capacity);
  uint32_t done = 0, read = 1;
  FCStatus status = fcjpeg_decoder_start_scan_region(decoder, region);
  while (status == FCStatusOk && done < region.height && read > 0) {
    status = fcjpeg_decoder_read_rows(decoder, pixels + done * stride, stride, capacity - done * stride, 7, &read);
    done += read;
  }
  if (fcjpeg_decoder_damage(decoder).kind != FCDamageKindNone) fail("what was kept is damaged");
  fcjpeg_decoder_destroy(decoder);
  if (status == FCStatusOk && done == region.height) return pixels;
  free(pixels);
  return NULL;
}

static uint32_t within(uint8_t fuzz, uint32_t from, uint32_t to) { return from + fuzz * (to - from) / 256; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 8) return 0;
  // The last bytes choose the scale and the rectangle of MCUs.
  const uint8_t *choice = data + size - 5;
  FCCancellation *never = fc_cancellation_create();
  const FCJPEGSource source = {data, size - 5, false, 20, 1 << 20, never};
  FCJPEGIndex *index = fcjpeg_index_create(source);
  if (index == NULL || never == NULL) abort();

  const bool keeps = choice[4] / 8 % 2 == 1;
  const uint32_t overviewScale = keeps ? 1u << choice[4] / 16 % 3 : choice[4] < 128 ? 1 : 2;
  const bool isEighth = overviewScale == 1;
  if (fcjpeg_index_start(index, overviewScale, keeps) == FCStatusOk) {
    const FCJPEGGrid grid = fcjpeg_index_grid(index);
    const uint32_t columns = grid.columns, rows = grid.rows;
    const uint32_t width = grid.mcuWidth, height = grid.mcuHeight;
    if ((uint64_t)columns * width * rows * height <= largest && fcjpeg_index_scan(index, rows) == FCStatusOk) {
      compare_overview(source, index, isEighth);
      FCJPEGRect cut = {.x = within(choice[0], 0, columns), .y = within(choice[1], 0, rows)};
      cut.width = within(choice[2], 1, columns - cut.x + 1);
      cut.height = within(choice[3], 1, rows - cut.y + 1);
      FCBytes file;
      if (fcjpeg_index_cut(index, cut, &file) == FCStatusOk) {
        // The MCUs of the cut without its border, where color crosses over, and only inside the image.
        const int32_t scale = 1 + choice[4] % 8;
        const uint32_t margin = (8 + (uint32_t)scale - 1) / (uint32_t)scale;  // as JPEGIndex has it
        const uint32_t left = cut.x > 0 ? margin : 0, top = cut.y > 0 ? margin : 0;
        const uint32_t right = cut.x + cut.width < columns ? margin : 0;
        const uint32_t bottom = cut.y + cut.height < rows ? margin : 0;
        if (cut.width > left + right && cut.height > top + bottom) {
          const uint32_t mcuWidth = width * (uint32_t)scale / 8, mcuHeight = height * (uint32_t)scale / 8;
          FCJPEGRegion inner = {scale, FCColorRGB, left * mcuWidth, top * mcuHeight, 1, 1};
          inner.width = (cut.width - left - right - 1) * mcuWidth + 1;
          inner.height = (cut.height - top - bottom - 1) * mcuHeight + 1;
          FCJPEGRegion outer = inner;
          outer.x += cut.x * mcuWidth;
          outer.y += cut.y * mcuHeight;
          uint8_t *expected = decode(source, outer, last_row(index));
          const FCJPEGSource cutSource = {file.bytes, file.count, false, 20, 1 << 20, never};
          uint8_t *cutPixels = keeps ? unpack(index, cut, inner) : decode(cutSource, inner, UINT32_MAX);
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
  fc_cancellation_destroy(never);
  return 0;
}
