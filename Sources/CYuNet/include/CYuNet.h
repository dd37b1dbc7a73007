/// The face network YuNet-n, and nothing else: its kernels for several instruction sets, its weights, its faces.
///
/// It runs in integers of 16 bits, so that its outputs are the same with every instruction set, to the bit.
///
/// W. Wu, H. Peng, S. Yu, "YuNet: A Tiny Millisecond-level Face Detector", Machine Intelligence Research 20, 2023. The
/// weights are in the program (`weights.c`).
#ifndef CYUNET_H
#define CYUNET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum __attribute__((enum_extensibility(closed))) FCYuNetStatus {
  FCYuNetStatusOk = 0,
  FCYuNetStatusOutOfMemory,
  /// The picture has no pixels, or a side above `FCYUNET_LONGEST_SIDE`.
  FCYuNetStatusWrongSize,
} FCYuNetStatus;

/// Pixels of a picture's longer side at most. The network is meant for a tenth of that.
#define FCYUNET_LONGEST_SIDE 8192

/// R, G, B, 8 bits each, rows `stride` bytes apart.
typedef struct FCYuNetPicture {
  const uint8_t *pixels;
  uint32_t width, height;
  size_t stride;
} FCYuNetPicture;

/// A face, in pixels of the picture; boxes and landmarks may reach over its edge.
typedef struct FCYuNetFace {
  float x, y, width, height;
  /// 0…1.
  float score;
  /// x and y of the right eye (the person's), the left eye, the tip of the nose, the right and the left corner of the mouth.
  float landmarks[10];
} FCYuNetFace;

/// What a look works in. Used by one thread at a time; its memory is that of the largest look so far.
typedef struct FCYuNet FCYuNet;

/// The names of the instruction sets for which there are kernels and which this processor has, the fastest first; NULL behind the
/// last one.
const char *_Nullable fcyunet_instruction_set(size_t index);

/// Makes what looks work in, with the fastest instruction set, or that of one of the names above. NULL when there is no memory,
/// or no such instruction set.
FCYuNet *_Nullable fcyunet_create(const char *_Nullable instructionSet);
void fcyunet_destroy(FCYuNet *network);

/// Runs the network over a picture. Where its sides are no multiples of 32, it is padded with black at the right and the bottom,
/// never stretched.
FCYuNetStatus fcyunet_look(FCYuNet *network, FCYuNetPicture picture);

/// Copies up to `capacity` faces of the last look with scores of at least `threshold` (0…1), highest score first, those of one face
/// merged into one, into `faces`. Boxes may lie in the padding.
///
/// - count: gets how many were copied.
FCYuNetStatus fcyunet_faces(FCYuNet *network, float threshold, FCYuNetFace *faces, size_t capacity, size_t *count);

/// The three levels' grids: cells of 8, 16 and 32 pixels.
#define FCYUNET_LEVELS 3

/// What the network says of a level's cells in the last look.
typedef struct FCYuNetGrid {
  uint32_t columns, rows;
  /// 16 for each cell, row by row: class and objectness before the logistic function; the box's center in cells from the cell's
  /// corner, and the logarithms of its sides in cells; five landmarks as the center.
  const float *_Nullable values;
} FCYuNetGrid;
FCYuNetGrid fcyunet_grid(const FCYuNet *network, size_t level);

/// Bytes that looks work in.
size_t fcyunet_memory(const FCYuNet *network);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
