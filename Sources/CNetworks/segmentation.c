/// The layers and the mask of MediaPipe's selfie segmentation. Both networks have the same layers.
#include "engine.h"

#include <stdlib.h>
#include <string.h>

enum {
  /// Steps of the table of the logistic function, and integers in each.
  FCLogisticSteps = 4096,
  FCLogisticStep = 65536 / FCLogisticSteps,
};

struct FCSegmentation {
  FCNetwork *network;
  /// The logistic function of an output, from -2¹⁵ on, for each of a cell's four pixels, whose units differ.
  uint8_t logistic[4][FCLogisticSteps];
};

#define GATE(at, reads, adds, averages, between, count)                                                                \
  [at] = {.operation = FCGate,                                                                                         \
    .input = (reads),                                                                                                  \
    .other = (adds),                                                                                                   \
    .pooled = (averages),                                                                                              \
    .channels = (count),                                                                                               \
    .hidden = (between)}
/// A bottleneck with a gate, as layers `at` to `at` + 4.
#define GATED_BOTTLENECK(at, reads, wide, between) \
  POINTWISE(at, reads, wide, FCHardSwished), DEPTHWISE((at) + 1, 5, 1, wide, FCHardSwished), \
  GATE((at) + 2, (at) + 1, FCNone, (at) + 1, between, wide), POINTWISE((at) + 3, (at) + 2, 32, FCLinear), \
  ADDED((at) + 4, reads, 32, .activation = FCLinear)
/// A level of the decoder, as layers `at` to `at` + 4: the coarser level, enlarged, and the backbone's map `fine`,
/// gated by both. The convolution comes before the enlargement, which gives the same result.
#define LEVEL(at, coarse, fine, between, count)                                                                        \
  POINTWISE(at, coarse, count, FCLinear),                                                                              \
    [(at) + 1] = {.operation = FCEnlarge, .input = (at), .other = FCNone, .channels = (count)},                        \
    GATE((at) + 2, fine, (at) + 1, fine, between, count), POINTWISE((at) + 3, (at) + 2, count, FCRectified),           \
    CONVOLVED((at) + 4, (at) + 3, 3, 1, count, .activation = FCRectified, .addsInput = true)

/// The channels of the authors' network, zero-padded to multiples of 16: 72, 24 and 88 become 80, 32 and 96.
static const FCLayer layers[] = {
  [0] = {.operation = FCStem, .activation = FCHardSwished, .input = FCNone, .other = FCNone, .channels = 16},
  POINTWISE(1, 0, 16, FCRectified),
  DEPTHWISE(2, 3, 2, 16, FCRectified),
  GATE(3, 2, FCNone, 2, 8, 16),
  POINTWISE(4, 3, 16, FCLinear),
  POINTWISE(5, 4, 80, FCRectified),
  DEPTHWISE(6, 3, 2, 80, FCRectified),
  POINTWISE(7, 6, 32, FCLinear),
  POINTWISE(8, 7, 96, FCRectified),
  DEPTHWISE(9, 3, 1, 96, FCRectified),
  POINTWISE(10, 9, 32, FCLinear),
  ADDED(11, 7, 32, .activation = FCLinear),
  POINTWISE(12, 11, 96, FCHardSwished),
  DEPTHWISE(13, 5, 2, 96, FCHardSwished),
  GATE(14, 13, FCNone, 13, 24, 96),
  POINTWISE(15, 14, 32, FCLinear),
  GATED_BOTTLENECK(16, 15, 128, 32),
  GATED_BOTTLENECK(21, 20, 128, 32),
  GATED_BOTTLENECK(26, 25, 96, 24),
  GATED_BOTTLENECK(31, 30, 96, 24),
  POINTWISE(36, 35, 128, FCRectified),
  GATE(37, 36, FCNone, 35, 0, 128),
  LEVEL(38, 37, 11, 24, 32),
  LEVEL(43, 42, 4, 16, 16),
  LEVEL(48, 47, 0, 16, 16),
  // A transposed 2×2 convolution without overlap: the four pixels of a cell are four channels.
  [53] = {.operation = FCPointwise, .input = 52, .other = FCNone, .channels = 16, .isOutput = true},
};

static const size_t output = 53;

#define DESCRIPTION(network, of)                                                                                       \
  [network] = {.layers = layers,                                                                                       \
    .count = sizeof layers / sizeof *layers,                                                                           \
    .weights = (of),                                                                                                   \
    .cell = 16,                                                                                                        \
    .longestSide = FCSEGMENTATION_LONGEST_SIDE,                                                                        \
    .stemPadding = 0}

static const FCNetworkDescription descriptions[] = {
  DESCRIPTION(FCSegmentationSquare, fc_segmentation_weights),
  DESCRIPTION(FCSegmentationLandscape, fc_landscape_weights),
};

static uint8_t logistic(double unit, int step) {
  const double value = unit * ((step - FCLogisticSteps / 2) * FCLogisticStep + FCLogisticStep / 2);
  return (uint8_t)(255 / (1 + fc_exponential(-value)) + 0.5);
}

/// Fills a table between two steps. The function rises, so it is constant between two equal values, as in most of the
/// table.
static void fill(uint8_t *table, double unit, int first, int last) {
  if (table[first] == table[last]) {
    memset(table + first, table[first], (size_t)(last - first));
  } else if (last - first > 1) {
    const int middle = (first + last) / 2;
    table[middle] = logistic(unit, middle);
    fill(table, unit, first, middle);
    fill(table, unit, middle, last);
  }
}

FCSegmentation *fcsegmentation_create(FCSegmentationKind kind, const char *instructionSet) {
  FCSegmentation *network = calloc(1, sizeof *network);
  if (network == NULL) return NULL;
  network->network = fc_network_create(&descriptions[kind], instructionSet);
  if (network->network == NULL) {
    free(network);
    return NULL;
  }
  for (size_t pixel = 0; pixel < 4; pixel++) {
    const double unit = (double)fc_unit(&network->network->stages[output], pixel);
    uint8_t *table = network->logistic[pixel];
    const int last = FCLogisticSteps - 1;
    table[0] = logistic(unit, 0);
    table[last] = logistic(unit, last);
    fill(table, unit, 0, last);
  }
  return network;
}

void fcsegmentation_destroy(FCSegmentation *network) {
  fc_network_destroy(network->network);
  free(network);
}

FCStatus fcsegmentation_run(FCSegmentation *network, FCNetworkImage image) {
  return fc_network_run(network->network, image);
}

void fcsegmentation_mask(const FCSegmentation *network, uint8_t *mask, uint32_t width, uint32_t height) {
  const FCStage *stage = &network->network->stages[output];
  for (uint32_t y = 0; y < height; y++, mask += width) {
    const int16_t *row = fc_row(stage, y / 2);
    for (uint32_t x = 0; x < width; x++) {
      const uint32_t pixel = 2 * (y % 2) + x % 2;
      mask[x] = network->logistic[pixel][(row[(size_t)(x / 2) * stage->channels + pixel] + 32768) / FCLogisticStep];
    }
  }
}

size_t fcsegmentation_memory(const FCSegmentation *network) {
  return sizeof *network + fc_network_memory(network->network);
}
