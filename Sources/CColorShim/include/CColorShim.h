/// Little CMS behind one seam: converts an image's colors to sRGB, and makes profiles from code points or numbers.
#pragma once

#include <CBasics.h>

FC_BEGIN

typedef struct FCColorTransform FCColorTransform;

/// Creates a transform from the ICC profile's colors to sRGB (IEC 61966-2-1) with perceptual intent.
///
/// `layout` is that of the pixels before the transform. Only CMYK changes its layout, to RGB. Alpha stays unchanged.
/// Little CMS gets at most `memory` bytes, which are reserved first. The time depends on the profile, so check the
/// profile before this call. Returns `FCStatusUnsupported` if the data are not a profile, do not fit the pixels, cannot
/// be converted, or need more memory.
FCStatus fccolor_transform_create(const uint8_t *profile, size_t count, FCColor layout, size_t memory,
                                  FCColorTransform *_Nullable *_Nonnull transform);
void fccolor_transform_destroy(FCColorTransform *transform);

/// Returns the largest number of bytes that the transform used so far.
size_t fccolor_transform_used_bytes(const FCColorTransform *transform);

/// Converts `count` pixels. `to` may equal `from` if the pixel size stays the same.
void fccolor_transform_apply(FCColorTransform *transform, const uint8_t *from, uint8_t *to, size_t count);

/// Makes an ICC profile from a video's code points (ITU-T H.273, tables 2 and 3). Free it with `fccolor_profile_free`.
/// sRGB needs none, which is empty. Returns `FCStatusUnsupported` for unknown codes.
///
/// PQ and HLG code more light than a profile's white, so they are rolled off above half of diffuse white.
FCStatus fccolor_profile_from_nclx(uint16_t primaries, uint16_t transfer, FCBytes *profile);

/// CIE x and y of white, red, green and blue.
typedef struct FCColorPrimaries {
  double xy[8];
} FCColorPrimaries;

/// Makes an ICC profile of an RGB display. Returns `FCStatusUnsupported` for invalid numbers.
///
/// - gamma: 0.05…20, or 0 for the curve of sRGB.
/// - primaries: NULL for those of sRGB.
FCStatus fccolor_profile_from_gamma(double gamma, const FCColorPrimaries *_Nullable primaries, FCBytes *profile);
void fccolor_profile_free(FCBytes profile);

FC_END
