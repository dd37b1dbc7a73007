#include "palette.h"

#include <stdlib.h>
#include <string.h>

/// Cells with lower (exclusive) and upper (inclusive) coordinates on each axis.
typedef struct {
  uint32_t low[3], high[3];
  double variance;
} Box;

static size_t cell_at(uint32_t red, uint32_t green, uint32_t blue) {
  return ((size_t)red * FCPaletteSide + green) * FCPaletteSide + blue;
}

static size_t cell_of(const uint8_t *rgb) {
  return cell_at((rgb[0] >> 3) + 1u, (rgb[1] >> 3) + 1u, (rgb[2] >> 3) + 1u);
}

FCPalette *fcpalette_create(uint32_t most) {
  FCPalette *palette = calloc(1, sizeof *palette);
  if (palette == NULL) return NULL;
  palette->most = most;
  palette->isExact = true;
  return palette;
}

/// Returns the place of a color in the hash table, or of the free entry for it.
static uint32_t place_of(const FCPalette *palette, const uint8_t *rgb) {
  const uint32_t color = ((uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2]) + 1;
  uint32_t place = color * 2654435761u >> 22;
  while (palette->known[place] != 0 && palette->known[place] != color) place = (place + 1) % FCPaletteKnown;
  return place;
}

void fcpalette_count(FCPalette *palette, const uint8_t *rgb) {
  FCPaletteSum *sum = &palette->sums[cell_of(rgb)];
  const int64_t red = rgb[0], green = rgb[1], blue = rgb[2];
  sum->weight += 1;
  sum->red += red;
  sum->green += green;
  sum->blue += blue;
  sum->squares += red * red + green * green + blue * blue;
  if (!palette->isExact) return;
  const uint32_t place = place_of(palette, rgb);
  if (palette->known[place] != 0) return;
  if (palette->count == palette->most) {
    palette->isExact = false;
    return;
  }
  palette->known[place] = ((uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2]) + 1;
  palette->numbers[place] = (uint8_t)palette->count++;
}

static void add(FCPaletteSum *sum, const FCPaletteSum *other, int64_t sign) {
  sum->weight += sign * other->weight;
  sum->red += sign * other->red;
  sum->green += sign * other->green;
  sum->blue += sign * other->blue;
  sum->squares += sign * other->squares;
}

/// Replaces each cell's sum by that of all cells up to it on every axis.
static void accumulate(FCPalette *palette) {
  const size_t steps[3] = {FCPaletteSide * FCPaletteSide, FCPaletteSide, 1};
  for (int axis = 0; axis < 3; axis++) {
    for (uint32_t red = 1; red < FCPaletteSide; red++) {
      for (uint32_t green = 1; green < FCPaletteSide; green++) {
        for (uint32_t blue = 1; blue < FCPaletteSide; blue++) {
          const size_t cell = cell_at(red, green, blue);
          add(&palette->sums[cell], &palette->sums[cell - steps[axis]], 1);
        }
      }
    }
  }
}

static FCPaletteSum sum_of(const FCPalette *palette, const Box *box) {
  FCPaletteSum sum = {0};
  for (uint32_t corner = 0; corner < 8; corner++) {
    uint32_t at[3];
    int64_t sign = 1;
    for (int axis = 0; axis < 3; axis++) {
      const bool isHigh = corner >> axis & 1;
      at[axis] = isHigh ? box->high[axis] : box->low[axis];
      if (!isHigh) sign = -sign;
    }
    add(&sum, &palette->sums[cell_at(at[0], at[1], at[2])], sign);
  }
  return sum;
}

/// Returns the square of a sum's length, divided by its weight: the part of the squares that a mean color explains.
static double explained(const FCPaletteSum *sum) {
  if (sum->weight == 0) return 0;
  const double red = (double)sum->red, green = (double)sum->green, blue = (double)sum->blue;
  return (red * red + green * green + blue * blue) / (double)sum->weight;
}

static void measure(const FCPalette *palette, Box *box) {
  const FCPaletteSum sum = sum_of(palette, box);
  uint32_t cells = 1;
  for (int axis = 0; axis < 3; axis++) cells *= box->high[axis] - box->low[axis];
  box->variance = cells > 1 ? (double)sum.squares - explained(&sum) : 0;
}

/// Splits a box where the means of both parts explain most, and returns false if one part would be empty.
static bool split(const FCPalette *palette, Box *box, Box *other) {
  const FCPaletteSum whole = sum_of(palette, box);
  double best = 0;
  int bestAxis = -1;
  uint32_t bestPlace = 0;
  for (int axis = 0; axis < 3; axis++) {
    for (uint32_t place = box->low[axis] + 1; place < box->high[axis]; place++) {
      Box part = *box;
      part.high[axis] = place;
      const FCPaletteSum below = sum_of(palette, &part);
      FCPaletteSum above = whole;
      add(&above, &below, -1);
      if (below.weight == 0 || above.weight == 0) continue;
      const double gain = explained(&below) + explained(&above);
      if (gain > best) {
        best = gain;
        bestAxis = axis;
        bestPlace = place;
      }
    }
  }
  if (bestAxis < 0) return false;
  *other = *box;
  box->high[bestAxis] = bestPlace;
  other->low[bestAxis] = bestPlace;
  measure(palette, box);
  measure(palette, other);
  return true;
}

uint32_t fcpalette_choose(FCPalette *palette, uint8_t *colors) {
  if (palette->isExact) {
    for (uint32_t place = 0; place < FCPaletteKnown; place++) {
      if (palette->known[place] == 0) continue;
      const uint32_t color = palette->known[place] - 1;
      uint8_t *out = colors + 3 * (size_t)palette->numbers[place];
      out[0] = (uint8_t)(color >> 16);
      out[1] = (uint8_t)(color >> 8);
      out[2] = (uint8_t)color;
    }
    return palette->count;
  }
  accumulate(palette);
  Box boxes[256] = {{{0, 0, 0}, {FCPaletteSide - 1, FCPaletteSide - 1, FCPaletteSide - 1}, 0}};
  measure(palette, &boxes[0]);
  uint32_t count = 1;
  while (count < palette->most) {
    uint32_t widest = 0;
    for (uint32_t i = 1; i < count; i++) {
      if (boxes[i].variance > boxes[widest].variance) widest = i;
    }
    if (boxes[widest].variance <= 0) break;
    if (split(palette, &boxes[widest], &boxes[count])) count += 1;
    else boxes[widest].variance = 0;
  }
  for (uint32_t i = 0; i < count; i++) {
    const Box *box = &boxes[i];
    const FCPaletteSum sum = sum_of(palette, box);
    colors[3 * i] = (uint8_t)((sum.red + sum.weight / 2) / sum.weight);
    colors[3 * i + 1] = (uint8_t)((sum.green + sum.weight / 2) / sum.weight);
    colors[3 * i + 2] = (uint8_t)((sum.blue + sum.weight / 2) / sum.weight);
    for (uint32_t red = box->low[0] + 1; red <= box->high[0]; red++) {
      for (uint32_t green = box->low[1] + 1; green <= box->high[1]; green++) {
        memset(&palette->cells[cell_at(red, green, box->low[2] + 1)], (int)i, box->high[2] - box->low[2]);
      }
    }
  }
  return count;
}

uint8_t fcpalette_number(const FCPalette *palette, const uint8_t *rgb) {
  return palette->isExact ? palette->numbers[place_of(palette, rgb)] : palette->cells[cell_of(rgb)];
}
