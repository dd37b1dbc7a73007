/// Changes samples of a block through its coefficients (T.81, A.3.3).
///
/// Samples that stay are neither rounded nor clipped between the transforms, so that they change only by quantization.
#include "edit/edit.h"

#include <math.h>

/// The basis of the transform: `basis[u][x]` is the cosine of frequency `u` at sample `x`, scaled to length 1.
static void fill_basis(float basis[DCTSIZE][DCTSIZE]) {
  for (int u = 0; u < DCTSIZE; u++) {
    for (int x = 0; x < DCTSIZE; x++) {
      basis[u][x] = (u == 0 ? 0.35355339F : 0.5F) * cosf((float)((2 * x + 1) * u) * 0.19634954F);
    }
  }
}

uint32_t fc_edited_samples(const FCJPEGStrip *strip, uint32_t column, uint32_t row) {
  if (strip->mask == NULL || column < strip->x || column - strip->x >= strip->width) return 0;
  const size_t stride = (size_t)strip->width * DCTSIZE;
  const uint8_t *mask = strip->mask + (size_t)row * DCTSIZE * stride + (size_t)(column - strip->x) * DCTSIZE;
  uint32_t count = 0;
  for (int y = 0; y < DCTSIZE; y++) {
    for (int x = 0; x < DCTSIZE; x++) count += mask[(size_t)y * stride + (size_t)x] != 0;
  }
  return count;
}

static void inverse(const float basis[DCTSIZE][DCTSIZE], const JCOEF *block, const JQUANT_TBL *table,
                    float samples[DCTSIZE][DCTSIZE]) {
  float columns[DCTSIZE][DCTSIZE] = {{0}};
  for (int v = 0; v < DCTSIZE; v++) {
    for (int u = 0; u < DCTSIZE; u++) {
      const float value = (float)block[v * DCTSIZE + u] * (float)table->quantval[v * DCTSIZE + u];
      if (value == 0) continue;
      for (int y = 0; y < DCTSIZE; y++) columns[y][u] += value * basis[v][y];
    }
  }
  for (int y = 0; y < DCTSIZE; y++) {
    for (int x = 0; x < DCTSIZE; x++) {
      float sum = 0;
      for (int u = 0; u < DCTSIZE; u++) sum += columns[y][u] * basis[u][x];
      samples[y][x] = sum;
    }
  }
}

static void forward(const float basis[DCTSIZE][DCTSIZE], float samples[DCTSIZE][DCTSIZE], const JQUANT_TBL *table,
                    JCOEF *block) {
  float rows[DCTSIZE][DCTSIZE];
  for (int y = 0; y < DCTSIZE; y++) {
    for (int u = 0; u < DCTSIZE; u++) {
      float sum = 0;
      for (int x = 0; x < DCTSIZE; x++) sum += samples[y][x] * basis[u][x];
      rows[y][u] = sum;
    }
  }
  for (int v = 0; v < DCTSIZE; v++) {
    for (int u = 0; u < DCTSIZE; u++) {
      float sum = 0;
      for (int y = 0; y < DCTSIZE; y++) sum += rows[y][u] * basis[v][y];
      const float step = table->quantval[v * DCTSIZE + u];
      // 8-bit JPEG has codes for these values (T.81, tables F.1 and F.2).
      const float most = u + v == 0 ? 1024 : 1023;
      const float value = step > 0 ? roundf(sum / step) : 0;
      block[v * DCTSIZE + u] = (JCOEF)(value > most ? most : value < -most ? -most : value);
    }
  }
}

void fc_edit_block(const FCJPEGStrip *strip, uint32_t column, uint32_t row, const JQUANT_TBL *table, JCOEF *block) {
  float basis[DCTSIZE][DCTSIZE], samples[DCTSIZE][DCTSIZE];
  fill_basis(basis);
  if (fc_edited_samples(strip, column, row) < DCTSIZE2) inverse(basis, block, table, samples);
  const size_t stride = (size_t)strip->width * DCTSIZE;
  const size_t start = (size_t)row * DCTSIZE * stride + (size_t)(column - strip->x) * DCTSIZE;
  for (int y = 0; y < DCTSIZE; y++) {
    for (int x = 0; x < DCTSIZE; x++) {
      const size_t at = start + (size_t)y * stride + (size_t)x;
      if (strip->mask[at] != 0) samples[y][x] = strip->samples[at] - CENTERJSAMPLE;
    }
  }
  forward(basis, samples, table, block);
}

float fc_block_mean(int32_t dc, const JQUANT_TBL *table) {
  const float mean = (float)dc * (float)table->quantval[0] / DCTSIZE + CENTERJSAMPLE;
  return mean < 0 ? 0 : mean > MAXJSAMPLE ? MAXJSAMPLE : mean;
}

bool fc_is_chroma(const struct jpeg_decompress_struct *cinfo, int component) {
  const bool hasChroma = cinfo->jpeg_color_space == JCS_YCbCr || cinfo->jpeg_color_space == JCS_YCCK;
  return hasChroma && (component == 1 || component == 2);
}
