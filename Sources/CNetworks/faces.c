/// Makes faces from the network's grids. The formulas are those of OpenCV 4.7, modules/objdetect/src/face_detect.cpp.
#include "yunet.h"

#include <math.h>
#include <stdlib.h>

/// Boxes whose intersection over union exceeds this belong to one face (non-maximum suppression).
static const float overlap = 0.3F;
/// Boxes whose intersection over union reaches this show the same face.
static const float sameFace = 0.6F;

static float logistic(float value) { return 1 / (1 + expf(-value)); }

/// A face, and its index among all cells, which decides between equal scores.
typedef struct Candidate {
  FCYuNetFace face;
  size_t cell;
} Candidate;

typedef struct Candidates {
  Candidate *items;
  size_t count, capacity;
} Candidates;

static FCYuNetFace face_at(const float *values, float column, float row, float cell, float score) {
  FCYuNetFace face = {.score = score, .width = expf(values[4]) * cell, .height = expf(values[5]) * cell};
  face.x = (column + values[2]) * cell - face.width / 2;
  face.y = (row + values[3]) * cell - face.height / 2;
  for (size_t i = 0; i < 5; i++) {
    face.landmarks[2 * i] = (column + values[6 + 2 * i]) * cell;
    face.landmarks[2 * i + 1] = (row + values[7 + 2 * i]) * cell;
  }
  return face;
}

static bool is_finite(const FCYuNetFace *face) {
  bool isFinite = isfinite(face->x) && isfinite(face->y) && isfinite(face->width) && isfinite(face->height);
  for (size_t i = 0; i < 10; i++) isFinite = isFinite && isfinite(face->landmarks[i]);
  return isFinite;
}

static bool gather(const FCYuNet *network, float threshold, Candidates *candidates) {
  // The score is the root of the product of two numbers up to 1, so each is at least the square of the score.
  const float least = threshold * threshold;
  const float leastLogit = least > 0 && least < 1 ? logf(least / (1 - least)) - 1e-3F : -INFINITY;
  for (size_t level = 0; level < FCYUNET_LEVELS; level++) {
    const FCYuNetGrid grid = fcyunet_grid(network, level);
    const float *values = grid.values;
    for (uint32_t row = 0; row < grid.rows; row++) {
      for (uint32_t column = 0; column < grid.columns; column++, values += FCCellOutputs) {
        if (values[0] < leastLogit || values[1] < leastLogit) continue;
        const float score = sqrtf(logistic(values[0]) * logistic(values[1]));
        if (!(score >= threshold)) continue;
        const FCYuNetFace face = face_at(values, (float)column, (float)row, (float)(8 << level), score);
        if (!is_finite(&face)) continue;
        if (candidates->count == candidates->capacity) {
          const size_t capacity = candidates->capacity == 0 ? 64 : 2 * candidates->capacity;
          Candidate *items = realloc(candidates->items, capacity * sizeof *items);
          if (items == NULL) return false;
          candidates->items = items;
          candidates->capacity = capacity;
        }
        candidates->items[candidates->count] = (Candidate){face, candidates->count};
        candidates->count += 1;
      }
    }
  }
  return true;
}

static int by_score(const void *a, const void *b) {
  const Candidate *left = a, *right = b;
  if (left->face.score != right->face.score) return left->face.score > right->face.score ? -1 : 1;
  return left->cell < right->cell ? -1 : left->cell > right->cell;
}

static float intersection_over_union(const FCYuNetFace *a, const FCYuNetFace *b) {
  const float width = fminf(a->x + a->width, b->x + b->width) - fmaxf(a->x, b->x);
  const float height = fminf(a->y + a->height, b->y + b->height) - fmaxf(a->y, b->y);
  if (!(width > 0) || !(height > 0)) return 0;
  const float common = width * height;
  return common / (a->width * a->height + b->width * b->height - common);
}

/// Averages the candidates for the best one's face, weighted by their scores. Neighboring cells err in different
/// directions (bounding box voting; S. Gidaris, N. Komodakis, "Object detection via a multi-region & semantic
/// segmentation-aware CNN model", 2015, 3.3).
static FCYuNetFace voted(const FCYuNetFace *best, const Candidates *candidates) {
  FCYuNetFace mean = {.score = best->score};
  float weights = 0;
  for (size_t i = 0; i < candidates->count; i++) {
    const FCYuNetFace *face = &candidates->items[i].face;
    if (intersection_over_union(best, face) < sameFace) continue;
    const float weight = face->score * face->score;
    weights += weight;
    mean.x += weight * face->x;
    mean.y += weight * face->y;
    mean.width += weight * face->width;
    mean.height += weight * face->height;
    for (size_t n = 0; n < 10; n++) mean.landmarks[n] += weight * face->landmarks[n];
  }
  if (!(weights > 0)) return *best;
  mean.x /= weights;
  mean.y /= weights;
  mean.width /= weights;
  mean.height /= weights;
  for (size_t n = 0; n < 10; n++) mean.landmarks[n] /= weights;
  return mean;
}

FCStatus fcyunet_faces(FCYuNet *network, float threshold, FCYuNetFace *faces, size_t capacity, size_t *count) {
  *count = 0;
  if (network->network->width == 0) return FCStatusOk;
  Candidates candidates = {.items = NULL};
  if (!gather(network, threshold, &candidates)) {
    free(candidates.items);
    return FCStatusOutOfMemory;
  }
  if (candidates.count > 0) qsort(candidates.items, candidates.count, sizeof *candidates.items, by_score);
  size_t kept = 0;
  // Suppression compares the boxes before averaging; those of the faces that are kept come first in `order`.
  size_t *order = malloc((candidates.count + 1) * sizeof *order);
  if (order == NULL) {
    free(candidates.items);
    return FCStatusOutOfMemory;
  }
  for (size_t i = 0; i < candidates.count && kept < capacity; i++) {
    bool isNew = true;
    for (size_t k = 0; k < kept && isNew; k++) {
      isNew = intersection_over_union(&candidates.items[order[k]].face, &candidates.items[i].face) <= overlap;
    }
    if (isNew) order[kept++] = i;
  }
  for (size_t k = 0; k < kept; k++) faces[k] = voted(&candidates.items[order[k]].face, &candidates);
  *count = kept;
  free(order);
  free(candidates.items);
  return FCStatusOk;
}
