/// The network's outputs for pictures of noise and of gradients, to the last bit, as text, to be compared with those of another
/// processor.
#include "CYuNet.h"

#include <stdio.h>
#include <stdlib.h>

static void look(FCYuNet *network, uint32_t width, uint32_t height, uint32_t seed) {
  const size_t stride = 3 * (size_t)width;
  uint8_t *pixels = malloc(stride * height);
  if (pixels == NULL) abort();
  for (size_t i = 0; i < stride * height; i++) {
    seed = seed * 1664525 + 1013904223;
    const size_t row = i / stride, place = i % stride;
    pixels[i] = (uint8_t)((seed >> 27) + row * 160 / height + place * 64 / stride);
  }
  if (fcyunet_look(network, (FCYuNetPicture){pixels, width, height, stride}) != FCYuNetStatusOk) abort();
  for (size_t level = 0; level < FCYUNET_LEVELS; level++) {
    const FCYuNetGrid grid = fcyunet_grid(network, level);
    for (size_t i = 0; i < (size_t)grid.columns * grid.rows * 16; i++) printf("%a\n", (double)grid.values[i]);
  }
  free(pixels);
}

int main(void) {
  fprintf(stderr, "%s\n", fcyunet_instruction_set(0));
  FCYuNet *network = fcyunet_create(NULL);
  if (network == NULL) abort();
  const uint32_t sizes[][2] = {{1, 1}, {31, 33}, {64, 32}, {100, 77}, {192, 144}, {448, 352}};
  for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) look(network, sizes[i][0], sizes[i][1], i);
  fcyunet_destroy(network);
  return 0;
}
