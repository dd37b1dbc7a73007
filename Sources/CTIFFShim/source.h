#pragma once

#include "decoder.h"

/// Opens libtiff on the decoder's source for one plane, or returns NULL.
TIFF *fctiff_open(FCTIFFPlane *plane);
