#include "planes.h"

/// Replaces a row of sums by the means over 2 · `radius` + 1 columns and `count` rows.
static void mean_of_row(const FCFour *sums, FCFour *row, size_t width, size_t radius, size_t count) {
  FCFour sum = fc_all(0);
  const size_t first = radius < width ? radius : width;
  for (size_t x = 0; x < first; x++) sum += sums[x];
  const float whole = 1 / (float)((2 * radius + 1) * count);
  for (size_t x = 0; x < width; x++) {
    size_t columns = 2 * radius + 1;
    if (x + radius < width) {
      sum += sums[x + radius];
    } else {
      columns -= x + radius + 1 - width;
    }
    if (x > radius) {
      sum -= sums[x - radius - 1];
    } else {
      columns -= radius - x;
    }
    row[x] = sum * fc_all(columns == 2 * radius + 1 ? whole : 1 / (float)(columns * count));
  }
}

void fc_box(FCFour *plane, size_t width, size_t height, size_t radius, FCFour *rows, FCFour *sums) {
  // Rows that are replaced before they leave the sums.
  const size_t kept = radius + 1 < height ? radius + 1 : height;
  for (size_t x = 0; x < width; x++) sums[x] = fc_all(0);
  for (size_t y = 0; y < radius && y < height; y++) {
    for (size_t x = 0; x < width; x++) sums[x] += plane[y * width + x];
  }
  size_t count = radius < height ? radius : height;
  for (size_t y = 0; y < height; y++) {
    if (y + radius < height) {
      const FCFour *next = plane + (y + radius) * width;
      for (size_t x = 0; x < width; x++) sums[x] += next[x];
      count++;
    }
    if (y > radius) {
      const FCFour *last = rows + (y - radius - 1) % kept * width;
      for (size_t x = 0; x < width; x++) sums[x] -= last[x];
      count--;
    }
    memcpy(rows + y % kept * width, plane + y * width, width * sizeof *plane);
    mean_of_row(sums, plane + y * width, width, radius, count);
  }
}
