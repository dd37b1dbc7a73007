#pragma once

#include "CTIFFShim.h"

#include "library.h"

enum { FCTIFFMostPlanes = 8 };

typedef struct {
  FCTIFFDecoder *decoder;
  TIFF *tiff;
  uint64_t position;
  /// For JPEG, the scans that were read since the last seek.
  uint32_t scans;
  /// The next row of the current strip. There is no current strip if `strip` is UINT32_MAX.
  uint32_t strip, nextRow;
  /// A row of a strip, or a tile.
  uint8_t *samples;
  size_t sampleBytes;
  bool isBroken;
} FCTIFFPlane;

struct FCTIFFDecoder {
  const FCTIFFLibrary *library;
  FCTIFFSource source;
  FCTIFFPicture picture;
  FCColor color;
  uint32_t x, width;
  uint32_t planeCount;
  FCTIFFPlane planes[FCTIFFMostPlanes];
  /// The samples of a row at 8 bits; palette indices stay unchanged.
  uint8_t *row;
  /// Rows that were decoded together: a row of tiles, or a strip that libtiff converts.
  uint8_t *band;
  uint32_t *raster;
  uint32_t bandTop, bandRows;
  bool isOpen, isStarted, hasFault, lacksMemory, hasTooManyScans;
  FCDamage damage;
  FCMessage message;
};

/// Opens libtiff on the decoder's source for one plane, or returns NULL.
TIFF *fctiff_open(FCTIFFPlane *plane);

/// Converts columns `x` to `x + width` of the row whose samples begin at `offset` bytes in each plane.
void fctiff_convert(FCTIFFDecoder *decoder, size_t offset, uint32_t x, uint32_t width, uint8_t *out);

/// Converts a row of RGB that libtiff decoded.
void fctiff_convert_raster(const FCTIFFDecoder *decoder, const uint32_t *raster, uint32_t width, uint8_t *out);
