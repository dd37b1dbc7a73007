#ifndef FCTIFF_DECODER_H
#define FCTIFF_DECODER_H

#include "CTIFFShim.h"

#include "library.h"

enum { FCTIFFMostPlanes = 8 };

typedef struct {
  FCTIFFDecoder *decoder;
  TIFF *tiff;
  uint64_t position;
  /// Of JPEG, the scans that were read since the last other place in the file.
  uint32_t scans;
  /// The row of a strip that comes next; none where `strip` is UINT32_MAX.
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
  FCTIFFColor color;
  uint32_t x, width;
  uint32_t planeCount;
  FCTIFFPlane planes[FCTIFFMostPlanes];
  /// A row's samples at 8 bits, an index of a palette as it is.
  uint8_t *row;
  /// Rows that were decoded together: of a row of tiles, or of a strip that libtiff converts.
  uint8_t *band;
  uint32_t *raster;
  uint32_t bandTop, bandRows;
  bool isOpen, isStarted, hasFault, lacksMemory, hasTooManyScans;
  FCTIFFDamage damage;
  char message[200];
};

/// Bytes of a pixel of the color that is asked for.
uint32_t fctiff_channels(FCTIFFColor color);

/// Converts columns `x` to `x + width` of a row whose samples are those of `planes`, `offset` bytes behind their beginning.
void fctiff_convert(FCTIFFDecoder *decoder, size_t offset, uint32_t x, uint32_t width, uint8_t *out);

/// The same of RGB by libtiff.
void fctiff_convert_raster(const FCTIFFDecoder *decoder, const uint32_t *raster, uint32_t width, uint8_t *out);

#endif
