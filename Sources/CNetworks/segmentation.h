/// The layers and the mask of MediaPipe's selfie segmentation. Both networks have the same layers.
#pragma once

#include "engine.h"

/// Bytes of `selfie_segmentation.weights`, and of `selfie_segmentation_landscape.weights`.
#define FC_SEGMENTATION_WEIGHTS 312272
extern const unsigned char fc_segmentation_weights[FC_SEGMENTATION_WEIGHTS];
extern const unsigned char fc_landscape_weights[FC_SEGMENTATION_WEIGHTS];

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
