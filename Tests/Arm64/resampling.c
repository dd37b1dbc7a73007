/// Prints the results of the resampling loops for rows of noise, to compare them with another processor's.
#include "CResampling.h"

#include <stdio.h>
#include <stdlib.h>

enum { samples = 12 * 41, rows = 4 };

static uint32_t seed = 1;
static uint32_t noise(void) { return (seed = seed * 1664525 + 1013904223) >> 8; }

static void print(const char *name, const float *values, size_t count) {
  for (size_t i = 0; i < count; i++) printf("%s %a\n", name, (double)values[i]);
}

int main(void) {
  const FCResamplingLoops *loops = fcresampling_fastest();
  static uint8_t bytes[rows][samples + 16];
  const uint8_t *lines[rows];
  float weights[rows];
  for (size_t y = 0; y < rows; y++) {
    lines[y] = bytes[y];
    weights[y] = (float)(noise() % 2000) / 1024 - 0.4f;
    for (size_t i = 0; i < samples; i++) bytes[y][i] = (uint8_t)noise();
  }
  for (size_t channels = 1; channels <= 4; channels += channels == 1 ? 2 : 1) {
    static float sum[samples];
    loops->blend(lines, weights, rows, samples, channels, false, sum);
    loops->blend(lines, weights, 3, samples, channels, true, sum);
    print("blend", sum, samples);

    const size_t pixels = channels == 1 ? 8 : 2, vectors = 5, places = 9;
    uint32_t starts[9];
    static float taps[9 * 5 * 8], out[FCRESAMPLING_ROWS][9 * 4 + 3];
    for (size_t place = 0; place < places; place++) starts[place] = (uint32_t)(place * 3 * channels);
    for (size_t i = 0; i < places * vectors; i++) {
      for (size_t pixel = 0; pixel < pixels; pixel++) {
        const float weight = (float)(noise() % 1000) / 4096;
        for (size_t c = 0; c < channels; c++) taps[8 * i + pixel * channels + c] = weight;
      }
    }
    for (size_t height = 1; height <= FCRESAMPLING_ROWS; height++) {
      loops->combine(
        height, sum, 16, starts, taps, vectors, places, channels, out[0], sizeof out[0] / sizeof(float));
      for (size_t y = 0; y < height; y++) print("combine", out[y], places * channels);
    }

    static uint8_t rounded[samples];
    loops->round(sum, samples, rounded);
    for (size_t i = 0; i < samples; i++) printf("round %d\n", rounded[i]);
    for (size_t factor = 2; factor <= 4 && channels < 4; factor++) {
      const size_t width = samples / channels - factor % 3;
      uint16_t *sums = malloc((width + 4) * 4 * sizeof(uint16_t));
      if (sums == NULL) abort();
      loops->mean(lines, factor, width, channels, sums, rounded);
      for (size_t i = 0; i < (width + factor - 1) / factor * channels; i++) printf("mean %d\n", rounded[i]);
      free(sums);
    }
  }
  return 0;
}
