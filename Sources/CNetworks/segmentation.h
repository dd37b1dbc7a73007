/// MediaPipe's selfie segmentation: its layers, and the mask.
#pragma once

#include "engine.h"

/// Bytes of `selfie_segmentation.weights`.
#define FC_SEGMENTATION_WEIGHTS 312272
extern const unsigned char fc_segmentation_weights[FC_SEGMENTATION_WEIGHTS];

enum {
  /// Steps of an output to which the logistic function is known, and integers of each.
  FCLogisticSteps = 4096,
  FCLogisticStep = 65536 / FCLogisticSteps,
};

struct FCSegmentation {
  FCNetwork *network;
  /// The logistic function of an output, from -2¹⁵, of each of the four pixels of a cell, as their units differ.
  uint8_t logistic[4][FCLogisticSteps];
};
