/// Decodes rows of the image in the caller's color.
#include "decoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

FCTIFFDecoder *fctiff_decoder_create(FCTIFFSource source, FCTIFFPicture picture) {
  FCTIFFDecoder *decoder = calloc(1, sizeof *decoder);
  if (decoder == NULL) return NULL;
  decoder->source = source;
  decoder->picture = picture;
  return decoder;
}

void fctiff_decoder_destroy(FCTIFFDecoder *decoder) {
  for (uint32_t i = 0; i < FCTIFFMostPlanes; i++) {
    if (decoder->planes[i].tiff != NULL) decoder->library->TIFFClose(decoder->planes[i].tiff);
    free(decoder->planes[i].samples);
  }
  free(decoder->row);
  free(decoder->band);
  free(decoder->raster);
  free(decoder);
}

const char *fctiff_decoder_message(const FCTIFFDecoder *decoder) { return decoder->message.text; }
FCDamage fctiff_decoder_damage(const FCTIFFDecoder *decoder) { return decoder->damage; }

static bool is_tiled(const FCTIFFDecoder *decoder) { return decoder->picture.tileWidth > 0; }

/// Returns whether libtiff converts the colors. It converts YCbCr, except in JPEG, which libjpeg converts.
static bool is_converted(const FCTIFFDecoder *decoder) {
  return decoder->picture.colors == FCTIFFColorsYCbCr && !decoder->picture.isJPEG;
}

static void note_damage(FCTIFFDecoder *decoder, uint32_t row) {
  decoder->hasFault = false;
  if (decoder->damage.kind != FCDamageKindNone && decoder->damage.intactRows <= row) return;
  decoder->damage = (FCDamage){FCDamageKindCorrupt, row, 1, 0};
}

/// Returns the bytes of one row of a plane.
static size_t row_bytes(const FCTIFFPicture *picture, uint32_t width) {
  const uint64_t samples = (uint64_t)width * (picture->isPlanar ? 1 : picture->samples);
  return (size_t)((samples * picture->bits + 7) / 8);
}

// MARK: Opening

static FCStatus open_planes(FCTIFFDecoder *decoder) {
  const FCTIFFPicture *picture = &decoder->picture;
  // libtiff decodes the rows of a strip in order, so each plane needs its own libtiff object.
  const bool areSeparate = picture->isPlanar && !is_converted(decoder);
  decoder->planeCount = areSeparate ? picture->samples : 1;
  for (uint32_t i = 0; i < decoder->planeCount; i++) {
    FCTIFFPlane *plane = &decoder->planes[i];
    plane->decoder = decoder;
    plane->strip = UINT32_MAX;
    decoder->isOpen = false;
    plane->tiff = fctiff_open(plane);
    decoder->isOpen = true;
    if (plane->tiff == NULL) {
      return decoder->lacksMemory ? fc_refuse(&decoder->message, FCStatusOutOfMemory, "no memory for libtiff")
                                  : FCStatusCorrupt;
    }
    decoder->hasFault = false;
    if (picture->isJPEG && picture->colors == FCTIFFColorsYCbCr) {
      decoder->library->TIFFSetField(plane->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    }
    if (is_converted(decoder)) continue;
    const bool isTiled = is_tiled(decoder);
    const size_t rowBytes = row_bytes(picture, isTiled ? picture->tileWidth : picture->width);
    plane->sampleBytes = isTiled ? rowBytes * picture->tileHeight : rowBytes;
    const tmsize_t own =
      isTiled ? decoder->library->TIFFTileSize(plane->tiff) : decoder->library->TIFFScanlineSize(plane->tiff);
    if (own <= 0 || (size_t)own != plane->sampleBytes) {
      return fc_refuse(&decoder->message, FCStatusCorrupt, "the rows have another length than the image's size");
    }
    plane->samples = calloc(1, plane->sampleBytes);
    if (plane->samples == NULL) return fc_refuse(&decoder->message, FCStatusOutOfMemory, "no memory for rows");
  }
  return FCStatusOk;
}

FCStatus fctiff_decoder_start(FCTIFFDecoder *decoder, FCColor color, uint32_t x, uint32_t width) {
  const FCTIFFPicture *picture = &decoder->picture;
  if (decoder->isStarted || width == 0 || (uint64_t)x + width > picture->width ||
      picture->samples > FCTIFFMostPlanes || (color == FCColorCMYK) > (picture->colors == FCTIFFColorsInks)) {
    return fc_refuse(&decoder->message, FCStatusMisuse, "the columns are outside the image, or decoding has started");
  }
  decoder->isStarted = true;
  decoder->color = color;
  decoder->x = x;
  decoder->width = width;
  decoder->library = fctiff_library();
  if (decoder->library == NULL) {
    return fc_refuse(&decoder->message, FCStatusUnsupported, "libtiff.so.6 cannot be loaded (install libtiff6)");
  }
  const FCStatus status = open_planes(decoder);
  if (status != FCStatusOk) return status;
  decoder->row = malloc((size_t)width * picture->samples);
  bool lacksMemory = decoder->row == NULL;
  if (is_tiled(decoder) || is_converted(decoder)) {
    const uint32_t rows = is_tiled(decoder) ? picture->tileHeight : picture->rowsPerStrip;
    const uint32_t most = rows < picture->height ? rows : picture->height;
    decoder->band = malloc((size_t)most * width * fc_channels(color));
    lacksMemory = lacksMemory || decoder->band == NULL;
    if (is_converted(decoder)) {
      const uint32_t columns = is_tiled(decoder) ? picture->tileWidth : picture->width;
      decoder->raster = malloc((size_t)rows * columns * sizeof(uint32_t));
      lacksMemory = lacksMemory || decoder->raster == NULL;
    }
  }
  return lacksMemory ? fc_refuse(&decoder->message, FCStatusOutOfMemory, "no memory for rows") : FCStatusOk;
}

// MARK: Strips

/// Reads one row of a plane's strip. Returns false if it is lost.
static bool read_scanline(FCTIFFDecoder *decoder, uint32_t index, uint32_t row) {
  const FCTIFFPicture *picture = &decoder->picture;
  FCTIFFPlane *plane = &decoder->planes[index];
  const uint32_t strip = row / picture->rowsPerStrip;
  if (plane->strip != strip || row < plane->nextRow) {
    plane->strip = strip;
    plane->nextRow = strip * picture->rowsPerStrip;
    plane->isBroken = false;
  }
  // Uncompressed rows do not depend on the rows before them.
  if (picture->isUncompressed) plane->nextRow = row;
  while (!plane->isBroken && plane->nextRow <= row) {
    if (fc_cancellation_is_cancelled(decoder->source.cancellation)) return false;
    errno = 0;
    const int status = decoder->library->TIFFReadScanline(plane->tiff, plane->samples, plane->nextRow, (uint16_t)index);
    if (status != 1) plane->isBroken = true;
    if (status != 1 && errno == ENOMEM) decoder->lacksMemory = true;
    if (status != 1 || decoder->hasFault) note_damage(decoder, plane->nextRow);
    plane->nextRow += 1;
  }
  if (plane->isBroken) memset(plane->samples, 0, plane->sampleBytes);
  return !plane->isBroken;
}

// MARK: Rows that come together

/// Reads the tiles of the band, or its strip, as one tile.
static void read_tiles(FCTIFFDecoder *decoder) {
  const FCTIFFPicture *picture = &decoder->picture;
  const bool isTiled = is_tiled(decoder);
  const uint32_t across = isTiled ? picture->tileWidth : picture->width;
  const uint32_t down = isTiled ? picture->tileHeight : decoder->bandRows;
  const uint32_t channels = fc_channels(decoder->color), end = decoder->x + decoder->width;
  for (uint32_t column = decoder->x / across; column * (uint64_t)across < end; column++) {
    if (fc_cancellation_is_cancelled(decoder->source.cancellation)) return;
    const uint32_t left = column * across;
    const uint32_t first = left < decoder->x ? decoder->x : left;
    const uint32_t last = end - left < across ? end : left + across;
    bool isBroken = false;
    errno = 0;
    if (is_converted(decoder)) {
      TIFF *tiff = decoder->planes[0].tiff;
      isBroken = (isTiled ? decoder->library->TIFFReadRGBATileExt(tiff, left, decoder->bandTop, decoder->raster, 1)
                          : decoder->library->TIFFReadRGBAStripExt(tiff, decoder->bandTop, decoder->raster, 1)) != 1;
    } else {
      for (uint32_t i = 0; i < decoder->planeCount; i++) {
        FCTIFFPlane *plane = &decoder->planes[i];
        const uint32_t tile = decoder->library->TIFFComputeTile(plane->tiff, left, decoder->bandTop, 0, (uint16_t)i);
        const tmsize_t bytes = (tmsize_t)plane->sampleBytes;
        isBroken = decoder->library->TIFFReadEncodedTile(plane->tiff, tile, plane->samples, bytes) != bytes || isBroken;
      }
    }
    if (isBroken && errno == ENOMEM) decoder->lacksMemory = true;
    if (isBroken || decoder->hasFault) note_damage(decoder, decoder->bandTop);
    for (uint32_t row = 0; row < decoder->bandRows; row++) {
      uint8_t *out = decoder->band + ((size_t)row * decoder->width + (first - decoder->x)) * channels;
      if (isBroken) {
        memset(out, 0, (size_t)(last - first) * channels);
      } else if (is_converted(decoder)) {
        // libtiff's rows begin at the lower edge.
        const size_t place = (size_t)(down - 1 - row) * across + (first - left);
        fctiff_convert_raster(decoder, decoder->raster + place, last - first, out);
      } else {
        const size_t offset = (size_t)row * row_bytes(picture, across);
        fctiff_convert(decoder, offset, first - left, last - first, out);
      }
    }
  }
}

/// Decodes the band that contains `row`, unless it is in memory.
static void read_band(FCTIFFDecoder *decoder, uint32_t row) {
  if (decoder->bandRows > 0 && row >= decoder->bandTop && row - decoder->bandTop < decoder->bandRows) return;
  const FCTIFFPicture *picture = &decoder->picture;
  const uint32_t rows = is_tiled(decoder) ? picture->tileHeight : picture->rowsPerStrip;
  const uint32_t top = row / rows * rows, left = picture->height - top;
  decoder->bandTop = top;
  decoder->bandRows = rows < left ? rows : left;
  read_tiles(decoder);
}

// MARK: Rows

FCStatus fctiff_decoder_read_rows(
  FCTIFFDecoder *decoder, uint32_t row, uint32_t count, uint8_t *rows, size_t capacity) {
  const size_t bytesPerRow = (size_t)decoder->width * fc_channels(decoder->color);
  if (!decoder->isStarted || decoder->row == NULL || (uint64_t)row + count > decoder->picture.height ||
      (rows != NULL && capacity / bytesPerRow < count)) {
    return fc_refuse(&decoder->message, FCStatusMisuse, "the rows are outside the image, or the memory is too small");
  }
  for (uint32_t end = row + count; row < end; row++) {
    if (is_tiled(decoder) || is_converted(decoder)) {
      read_band(decoder, row);
      if (rows != NULL) memcpy(rows, decoder->band + (row - decoder->bandTop) * bytesPerRow, bytesPerRow);
    } else {
      bool isThere = true;
      for (uint32_t i = 0; i < decoder->planeCount; i++) isThere = read_scanline(decoder, i, row) && isThere;
      if (rows != NULL && isThere) fctiff_convert(decoder, 0, decoder->x, decoder->width, rows);
      if (rows != NULL && !isThere) memset(rows, 0, bytesPerRow);
    }
    if (fc_cancellation_is_cancelled(decoder->source.cancellation)) {
      // The cancelled band is incomplete.
      decoder->bandRows = 0;
      return fc_refuse(&decoder->message, FCStatusCancelled, "cancelled");
    }
    if (decoder->lacksMemory) return fc_refuse(&decoder->message, FCStatusOutOfMemory, "no memory for libtiff");
    if (decoder->hasTooManyScans) {
      return fc_refuse(
        &decoder->message, FCStatusUnsupported, "a strip or tile of JPEG has more than 16 scans (save it with LZW)");
    }
    if (rows != NULL) rows += bytesPerRow;
  }
  return FCStatusOk;
}
