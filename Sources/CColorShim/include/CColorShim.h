/// Little CMS behind one seam: from a picture's color profile to sRGB, and profiles from code points or numbers.
///
/// A transform is made once and used by one thread at a time. Nothing is written to standard error.
#ifndef CCOLORSHIM_H
#define CCOLORSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum __attribute__((enum_extensibility(closed))) FCColorStatus {
  FCColorStatusOk = 0,
  /// Not a profile, not one for such pixels, or one that leads nowhere.
  FCColorStatusUnusable,
  FCColorStatusOutOfMemory,
} FCColorStatus;

/// Pixels of 8 bits a channel, before the transform; behind it they are the same, except that inks become RGB.
typedef enum __attribute__((enum_extensibility(closed))) FCColorLayout {
  FCColorLayoutGray = 0,
  FCColorLayoutRGB,
  /// Not premultiplied; alpha stays as it is.
  FCColorLayoutRGBA,
  /// 0 for no ink.
  FCColorLayoutCMYK,
} FCColorLayout;

typedef struct FCColorTransform FCColorTransform;

/// Makes a transform from the ICC profile's colors to sRGB (IEC 61966-2-1), perceptually; gray stays gray.
///
/// All that Little CMS takes is in `memory` bytes, which are taken first; what needs more is unusable. How long it takes is the
/// profile's to say: it is to be looked into before.
FCColorStatus fccolor_transform_create(const uint8_t *profile, size_t count, FCColorLayout layout, size_t memory,
                                       FCColorTransform *_Nullable *_Nonnull transform);
void fccolor_transform_destroy(FCColorTransform *transform);

/// The most of the memory that was taken.
size_t fccolor_transform_used_bytes(const FCColorTransform *transform);

/// Converts `count` pixels; in place, where they stay as large as they are.
void fccolor_transform_apply(FCColorTransform *transform, const uint8_t *from, uint8_t *to, size_t count);

/// Makes an ICC profile from a video's code points (ITU-T H.273, tables 2 and 3); `*bytes` are freed with
/// `fccolor_profile_free`. There are none for sRGB. Unusable for primaries or a transfer that are not known.
///
/// PQ and HLG, which code more light than a profile's white, are rolled off above half of diffuse white.
FCColorStatus fccolor_profile_from_nclx(
  uint16_t primaries, uint16_t transfer, uint8_t *_Nullable *_Nonnull bytes, size_t *count);

/// CIE x and y of white, red, green and blue.
typedef struct FCColorPrimaries {
  double xy[8];
} FCColorPrimaries;

/// The same from a display's exponent, 0.05…20 or 0 for sRGB's curve, and its primaries, if any, else those of sRGB. Unusable
/// for numbers that are no colors.
FCColorStatus fccolor_profile_from_gamma(
  double gamma, const FCColorPrimaries *_Nullable primaries, bool isGray, uint8_t *_Nullable *_Nonnull bytes,
  size_t *count);
void fccolor_profile_free(uint8_t *_Nullable bytes);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
