// JPEG files of every kind, made at test time, and the reference decode that the product is compared with.
//
// It calls plain libjpeg-turbo and shares no code with the product's shim, so that the two are not wrong in the same
// way.
// Functions that can fail return 1 for success and 0 for failure; on failure `message` holds the reason and nothing has
// been allocated for the caller.

#ifndef CJPEGFIXTURES_H
#define CJPEGFIXTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What every `message` argument must have room for.
#define FX_MESSAGE_SIZE 256

// The most that a reference decode may allocate. A header patched to an enormous size must not take the machine down.
#define FX_MAXIMUM_BYTES ((size_t)1 << 30)

#define FX_MAXIMUM_COMPONENTS 4

// MARK: Encode

// What the JPEG stores. From RGB samples come gray, YCbCr and RGB; from CMYK samples come CMYK and YCCK.
typedef enum {
  FX_COLOR_GRAY,
  FX_COLOR_YCBCR,
  FX_COLOR_RGB,
  FX_COLOR_CMYK,
  FX_COLOR_YCCK
} fx_color;

// A marker that libjpeg writes on its own for some colors only.
typedef enum {
  FX_MARKER_DEFAULT,
  FX_MARKER_OMIT,
  FX_MARKER_WRITE
} fx_marker;

// A marker segment written behind libjpeg's own APP0 or APP14; `bytes` excludes the marker and the length.
typedef struct {
  uint8_t code;
  const uint8_t *bytes;
  size_t count;
} fx_segment;

typedef struct {
  int quality;
  fx_color color;
  fx_marker jfif;
  fx_marker adobe;
  // Sampling factors 1...4 for each component; 0 stands for 1.
  uint8_t horizontal[FX_MAXIMUM_COMPONENTS];
  uint8_t vertical[FX_MAXIMUM_COMPONENTS];
  bool progressive;
  // One component a scan. Together with `progressive` the DC scans are separate too.
  bool multiscan;
  bool arithmetic;
  bool optimized_huffman;
  // Lets quantization steps exceed 255, which low qualities need; such a file is not baseline.
  bool wide_quantization;
  // Restart markers every so many MCUs, or every so many rows of MCUs, which wins; 0 for none.
  unsigned restart_interval;
  unsigned restart_rows;
  const fx_segment *segments;
  size_t segment_count;
} fx_encode_options;

// `samples` are interleaved, `components` (1 gray, 3 RGB, 4 CMYK) a pixel, rows without padding; `count` is their
// number and is checked against the size.
int fx_encode(
    const uint8_t *samples, size_t count, uint32_t width, uint32_t height, int components,
    const fx_encode_options *options, uint8_t **jpeg, size_t *jpeg_count, char *message);

// MARK: Decode

typedef enum {
  FX_OUTPUT_GRAY,
  FX_OUTPUT_RGB,
  // What libjpeg chooses: gray, RGB for RGB and YCbCr, CMYK for CMYK and YCCK. Inks are as stored, never inverted.
  FX_OUTPUT_NATIVE,
  // The stored components without color conversion: YCbCr, YCCK ...
  FX_OUTPUT_STORED
} fx_output;

typedef struct {
  uint8_t *pixels;
  uint32_t width;
  uint32_t height;
  int components;
  long warnings;
} fx_picture;

// Decodes every row at scale/8 (scale 1...8) with the slow exact DCT and fancy upsampling. Stops behind the last row,
// so what follows (a missing EOI, a trailer) is judged only as far as libjpeg reads ahead.
int fx_decode(const uint8_t *jpeg, size_t count, int scale, fx_output output, fx_picture *picture, char *message);

typedef struct {
  // 64 values a block in natural (row by row, not zigzag) order; the blocks in raster order.
  int16_t *values;
  size_t width_in_blocks;
  size_t height_in_blocks;
  int components;
  long warnings;
} fx_coefficients;

// The quantized DCT coefficients of one component (0 for the first).
int fx_read_coefficients(
    const uint8_t *jpeg, size_t count, int component, fx_coefficients *coefficients, char *message);

// Frees what the functions above allocated.
void fx_free(void *memory);

// MARK: Pixels
//
// The hot loops of the tests are in C because a debug build of Swift takes seconds for 12 megapixels. Sizes are the
// caller's promise here: buffers hold width * height * channels samples.

// Turns stored pixels upright for an EXIF orientation 1...8, or, with `inverse`, upright pixels back to stored ones.
// `width` and `height` are those of `source`.
void fx_turn(
    const uint8_t *source, size_t width, size_t height, size_t channels, int orientation, bool inverse,
    uint8_t *target);

// Bilinear, pixel centers aligned, no low-pass filter. Returns 0 without memory.
int fx_resize(
    const uint8_t *source, size_t width, size_t height, size_t channels, uint8_t *target, size_t target_width,
    size_t target_height);

// Adds an equally distributed -amplitude...amplitude (at most 127) to each sample.
void fx_add_noise(uint8_t *samples, size_t count, unsigned amplitude, uint64_t seed);

// Fills with equally distributed samples.
void fx_fill_noise(uint8_t *samples, size_t count, uint64_t seed);

// Fills with gradients, edges and a little noise, different in every channel.
void fx_fill_pattern(uint8_t *samples, size_t width, size_t height, size_t channels, uint64_t seed);

// Luma of RGB with libjpeg's weights.
void fx_gray(const uint8_t *rgb, size_t pixel_count, uint8_t *gray);

unsigned fx_maximum_difference(const uint8_t *first, const uint8_t *second, size_t count);
uint64_t fx_total_difference(const uint8_t *first, const uint8_t *second, size_t count);
bool fx_equal(const uint8_t *first, const uint8_t *second, size_t count);

#endif
