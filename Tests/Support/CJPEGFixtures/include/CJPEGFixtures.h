// JPEG files of every kind, made at test time, and the reference decode for the product.
//
// It calls plain libjpeg-turbo and shares no code with the product's shim, so that the two cannot have the same faults.
// Functions that can fail return 1 for success. Otherwise they return 0, set `message`, and allocate nothing.

#ifndef CJPEGFIXTURES_H
#define CJPEGFIXTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The size of every `message` argument.
#define FX_MESSAGE_SIZE 256

// Upper bound of a reference decode's allocations, in case a header is patched to an enormous size.
#define FX_MAXIMUM_BYTES ((size_t)1 << 30)

#define FX_MAXIMUM_COMPONENTS 4

// MARK: Encode

// The stored colors. RGB samples become gray, YCbCr or RGB; CMYK samples become CMYK or YCCK.
typedef enum {
  FX_COLOR_GRAY,
  FX_COLOR_YCBCR,
  FX_COLOR_RGB,
  FX_COLOR_CMYK,
  FX_COLOR_YCCK
} fx_color;

// A marker that libjpeg by default writes only for some colors.
typedef enum {
  FX_MARKER_DEFAULT,
  FX_MARKER_OMIT,
  FX_MARKER_WRITE
} fx_marker;

// A marker segment after libjpeg's own APP0 or APP14; `bytes` excludes the marker and the length.
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
  // Sampling factors 1...4 for each component; 0 means 1.
  uint8_t horizontal[FX_MAXIMUM_COMPONENTS];
  uint8_t vertical[FX_MAXIMUM_COMPONENTS];
  bool progressive;
  // One component a scan. Together with `progressive` the DC scans are separate too.
  bool multiscan;
  bool arithmetic;
  bool optimized_huffman;
  // Allows quantization steps above 255, which low qualities need; the file is then not baseline.
  bool wide_quantization;
  // The restart interval in MCUs, or in rows of MCUs, which takes precedence; 0 for none.
  unsigned restart_interval;
  unsigned restart_rows;
  const fx_segment *segments;
  size_t segment_count;
} fx_encode_options;

// Encodes interleaved `samples`, `components` (1 gray, 3 RGB, 4 CMYK) a pixel, rows without padding. `count` is their
// number, which is checked against the size.
int fx_encode(
    const uint8_t *samples, size_t count, uint32_t width, uint32_t height, int components,
    const fx_encode_options *options, uint8_t **jpeg, size_t *jpeg_count, char *message);

// MARK: Decode

typedef enum {
  FX_OUTPUT_GRAY,
  FX_OUTPUT_RGB,
  // libjpeg's choice: gray, RGB for RGB and YCbCr, CMYK for CMYK and YCCK. CMYK as stored, never inverted.
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

// Decodes every row at scale/8 (scale 1...8) with the slow exact DCT and fancy upsampling. It stops after the last row,
// so later data (a missing EOI, a trailer) count only as far as libjpeg reads ahead.
int fx_decode(const uint8_t *jpeg, size_t count, int scale, fx_output output, fx_picture *picture, char *message);

typedef struct {
  // 64 values a block in natural (row by row, not zigzag) order; the blocks in raster order.
  int16_t *values;
  size_t width_in_blocks;
  size_t height_in_blocks;
  int components;
  long warnings;
} fx_coefficients;

// Reads the quantized DCT coefficients of one component (0 for the first).
int fx_read_coefficients(
    const uint8_t *jpeg, size_t count, int component, fx_coefficients *coefficients, char *message);

// Frees memory of the functions above.
void fx_free(void *memory);

// MARK: Pixels
//
// The hot loops of the tests are in C, since a debug build of Swift takes seconds for 12 megapixels. The caller
// guarantees that buffers have width * height * channels samples.

// Rotates stored pixels upright for an EXIF orientation 1...8, or, with `inverse`, upright pixels back to stored ones.
// `width` and `height` are those of `source`.
void fx_turn(
    const uint8_t *source, size_t width, size_t height, size_t channels, int orientation, bool inverse,
    uint8_t *target);

// Resizes bilinearly with aligned pixel centers and no low-pass filter. Returns 0 if memory runs out.
int fx_resize(
    const uint8_t *source, size_t width, size_t height, size_t channels, uint8_t *target, size_t target_width,
    size_t target_height);

// Adds a uniformly distributed -amplitude...amplitude (at most 127) to each sample.
void fx_add_noise(uint8_t *samples, size_t count, unsigned amplitude, uint64_t seed);

// Fills with uniformly distributed samples.
void fx_fill_noise(uint8_t *samples, size_t count, uint64_t seed);

// Fills with gradients, edges and a little noise, different in every channel.
void fx_fill_pattern(uint8_t *samples, size_t width, size_t height, size_t channels, uint64_t seed);

// Computes luma of RGB with libjpeg's weights.
void fx_gray(const uint8_t *rgb, size_t pixel_count, uint8_t *gray);

unsigned fx_maximum_difference(const uint8_t *first, const uint8_t *second, size_t count);
uint64_t fx_total_difference(const uint8_t *first, const uint8_t *second, size_t count);
bool fx_equal(const uint8_t *first, const uint8_t *second, size_t count);

#endif
