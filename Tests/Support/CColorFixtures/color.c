#include "CColorFixtures.h"

#include <lcms2.h>
#include <stdlib.h>

static cmsHPROFILE gray_like_srgb(void) {
  const cmsFloat64Number parameters[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
  cmsToneCurve *curve = cmsBuildParametricToneCurve(NULL, 4, parameters);
  cmsHPROFILE profile = cmsCreateGrayProfile(cmsD50_xyY(), curve);
  cmsFreeToneCurve(curve);
  return profile;
}

int fc_reference_convert(
  const uint8_t *profile, size_t length, int channels, int exact, const uint8_t *from, uint8_t *to, size_t pixels) {
  cmsHPROFILE source = cmsOpenProfileFromMem(profile, (cmsUInt32Number)length);
  if (source == NULL) return 0;
  cmsHPROFILE target = channels == 1 ? gray_like_srgb() : cmsCreate_sRGBProfile();
  cmsHTRANSFORM transform = cmsCreateTransform(source, channels == 1 ? TYPE_GRAY_8 : TYPE_RGB_8, target,
    channels == 1 ? TYPE_GRAY_16 : TYPE_RGB_16, INTENT_PERCEPTUAL, exact ? cmsFLAGS_NOOPTIMIZE : 0);
  cmsCloseProfile(source);
  cmsCloseProfile(target);
  if (transform == NULL) return 0;
  const size_t samples = pixels * (size_t)channels;
  uint16_t *levels = malloc(samples * sizeof *levels);
  if (levels != NULL) {
    cmsDoTransform(transform, from, levels, (cmsUInt32Number)pixels);
    for (size_t i = 0; i < samples; i++) to[i] = (uint8_t)((levels[i] + 128) / 257);
  }
  free(levels);
  cmsDeleteTransform(transform);
  return levels != NULL;
}

int fc_reference_color_version(void) { return LCMS_VERSION; }
