#include "CJPEGFixtures.h"

#include <stdlib.h>
#include <string.h>

// MARK: Random numbers

// SplitMix64: the same samples on every machine, which the C library's generator does not guarantee.
static uint64_t fx_next(uint64_t *state) {
  *state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static uint8_t fx_clamp(int value) {
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

void fx_fill_noise(uint8_t *samples, size_t count, uint64_t seed) {
  uint64_t word = 0;
  for (size_t i = 0; i < count; i += 1) {
    word = i % 8 == 0 ? fx_next(&seed) : word >> 8;
    samples[i] = (uint8_t)word;
  }
}

void fx_add_noise(uint8_t *samples, size_t count, unsigned amplitude, uint64_t seed) {
  // A table, since this runs for each sample of large images.
  int offsets[256];
  for (unsigned byte = 0; byte < 256; byte += 1) {
    offsets[byte] = (int)((byte * (2 * amplitude + 1)) >> 8) - (int)amplitude;
  }
  uint64_t word = 0;
  for (size_t i = 0; i < count; i += 1) {
    word = i % 8 == 0 ? fx_next(&seed) : word >> 8;
    int value = samples[i] + offsets[(uint8_t)word];
    samples[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
  }
}

// MARK: Pattern

// Rises and falls between 0 and 255, so that gradients have no edge where they restart.
static int fx_triangle(uint64_t position) {
  int phase = (int)(position % 510);
  return phase < 255 ? phase : 510 - phase;
}

void fx_fill_pattern(uint8_t *samples, size_t width, size_t height, size_t channels, uint64_t seed) {
  for (size_t channel = 0; channel < channels; channel += 1) {
    // Each channel has its own slopes, in 1/16 level a pixel, and its own grid of edges, so that chroma varies.
    uint64_t slope_x = 8 + fx_next(&seed) % 40;
    uint64_t slope_y = 8 + fx_next(&seed) % 40;
    uint64_t start = fx_next(&seed) % 510;
    size_t grid_x = 5 + (size_t)(fx_next(&seed) % 28);
    size_t grid_y = 5 + (size_t)(fx_next(&seed) % 28);
    for (size_t y = 0; y < height; y += 1) {
      for (size_t x = 0; x < width; x += 1) {
        int gradient = fx_triangle(start + (x * slope_x + y * slope_y) / 16);
        int edge = (x / grid_x + y / grid_y) % 2 == 0 ? 0 : 60;
        // The gradient takes 24...195 and the edge the rest, so that clipping loses neither.
        samples[(y * width + x) * channels + channel] = fx_clamp(24 + gradient * 2 / 3 + edge);
      }
    }
  }
  fx_add_noise(samples, width * height * channels, 6, fx_next(&seed));
}

// MARK: Geometry

// The side of the upright image that the 0th row and the 0th column of the stored one show (EXIF, tag Orientation).
typedef enum { FX_TOP, FX_BOTTOM, FX_LEFT, FX_RIGHT } fx_side;

static const struct {
  fx_side row;
  fx_side column;
} fx_orientations[8] = {
    {FX_TOP, FX_LEFT},    {FX_TOP, FX_RIGHT}, {FX_BOTTOM, FX_RIGHT}, {FX_BOTTOM, FX_LEFT},
    {FX_LEFT, FX_TOP},    {FX_RIGHT, FX_TOP}, {FX_RIGHT, FX_BOTTOM}, {FX_LEFT, FX_BOTTOM},
};

// Returns the offset, in pixels of an upright image, of a line at `distance` from a side.
static size_t fx_offset(fx_side side, size_t distance, size_t width, size_t height) {
  switch (side) {
    case FX_TOP: return distance * width;
    case FX_BOTTOM: return (height - 1 - distance) * width;
    case FX_LEFT: return distance;
    case FX_RIGHT: return width - 1 - distance;
  }
  return 0;
}

void fx_turn(
    const uint8_t *source, size_t width, size_t height, size_t channels, int orientation, bool inverse,
    uint8_t *target) {
  fx_side row_side = fx_orientations[orientation - 1].row;
  fx_side column_side = fx_orientations[orientation - 1].column;
  bool turns = orientation >= 5;
  size_t other_width = turns ? height : width;
  size_t other_height = turns ? width : height;
  size_t upright_width = inverse ? width : other_width;
  size_t upright_height = inverse ? height : other_height;
  size_t stored_width = inverse ? other_width : width;
  size_t stored_height = inverse ? other_height : height;

  for (size_t row = 0; row < stored_height; row += 1) {
    size_t row_offset = fx_offset(row_side, row, upright_width, upright_height);
    for (size_t column = 0; column < stored_width; column += 1) {
      size_t upright = row_offset + fx_offset(column_side, column, upright_width, upright_height);
      size_t stored = row * stored_width + column;
      const uint8_t *from = source + (inverse ? upright : stored) * channels;
      uint8_t *to = target + (inverse ? stored : upright) * channels;
      for (size_t channel = 0; channel < channels; channel += 1) to[channel] = from[channel];
    }
  }
}

// The position of a target coordinate between two source samples.
typedef struct {
  size_t first;
  size_t second;
  unsigned weight;  // of the second, of 256
} fx_tap;

static fx_tap fx_tap_at(size_t index, size_t source, size_t target) {
  // The center of a target pixel, in half source pixels times `target`, as an exact integer.
  int64_t numerator = (int64_t)(2 * index + 1) * (int64_t)source - (int64_t)target;
  if (numerator < 0) numerator = 0;
  int64_t denominator = 2 * (int64_t)target;
  fx_tap tap;
  tap.first = (size_t)(numerator / denominator);
  tap.second = tap.first + 1 < source ? tap.first + 1 : source - 1;
  tap.weight = (unsigned)(numerator % denominator * 256 / denominator);
  return tap;
}

static void fx_resize_row(
    const uint8_t *row, const fx_tap *taps, size_t width, size_t channels, uint16_t *target) {
  for (size_t x = 0; x < width; x += 1) {
    const uint8_t *first = row + taps[x].first * channels;
    const uint8_t *second = row + taps[x].second * channels;
    unsigned weight = taps[x].weight;
    for (size_t channel = 0; channel < channels; channel += 1) {
      *target++ = (uint16_t)(first[channel] * (256 - weight) + second[channel] * weight);
    }
  }
}

int fx_resize(
    const uint8_t *source, size_t width, size_t height, size_t channels, uint8_t *target, size_t target_width,
    size_t target_height) {
  size_t row_count = target_width * channels;
  fx_tap *taps = calloc(target_width, sizeof *taps);
  uint16_t *upper = calloc(row_count, sizeof *upper);
  uint16_t *lower = calloc(row_count, sizeof *lower);
  int done = taps != NULL && upper != NULL && lower != NULL;
  if (done) {
    for (size_t x = 0; x < target_width; x += 1) taps[x] = fx_tap_at(x, width, target_width);
    // When enlarging, many target rows lie between the same two source rows, which are resized once.
    size_t upper_row = SIZE_MAX;
    for (size_t y = 0; y < target_height; y += 1) {
      fx_tap tap = fx_tap_at(y, height, target_height);
      if (tap.first != upper_row) {
        fx_resize_row(source + tap.first * width * channels, taps, target_width, channels, upper);
        fx_resize_row(source + tap.second * width * channels, taps, target_width, channels, lower);
        upper_row = tap.first;
      }
      uint8_t *row = target + y * row_count;
      unsigned weight = tap.weight;
      for (size_t i = 0; i < row_count; i += 1) {
        row[i] = (uint8_t)((upper[i] * (256 - weight) + lower[i] * weight + 32768) >> 16);
      }
    }
  }
  free(taps);
  free(upper);
  free(lower);
  return done;
}

// MARK: Color and comparison

void fx_gray(const uint8_t *rgb, size_t pixel_count, uint8_t *gray) {
  for (size_t i = 0; i < pixel_count; i += 1) {
    // 0.299, 0.587, 0.114 in 1/65536.
    gray[i] = (uint8_t)((rgb[3 * i] * 19595u + rgb[3 * i + 1] * 38470u + rgb[3 * i + 2] * 7471u + 32768u) >> 16);
  }
}

static unsigned fx_distance(uint8_t first, uint8_t second) {
  return first > second ? (unsigned)(first - second) : (unsigned)(second - first);
}

unsigned fx_maximum_difference(const uint8_t *first, const uint8_t *second, size_t count) {
  unsigned maximum = 0;
  for (size_t i = 0; i < count; i += 1) {
    unsigned distance = fx_distance(first[i], second[i]);
    if (distance > maximum) maximum = distance;
  }
  return maximum;
}

uint64_t fx_total_difference(const uint8_t *first, const uint8_t *second, size_t count) {
  uint64_t total = 0;
  for (size_t i = 0; i < count; i += 1) total += fx_distance(first[i], second[i]);
  return total;
}

bool fx_equal(const uint8_t *first, const uint8_t *second, size_t count) {
  return memcmp(first, second, count) == 0;
}
