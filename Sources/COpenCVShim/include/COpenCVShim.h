/// OpenCV behind a C header: cascades, and the resizing of and drawing on pictures.
///
/// Functions that can fail return an `FCVisionStatus` and write a text into `message`. Every C++ exception ends here. The first
/// call of one of them loads OpenCV.
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
  /// OpenCV cannot be loaded; `message` says what to install.
  FCVisionStatusNoLibrary,
} FCVisionStatus;

/// A text of the caller's, always ended by a zero byte.
typedef struct FCVisionMessage {
  char text[256];
} FCVisionMessage;

/// 8-bit pixels, rows `stride` bytes apart.
typedef struct FCPicture {
  const uint8_t *pixels;
  int32_t width, height;
  /// 1: luma; 3: R, G, B.
  int32_t channels;
  size_t stride;
} FCPicture;

/// A cascade classifier. Used by one thread at a time: OpenCV's class keeps state while it runs.
typedef struct FCCascade FCCascade;

typedef struct FCCascadeSettings {
  /// Ratio of one scale to the next, above 1.
  double scaleFactor;
  /// Overlapping windows that make a face, which are then merged; 0 leaves all windows as they are.
  int32_t minimumNeighbors;
  /// Sides in pixels of the smallest and the largest face looked for; 0 for no limit.
  int32_t minimumSide, maximumSide;
} FCCascadeSettings;

typedef struct FCCascadeHit {
  int32_t x, y, side;
} FCCascadeHit;

/// Reads a cascade from the bytes of its XML file.
FCVisionStatus fcvision_cascade_create(
  const char *xml, size_t count, FCCascade *_Nullable *_Nonnull cascade, FCVisionMessage *message);
void fcvision_cascade_destroy(FCCascade *cascade);

/// Finds up to `capacity` windows of a gray picture that pass the cascade. The order is by size and place, so that it never
/// depends on threads.
FCVisionStatus fcvision_cascade_detect(
  FCCascade *cascade, FCPicture picture, FCCascadeSettings settings, FCCascadeHit *hits, size_t capacity,
  size_t *count, FCVisionMessage *message);

/// Resizes, by area average where that is smaller, else linearly, into `pixels`, `width` × `height` pixels of as many channels,
/// without gaps: what the library's own resizing is held against.
FCVisionStatus fcvision_resize(
  FCPicture picture, uint8_t *pixels, int32_t width, int32_t height, FCVisionMessage *message);

/// Turns, moves and scales a picture: the output's pixel (x, y) is the input's at the inverse of `map` (two rows of three),
/// between pixels interpolated linearly or, if it `isFine`, by cubic splines (a = −0.75); outside the picture its edge.
FCVisionStatus fcvision_warp(
  FCPicture picture, const double *map, bool isFine, uint8_t *pixels, int32_t width, int32_t height,
  FCVisionMessage *message);

/// Where a gray picture draws the eye, in fractions of it; its middle if nothing stands out.
FCVisionStatus fcvision_attention(FCPicture picture, double *x, double *y, FCVisionMessage *message);

typedef enum __attribute__((enum_extensibility(closed))) FCPaddingKind {
  /// The picture's edge, repeated.
  FCPaddingKindEdge = 0,
  /// The picture, mirrored at its edge and blurred.
  FCPaddingKindBlur,
} FCPaddingKind;

/// What is around a picture in a larger one.
typedef struct FCPadding {
  FCPaddingKind kind;
  /// Where the picture begins.
  int32_t left, top;
} FCPadding;

/// Puts a picture into the midst of a larger one of as many channels, `width` × `height` pixels without gaps.
FCVisionStatus fcvision_pad(
  FCPicture picture, FCPadding padding, uint8_t *pixels, int32_t width, int32_t height, FCVisionMessage *message);

/// Points of an outline at most.
#define FC_MOST_OUTLINE 64

/// A face to be drawn, in pixels.
typedef struct FCMark {
  float x, y, width, height;
  /// A polygon around the head: x and y of each point; no points for none.
  int32_t outlineCount;
  float outline[2 * FC_MOST_OUTLINE];
  bool hasLandmarks;
  float landmarks[10];
  /// Ended by a zero byte.
  char label[48];
} FCMark;

/// Draws boxes, landmarks and labels into an RGB picture without gaps between its rows.
FCVisionStatus fcvision_draw(
  uint8_t *pixels, int32_t width, int32_t height, const FCMark *_Nullable marks, size_t count,
  FCVisionMessage *message);

/// Sets how many threads OpenCV uses in the whole process; 0 turns its threads off. Does not load it: it is told when it comes.
void fcvision_set_threads(int32_t count);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
