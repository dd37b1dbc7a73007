#include "CColorShim.h"
#include "arena.h"

#include <lcms2.h>
#include <stdlib.h>

struct FCColorTransform {
  FCColorArena arena;
  cmsContext context;
  cmsHTRANSFORM handle;
  /// Channels of the input and of the output.
  uint32_t channels, made;
};

/// Suppresses messages, even from plug-ins or unusual builds.
static void say_nothing(cmsContext context, cmsUInt32Number code, const char *text) {
  (void)context;
  (void)code;
  (void)text;
}

/// Makes a gray profile with the white point and the tone curve of sRGB.
static cmsHPROFILE gray_like_srgb(cmsContext context) {
  // The parameters of IEC 61966-2-1 for Little CMS's curve of type 4.
  const cmsFloat64Number parameters[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
  cmsToneCurve *curve = cmsBuildParametricToneCurve(context, 4, parameters);
  cmsHPROFILE profile = curve == NULL ? NULL : cmsCreateGrayProfileTHR(context, cmsD50_xyY(), curve);
  if (curve != NULL) cmsFreeToneCurve(curve);
  return profile;
}

/// The description of a layout in the terms of Little CMS.
typedef struct {
  cmsColorSpaceSignature space;
  cmsUInt32Number from, to;
} Spaces;

static Spaces spaces_of(FCColor layout) {
  switch (layout) {
    case FCColorGray: return (Spaces){cmsSigGrayData, TYPE_GRAY_8, TYPE_GRAY_8};
    case FCColorRGBA: return (Spaces){cmsSigRgbData, TYPE_RGBA_8, TYPE_RGBA_8};
    case FCColorCMYK: return (Spaces){cmsSigCmykData, TYPE_CMYK_8, TYPE_RGB_8};
    default: return (Spaces){cmsSigRgbData, TYPE_RGB_8, TYPE_RGB_8};
  }
}

static cmsHTRANSFORM make(cmsContext context, const uint8_t *bytes, size_t count, FCColor layout) {
  if (count > UINT32_MAX) return NULL;
  const Spaces spaces = spaces_of(layout);
  cmsHTRANSFORM handle = NULL;
  cmsHPROFILE from = cmsOpenProfileFromMemTHR(context, bytes, (cmsUInt32Number)count);
  cmsHPROFILE to = layout == FCColorGray ? gray_like_srgb(context) : cmsCreate_sRGBProfileTHR(context);
  if (from != NULL && to != NULL && cmsGetColorSpace(from) == spaces.space) {
    handle = cmsCreateTransformTHR(
      context, from, spaces.from, to, spaces.to, INTENT_PERCEPTUAL, cmsFLAGS_COPY_ALPHA);
  }
  if (from != NULL) cmsCloseProfile(from);
  if (to != NULL) cmsCloseProfile(to);
  return handle;
}

FCStatus fccolor_transform_create(const uint8_t *profile, size_t count, FCColor layout, size_t memory,
                                  FCColorTransform **transform) {
  *transform = NULL;
  FCColorTransform *made = calloc(1, sizeof *made);
  if (made == NULL) return FCStatusOutOfMemory;
  made->channels = T_CHANNELS(spaces_of(layout).from) + T_EXTRA(spaces_of(layout).from);
  made->made = T_CHANNELS(spaces_of(layout).to) + T_EXTRA(spaces_of(layout).to);
  if (!fccolor_arena_open(&made->arena, memory)) {
    free(made);
    return FCStatusOutOfMemory;
  }
  fccolor_arena_use(&made->arena);
  // A separate context shares no state with other threads.
  made->context = cmsCreateContext(fccolor_arena_plugin(), NULL);
  if (made->context != NULL) {
    cmsSetLogErrorHandlerTHR(made->context, say_nothing);
    // After a jump, everything that was allocated lies in the arena and is freed with it.
    made->arena.isGuarded = true;
    if (setjmp(made->arena.landing) == 0) made->handle = make(made->context, profile, count, layout);
    made->arena.isGuarded = false;
  }
  if (made->handle == NULL) {
    fccolor_transform_destroy(made);
    return FCStatusUnsupported;
  }
  *transform = made;
  return FCStatusOk;
}

void fccolor_transform_destroy(FCColorTransform *transform) {
  fccolor_arena_use(&transform->arena);
  if (transform->handle != NULL) cmsDeleteTransform(transform->handle);
  // Little CMS keeps a list of all contexts, so this one has to leave it.
  if (transform->context != NULL) cmsDeleteContext(transform->context);
  fccolor_arena_close(&transform->arena);
  free(transform);
}

size_t fccolor_transform_used_bytes(const FCColorTransform *transform) { return transform->arena.most; }

void fccolor_transform_apply(FCColorTransform *transform, const uint8_t *from, uint8_t *to, size_t count) {
  fccolor_arena_use(&transform->arena);
  while (count > 0) {
    const size_t now = count < 1 << 20 ? count : 1 << 20;
    cmsDoTransform(transform->handle, from, to, (cmsUInt32Number)now);
    from += now * transform->channels;
    to += now * transform->made;
    count -= now;
  }
}
