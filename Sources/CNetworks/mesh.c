#include "mesh.h"

#include <stdlib.h>

/// A sum with the layer before it, whose lines follow those of `reads`.
#define ADD(at, reads, count)                                                                                          \
  [at] = {.operation = FCAdd,                                                                                          \
    .activation = FCRectifiedParametric,                                                                               \
    .input = (reads),                                                                                                  \
    .other = (at) - 1,                                                                                                 \
    .channels = (count),                                                                                               \
    .isNear = true}
#define HALVED(at, reads, count)                                                                                       \
  [at] = {.operation = FCDepthwiseConvolution,                                                                         \
    .input = (reads),                                                                                                  \
    .other = FCNone,                                                                                                   \
    .channels = (count),                                                                                               \
    .kernel = 3,                                                                                                       \
    .stride = 2}
/// A residual block over the layer before it, as layers `at` to `at` + 2.
#define BLOCK(at, count) \
  DEPTHWISE(at, 3, 1, count, FCLinear), POINTWISE((at) + 1, at, count, FCLinear), ADD((at) + 2, (at) - 1, count)
/// The same at half the size, as layers `at` to `at` + 3.
#define HALF(at, inputs, count)                                                                                        \
  [at] = {.operation = FCMaxPool, .input = (at) - 1, .other = FCNone, .channels = (count)},                            \
  HALVED((at) + 1, (at) - 1, inputs), POINTWISE((at) + 2, (at) + 1, count, FCLinear), ADD((at) + 3, at, count)
#define OUTPUT(at)                                                                                                     \
  DEPTHWISE(at, 3, 1, 32, FCLinear), POINTWISE((at) + 1, at, 32, FCLinear),                                            \
    [(at) + 2] = {.operation = FCAdd,                                                                                  \
      .activation = FCRectifiedParametric,                                                                             \
      .input = (at) - 1,                                                                                               \
      .other = (at) + 1,                                                                                               \
      .channels = 32,                                                                                                  \
      .isNear = true,                                                                                                  \
      .isOutput = true}

static const FCLayer layers[] = {
  [0] = {.operation = FCStem, .activation = FCRectifiedParametric, .input = FCNone, .other = FCNone, .channels = 16},
  BLOCK(1, 16),
  BLOCK(4, 16),
  HALF(7, 16, 32),
  BLOCK(11, 32),
  BLOCK(14, 32),
  HALF(17, 32, 64),
  BLOCK(21, 64),
  BLOCK(24, 64),
  HALF(27, 64, 128),
  BLOCK(31, 128),
  BLOCK(34, 128),
  HALF(37, 128, 128),
  BLOCK(41, 128),
  BLOCK(44, 128),
  // The points.
  HALF(47, 128, 128),
  BLOCK(51, 128),
  BLOCK(54, 128),
  POINTWISE(57, 56, 32, FCRectifiedParametric),
  OUTPUT(58),
  // The score, which shares the pool.
  HALVED(61, 46, 128),
  POINTWISE(62, 61, 128, FCLinear),
  ADD(63, 47, 128),
  POINTWISE(64, 63, 32, FCRectifiedParametric),
  OUTPUT(65),
};

enum { FCPoints = 60, FCScore = 67 };

static const FCNetworkDescription description = {
  .layers = layers,
  .count = sizeof layers / sizeof *layers,
  .weights = fc_mesh_weights,
  .cell = FCMESH_SIDE,
  .longestSide = FCMESH_SIDE,
  .stemPadding = 0,
};

FCMesh *fcmesh_create(const char *instructionSet) {
  FCMesh *network = calloc(1, sizeof *network);
  if (network == NULL) return NULL;
  network->network = fc_network_create(&description, instructionSet);
  if (network->network != NULL) return network;
  free(network);
  return NULL;
}

void fcmesh_destroy(FCMesh *network) {
  fc_network_destroy(network->network);
  free(network);
}

FCStatus fcmesh_run(FCMesh *network, FCNetworkImage image, FCMeshPoint *points, float *score) {
  const FCStatus status = fc_network_run(network->network, image);
  if (status != FCStatusOk) return status;
  const FCStage *stages = network->network->stages;
  const unsigned char *rest =
    fc_connected(&stages[FCPoints], network->network->otherWeights, (float *)points, 3 * FCMESH_POINTS);
  float value;
  fc_connected(&stages[FCScore], rest, &value, 1);
  *score = (float)(1 / (1 + fc_exponential(-(double)value)));
  return FCStatusOk;
}

size_t fcmesh_memory(const FCMesh *network) { return sizeof *network + fc_network_memory(network->network); }
