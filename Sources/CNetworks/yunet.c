#include "yunet.h"

#include <stdlib.h>

/// A 1×1 convolution and a depthwise 3×3 convolution, as layers `at` and `at` + 1. YuNet consists of such pairs.
#define PAIR(at, reads, outputs) \
  POINTWISE(at, reads, outputs, FCLinear), DEPTHWISE((at) + 1, 3, 1, outputs, FCRectified)
/// The pair that computes a level's outputs.
#define HEADS(at, reads)                                                                                               \
  POINTWISE(at, reads, FCCellOutputs, FCLinear),                                                                       \
    CONVOLVED((at) + 1, at, 3, 1, FCCellOutputs, .isOutput = true)
#define POOL(at, reads, count) [at] = {.operation = FCMaxPool, .input = (reads), .other = FCNone, .channels = (count)}
#define ADD(at, fine, coarse) [at] = {.operation = FCAddDoubled, .input = (fine), .other = (coarse), .channels = 64}

enum { FCFine = 16, FCMiddle = 21, FCCoarse = 26 };

static const FCLayer layers[] = {
  // The backbone.
  [0] = {.operation = FCStem, .activation = FCRectified, .input = FCNone, .other = FCNone, .channels = 16},
  PAIR(1, 0, 16),
  POOL(3, 2, 16),
  PAIR(4, 3, 16),
  PAIR(6, 5, 64),
  PAIR(8, 7, 64),
  PAIR(10, 9, 64),
  POOL(12, 11, 64),
  PAIR(13, 12, 64),
  PAIR(15, 14, 64),
  POOL(17, FCFine, 64),
  PAIR(18, 17, 64),
  PAIR(20, 19, 64),
  POOL(22, FCMiddle, 64),
  PAIR(23, 22, 64),
  PAIR(25, 24, 64),
  // For each level, coarsest first: a pair that adds the coarser level, a pair that the heads share, and the heads.
  PAIR(27, FCCoarse, 64),
  PAIR(29, 28, 64),
  HEADS(31, 30),
  ADD(33, FCMiddle, 28),
  PAIR(34, 33, 64),
  PAIR(36, 35, 64),
  HEADS(38, 37),
  ADD(40, FCFine, 35),
  PAIR(41, 40, 64),
  PAIR(43, 42, 64),
  HEADS(45, 44),
};

/// Finest level first.
static const size_t outputs[FCYUNET_LEVELS] = {46, 39, 32};

static const FCNetworkDescription description = {
    .layers = layers,
    .count = sizeof layers / sizeof *layers,
    .weights = fc_yunet_weights,
    .cell = 32,
    .longestSide = FCYUNET_LONGEST_SIDE,
    .stemPadding = 1,
};

FCYuNet *fcyunet_create(const char *instructionSet) {
  FCYuNet *network = calloc(1, sizeof *network);
  if (network == NULL) return NULL;
  network->network = fc_network_create(&description, instructionSet);
  if (network->network != NULL) return network;
  free(network);
  return NULL;
}

void fcyunet_destroy(FCYuNet *network) {
  for (size_t level = 0; level < FCYUNET_LEVELS; level++) free(network->values[level]);
  fc_network_destroy(network->network);
  free(network);
}

FCStatus fcyunet_run(FCYuNet *network, FCNetworkImage image) {
  const FCStatus status = fc_network_run(network->network, image);
  if (status != FCStatusOk) return status;
  for (size_t level = 0; level < FCYUNET_LEVELS; level++) {
    const FCStage *stage = &network->network->stages[outputs[level]];
    const size_t count = (size_t)stage->width * stage->height * FCCellOutputs;
    if (count > network->capacity[level]) {
      free(network->values[level]);
      network->values[level] = malloc(count * sizeof(float));
      network->capacity[level] = network->values[level] == NULL ? 0 : count;
      if (network->values[level] == NULL) return FCStatusOutOfMemory;
    }
    float units[FCCellOutputs];
    for (size_t c = 0; c < FCCellOutputs; c++) units[c] = fc_unit(stage, c);
    float *values = network->values[level];
    for (uint32_t y = 0; y < stage->height; y++) {
      const int16_t *row = fc_row(stage, y);
      for (size_t i = 0; i < (size_t)stage->width * FCCellOutputs; i++) {
        *values++ = (float)row[i] * units[i % FCCellOutputs];
      }
    }
  }
  return FCStatusOk;
}

FCYuNetGrid fcyunet_grid(const FCYuNet *network, size_t level) {
  const FCStage *stage = &network->network->stages[outputs[level]];
  return (FCYuNetGrid){stage->width, stage->height, network->values[level]};
}

size_t fcyunet_memory(const FCYuNet *network) {
  size_t numbers = 0;
  for (size_t level = 0; level < FCYUNET_LEVELS; level++) numbers += network->capacity[level];
  return sizeof *network + numbers * sizeof(float) + fc_network_memory(network->network);
}
