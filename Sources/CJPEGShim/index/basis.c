#include "index/basis.h"

#include <math.h>

int fc_fill_basis(float basis[DCTSIZE][DCTSIZE], int points) {
  const bool isAverage = DCTSIZE % points == 0;
  const int computed = isAverage ? DCTSIZE : points;
  const int group = computed / points;
  // The mean of a block depends only on the first coefficient.
  const int used = points == 1 ? 1 : computed;
  for (int x = 0; x < points; x++) {
    basis[x][0] = 0.35355339F;  // 1/√8, which keeps a block's mean
    for (int u = 1; u < used; u++) {
      double sum = 0;
      for (int i = x * group; i < (x + 1) * group; i++) sum += cos((2 * i + 1) * u * M_PI / (2 * computed));
      basis[x][u] = (float)(sum / group / 2);
    }
  }
  return used;
}
