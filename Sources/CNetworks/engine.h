/// Runs a network that is described as a list of layers.
///
/// The image's rows enter one by one, and each layer passes a row on as soon as its inputs suffice. A layer keeps only
/// the rows that its readers need: one, those of a kernel, or all for an average or a later layer.
#pragma once

#include "CNetworks.h"
#include "kernels.h"

#include <stdbool.h>

typedef enum __attribute__((packed)) FCOperation {
  /// The image's 3×3 convolution with stride 2.
  FCStem,
  FCPointwise,
  FCDepthwiseConvolution,
  /// The maximum of each 2×2 pixels. Channels beyond those of the input are 0.
  FCMaxPool,
  /// The sum of `input` and `other`, which comes later.
  FCAdd,
  /// The same sum if `other` has half the size.
  FCAddDoubled,
  /// Squeeze and excitation: multiplies each channel of `input` by the logistic function of one or two layers over the
  /// average of `pooled`. Unless `other` is `FCNone`, it is added to the result and counts in the average.
  FCGate,
  /// Doubles the size, bilinearly; values must be at least 0.
  FCEnlarge,
} FCOperation;

typedef enum __attribute__((packed)) FCActivation { FCLinear, FCRectified, FCHardSwished, FCParametric } FCActivation;

/// The image, or no layer, in place of a layer's index.
enum { FCNone = -1 };

typedef struct FCLayer {
  FCOperation operation;
  FCActivation activation;
  int16_t input, other, pooled;
  uint16_t channels;
  /// Only for a depthwise convolution.
  uint8_t kernel, stride;
  bool addsInput;
  /// Only for a sum: whether `other` is never more than a row behind `input`, which then keeps two rows.
  bool isNear;
  /// Channels between a gate's two layers; 0 if it has one.
  uint8_t hidden;
  /// Whether the network's caller reads all its rows, so that they are kept and have known units.
  bool isOutput;
} FCLayer;

/// The weights in the program (`weights.c`), with their bytes.
extern const unsigned char fc_yunet_weights[150164], fc_mesh_weights[1225220];
extern const unsigned char fc_segmentation_weights[312272], fc_landscape_weights[312272];

/// Convolutions in a list of layers. A depthwise one reads the layer before it.
#define POINTWISE(at, reads, outputs, ending) \
  [at] = {.operation = FCPointwise, .activation = (ending), .input = (reads), .other = FCNone, .channels = (outputs)}
#define DEPTHWISE(at, side, step, count, ending) CONVOLVED(at, (at) - 1, side, step, count, .activation = (ending))
/// A depthwise convolution of any layer, with the fields that are not those of most.
#define CONVOLVED(at, reads, side, step, count, ...)                                                                   \
  [at] = {.operation = FCDepthwiseConvolution,                                                                         \
    .input = (reads),                                                                                                  \
    .other = FCNone,                                                                                                   \
    .channels = (count),                                                                                               \
    .kernel = (side),                                                                                                  \
    .stride = (step),                                                                                                  \
    __VA_ARGS__}

/// A sum with the layer before it, with the fields that are not those of most.
#define ADDED(at, reads, count, ...) \
  [at] = {.operation = FCAdd, .input = (reads), .other = (at) - 1, .channels = (count), __VA_ARGS__}

typedef struct FCNetworkDescription {
  const FCLayer *layers;
  size_t count;
  /// In the order of the layers; see `take_weights`.
  const unsigned char *weights;
  /// The image is padded at the right and the bottom with black, to multiples of this.
  uint32_t cell;
  /// Upper bound of the image's longer side in pixels.
  uint32_t longestSide;
  /// Padding that the stem reads before the first pixel.
  uint32_t stemPadding;
} FCNetworkDescription;

enum { FCMostReaders = 3 };

/// The state of a layer.
typedef struct FCStage {
  union {
    FCConvolution convolution;
    FCDepthwise depthwise;
  } of;
  FCHardSwish swish;
  FCSlopes slopes;
  /// A gate's weights and biases by layer, then the factors from its product to the result's units. Unaligned floats.
  const unsigned char *gate;
  /// The units of an output, or of the layer that a gate averages, otherwise NULL. Unaligned floats.
  const unsigned char *units;

  uint32_t width, height, channels;
  /// Rows that are kept, and zero pixels on either side of each.
  uint32_t kept, padding;
  int16_t *memory;
  /// Samples of a row with its zeros.
  size_t length;
  /// Rows computed so far.
  uint32_t rows;
  /// The sum of each channel, if a gate averages it.
  int32_t *sums;
  bool isAveraged;
  /// The layers that get its rows.
  int16_t readers[FCMostReaders];
  uint32_t readerCount;
} FCStage;

typedef struct FCNetwork {
  const FCKernels *kernels;
  const FCNetworkDescription *description;
  /// The padded sides of the image; 0 before the first run.
  uint32_t width, height;
  void *memory;
  size_t capacity;
  /// The weights behind those of the layers.
  const unsigned char *otherWeights;
  FCStage *stages;
  /// The image's rows, and a row of zeros that is as wide as any.
  int16_t *input[3], *zeros;
  /// Room for an enlarged row, and for a gate's factors.
  int16_t *between, *factors;
} FCNetwork;

/// Creates a network, or returns NULL if memory runs out or the instruction set is not available.
FCNetwork *fc_network_create(const FCNetworkDescription *description, const char *instructionSet);
void fc_network_destroy(FCNetwork *network);
FCStatus fc_network_run(FCNetwork *network, FCNetworkImage image);
size_t fc_network_memory(const FCNetwork *network);

/// Returns a row that the layer keeps, without its zeros.
static inline const int16_t *fc_row(const FCStage *stage, uint32_t y) {
  return stage->memory + (y % stage->kept) * stage->length + stage->padding * stage->channels;
}

/// Returns the unit of an output's channel.
float fc_unit(const FCStage *stage, size_t channel);

/// Computes a fully connected layer over a whole output without padding. Each sum is exact.
///
/// - weights: `outputs` × samples of the map, then for each output a factor and a bias as floats.
/// - Returns: the address after the weights.
const unsigned char *fc_connected(const FCStage *map, const unsigned char *weights, float *out, size_t outputs);

/// Returns e to the power of `value`, identical on every machine.
double fc_exponential(double value);
