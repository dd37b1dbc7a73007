/// Little CMS's own conversion from a profile to sRGB, the reference for the product's conversions.
#ifndef CCOLORFIXTURES_H
#define CCOLORFIXTURES_H

#include <stddef.h>
#include <stdint.h>

/// Converts gray (1 channel, to gray with sRGB's curve) or RGB (3), perceptually. `exact` applies every step to each
/// pixel instead of Little CMS's tables. Returns 1, or 0 for an unusable profile.
int fc_reference_convert(
  const uint8_t *profile, size_t length, int channels, int exact, const uint8_t *from, uint8_t *to, size_t pixels);

/// Returns the version in Little CMS's header.
int fc_reference_color_version(void);

#endif
