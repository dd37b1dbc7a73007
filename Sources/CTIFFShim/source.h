#ifndef FCTIFF_SOURCE_H
#define FCTIFF_SOURCE_H

#include "decoder.h"

/// libtiff on the decoder's source, for one plane; NULL where it does not open.
TIFF *fctiff_open(FCTIFFPlane *plane);

#endif
