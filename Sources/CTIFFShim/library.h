/// libtiff, loaded when the first TIFF image is decoded. It brings the libraries of seven compressions, which would
/// take a fifth of the process's start, and most processes read no TIFF.
#pragma once

#include <CBasics.h>
#include <tiffio.h>

#define FCTIFF_FUNCTIONS(USE) \
  USE(TIFFClientOpenExt) USE(TIFFClose) USE(TIFFComputeTile) USE(TIFFOpenOptionsAlloc) USE(TIFFOpenOptionsFree) \
  USE(TIFFOpenOptionsSetErrorHandlerExtR) USE(TIFFOpenOptionsSetMaxSingleMemAlloc) \
  USE(TIFFOpenOptionsSetWarningHandlerExtR) USE(TIFFReadEncodedTile) USE(TIFFReadRGBAStripExt) \
  USE(TIFFReadRGBATileExt) USE(TIFFReadScanline) USE(TIFFScanlineSize) USE(TIFFSetField) USE(TIFFTileSize)
FC_LIBRARY_TABLE(FCTIFFLibrary, FCTIFF_FUNCTIONS);

/// Returns the functions of libtiff, or NULL if it cannot be loaded.
const FCTIFFLibrary *fctiff_library(void);
