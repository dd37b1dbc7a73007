/// OpenCV behind a C header: cascades and the shrinking of gray pictures.
///
/// Functions that can fail return an `FCVisionStatus` and write a text into `message`. Every C++ exception ends here.
#ifndef COPENCVSHIM_H
#define COPENCVSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum __attribute__((enum_extensibility(closed))) FCVisionStatus {
  FCVisionStatusOk = 0,
  /// The data is no cascade that OpenCV can read.
  FCVisionStatusCannotLoad,
  FCVisionStatusOutOfMemory,
  /// OpenCV threw; `message` says what.
  FCVisionStatusFailed,
} FCVisionStatus;

/// A text of the caller's, always ended by a zero byte.
typedef struct FCVisionMessage {
  char text[256];
} FCVisionMessage;

/// 8-bit luma, rows `stride` bytes apart.
typedef struct FCGrayPicture {
  const uint8_t *pixels;
  int32_t width, height;
  size_t stride;
} FCGrayPicture;

/// A cascade classifier. Used by one thread at a time: OpenCV's class keeps state while it runs.
typedef struct FCCascade FCCascade;

typedef struct FCCascadeSettings {
  /// Ratio of one scale to the next, above 1.
  double scaleFactor;
  /// Overlapping hits that make a face.
  int32_t minimumNeighbors;
  /// Side in pixels of the smallest face looked for.
  int32_t minimumSide;
} FCCascadeSettings;

typedef struct FCCascadeHit {
  int32_t x, y, width, height;
  /// The last stage's sum, the greatest of the hits that were merged; larger is surer.
  double weight;
} FCCascadeHit;

/// Reads a cascade from the bytes of its XML file.
FCVisionStatus fcvision_cascade_create(
  const char *xml, size_t count, FCCascade *_Nullable *_Nonnull cascade, FCVisionMessage *message);
void fcvision_cascade_destroy(FCCascade *cascade);

/// Finds up to `capacity` faces. The order is by weight, size and place, so that it never depends on threads.
FCVisionStatus fcvision_cascade_detect(
  FCCascade *cascade, FCGrayPicture picture, FCCascadeSettings settings, FCCascadeHit *hits, size_t capacity,
  size_t *count, FCVisionMessage *message);

/// Shrinks by area average into `pixels`, `width` × `height` bytes without gaps.
FCVisionStatus fcvision_shrink(
  FCGrayPicture picture, uint8_t *pixels, int32_t width, int32_t height, FCVisionMessage *message);

/// Sets how many threads OpenCV uses in the whole process; 0 turns its threads off.
void fcvision_set_threads(int32_t count);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
