/// OpenCV behind a C header: cascades, resizing, warping, padding and drawing.
///
/// The first call that can fail loads OpenCV. Without it, the status is `FCStatusUnsupported`, and the message names
/// the package to install. `FCStatusFailed` comes with the text of an exception.
#pragma once

#include <CBasics.h>

FC_BEGIN

/// An image with 8 bits a channel and rows `stride` bytes apart.
typedef struct FCPicture {
  const uint8_t *pixels;
  int32_t width, height;
  /// 1 for luma, 3 for R, G, B.
  int32_t channels;
  size_t stride;
} FCPicture;

/// A cascade classifier. One thread at a time uses it, since OpenCV's class keeps state while it runs.
typedef struct FCCascade FCCascade;

typedef struct FCCascadeSettings {
  /// The ratio of one scale to the next, above 1.
  double scaleFactor;
  /// The number of overlapping windows that make a face and are merged; 0 returns all windows unmerged.
  int32_t minimumNeighbors;
  /// The sides of the smallest and the largest face, in pixels; 0 for no limit.
  int32_t minimumSide, maximumSide;
} FCCascadeSettings;

typedef struct FCCascadeHit {
  int32_t x, y, side;
} FCCascadeHit;

/// Reads a cascade from the bytes of its XML file. Returns `FCStatusCorrupt` if OpenCV cannot read it.
FCStatus fcvision_cascade_create(
  const char *xml, size_t count, FCCascade *_Nullable *_Nonnull cascade, FCMessage *message);
void fcvision_cascade_destroy(FCCascade *cascade);

/// Finds up to `capacity` windows of a gray image that pass the cascade, in an order that does not depend on threads.
FCStatus fcvision_cascade_detect(
  FCCascade *cascade, FCPicture picture, FCCascadeSettings settings, FCCascadeHit *hits, size_t capacity,
  size_t *count, FCMessage *message);

/// Resizes an image into `pixels`, without gaps: by area average to make it smaller, otherwise linearly. Tests compare
/// the library's own resizing with it.
FCStatus fcvision_resize(
  FCPicture picture, uint8_t *pixels, int32_t width, int32_t height, FCMessage *message);

/// Warps an image: the output's pixel (x, y) is the input's at the inverse of `map` (2 × 3).
///
/// - isFine: true to interpolate by cubic splines (a = −0.75), false for linear interpolation.
/// - border: the four channels of the pixels outside; NULL repeats the edge.
FCStatus fcvision_warp(
  FCPicture picture, const double *map, bool isFine, const double *_Nullable border, uint8_t *pixels, int32_t width,
  int32_t height, FCMessage *message);

/// Finds the point of a gray image that draws the eye, as fractions of its sides; the middle if nothing stands out.
FCStatus fcvision_attention(FCPicture picture, double *x, double *y, FCMessage *message);

typedef enum __attribute__((enum_extensibility(closed))) FCPaddingKind {
  /// The image's edge, repeated.
  FCPaddingKindEdge = 0,
  /// The image, mirrored at its edge and blurred.
  FCPaddingKindBlur,
} FCPaddingKind;

/// The border around an image.
typedef struct FCPadding {
  FCPaddingKind kind;
  /// The position of the image in the larger one.
  int32_t left, top;
} FCPadding;

/// Places an image inside a larger one of `width` × `height` pixels with as many channels, without gaps.
FCStatus fcvision_pad(
  FCPicture picture, FCPadding padding, uint8_t *pixels, int32_t width, int32_t height, FCMessage *message);

/// Upper bound of the points of an outline.
#define FC_MOST_OUTLINE 64

/// A face to draw, in pixels.
typedef struct FCMark {
  float x, y, width, height;
  /// A polygon around the head: x and y of each point; 0 points for none.
  int32_t outlineCount;
  float outline[2 * FC_MOST_OUTLINE];
  bool hasLandmarks;
  float landmarks[10];
  /// The large text above the box, and the small one below it, which a zero byte terminates.
  int32_t number;
  char label[48];
} FCMark;

/// Draws boxes, landmarks and labels into an RGB image without gaps between its rows.
FCStatus fcvision_draw(
  uint8_t *pixels, int32_t width, int32_t height, const FCMark *_Nullable marks, size_t count,
  FCMessage *message);

/// Sets how many threads OpenCV uses in the whole process; 0 turns threads off. It does not load OpenCV; the number
/// applies once another call does.
void fcvision_set_threads(int32_t count);

FC_END
