/// Planes of four numbers a pixel, and their means over squares.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Four numbers of a pixel, mostly R, G, B and a weight.
typedef float FCFour __attribute__((vector_size(16)));

static inline FCFour fc_four(float a, float b, float c, float d) { return (FCFour){a, b, c, d}; }
static inline FCFour fc_all(float a) { return (FCFour){a, a, a, a}; }
static inline float fc_least(float a, float b) { return a < b ? a : b; }
static inline float fc_most(float a, float b) { return a > b ? a : b; }
static inline float fc_clamped(float a) { return fc_least(fc_most(a, 0), 1); }
static inline float fc_dot(FCFour a, FCFour b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Replaces each pixel by the mean over the square around it with sides of 2 · `radius` + 1, clipped to the plane.
/// Running sums take the same time for every radius. `rows` has memory for `height` rows, and `sums` for one.
void fc_box(FCFour *plane, size_t width, size_t height, size_t radius, FCFour *rows, FCFour *sums);
