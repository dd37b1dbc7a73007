/// The inverse DCT of a block to fewer points than it has coefficients.
#pragma once

#include "libjpeg/seam.h"

/// Fills `basis[x][u]` with the one-dimensional inverse DCT to `points` points; returns how many coefficients it uses.
///
/// If `points` divides 8, this is the 8-point transform of T.81 A.3.3, averaged over neighboring points. Otherwise it
/// is the transform of that many points from the lowest coefficients. Both match libjpeg's scaled decoding.
int fc_fill_basis(float basis[DCTSIZE][DCTSIZE], int points);
