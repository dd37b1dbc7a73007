/// libtiff, loaded with the first TIFF picture that is decoded: it brings the libraries of seven compressions, which take a fifth of
/// the time in which a process starts, and most read no such picture.
#ifndef FCTIFF_LIBRARY_H
#define FCTIFF_LIBRARY_H

#include <tiffio.h>

#define FCTIFF_FUNCTIONS(USE) \
  USE(ClientOpenExt) USE(Close) USE(ComputeTile) USE(OpenOptionsAlloc) USE(OpenOptionsFree) \
  USE(OpenOptionsSetErrorHandlerExtR) USE(OpenOptionsSetMaxSingleMemAlloc) USE(OpenOptionsSetWarningHandlerExtR) \
  USE(ReadEncodedTile) USE(ReadRGBAStripExt) USE(ReadRGBATileExt) USE(ReadScanline) USE(ScanlineSize) USE(SetField) \
  USE(TileSize)

/// Its functions, without the prefix `TIFF`.
typedef struct FCTIFFLibrary {
#define FCTIFF_MEMBER(name) __typeof__(&TIFF##name) name;
  FCTIFF_FUNCTIONS(FCTIFF_MEMBER)
#undef FCTIFF_MEMBER
} FCTIFFLibrary;

/// NULL where it cannot be loaded. It stays loaded. From any thread.
const FCTIFFLibrary *fctiff_library(void);

#endif
