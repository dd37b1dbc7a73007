/// Small neural networks on our own kernels: YuNet-n finds faces, MediaPipe's selfie segmentation separates people
/// from background, and its face mesh finds points of a face. One engine runs a list of layers (`engine.h`), with
/// kernels for each instruction set.
///
/// The networks compute in 16-bit integers, so their outputs are identical on every instruction set. The weights are
/// part of the program (`weights.c`).
#pragma once

#include <CBasics.h>

FC_BEGIN

/// An image of 8-bit R, G, B, with rows `stride` bytes apart.
typedef struct FCNetworkImage {
  const uint8_t *pixels;
  uint32_t width, height;
  size_t stride;
} FCNetworkImage;

/// Returns the name of an instruction set that has kernels and is supported here, fastest first, or NULL past the last.
const char *_Nullable fcnetwork_instruction_set(size_t index);

// MARK: Faces

/// Upper bound of the longer side of an image for YuNet, in pixels. The network is meant for a tenth of it.
#define FCYUNET_LONGEST_SIDE 8192

/// A face, in pixels of the image. Boxes and landmarks may extend past its edge.
typedef struct FCYuNetFace {
  float x, y, width, height;
  /// The score, 0…1.
  float score;
  /// x and y of the person's right eye, the left eye, the tip of the nose, and the right and left corner of the mouth.
  float landmarks[10];
} FCYuNetFace;

/// YuNet-n (W. Wu, H. Peng, S. Yu, "YuNet: A Tiny Millisecond-level Face Detector", Machine Intelligence Research 20,
/// 2023). Its memory fits the largest image so far. One thread at a time uses it.
typedef struct FCYuNet FCYuNet;

/// Creates a network with the given instruction set, or the fastest one for NULL. Returns NULL if memory runs out or
/// the instruction set is not available.
FCYuNet *_Nullable fcyunet_create(const char *_Nullable instructionSet);
void fcyunet_destroy(FCYuNet *network);

/// Runs the network on an image. Pads sides to multiples of 32 with black, at the right and the bottom. Returns
/// `FCStatusMisuse` for an image without pixels, or with a side above the limit.
FCStatus fcyunet_run(FCYuNet *network, FCNetworkImage image);

/// Copies up to `capacity` faces of the last run into `faces`, highest score first. Detections of the same face are
/// merged. Boxes may lie in the padding.
///
/// - threshold: the lowest score, 0…1.
/// - count: the number of faces copied.
FCStatus fcyunet_faces(FCYuNet *network, float threshold, FCYuNetFace *faces, size_t capacity, size_t *count);

/// The three levels of the grid, with cells of 8, 16 and 32 pixels.
#define FCYUNET_LEVELS 3

/// The outputs for the cells of one level in the last run.
typedef struct FCYuNetGrid {
  uint32_t columns, rows;
  /// 16 values for each cell, row by row: class and objectness before the logistic function, the box's center, its
  /// sides, and five landmarks. Points are relative to the cell's corner, in cells; sides are logarithms, in cells.
  const float *_Nullable values;
} FCYuNetGrid;
FCYuNetGrid fcyunet_grid(const FCYuNet *network, size_t level);

/// Returns the bytes of the network's memory.
size_t fcyunet_memory(const FCYuNet *network);

// MARK: People

/// Upper bound of the longer side of an image for the segmentation, in pixels.
#define FCSEGMENTATION_LONGEST_SIDE 256

/// The networks of MediaPipe's selfie segmentation, which make different mistakes.
typedef enum __attribute__((enum_extensibility(closed))) FCSegmentationKind {
  /// The general model, trained on 256 × 256 pixels.
  FCSegmentationSquare,
  /// The landscape model, trained on 256 × 144 pixels, into which images of any shape are squeezed.
  FCSegmentationLandscape,
} FCSegmentationKind;

/// MediaPipe's selfie segmentation (MobileNetV3 with a decoder of three levels). One thread at a time uses it.
typedef struct FCSegmentation FCSegmentation;

/// Creates a network; see `fcyunet_create`.
FCSegmentation *_Nullable fcsegmentation_create(FCSegmentationKind kind, const char *_Nullable instructionSet);
void fcsegmentation_destroy(FCSegmentation *network);

/// Runs the network on an image. Pads sides to multiples of 16 with black, at the right and the bottom.
FCStatus fcsegmentation_run(FCSegmentation *network, FCNetworkImage image);

/// Writes the probability that each pixel of the last image belongs to a person, 0…255, row by row, without padding.
void fcsegmentation_mask(const FCSegmentation *network, uint8_t *mask, uint32_t width, uint32_t height);

/// Returns the bytes of the network's memory.
size_t fcsegmentation_memory(const FCSegmentation *network);

// MARK: Points of a face

/// The sides of the mesh's image in pixels, and its points.
#define FCMESH_SIDE 192
#define FCMESH_POINTS 468

/// A point: x and y in pixels of the image, and the distance behind the middle of the head in the same unit.
typedef struct FCMeshPoint {
  float x, y, z;
} FCMeshPoint;

/// MediaPipe's face mesh (Y. Kartynnik and others, "Real-time Facial Surface Geometry from Monocular Video on Mobile
/// GPUs", 2019). One thread at a time uses it.
typedef struct FCNetwork FCMesh;

/// Creates a network; see `fcyunet_create`.
FCMesh *_Nullable fcmesh_create(const char *_Nullable instructionSet);
void fcmesh_destroy(FCMesh *network);

/// Finds the points of a face in an image of `FCMESH_SIDE` pixels on each side, padded with black if it is smaller. The
/// face is upright, and takes two thirds of the image.
///
/// - points: room for `FCMESH_POINTS`.
/// - score: the probability that the image shows a face, 0…1.
FCStatus fcmesh_run(FCMesh *network, FCNetworkImage image, FCMeshPoint *points, float *score);

/// Returns the bytes of the network's memory.
size_t fcmesh_memory(const FCMesh *network);

FC_END
