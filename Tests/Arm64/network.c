/// Prints the networks' exact outputs for images of noise and gradients, to compare them with another processor's.
#include "CNetworks.h"

#include <stdio.h>
#include <stdlib.h>

/// Draws noise on a gradient. Free the result.
static uint8_t *image(uint32_t width, uint32_t height, uint32_t seed) {
  const size_t stride = 3 * (size_t)width;
  uint8_t *pixels = malloc(stride * height);
  if (pixels == NULL) abort();
  for (size_t i = 0; i < stride * height; i++) {
    seed = seed * 1664525 + 1013904223;
    const size_t row = i / stride, place = i % stride;
    pixels[i] = (uint8_t)((seed >> 27) + row * 160 / height + place * 64 / stride);
  }
  return pixels;
}

static void find_faces(FCYuNet *network, uint32_t width, uint32_t height, uint32_t seed) {
  uint8_t *pixels = image(width, height, seed);
  if (fcyunet_run(network, (FCNetworkImage){pixels, width, height, 3 * (size_t)width}) != FCStatusOk) abort();
  for (size_t level = 0; level < FCYUNET_LEVELS; level++) {
    const FCYuNetGrid grid = fcyunet_grid(network, level);
    for (size_t i = 0; i < (size_t)grid.columns * grid.rows * 16; i++) printf("%a\n", (double)grid.values[i]);
  }
  free(pixels);
}

static void find_people(FCSegmentation *network, uint32_t width, uint32_t height, uint32_t seed) {
  uint8_t *pixels = image(width, height, seed);
  if (fcsegmentation_run(network, (FCNetworkImage){pixels, width, height, 3 * (size_t)width}) != FCStatusOk) {
    abort();
  }
  uint8_t *mask = malloc((size_t)width * height);
  if (mask == NULL) abort();
  fcsegmentation_mask(network, mask, width, height);
  for (size_t i = 0; i < (size_t)width * height; i++) printf("%d\n", mask[i]);
  free(mask);
  free(pixels);
}

static void find_points(FCMesh *network, uint32_t width, uint32_t height, uint32_t seed) {
  uint8_t *pixels = image(width, height, seed);
  FCMeshPoint points[FCMESH_POINTS];
  float score;
  const FCNetworkImage shown = {pixels, width, height, 3 * (size_t)width};
  if (fcmesh_run(network, shown, points, &score) != FCStatusOk) abort();
  for (size_t i = 0; i < FCMESH_POINTS; i++) {
    printf("%a %a %a\n", (double)points[i].x, (double)points[i].y, (double)points[i].z);
  }
  printf("%a\n", (double)score);
  free(pixels);
}

int main(void) {
  fprintf(stderr, "%s\n", fcnetwork_instruction_set(0));
  FCYuNet *faces = fcyunet_create(NULL);
  FCSegmentation *people = fcsegmentation_create(FCSegmentationSquare, NULL);
  FCSegmentation *landscape = fcsegmentation_create(FCSegmentationLandscape, NULL);
  FCMesh *mesh = fcmesh_create(NULL);
  if (faces == NULL || people == NULL || landscape == NULL || mesh == NULL) abort();
  const uint32_t sizes[][2] = {{1, 1}, {31, 33}, {64, 32}, {100, 77}, {192, 144}, {448, 352}};
  for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) find_faces(faces, sizes[i][0], sizes[i][1], i);
  const uint32_t sides[][2] = {{1, 1}, {31, 33}, {100, 77}, {192, 192}, {256, 256}};
  for (uint32_t i = 0; i < sizeof sides / sizeof *sides; i++) find_people(people, sides[i][0], sides[i][1], i);
  find_people(landscape, 256, 144, 5);
  for (uint32_t i = 0; i < 4; i++) find_points(mesh, sides[i][0], sides[i][1], i);
  fcmesh_destroy(mesh);
  fcyunet_destroy(faces);
  fcsegmentation_destroy(people);
  fcsegmentation_destroy(landscape);
  return 0;
}
