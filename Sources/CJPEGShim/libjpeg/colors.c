/// The color conversion of overviews: JFIF 1.02 (ITU-T T.871, 7) in fixed point with 16 fractional bits.
#include "libjpeg/seam.h"

#include <string.h>

typedef struct {
  int16_t *red, *green, *blue;
} Shifts;

static inline void put_shifts(Shifts shifts, size_t x, int32_t blue, int32_t red) {
  const int32_t cb = blue - CENTERJSAMPLE, cr = red - CENTERJSAMPLE;
  shifts.red[x] = (int16_t)((91881 * cr + 32768) >> 16);
  shifts.green[x] = (int16_t)((-22554 * cb - 46802 * cr + 32768) >> 16);
  shifts.blue[x] = (int16_t)((116130 * cb + 32768) >> 16);
}

/// Returns the index of a pixel's sample in a plane, clamped to the last one.
static inline size_t place(uint32_t x, FCJPEGSamples row) {
  const uint32_t at = x / row.steps;
  return at < row.count ? at : row.count - 1;
}

void fcjpeg_fill_shifts(FCJPEGSamples blue, FCJPEGSamples red, int16_t *shifts, uint32_t width) {
  const Shifts to = {shifts, shifts + width, shifts + 2 * (size_t)width};
  uint32_t x = 0;
  if (blue.steps == 2 && red.steps == 2) {
    // The most common case, without divisions.
    const uint32_t count = blue.count < red.count ? blue.count : red.count;
    for (uint32_t i = 0; i < count && x + 1 < width; i++, x += 2) {
      put_shifts(to, x, blue.samples[i], red.samples[i]);
      to.red[x + 1] = to.red[x];
      to.green[x + 1] = to.green[x];
      to.blue[x + 1] = to.blue[x];
    }
  } else if (blue.steps == 1 && red.steps == 1) {
    const uint32_t count = blue.count < red.count ? blue.count : red.count;
    for (; x < count && x < width; x++) put_shifts(to, x, blue.samples[x], red.samples[x]);
  }
  for (; x < width; x++) put_shifts(to, x, blue.samples[place(x, blue)], red.samples[place(x, red)]);
}

#define AT_ONCE 16

typedef uint8_t Levels __attribute__((vector_size(AT_ONCE)));
typedef int16_t Sums __attribute__((vector_size(2 * AT_ONCE)));
typedef uint32_t Pixels __attribute__((vector_size(4 * AT_ONCE)));
typedef uint64_t Pairs __attribute__((vector_size(4 * AT_ONCE)));

static inline Levels shifted(Levels luma, const int16_t *shifts) {
  Sums sums;
  memcpy(&sums, shifts, sizeof sums);
  sums += __builtin_convertvector(luma, Sums);
  const Sums dark = {0}, white = dark + MAXJSAMPLE;
  return __builtin_convertvector(__builtin_elementwise_min(__builtin_elementwise_max(sums, dark), white), Levels);
}

void fcjpeg_shift_luma(const uint8_t *luma, const int16_t *shifts, uint8_t *pixels, uint32_t width) {
  uint32_t x = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  // Two pixels are written as eight bytes, and the next pixels overwrite the last two, so one more pixel has to follow.
  for (; x + AT_ONCE < width; x += AT_ONCE) {
    Levels levels;
    memcpy(&levels, luma + x, sizeof levels);
    const Pixels red = __builtin_convertvector(shifted(levels, shifts + x), Pixels);
    const Pixels green = __builtin_convertvector(shifted(levels, shifts + width + x), Pixels);
    const Pixels blue = __builtin_convertvector(shifted(levels, shifts + 2 * (size_t)width + x), Pixels);
    const Pairs pairs = (Pairs)(red | green << 8 | blue << 16);
    const Pairs together = (pairs & 0xFFFFFF) | (pairs >> 8 & 0xFFFFFF000000);
    uint8_t *to = pixels + 3 * (size_t)x;
    for (uint32_t i = 0; i < AT_ONCE / 2; i++) {
      const uint64_t pair = together[i];
      memcpy(to + 6 * i, &pair, sizeof pair);
    }
  }
#endif
  for (; x < width; x++) {
    for (uint32_t c = 0; c < 3; c++) {
      const int32_t level = luma[x] + shifts[c * (size_t)width + x];
      pixels[3 * (size_t)x + c] = (uint8_t)(level < 0 ? 0 : (level > MAXJSAMPLE ? MAXJSAMPLE : level));
    }
  }
}
