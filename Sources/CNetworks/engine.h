/// Runs a network that is described as a list of layers.
///
/// The image's rows go in, and each layer hands a row on as soon as it has what that is made of. A layer keeps as many rows as those
/// that read it need: one, the rows of a kernel, or, where an average over the whole map or a later layer asks for it, all.
#pragma once

#include "CNetworks.h"
#include "kernels.h"

#include <stdbool.h>

typedef enum __attribute__((packed)) FCOperation {
  /// The image's 3×3 convolution of stride 2.
  FCStem,
  FCPointwise,
  FCDepthwiseConvolution,
  /// The largest of each 2×2 pixels.
  FCMaxPool,
  /// `input` and `other`, which comes later.
  FCAdd,
  /// The same where `other` has half the size.
  FCAddDoubled,
  /// Squeeze and excitation: `input` times a factor for each channel, the logistic function of one or two layers over the average of
  /// `pooled`; `other` is added to it, and counts in the average, unless it is `FCNone`.
  FCGate,
  /// Twice the size, bilinear; numbers of at least 0.
  FCEnlarge,
} FCOperation;

typedef enum __attribute__((packed)) FCActivation { FCLinear, FCRectified, FCHardSwished } FCActivation;

/// In place of a layer: the image, or nothing.
enum { FCNone = -1 };

typedef struct FCLayer {
  FCOperation operation;
  FCActivation activation;
  int16_t input, other, pooled;
  uint16_t channels;
  /// Of a depthwise convolution.
  uint8_t kernel, stride;
  bool addsInput;
  /// Of a gate: channels between its two layers; 0 where it is one.
  uint8_t hidden;
  /// Whether its rows are all kept, for the network's caller, who knows their units.
  bool isOutput;
} FCLayer;

typedef struct FCNetworkDescription {
  const FCLayer *layers;
  size_t count;
  /// In the order of the layers; see `take_weights`.
  const unsigned char *weights;
  /// Sides of the image are padded to multiples of this with black, at the right and the bottom.
  uint32_t cell;
  /// Pixels of the image's longer side at most.
  uint32_t longestSide;
  /// Pixels before the first one that the stem reads.
  uint32_t stemPadding;
} FCNetworkDescription;

enum { FCMostReaders = 3 };

/// A layer and what its rows are in.
typedef struct FCStage {
  union {
    FCConvolution convolution;
    FCDepthwise depthwise;
  } of;
  FCHardSwish swish;
  /// Of a gate: the layers' weights and biases one after the other, and what its product counts in, in its result's units. Floats at any
  /// address.
  const unsigned char *gate;
  /// The units of an output or of what a gate averages; NULL of others. Floats at any address.
  const unsigned char *units;

  uint32_t width, height, channels;
  /// Rows that are kept, and pixels of zeros on either side of each.
  uint32_t kept, padding;
  int16_t *memory;
  /// Samples of a row with its zeros.
  size_t length;
  /// Rows made.
  uint32_t rows;
  /// Each channel's sum, where a gate averages it.
  int32_t *sums;
  bool isAveraged;
  /// Layers that get its rows.
  int16_t readers[FCMostReaders];
  uint32_t readerCount;
} FCStage;

typedef struct FCNetwork {
  const FCKernels *kernels;
  const FCNetworkDescription *description;
  /// The image's sides as padded; 0 before the first run.
  uint32_t width, height;
  void *memory;
  size_t capacity;
  FCStage *stages;
  /// The image's rows, and a row of zeros as wide as any.
  int16_t *input[3], *zeros;
  /// Room for a row that is enlarged, and for a gate's factors.
  int16_t *between, *factors;
} FCNetwork;

/// NULL when there is no memory, or no such instruction set.
FCNetwork *fc_network_create(const FCNetworkDescription *description, const char *instructionSet);
void fc_network_destroy(FCNetwork *network);
FCNetworkStatus fc_network_run(FCNetwork *network, FCNetworkImage image);
size_t fc_network_memory(const FCNetwork *network);

/// The row of a layer that keeps it, without its zeros.
static inline const int16_t *fc_row(const FCStage *stage, uint32_t y) {
  return stage->memory + (y % stage->kept) * stage->length + stage->padding * stage->channels;
}

/// The unit of an output's channel.
float fc_unit(const FCStage *stage, size_t channel);

/// e to the power of `value`, the same on every machine.
double fc_exponential(double value);
