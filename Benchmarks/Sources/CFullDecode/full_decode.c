#include "CFullDecode.h"

#include <stdio.h>

#include <jpeglib.h>

static void decode(const uint8_t *jpeg, size_t count, J_COLOR_SPACE color, unsigned int fraction, uint8_t *pixels) {
  struct jpeg_decompress_struct codec;
  struct jpeg_error_mgr errors;
  codec.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&codec);
  jpeg_mem_src(&codec, jpeg, count);
  jpeg_read_header(&codec, TRUE);
  codec.out_color_space = color;
  codec.scale_num = 1;
  codec.scale_denom = fraction;
  codec.dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&codec);
  const size_t stride = (size_t)codec.output_width * (size_t)codec.output_components;
  while (codec.output_scanline < codec.output_height) {
    JSAMPROW row = pixels + codec.output_scanline * stride;
    jpeg_read_scanlines(&codec, &row, 1);
  }
  jpeg_finish_decompress(&codec);
  jpeg_destroy_decompress(&codec);
}

void full_decode(const uint8_t *jpeg, size_t count, uint8_t *pixels) { decode(jpeg, count, JCS_RGB, 1, pixels); }

void eighth_decode(const uint8_t *jpeg, size_t count, uint8_t *pixels) {
  decode(jpeg, count, JCS_GRAYSCALE, 8, pixels);
}

bool full_decode_of_rows(const uint8_t *jpeg, size_t count, uint8_t *row) {
  struct jpeg_decompress_struct codec;
  struct jpeg_error_mgr errors;
  codec.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&codec);
  jpeg_mem_src(&codec, jpeg, count);
  jpeg_read_header(&codec, TRUE);
  if (codec.jpeg_color_space != JCS_CMYK && codec.jpeg_color_space != JCS_YCCK) codec.out_color_space = JCS_RGB;
  jpeg_start_decompress(&codec);
  while (codec.output_scanline < codec.output_height) jpeg_read_scanlines(&codec, &row, 1);
  jpeg_finish_decompress(&codec);
  jpeg_destroy_decompress(&codec);
  return true;
}
