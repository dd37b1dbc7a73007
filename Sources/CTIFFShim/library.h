/// libtiff, loaded when the first TIFF image is decoded. It brings the libraries of seven compressions, which would
/// take a fifth of the process's start, and most processes read no TIFF.
#ifndef FCTIFF_LIBRARY_H
#define FCTIFF_LIBRARY_H

#include <tiffio.h>

#define FCTIFF_FUNCTIONS(USE) \
  USE(ClientOpenExt) USE(Close) USE(ComputeTile) USE(OpenOptionsAlloc) USE(OpenOptionsFree) \
  USE(OpenOptionsSetErrorHandlerExtR) USE(OpenOptionsSetMaxSingleMemAlloc) USE(OpenOptionsSetWarningHandlerExtR) \
  USE(ReadEncodedTile) USE(ReadRGBAStripExt) USE(ReadRGBATileExt) USE(ReadScanline) USE(ScanlineSize) USE(SetField) \
  USE(TileSize)

/// The functions of libtiff, without the prefix `TIFF`.
typedef struct FCTIFFLibrary {
#define FCTIFF_MEMBER(name) __typeof__(&TIFF##name) name;
  FCTIFF_FUNCTIONS(FCTIFF_MEMBER)
#undef FCTIFF_MEMBER
} FCTIFFLibrary;

/// Loads libtiff once and keeps it, or returns NULL if it cannot be loaded. Any thread may call it.
const FCTIFFLibrary *fctiff_library(void);

#endif
