#include "CMatting.h"

#include <stdlib.h>

#include "planes.h"

/// All radii are fractions of the longer side.
static const float guideRadius = 0.0125f, nearRadius = 0.025f, farRadius = 0.0625f, farthestRadius = 0.19f;
/// The radii of both rounds of the colors' blur: 90 and 6 pixels of images of about 800.
static const float colorRadius = 0.11f, fineColorRadius = 0.0078f;
/// The share of a color's variance that is noise.
static const float regularization = 2e-3f;
/// The probabilities below and above which a pixel is background and person.
static const float background = 0.2f, person = 0.8f;
/// The variance of a color by noise and by small differences that a mean does not show.
static const float noise = 3e-3f;
/// The variance of the guided filter's opacity: of a sure pixel, and of the most unsure one.
static const float sureVariance = 4e-3f, unsureVariance = 0.1f;
/// The weight of the colors at the next larger radius.
static const float fading = 0.05f;

struct FCMatting {
  uint32_t width, height;
  /// The coefficients of R, G, B, and the constant, for the opacity.
  FCFour *opacity;
  /// The blurred colors of person and background.
  FCFour *persons, *backgrounds;
};

/// The planes while coefficients are found.
typedef struct Work {
  size_t width, height, count;
  /// The image with the mask, later with the opacity.
  FCFour *image;
  FCFour *a, *b, *c, *d;
  FCFour *rows, *sums;
} Work;

static size_t radius_of(const Work *work, float part) {
  const size_t longer = work->width > work->height ? work->width : work->height;
  const size_t radius = (size_t)(part * (float)longer + 0.5f);
  return radius > 0 ? radius : 1;
}

static void box(const Work *work, FCFour *plane, float part) {
  fc_box(plane, work->width, work->height, radius_of(work, part), work->rows, work->sums);
}

/// Returns the linear function of the color with the least error, from a window's means, variances and covariances.
static FCFour fitted(FCFour mean, FCFour crossed, FCFour squares, FCFour products) {
  const float p = mean[3];
  // The mask is the same all over the window.
  if (p < 1e-4f || p > 1 - 1e-4f) return fc_four(0, 0, 0, p < 0.5f ? 0 : 1);
  const float rr = squares[0] - mean[0] * mean[0] + regularization;
  const float gg = squares[1] - mean[1] * mean[1] + regularization;
  const float bb = squares[2] - mean[2] * mean[2] + regularization;
  const float rg = products[0] - mean[0] * mean[1], rb = products[1] - mean[0] * mean[2];
  const float gb = products[2] - mean[1] * mean[2];
  const float r = crossed[0] - mean[0] * p, g = crossed[1] - mean[1] * p, b = crossed[2] - mean[2] * p;
  const float c0 = gg * bb - gb * gb, c1 = rb * gb - rg * bb, c2 = rg * gb - rb * gg;
  const float determinant = rr * c0 + rg * c1 + rb * c2;
  const float scale = 1 / fc_most(determinant, 1e-12f);
  const float x = (c0 * r + c1 * g + c2 * b) * scale;
  const float y = (c1 * r + (rr * bb - rb * rb) * g + (rg * rb - rr * gb) * b) * scale;
  const float z = (c2 * r + (rg * rb - rr * gb) * g + (rr * gg - rg * rg) * b) * scale;
  return fc_four(x, y, z, p - x * mean[0] - y * mean[1] - z * mean[2]);
}

/// Finds the guided filter's coefficients, and puts them into `a` and the filtered mask into the image.
static void guide(Work *work) {
  for (size_t i = 0; i < work->count; i++) {
    const FCFour pixel = work->image[i];
    work->a[i] = pixel;
    work->b[i] = pixel * fc_all(pixel[3]);
    work->c[i] = pixel * pixel;
    work->d[i] = fc_four(pixel[0] * pixel[1], pixel[0] * pixel[2], pixel[1] * pixel[2], 0);
  }
  box(work, work->a, guideRadius);
  box(work, work->b, guideRadius);
  box(work, work->c, guideRadius);
  box(work, work->d, guideRadius);
  for (size_t i = 0; i < work->count; i++) work->a[i] = fitted(work->a[i], work->b[i], work->c[i], work->d[i]);
  box(work, work->a, guideRadius);
  for (size_t i = 0; i < work->count; i++) {
    work->image[i][3] = fc_clamped(fc_dot(work->a[i], work->image[i]) + work->a[i][3]);
  }
}

/// Puts the local color of the pixels with a weight into `colors`, which had color times weight, and weight. Pixels far
/// from all of them get the colors of larger squares. `larger` is overwritten.
static void spread(Work *work, FCFour *colors, FCFour *larger) {
  box(work, colors, nearRadius);
  memcpy(larger, colors, work->count * sizeof *larger);
  const float radii[] = {farRadius, farthestRadius};
  float share = fading;
  for (size_t step = 0; step < 2; step++, share *= fading) {
    box(work, larger, radii[step]);
    for (size_t i = 0; i < work->count; i++) colors[i] += larger[i] * fc_all(share);
  }
  for (size_t i = 0; i < work->count; i++) colors[i] = colors[i] * fc_all(1 / fc_most(colors[i][3], 1e-9f));
}

/// The weight of a pixel as a known one of the person, by its opacity; of the background by 1 minus it.
static float known(float opacity) {
  const float part = fc_most(opacity - 0.85f, 0) / 0.15f;
  return part * part;
}

/// Adds the second estimate to the coefficients in `a`.
static void combine(Work *work) {
  FCFour *persons = work->b, *backgrounds = work->c, *other = work->d;
  for (size_t i = 0; i < work->count; i++) {
    FCFour pixel = work->image[i];
    const float opacity = pixel[3];
    pixel[3] = 1;
    persons[i] = pixel * fc_all(known(opacity));
    backgrounds[i] = pixel * fc_all(known(1 - opacity));
  }
  spread(work, persons, other);
  spread(work, backgrounds, other);
  // The variance of the known colors about these means, and the weights.
  for (size_t i = 0; i < work->count; i++) {
    const FCFour pixel = work->image[i], p = pixel - persons[i], b = pixel - backgrounds[i];
    const float isPerson = known(pixel[3]), isBackground = known(1 - pixel[3]);
    other[i] = fc_four(fc_dot(p, p) * isPerson, isPerson, fc_dot(b, b) * isBackground, isBackground);
  }
  box(work, other, farRadius);
  for (size_t i = 0; i < work->count; i++) {
    const FCFour sums = other[i];
    // Where no pixel nearby is known, nothing is.
    persons[i][3] = sums[1] > 1e-3f ? sums[0] / sums[1] : 1;
    backgrounds[i][3] = sums[3] > 1e-3f ? sums[2] / sums[3] : 1;
    const float q = work->image[i][3];
    other[i] = fc_four(q, q > 0.05f && q < 0.95f ? 1 : 0, 0, 0);
  }
  box(work, other, guideRadius);
  for (size_t i = 0; i < work->count; i++) {
    const FCFour pixel = work->image[i], guided = work->a[i];
    const float q = other[i][0], part = fc_least(other[i][1] / 0.3f, 1), band = part * part * (3 - 2 * part);
    if (band == 0) continue;
    const FCFour from = backgrounds[i], to = persons[i] - from;
    const float square = fc_most(fc_dot(to, to), 1e-6f);
    const float place = fc_clamped(fc_dot(to, pixel - from) / square);
    const FCFour rest = pixel - from - to * fc_all(place);
    // Background and person of many colors, and colors of neither, tell little.
    const float variance = noise + backgrounds[i][3] + 0.3f * persons[i][3] + fc_dot(rest, rest);
    const float precision = square / variance, guess = 1 / (sureVariance + unsureVariance * 4 * q * (1 - q));
    const float all = precision + guess;
    FCFour line = to * fc_all(1 / (variance * all));
    line[3] = -fc_dot(to, from) / (variance * all);
    const FCFour mean = line + guided * fc_all(guess / all);
    work->a[i] = guided + (mean - guided) * fc_all(band);
  }
}

/// Returns the opacity with more contrast, so that nearly opaque and nearly transparent pixels are it entirely.
static float contrasted(float opacity) {
  const float t = fc_clamped((opacity - 0.04f) / 0.92f);
  return 0.5f * (t + t * t * (3 - 2 * t));
}

static FCFour color_of(FCFour sum) { return sum * fc_all(1 / (sum[3] + 1e-5f)); }

/// Returns the person's color in a pixel from blurred colors of both, within the range of colors.
static FCFour person_color(FCFour pixel, float opacity, FCFour person, FCFour behind) {
  FCFour color = person + (pixel - person * fc_all(opacity) - behind * fc_all(1 - opacity)) * fc_all(opacity);
  for (int i = 0; i < 3; i++) color[i] = fc_clamped(color[i]);
  return color;
}

/// Finds the blurred colors of person and background, in `b` and `c`.
static void find_colors(Work *work) {
  FCFour *persons = work->b, *backgrounds = work->c;
  for (size_t i = 0; i < work->count; i++) {
    FCFour pixel = work->image[i];
    const float opacity = contrasted(fc_dot(work->a[i], pixel) + work->a[i][3]);
    work->image[i][3] = opacity;
    pixel[3] = 1;
    persons[i] = pixel * fc_all(opacity);
    backgrounds[i] = pixel * fc_all(1 - opacity);
  }
  box(work, persons, colorRadius);
  box(work, backgrounds, colorRadius);
  for (size_t i = 0; i < work->count; i++) {
    const FCFour pixel = work->image[i];
    const float opacity = pixel[3];
    FCFour behind = color_of(backgrounds[i]), color = person_color(pixel, opacity, color_of(persons[i]), behind);
    // Within each of both, the fine colors count, and the coarse ones where no others are.
    color[3] = 1;
    behind[3] = 1;
    persons[i] = color * fc_all(opacity + 1e-3f);
    backgrounds[i] = behind * fc_all(1 - opacity + 1e-3f);
  }
  box(work, persons, fineColorRadius);
  box(work, backgrounds, fineColorRadius);
  for (size_t i = 0; i < work->count; i++) {
    persons[i] = color_of(persons[i]);
    backgrounds[i] = color_of(backgrounds[i]);
  }
}

FCMatting *fcmatting_create(const uint8_t *pixels, const uint8_t *mask, uint32_t width, uint32_t height) {
  if (width == 0 || height == 0 || width > FCMATTING_LONGEST_SIDE || height > FCMATTING_LONGEST_SIDE) return NULL;
  const size_t count = (size_t)width * height;
  if (count > FCMATTING_MOST_PIXELS) return NULL;
  FCMatting *matting = calloc(1, sizeof *matting);
  FCFour *kept = matting == NULL ? NULL : aligned_alloc(16, 3 * count * sizeof *kept);
  FCFour *passing = kept == NULL ? NULL : aligned_alloc(16, (3 * count + width) * sizeof *passing);
  if (passing == NULL) {
    free(kept);
    free(matting);
    return NULL;
  }
  Work work = {
    .width = width, .height = height, .count = count,
    .a = kept, .b = kept + count, .c = kept + 2 * count,
    .image = passing, .d = passing + count, .rows = passing + 2 * count, .sums = passing + 3 * count,
  };
  for (size_t i = 0; i < count; i++) {
    const float probability = (float)mask[i] / 255;
    work.image[i] =
      fc_four((float)pixels[3 * i], (float)pixels[3 * i + 1], (float)pixels[3 * i + 2], 0) * fc_all(1.0f / 255);
    work.image[i][3] = fc_clamped((probability - background) / (person - background));
  }
  guide(&work);
  combine(&work);
  find_colors(&work);
  free(passing);
  matting->width = width;
  matting->height = height;
  matting->opacity = work.a;
  matting->persons = work.b;
  matting->backgrounds = work.c;
  return matting;
}

void fcmatting_destroy(FCMatting *matting) {
  free(matting->opacity);
  free(matting);
}

/// A position between two samples of a small axis, at the centers of samples.
typedef struct Tap {
  size_t first, second;
  float part;
} Tap;

static Tap tap_at(uint32_t place, uint32_t large, uint32_t small) {
  const float center =
    fc_least(fc_most(((float)place + 0.5f) * ((float)small / (float)large) - 0.5f, 0), (float)(small - 1));
  const size_t first = (size_t)(int)center;
  Tap tap = {.first = first, .second = first, .part = center - (float)(int)center};
  if (tap.second + 1 < small) tap.second++;
  return tap;
}

static inline FCFour between(FCFour first, FCFour second, float part) {
  return first + (second - first) * fc_all(part);
}

static inline FCFour sample(const FCFour *plane, size_t width, Tap x, Tap y) {
  const FCFour *upper = plane + y.first * width, *lower = plane + y.second * width;
  return between(
    between(upper[x.first], upper[x.second], x.part), between(lower[x.first], lower[x.second], x.part), y.part);
}

void fcmatting_rows(const FCMatting *matting, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t first,
  uint32_t count, uint8_t *cut) {
  const size_t small = matting->width;
  // The coefficients between two rows, which all pixels of a row share.
  FCFour lines[FCMATTING_LONGEST_SIDE];
  for (uint32_t row = 0; row < count; row++) {
    const Tap y = tap_at(first + row, height, matting->height);
    const FCFour *upper = matting->opacity + y.first * small, *lower = matting->opacity + y.second * small;
    for (size_t x = 0; x < small; x++) lines[x] = between(upper[x], lower[x], y.part);
    for (uint32_t column = 0; column < width; column++, pixels += 3, cut += 4) {
      const Tap x = tap_at(column, width, matting->width);
      const FCFour pixel = fc_four((float)pixels[0], (float)pixels[1], (float)pixels[2], 0) * fc_all(1.0f / 255);
      const FCFour line = between(lines[x.first], lines[x.second], x.part);
      const float opacity = contrasted(fc_dot(line, pixel) + line[3]);
      const uint8_t alpha = (uint8_t)(opacity * 255 + 0.5f);
      if (alpha == 255) {
        memcpy(cut, pixels, 3);
      } else if (alpha == 0) {
        memset(cut, 0, 3);
      } else {
        const FCFour color = person_color(
          pixel, opacity, sample(matting->persons, small, x, y), sample(matting->backgrounds, small, x, y));
        for (int i = 0; i < 3; i++) cut[i] = (uint8_t)(color[i] * 255 + 0.5f);
      }
      cut[3] = alpha;
    }
  }
}

void fcmatting_composite(const uint8_t *cut, const uint8_t *backdrop, uint8_t *output, size_t count) {
  for (size_t i = 0; i < count; i++, cut += 4, backdrop += 3, output += 3) {
    const uint32_t alpha = cut[3];
    if (alpha == 0 || alpha == 255) {
      memmove(output, alpha == 0 ? backdrop : cut, 3);
      continue;
    }
    for (int channel = 0; channel < 3; channel++) {
      output[channel] = (uint8_t)((cut[channel] * alpha + backdrop[channel] * (255 - alpha) + 127) / 255);
    }
  }
}

bool fcmatting_blur(
    const uint8_t *pixels, const uint8_t *cut, uint32_t width, uint32_t height, float strength, uint8_t *blurred) {
  if (width == 0 || height == 0 || width > FCMATTING_LONGEST_SIDE || height > FCMATTING_LONGEST_SIDE) return false;
  const size_t count = (size_t)width * height;
  if (count > FCMATTING_MOST_PIXELS) return false;
  FCFour *planes = aligned_alloc(16, (2 * count + width) * sizeof *planes);
  if (planes == NULL) return false;
  const Work work = {
    .width = width, .height = height, .count = count,
    .image = planes, .rows = planes + count, .sums = planes + 2 * count,
  };
  for (size_t i = 0; i < count; i++) {
    // A person's pixels count a little, so that those far from the background have a color.
    const float weight = 1.0f / 255 * (float)(255 - cut[4 * i + 3]) + 1e-4f;
    work.image[i] =
      fc_four((float)pixels[3 * i], (float)pixels[3 * i + 1], (float)pixels[3 * i + 2], 1) * fc_all(weight);
  }
  // A box of 2r + 1 pixels has the variance (r² + r) / 3, and that of three boxes is their sum.
  for (int pass = 0; pass < 3; pass++) box(&work, work.image, strength);
  for (size_t i = 0; i < count; i++) {
    const FCFour color = work.image[i] * fc_all(1 / fc_most(work.image[i][3], 1e-9f));
    for (int channel = 0; channel < 3; channel++) {
      blurred[3 * i + (size_t)channel] = (uint8_t)(fc_least(fc_most(color[channel], 0), 255) + 0.5f);
    }
  }
  free(planes);
  return true;
}
