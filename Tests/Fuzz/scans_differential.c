/// Fuzzes the shim's own reader of progressive files: libjpeg must accept every file that it reads, with the same
/// pixels.
#include "CJPEGShim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Coefficients of the largest image that is read.
static const size_t largest = 1 << 20;

static void fail(const char *what) {
  fprintf(stderr, "scans_differential: %s\n", what);
  abort();
}

/// Returns a decoder that has read all scans, or NULL if that fails or the other reader is used.
static FCJPEGDecoder *read_scans(FCJPEGSource source, int32_t scale, bool byLibjpeg) {
  FCJPEGDecoder *decoder = fcjpeg_decoder_create(source);
  if (decoder == NULL) abort();
  FCStatus status = fcjpeg_decoder_start_scans(decoder, scale, FCColorRGB, byLibjpeg);
  bool isAtEnd = status != FCStatusOk || fcjpeg_decoder_reads_scans(decoder) == byLibjpeg;
  if (isAtEnd) status = FCStatusUnsupported;
  while (status == FCStatusOk && !isAtEnd) status = fcjpeg_decoder_absorb(decoder, false, 16, &isAtEnd);
  if (status == FCStatusOk) return decoder;
  fcjpeg_decoder_destroy(decoder);
  return NULL;
}

/// Returns the pixels of the first plane's size, or NULL without pixels.
static uint8_t *pixels(FCJPEGDecoder *decoder, int32_t scale, size_t *count) {
  const FCJPEGPlane plane = fcjpeg_decoder_plane(decoder, 0, scale);
  const size_t stride = (size_t)plane.width * 3;
  *count = stride * plane.height;
  uint8_t *rows = calloc(*count, 1);
  const FCJPEGRegion all = {scale, FCColorRGB, 0, 0, plane.width, plane.height};
  FCStatus status = fcjpeg_decoder_start_scan_region(decoder, all);
  uint32_t done = 0, read = 1;
  while (status == FCStatusOk && done < plane.height && read > 0) {
    status = fcjpeg_decoder_read_rows(decoder, rows + done * stride, stride, *count - done * stride, 16, &read);
    done += read;
  }
  if (status == FCStatusOk) return rows;
  free(rows);
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 8) return 0;
  // The last byte chooses the scale.
  const int32_t scale = data[size - 1] % 2 == 0 ? 8 : 1 + data[size - 1] / 2 % 8;
  FCCancellation *never = fc_cancellation_create();
  if (never == NULL) abort();
  const FCJPEGSource source = {data, size - 1, false, 20, largest, never};
  FCJPEGDecoder *own = read_scans(source, scale, false);
  if (own != NULL) {
    if (fcjpeg_decoder_damage(own).kind != FCDamageKindNone) fail("what was read is damaged");
    FCJPEGDecoder *libjpegs = read_scans(source, scale, true);
    if (libjpegs == NULL) fail("libjpeg does not read it");
    const FCDamage damage = fcjpeg_decoder_damage(libjpegs);
    if (damage.kind != FCDamageKindNone || damage.remarks != fcjpeg_decoder_damage(own).remarks) {
      fail("libjpeg has something to say");
    }
    size_t count, expectedCount;
    uint8_t *read = pixels(own, scale, &count), *expected = pixels(libjpegs, scale, &expectedCount);
    if ((read == NULL) != (expected == NULL) || count != expectedCount) fail("one way decodes, the other does not");
    if (read != NULL && memcmp(read, expected, count) != 0) fail("the pixels differ");
    free(read);
    free(expected);
    fcjpeg_decoder_destroy(libjpegs);
    fcjpeg_decoder_destroy(own);
  }
  fc_cancellation_destroy(never);
  return 0;
}
