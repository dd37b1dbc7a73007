/// Converts stored samples to the caller's pixels.
#include "decoder.h"

#include <string.h>

/// Unpacks `count` samples, from sample `first` on. libtiff has already swapped the bytes of 16-bit samples.
static void unpack(const uint8_t *from, size_t first, size_t count, uint32_t bits, bool isIndex, uint8_t *out,
                   size_t stride) {
  if (bits == 8) {
    for (size_t i = 0; i < count; i++) out[i * stride] = from[first + i];
  } else if (bits == 16) {
    for (size_t i = 0; i < count; i++) {
      uint16_t sample;
      memcpy(&sample, from + 2 * (first + i), 2);
      out[i * stride] = (uint8_t)((sample * 255u + 32767u) / 65535u);
    }
  } else if (8 % bits != 0) {
    // Packed without gaps, the highest bit first, whatever the file's order of bytes is.
    const uint32_t most = (1u << bits) - 1;
    for (size_t i = 0; i < count; i++) {
      const size_t bit = (first + i) * bits;
      uint32_t window = 0;
      // A sample lies in three bytes at most; behind its last bit nothing is read.
      for (size_t byte = bit / 8; byte <= (bit + bits - 1) / 8; byte++) window = window << 8 | from[byte];
      const uint32_t sample = window >> (7 - (bit + bits - 1) % 8) & most;
      out[i * stride] = (uint8_t)((sample * 255u + most / 2) / most);
    }
  } else {
    const uint32_t most = (1u << bits) - 1, scale = isIndex ? 1 : 255 / most;
    for (size_t i = 0; i < count; i++) {
      const size_t bit = (first + i) * bits;
      out[i * stride] = (uint8_t)((from[bit / 8] >> (8 - bits - bit % 8) & most) * scale);
    }
  }
}

static uint8_t multiplied(uint8_t a, uint8_t b) { return (uint8_t)((a * (uint32_t)b + 127u) / 255u); }

/// Converts a pixel's samples to RGB.
static void color_of(const FCTIFFPicture *picture, const uint8_t *pixel, uint8_t *rgb) {
  switch (picture->colors) {
    case FCTIFFColorsGray: memset(rgb, pixel[0], 3); break;
    case FCTIFFColorsWhiteIsZero: memset(rgb, 255 - pixel[0], 3); break;
    case FCTIFFColorsPalette: memcpy(rgb, picture->palette + 4 * (size_t)pixel[0], 3); break;
    case FCTIFFColorsRGB:
    case FCTIFFColorsYCbCr: memcpy(rgb, pixel, 3); break;
    case FCTIFFColorsInks:
      for (int i = 0; i < 3; i++) rgb[i] = multiplied(255 - pixel[i], 255 - pixel[3]);
      break;
  }
}

static uint32_t color_samples(FCTIFFColors colors) {
  return colors == FCTIFFColorsInks ? 4 : colors == FCTIFFColorsRGB || colors == FCTIFFColorsYCbCr ? 3 : 1;
}

static void write_pixel(FCColor color, const uint8_t *rgb, uint8_t alpha, uint8_t *out) {
  if (color == FCColorGray) {
    out[0] = fc_luma(rgb);
    return;
  }
  memcpy(out, rgb, 3);
  if (color == FCColorRGBA) out[3] = alpha;
}

void fctiff_convert(FCTIFFDecoder *decoder, size_t offset, uint32_t x, uint32_t width, uint8_t *out) {
  const FCTIFFPicture *picture = &decoder->picture;
  const size_t samples = picture->samples;
  const bool isIndex = picture->colors == FCTIFFColorsPalette;
  if (picture->isPlanar) {
    for (uint32_t plane = 0; plane < samples; plane++) {
      unpack(decoder->planes[plane].samples + offset, x, width, picture->bits, isIndex, decoder->row + plane, samples);
    }
  } else {
    const uint8_t *from = decoder->planes[0].samples + offset;
    unpack(from, x * samples, width * samples, picture->bits, isIndex, decoder->row, 1);
  }
  const uint32_t channels = fc_channels(decoder->color), alphaSample = color_samples(picture->colors);
  const uint8_t *pixel = decoder->row;
  for (uint32_t i = 0; i < width; i++, pixel += samples, out += channels) {
    if (decoder->color == FCColorCMYK) {
      memcpy(out, pixel, 4);
      continue;
    }
    uint8_t rgb[3], alpha = 255;
    color_of(picture, pixel, rgb);
    if (picture->alpha != FCTIFFAlphaNone) alpha = pixel[alphaSample];
    if (picture->alpha == FCTIFFAlphaAssociated) {
      for (int c = 0; c < 3; c++) {
        const uint32_t whole = alpha == 0 ? 0 : (rgb[c] * 255u + alpha / 2u) / alpha;
        rgb[c] = (uint8_t)(whole < 255 ? whole : 255);
      }
    }
    write_pixel(decoder->color, rgb, alpha, out);
  }
}

void fctiff_convert_raster(const FCTIFFDecoder *decoder, const uint32_t *raster, uint32_t width, uint8_t *out) {
  const uint32_t channels = fc_channels(decoder->color);
  for (uint32_t i = 0; i < width; i++, out += channels) {
    const uint8_t rgb[3] = {(uint8_t)TIFFGetR(raster[i]), (uint8_t)TIFFGetG(raster[i]), (uint8_t)TIFFGetB(raster[i])};
    write_pixel(decoder->color, rgb, 255, out);
  }
}
