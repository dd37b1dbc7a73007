/// The network's layers and what a look works in.
#pragma once

#include "CYuNet.h"
#include "kernels.h"

#include <stdbool.h>

/// Bytes of `yunet_n.weights`.
#define FC_WEIGHTS 150101
extern const unsigned char fc_weights[FC_WEIGHTS];

enum {
  /// Channels of the first layer, and of a cell of the outputs.
  FCFewChannels = 16,
  FCManyChannels = 64,
  /// Pairs of convolutions: 11 of the backbone, then of each level, from the coarsest, one that adds what the coarser one
  /// found, one that the heads share, and the heads.
  FCBackbonePairs = 11,
  FCPairs = FCBackbonePairs + 3 * FCYUNET_LEVELS,
  /// Pixels of the coarsest cell.
  FCCoarsestCell = 32,
};

/// A pair of convolutions that gets rows one by one. Three rows behind its 1×1 convolution are all that it holds.
typedef struct FCStage {
  FCPair pair;
  uint32_t width, height;
  /// Rows that it got.
  uint32_t rows;
  int16_t *ring[3];
  /// Where its rows go: all into a map, or two in turn.
  int16_t *out;
  bool keepsMap;
  /// A row of the largest of each four pixels, which goes on instead of its rows; NULL where these go on.
  int16_t *pooled;
  bool isRectified;
  /// Of the heads: all rows as numbers, and what each channel's integers count in; NULL of others.
  float *values;
  float unit[FCFewChannels];
  /// Gets its rows.
  struct FCStage *next;
} FCStage;

struct FCYuNet {
  const FCKernels *kernels;
  /// The input's sides as padded; 0 before the first look.
  uint32_t width, height;
  void *memory;
  size_t capacity, size;
  FCStem stem;
  FCStage stages[FCPairs];
  /// The input's rows, with a pixel of zeros before them and a sample behind them, and the first layer's row.
  int16_t *input[3], *first;
  /// A row of zeros, as wide as any with its pixels of zeros.
  int16_t *zeros;
  /// A row of a level with that of the coarser one.
  int16_t *sum;
};
