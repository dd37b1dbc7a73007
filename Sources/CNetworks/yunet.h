/// The layers and outputs of YuNet-n.
#pragma once

#include "engine.h"

/// Outputs of a cell.
enum { FCCellOutputs = 16 };

struct FCYuNet {
  FCNetwork *network;
  /// The outputs of each level as floats, and the capacity in floats.
  float *values[FCYUNET_LEVELS];
  size_t capacity[FCYUNET_LEVELS];
};
