#include "CHEIFFixtures.h"

#include <libheif/heif.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint8_t *bytes;
  size_t count;
} file;

static struct heif_error append(struct heif_context *context, const void *data, size_t size, void *user) {
  (void)context;
  file *written = user;
  uint8_t *bytes = realloc(written->bytes, written->count + size);
  const struct heif_error failed = {heif_error_Memory_allocation_error, heif_suberror_Unspecified, "no memory"};
  const struct heif_error done = {heif_error_Ok, heif_suberror_Unspecified, ""};
  if (bytes == NULL) return failed;
  memcpy(bytes + written->count, data, size);
  written->bytes = bytes;
  written->count += size;
  return done;
}

/// Expands an 8-bit sample to `depth` bits.
static uint16_t deep(uint8_t sample, int depth) {
  const uint32_t top = (1u << depth) - 1;
  return (uint16_t)((sample * top + 127) / 255);
}

static struct heif_image *make_image(const uint8_t *samples, int width, int height, int channels, int depth) {
  const int isGray = channels == 1, isDeep = depth > 8;
  const enum heif_channel channel = isGray ? heif_channel_Y : heif_channel_interleaved;
  struct heif_image *image = NULL;
  heif_image_create(width, height, isGray ? heif_colorspace_monochrome : heif_colorspace_RGB,
                    isGray   ? heif_chroma_monochrome
                    : isDeep ? heif_chroma_interleaved_RRGGBB_LE
                             : heif_chroma_interleaved_RGB,
                    &image);
  if (image == NULL) return NULL;
  // An interleaved plane of 8 bits has the depth of one sample.
  if (heif_image_add_plane(image, channel, width, height, depth).code != heif_error_Ok) return NULL;
  int stride = 0;
  uint8_t *plane = heif_image_get_plane(image, channel, &stride);
  for (int y = 0; y < height; y++) {
    for (int i = 0; i < width * channels; i++) {
      const uint8_t sample = samples[(size_t)y * width * channels + i];
      if (isDeep) {
        const uint16_t value = deep(sample, depth);
        memcpy(plane + (size_t)y * stride + 2 * i, &value, 2);
      } else {
        plane[(size_t)y * stride + i] = sample;
      }
    }
  }
  return image;
}

uint8_t *fh_encode(
  const uint8_t *samples, size_t width, size_t height, int channels, fh_encoding encoding, size_t *count) {
  file written = {NULL, 0};
  struct heif_context *context = heif_context_alloc();
  struct heif_image *image = make_image(samples, (int)width, (int)height, channels, encoding.depth);
  struct heif_encoder *encoder = NULL;
  heif_context_get_encoder_for_format(context, encoding.av1 ? heif_compression_AV1 : heif_compression_HEVC, &encoder);
  struct heif_encoding_options *options = heif_encoding_options_alloc();
  if (image != NULL && encoder != NULL) {
    heif_encoder_set_lossy_quality(encoder, encoding.quality);
    heif_encoder_set_parameter_string(encoder, "chroma", encoding.chroma);
    if (encoding.av1) {
      heif_encoder_set_parameter_integer(encoder, "speed", 9);
    } else {
      heif_encoder_set_parameter_string(encoder, "preset", encoding.offset ? "veryfast" : "ultrafast");
    }
    options->macOS_compatibility_workaround = 0;
    struct heif_writer writer = {1, append};
    const struct heif_error error = heif_context_encode_image(context, image, encoder, options, NULL);
    if (error.code == heif_error_Ok) heif_context_write(context, &writer, &written);
  }
  heif_encoding_options_free(options);
  if (encoder != NULL) heif_encoder_release(encoder);
  if (image != NULL) heif_image_release(image);
  heif_context_free(context);
  *count = written.count;
  return written.bytes;
}

static void copy_row(uint8_t *out, const uint8_t *row, size_t samples, int depth) {
  if (depth <= 8) {
    memcpy(out, row, samples);
    return;
  }
  const uint32_t top = (1u << depth) - 1;
  for (size_t i = 0; i < samples; i++) {
    uint16_t sample;
    memcpy(&sample, row + 2 * i, 2);
    out[i] = (uint8_t)((sample * 255u + top / 2) / top);
  }
}

uint8_t *fh_decode(const uint8_t *bytes, size_t count, size_t *width, size_t *height) {
  struct heif_context *context = heif_context_alloc();
  struct heif_image_handle *handle = NULL;
  struct heif_image *image = NULL;
  uint8_t *pixels = NULL;
  struct heif_decoding_options *options = heif_decoding_options_alloc();
  int depth = 8;
#if LIBHEIF_HAVE_VERSION(1, 16, 0)
  // Like libheif 1.15 and facecrop.
  options->color_conversion_options.preferred_chroma_upsampling_algorithm = heif_chroma_upsampling_nearest_neighbor;
  options->color_conversion_options.only_use_preferred_chroma_algorithm = 1;
#endif
#if LIBHEIF_HAVE_VERSION(1, 23, 0)
  options->output_image_nclx_profile_passthrough = 1;
#endif
  if (heif_context_read_from_memory_without_copy(context, bytes, count, NULL).code == heif_error_Ok &&
      heif_context_get_primary_image_handle(context, &handle).code == heif_error_Ok) {
#if LIBHEIF_HAVE_VERSION(1, 16, 0)
    // Deep samples are reduced to 8 bits here: these versions reduce them before the color conversion, and lose levels.
    depth = heif_image_handle_get_luma_bits_per_pixel(handle);
#else
    options->convert_hdr_to_8bit = 1;
#endif
    const enum heif_chroma chroma = depth > 8 ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RGBA;
    if (heif_decode_image(handle, &image, heif_colorspace_RGB, chroma, options).code == heif_error_Ok) {
      int stride = 0;
      const uint8_t *plane = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
      *width = (size_t)heif_image_get_primary_width(image);
      *height = (size_t)heif_image_get_primary_height(image);
      pixels = malloc(*width * *height * 4);
      for (size_t y = 0; pixels != NULL && y < *height; y++) {
        copy_row(pixels + y * *width * 4, plane + y * (size_t)stride, *width * 4, depth);
      }
    }
  }
  heif_decoding_options_free(options);
  if (image != NULL) heif_image_release(image);
  if (handle != NULL) heif_image_handle_release(handle);
  heif_context_free(context);
  return pixels;
}

void fh_free(void *memory) { free(memory); }
