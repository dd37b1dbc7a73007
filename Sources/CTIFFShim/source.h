#ifndef FCTIFF_SOURCE_H
#define FCTIFF_SOURCE_H

#include "decoder.h"

/// Opens libtiff on the decoder's source for one plane, or returns NULL.
TIFF *fctiff_open(FCTIFFPlane *plane);

#endif
