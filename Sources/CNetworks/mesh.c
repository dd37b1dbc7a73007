/// The layers and outputs of MediaPipe's face mesh.
#include "engine.h"

/// A sum with the layer before it, whose rows follow those of `reads`.
#define ADD(at, reads, count, ending) \
  ADDED(at, reads, count, .activation = FCParametric, .isNear = true, .isOutput = (ending))
#define HALVED(at, reads, count) CONVOLVED(at, reads, 3, 2, count, .activation = FCLinear)
/// A residual block over the layer before it, as layers `at` to `at` + 2.
#define BLOCK(at, count, ending)                                                                                       \
  DEPTHWISE(at, 3, 1, count, FCLinear), POINTWISE((at) + 1, at, count, FCLinear),                                      \
    ADD((at) + 2, (at) - 1, count, ending)
/// The same at half the size, as layers `at` to `at` + 3.
#define HALF(at, inputs, count)                                                                                        \
  [at] = {.operation = FCMaxPool, .input = (at) - 1, .other = FCNone, .channels = (count)},                            \
  HALVED((at) + 1, (at) - 1, inputs), POINTWISE((at) + 2, (at) + 1, count, FCLinear), ADD((at) + 3, at, count, false)

static const FCLayer layers[] = {
  [0] = {.operation = FCStem, .activation = FCParametric, .input = FCNone, .other = FCNone, .channels = 16},
  BLOCK(1, 16, false),
  BLOCK(4, 16, false),
  HALF(7, 16, 32),
  BLOCK(11, 32, false),
  BLOCK(14, 32, false),
  HALF(17, 32, 64),
  BLOCK(21, 64, false),
  BLOCK(24, 64, false),
  HALF(27, 64, 128),
  BLOCK(31, 128, false),
  BLOCK(34, 128, false),
  HALF(37, 128, 128),
  BLOCK(41, 128, false),
  BLOCK(44, 128, false),
  // The points.
  HALF(47, 128, 128),
  BLOCK(51, 128, false),
  BLOCK(54, 128, false),
  POINTWISE(57, 56, 32, FCParametric),
  BLOCK(58, 32, true),
  // The score, which shares the pool.
  HALVED(61, 46, 128),
  POINTWISE(62, 61, 128, FCLinear),
  ADD(63, 47, 128, false),
  POINTWISE(64, 63, 32, FCParametric),
  BLOCK(65, 32, true),
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

FCMesh *fcmesh_create(const char *instructionSet) { return fc_network_create(&description, instructionSet); }

void fcmesh_destroy(FCMesh *network) { fc_network_destroy(network); }

FCStatus fcmesh_run(FCMesh *network, FCNetworkImage image, FCMeshPoint *points, float *score) {
  const FCStatus status = fc_network_run(network, image);
  if (status != FCStatusOk) return status;
  const FCStage *stages = network->stages;
  const unsigned char *rest =
    fc_connected(&stages[FCPoints], network->otherWeights, (float *)points, 3 * FCMESH_POINTS);
  float value;
  fc_connected(&stages[FCScore], rest, &value, 1);
  *score = (float)(1 / (1 + fc_exponential(-(double)value)));
  return FCStatusOk;
}

size_t fcmesh_memory(const FCMesh *network) { return fc_network_memory(network); }
