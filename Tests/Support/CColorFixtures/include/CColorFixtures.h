/// Little CMS's own way from a profile to sRGB: what the product's conversions are compared with.
#ifndef CCOLORFIXTURES_H
#define CCOLORFIXTURES_H

#include <stddef.h>
#include <stdint.h>

/// Converts gray (1 channel, to gray with sRGB's curve) or RGB (3), perceptually. `exact` goes through every step for each pixel,
/// instead of the tables that Little CMS makes of them. 1, or 0 for a profile that leads nowhere.
int fc_reference_convert(const uint8_t *profile, size_t length, int channels, int exact, const uint8_t *from, uint8_t *to,
                         size_t pixels);

/// The version in Little CMS's header.
int fc_reference_color_version(void);

#endif
