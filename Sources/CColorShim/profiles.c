/// ICC profiles from the code points of ITU-T H.273, and from the numbers in PNG files.
#include "CColorShim.h"

#include <lcms2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { unspecified = 2, bt709 = 1, srgbTransfer = 13 };

/// Looks up the primaries and the white point of a display (table 2).
static bool chromaticities(uint16_t code, cmsCIExyYTRIPLE *primaries, cmsCIExyY *white) {
  const cmsCIExyY d65 = {0.3127, 0.3290, 1}, dci = {0.314, 0.351, 1}, c = {0.310, 0.316, 1};
  *white = d65;
  switch (code) {
    case bt709:
    case unspecified:
      *primaries = (cmsCIExyYTRIPLE){{0.640, 0.330, 1}, {0.300, 0.600, 1}, {0.150, 0.060, 1}};
      return true;
    case 4:
      *primaries = (cmsCIExyYTRIPLE){{0.67, 0.33, 1}, {0.21, 0.71, 1}, {0.14, 0.08, 1}};
      *white = c;
      return true;
    case 5: *primaries = (cmsCIExyYTRIPLE){{0.64, 0.33, 1}, {0.29, 0.60, 1}, {0.15, 0.06, 1}}; return true;
    case 6:
    case 7: *primaries = (cmsCIExyYTRIPLE){{0.630, 0.340, 1}, {0.310, 0.595, 1}, {0.155, 0.070, 1}}; return true;
    case 9: *primaries = (cmsCIExyYTRIPLE){{0.708, 0.292, 1}, {0.170, 0.797, 1}, {0.131, 0.046, 1}}; return true;
    case 11:
    case 12:
      *primaries = (cmsCIExyYTRIPLE){{0.680, 0.320, 1}, {0.265, 0.690, 1}, {0.150, 0.060, 1}};
      if (code == 11) *white = dci;
      return true;
    default: return false;
  }
}

/// Maps light in multiples of diffuse white to 0…1: linear up to a half, then compressed.
static double rolled_off(double light) { return light <= 0.5 ? light : 0.5 + 0.5 * (1 - exp(1 - 2 * light)); }

/// Decodes PQ (SMPTE ST 2084) to multiples of 203 cd/m² (ITU-R BT.2408).
static double light_of_pq(double signal) {
  const double m1 = 2610.0 / 16384, m2 = 2523.0 / 32, c1 = 3424.0 / 4096, c2 = 2413.0 / 128, c3 = 2392.0 / 128;
  const double power = pow(signal, 1 / m2);
  return pow(fmax(power - c1, 0) / (c2 - c3 * power), 1 / m1) * 10000 / 203;
}

/// Decodes HLG (ARIB STD-B67) for a display of 1000 cd/m² with a system gamma of 1.2 (ITU-R BT.2100).
static double light_of_hlg(double signal) {
  const double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * log(4 * a);
  const double scene = signal <= 0.5 ? signal * signal / 3 : (exp((signal - c) / a) + b) / 12;
  return pow(scene, 1.2) * 1000 / 203;
}

static cmsToneCurve *rolled_off_curve(cmsContext context, double (*light)(double signal)) {
  cmsFloat32Number table[4096];
  for (int i = 0; i < 4096; i++) table[i] = (cmsFloat32Number)rolled_off(light(i / 4095.0));
  return cmsBuildTabulatedToneCurveFloat(context, 4096, table);
}

/// Builds the transfer curve of a code point (table 3), or returns NULL for an unknown one.
static cmsToneCurve *transfer_curve(cmsContext context, uint16_t code) {
  // The parameters are those of Little CMS's curve of type 4.
  const cmsFloat64Number camera[] = {1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081};
  const cmsFloat64Number srgb[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
  switch (code) {
    case bt709:
    case 6:
    case 14:
    case 15: return cmsBuildParametricToneCurve(context, 4, camera);
    case unspecified:
    case srgbTransfer: return cmsBuildParametricToneCurve(context, 4, srgb);
    case 4: return cmsBuildGamma(context, 2.2);
    case 5: return cmsBuildGamma(context, 2.8);
    case 8: return cmsBuildGamma(context, 1);
    case 16: return rolled_off_curve(context, light_of_pq);
    case 18: return rolled_off_curve(context, light_of_hlg);
    default: return NULL;
  }
}

static FCStatus save(cmsHPROFILE profile, FCBytes *saved) {
  cmsUInt32Number size = 0;
  if (!cmsSaveProfileToMem(profile, NULL, &size)) return FCStatusOutOfMemory;
  uint8_t *memory = malloc(size);
  if (memory == NULL || !cmsSaveProfileToMem(profile, memory, &size)) {
    free(memory);
    return FCStatusOutOfMemory;
  }
  // Little CMS stores the current date, which would make the output of each run differ.
  const uint8_t date[12] = {2000 >> 8, 2000 & 0xFF, 0, 1, 0, 1};
  memcpy(memory + 24, date, sizeof date);
  *saved = (FCBytes){memory, size};
  return FCStatusOk;
}

/// Builds and saves a profile, and frees `curve`.
///
/// - curve: NULL if it could not be built.
static FCStatus make_profile(cmsContext context, const cmsCIExyY *white, const cmsCIExyYTRIPLE *primaries,
                             cmsToneCurve *curve, FCBytes *saved) {
  if (curve == NULL) return FCStatusUnsupported;
  cmsToneCurve *curves[] = {curve, curve, curve};
  cmsHPROFILE profile = cmsCreateRGBProfileTHR(context, white, primaries, curves);
  const FCStatus status = profile == NULL ? FCStatusUnsupported : save(profile, saved);
  if (profile != NULL) cmsCloseProfile(profile);
  cmsFreeToneCurve(curve);
  return status;
}

FCStatus fccolor_profile_from_nclx(uint16_t primaries, uint16_t transfer, FCBytes *profile) {
  *profile = (FCBytes){NULL, 0};
  const bool hasOwnPrimaries = primaries != bt709 && primaries != unspecified;
  const bool hasOwnTransfer = transfer != srgbTransfer && transfer != unspecified;
  cmsCIExyYTRIPLE colors;
  cmsCIExyY white;
  if (!(hasOwnPrimaries || hasOwnTransfer)) return FCStatusOk;
  if (!chromaticities(primaries, &colors, &white)) return FCStatusUnsupported;
  cmsContext context = cmsCreateContext(NULL, NULL);
  if (context == NULL) return FCStatusOutOfMemory;
  const FCStatus status = make_profile(context, &white, &colors, transfer_curve(context, transfer), profile);
  cmsDeleteContext(context);
  return status;
}

FCStatus fccolor_profile_from_gamma(double gamma, const FCColorPrimaries *primaries, FCBytes *profile) {
  *profile = (FCBytes){NULL, 0};
  cmsCIExyYTRIPLE colors;
  cmsCIExyY white;
  chromaticities(bt709, &colors, &white);
  if (primaries != NULL) {
    const double *xy = primaries->xy;
    white = (cmsCIExyY){xy[0], xy[1], 1};
    colors = (cmsCIExyYTRIPLE){{xy[2], xy[3], 1}, {xy[4], xy[5], 1}, {xy[6], xy[7], 1}};
    // Little CMS divides by these.
    for (int i = 1; i < 8; i += 2) {
      if (!(xy[i] > 1e-4 && xy[i] <= 1)) return FCStatusUnsupported;
    }
  }
  if (gamma != 0 && !(gamma >= 0.05 && gamma <= 20)) return FCStatusUnsupported;
  cmsContext context = cmsCreateContext(NULL, NULL);
  if (context == NULL) return FCStatusOutOfMemory;
  cmsToneCurve *curve = gamma == 0 ? transfer_curve(context, srgbTransfer) : cmsBuildGamma(context, gamma);
  const FCStatus status = make_profile(context, &white, &colors, curve, profile);
  cmsDeleteContext(context);
  return status;
}

void fccolor_profile_free(FCBytes profile) { free((void *)(uintptr_t)profile.bytes); }
