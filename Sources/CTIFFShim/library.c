#include "library.h"

FC_LIBRARY_LOADER(FCTIFFLibrary, fctiff_library, "libtiff.so.6", FCTIFF_FUNCTIONS)
