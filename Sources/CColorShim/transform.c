#include "CColorShim.h"

#include <lcms2.h>
#include <stdlib.h>

struct FCColorTransform {
  cmsContext context;
  cmsHTRANSFORM handle;
  /// Before and behind it.
  uint32_t channels, made;
};

/// Little CMS says nothing by itself; this keeps it so, whatever plug-ins or builds do.
static void say_nothing(cmsContext context, cmsUInt32Number code, const char *text) {
  (void)context;
  (void)code;
  (void)text;
}

/// Gray in sRGB: its white, and its tone curve.
static cmsHPROFILE gray_like_srgb(cmsContext context) {
  // The parameters of IEC 61966-2-1 for Little CMS's curve of type 4.
  const cmsFloat64Number parameters[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
  cmsToneCurve *curve = cmsBuildParametricToneCurve(context, 4, parameters);
  cmsHPROFILE profile = curve == NULL ? NULL : cmsCreateGrayProfileTHR(context, cmsD50_xyY(), curve);
  if (curve != NULL) cmsFreeToneCurve(curve);
  return profile;
}

/// What Little CMS has to know of a layout.
typedef struct {
  cmsColorSpaceSignature space;
  cmsUInt32Number from, to;
} Spaces;

static Spaces spaces_of(FCColorLayout layout) {
  switch (layout) {
    case FCColorLayoutGray: return (Spaces){cmsSigGrayData, TYPE_GRAY_8, TYPE_GRAY_8};
    case FCColorLayoutRGBA: return (Spaces){cmsSigRgbData, TYPE_RGBA_8, TYPE_RGBA_8};
    case FCColorLayoutCMYK: return (Spaces){cmsSigCmykData, TYPE_CMYK_8, TYPE_RGB_8};
    default: return (Spaces){cmsSigRgbData, TYPE_RGB_8, TYPE_RGB_8};
  }
}

static cmsHTRANSFORM make(cmsContext context, const uint8_t *bytes, size_t count, FCColorLayout layout) {
  if (count > UINT32_MAX) return NULL;
  const Spaces spaces = spaces_of(layout);
  cmsHTRANSFORM handle = NULL;
  cmsHPROFILE from = cmsOpenProfileFromMemTHR(context, bytes, (cmsUInt32Number)count);
  cmsHPROFILE to = layout == FCColorLayoutGray ? gray_like_srgb(context) : cmsCreate_sRGBProfileTHR(context);
  if (from != NULL && to != NULL && cmsGetColorSpace(from) == spaces.space) {
    handle = cmsCreateTransformTHR(
      context, from, spaces.from, to, spaces.to, INTENT_PERCEPTUAL, cmsFLAGS_COPY_ALPHA);
  }
  if (from != NULL) cmsCloseProfile(from);
  if (to != NULL) cmsCloseProfile(to);
  return handle;
}

FCColorStatus fccolor_transform_create(const uint8_t *profile, size_t count, FCColorLayout layout,
                                       FCColorTransform **transform) {
  *transform = NULL;
  FCColorTransform *made = calloc(1, sizeof *made);
  if (made == NULL) return FCColorStatusOutOfMemory;
  made->channels = T_CHANNELS(spaces_of(layout).from) + T_EXTRA(spaces_of(layout).from);
  made->made = T_CHANNELS(spaces_of(layout).to) + T_EXTRA(spaces_of(layout).to);
  // A context of its own: Little CMS keeps no state that threads would share.
  made->context = cmsCreateContext(NULL, NULL);
  if (made->context == NULL) {
    free(made);
    return FCColorStatusOutOfMemory;
  }
  cmsSetLogErrorHandlerTHR(made->context, say_nothing);
  made->handle = make(made->context, profile, count, layout);
  if (made->handle == NULL) {
    fccolor_transform_destroy(made);
    return FCColorStatusUnusable;
  }
  *transform = made;
  return FCColorStatusOk;
}

void fccolor_transform_destroy(FCColorTransform *transform) {
  if (transform->handle != NULL) cmsDeleteTransform(transform->handle);
  cmsDeleteContext(transform->context);
  free(transform);
}

bool fccolor_transform_is_identity(const FCColorTransform *transform) {
  if (transform->made != transform->channels) return false;
  // A lattice of colors, in which spaces differ most, and all grays.
  for (uint32_t step = 0; step < 9 * 9 * 9 + 256; step++) {
    uint8_t color[4], converted[4];
    for (uint32_t c = 0, rest = step; c < 4; c++, rest /= 9) {
      color[c] = converted[c] = (uint8_t)(step < 729 ? rest % 9 * 255 / 8 : step - 729);
    }
    cmsDoTransform(transform->handle, color, converted, 1);
    for (uint32_t c = 0; c < transform->channels; c++) {
      if (abs((int)color[c] - (int)converted[c]) > 1) return false;
    }
  }
  return true;
}

void fccolor_transform_apply(const FCColorTransform *transform, const uint8_t *from, uint8_t *to, size_t count) {
  while (count > 0) {
    const size_t now = count < 1 << 20 ? count : 1 << 20;
    cmsDoTransform(transform->handle, from, to, (cmsUInt32Number)now);
    from += now * transform->channels;
    to += now * transform->made;
    count -= now;
  }
}
