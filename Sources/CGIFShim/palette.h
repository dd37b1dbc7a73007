/// Chooses the colors of a palette from pixels (X. Wu, "Efficient Statistical Computations for Optimal Color
/// Quantization", Graphics Gems II, 1991).
///
/// Colors are counted in cells of 8 × 8 × 8 levels. Boxes of cells are split, one at a time, where the variance falls
/// most. If there are few enough colors, the palette has exactly these.
#pragma once

#include "CGIFShim.h"

enum { FCPaletteSide = 33, FCPaletteCells = FCPaletteSide * FCPaletteSide * FCPaletteSide, FCPaletteKnown = 1024 };

typedef struct {
  int64_t weight, red, green, blue, squares;
} FCPaletteSum;

typedef struct {
  /// The colors so far, while they are few: a hash table of 24 bits each, plus one; 0 is free.
  uint32_t known[FCPaletteKnown];
  uint8_t numbers[FCPaletteKnown];
  uint32_t count, most;
  bool isExact;
  /// The pixels of each cell; sums over all lower cells once the palette is made.
  FCPaletteSum sums[FCPaletteCells];
  /// The number of each cell's color.
  uint8_t cells[FCPaletteCells];
} FCPalette;

/// Creates a palette of up to `most` colors, or returns NULL if memory runs out.
FCPalette *fcpalette_create(uint32_t most);

/// Counts a pixel.
void fcpalette_count(FCPalette *palette, const uint8_t *rgb);

/// Chooses the colors, and returns their number. `colors` has room for three bytes of each.
uint32_t fcpalette_choose(FCPalette *palette, uint8_t *colors);

/// Returns the number of a counted pixel's color.
uint8_t fcpalette_number(const FCPalette *palette, const uint8_t *rgb);
