/// Small neural networks on kernels of our own: YuNet-n, which finds faces, and MediaPipe's selfie segmentation, which tells people from
/// background. A network is a list of layers (`engine.h`); one engine and one set of kernels for each instruction set run them all.
///
/// They count in integers of 16 bits, so that their outputs are the same with every instruction set, to the bit. The weights are in the
/// program (`weights.c`).
#ifndef CNETWORKS_H
#define CNETWORKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum __attribute__((enum_extensibility(closed))) FCNetworkStatus {
  FCNetworkStatusOk = 0,
  FCNetworkStatusOutOfMemory,
  /// The image has no pixels, or a side above the network's longest.
  FCNetworkStatusWrongSize,
} FCNetworkStatus;

/// R, G, B, 8 bits each, rows `stride` bytes apart.
typedef struct FCNetworkImage {
  const uint8_t *pixels;
  uint32_t width, height;
  size_t stride;
} FCNetworkImage;

/// Returns the names of the instruction sets for which there are kernels and which this processor has, the fastest first; NULL behind the
/// last one.
const char *_Nullable fcnetwork_instruction_set(size_t index);

// MARK: Faces

/// Pixels of the longer side of an image of YuNet at most. The network is meant for a tenth of that.
#define FCYUNET_LONGEST_SIDE 8192

/// A face, in pixels of the image; boxes and landmarks may reach over its edge.
typedef struct FCYuNetFace {
  float x, y, width, height;
  /// 0…1.
  float score;
  /// x and y of the right eye (the person's), the left eye, the tip of the nose, the right and the left corner of the mouth.
  float landmarks[10];
} FCYuNetFace;

/// YuNet-n (W. Wu, H. Peng, S. Yu, "YuNet: A Tiny Millisecond-level Face Detector", Machine Intelligence Research 20, 2023) and its
/// memory, which is that of the largest image so far. Used by one thread at a time.
typedef struct FCYuNet FCYuNet;

/// Makes a network with the fastest instruction set, or that of one of the names above. NULL when there is no memory, or no such
/// instruction set.
FCYuNet *_Nullable fcyunet_create(const char *_Nullable instructionSet);
void fcyunet_destroy(FCYuNet *network);

/// Runs the network over an image. Sides that are no multiples of 32 are padded with black at the right and the bottom.
FCNetworkStatus fcyunet_run(FCYuNet *network, FCNetworkImage image);

/// Copies up to `capacity` faces of the last run with scores of at least `threshold` (0…1), highest score first, those of one face
/// merged into one, into `faces`. Boxes may lie in the padding.
///
/// - count: gets how many were copied.
FCNetworkStatus fcyunet_faces(FCYuNet *network, float threshold, FCYuNetFace *faces, size_t capacity, size_t *count);

/// The three levels' grids: cells of 8, 16 and 32 pixels.
#define FCYUNET_LEVELS 3

/// The outputs for a level's cells in the last run.
typedef struct FCYuNetGrid {
  uint32_t columns, rows;
  /// 16 for each cell, row by row: class and objectness before the logistic function; the box's center in cells from the cell's
  /// corner, and the logarithms of its sides in cells; five landmarks as the center.
  const float *_Nullable values;
} FCYuNetGrid;
FCYuNetGrid fcyunet_grid(const FCYuNet *network, size_t level);

/// Bytes of the network's memory.
size_t fcyunet_memory(const FCYuNet *network);

// MARK: People

/// Pixels of the longer side of an image of the segmentation at most. The network was trained on 256 × 256.
#define FCSEGMENTATION_LONGEST_SIDE 256

/// MediaPipe's selfie segmentation (its model card names the architecture: MobileNetV3 with a decoder of three levels) and its memory.
/// Used by one thread at a time.
typedef struct FCSegmentation FCSegmentation;

/// As ``fcyunet_create``.
FCSegmentation *_Nullable fcsegmentation_create(const char *_Nullable instructionSet);
void fcsegmentation_destroy(FCSegmentation *network);

/// Runs the network over an image. Sides that are no multiples of 16 are padded with black at the right and the bottom.
FCNetworkStatus fcsegmentation_run(FCSegmentation *network, FCNetworkImage image);

/// Writes the probability that a pixel of the last run's image belongs to a person, 0…255, row by row, without padding.
void fcsegmentation_mask(const FCSegmentation *network, uint8_t *mask, uint32_t width, uint32_t height);

/// Bytes of the network's memory.
size_t fcsegmentation_memory(const FCSegmentation *network);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
