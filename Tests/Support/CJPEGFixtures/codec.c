#include "CJPEGFixtures.h"

#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

// MARK: Errors

// libjpeg's error manager comes first, so that its pointer points to the whole struct.
typedef struct {
  struct jpeg_error_mgr manager;
  jmp_buf escape;
  char *message;
} fx_errors;

static int fx_fail(char *message, const char *text) {
  snprintf(message, FX_MESSAGE_SIZE, "%s", text);
  return 0;
}

static void fx_error_exit(j_common_ptr codec) {
  fx_errors *errors = (fx_errors *)codec->err;
  char text[JMSG_LENGTH_MAX];
  errors->manager.format_message(codec, text);
  fx_fail(errors->message, text);
  longjmp(errors->escape, 1);
}

static void fx_emit_message(j_common_ptr codec, int level) {
  if (level < 0) codec->err->num_warnings += 1;
}

static void fx_output_message(j_common_ptr codec) {
  (void)codec;
}

static struct jpeg_error_mgr *fx_use_errors(fx_errors *errors, char *message) {
  struct jpeg_error_mgr *manager = jpeg_std_error(&errors->manager);
  manager->error_exit = fx_error_exit;
  manager->emit_message = fx_emit_message;
  manager->output_message = fx_output_message;
  errors->message = message;
  return manager;
}

static bool fx_product(size_t first, size_t second, size_t third, size_t *product) {
  return !__builtin_mul_overflow(first, second, product) && !__builtin_mul_overflow(*product, third, product);
}

// MARK: Encode

// Replaces jpeg_mem_dest, which loses its buffer if an error strikes after the buffer has grown.
typedef struct {
  struct jpeg_destination_mgr manager;
  uint8_t *bytes;
  size_t capacity;
  size_t count;
} fx_sink;

enum { FX_FIRST_CAPACITY = 1 << 16, FX_MAXIMUM_SCANS = 5 * FX_MAXIMUM_COMPONENTS };

// On the heap, since a longjmp loses the contents of locals.
typedef struct {
  struct jpeg_compress_struct codec;
  fx_errors errors;
  fx_sink sink;
  jpeg_scan_info script[FX_MAXIMUM_SCANS];
} fx_encoder;

static void fx_sink_begin(j_compress_ptr codec) {
  fx_sink *sink = (fx_sink *)codec->dest;
  sink->manager.next_output_byte = sink->bytes;
  sink->manager.free_in_buffer = sink->capacity;
}

static boolean fx_sink_grow(j_compress_ptr codec) {
  fx_sink *sink = (fx_sink *)codec->dest;
  size_t capacity = 0;
  uint8_t *bytes = NULL;
  if (!__builtin_mul_overflow(sink->capacity, (size_t)2, &capacity)) bytes = realloc(sink->bytes, capacity);
  if (bytes == NULL) ERREXIT1(codec, JERR_OUT_OF_MEMORY, 0);
  sink->manager.next_output_byte = bytes + sink->capacity;
  sink->manager.free_in_buffer = capacity - sink->capacity;
  sink->bytes = bytes;
  sink->capacity = capacity;
  return TRUE;
}

static void fx_sink_end(j_compress_ptr codec) {
  fx_sink *sink = (fx_sink *)codec->dest;
  sink->count = sink->capacity - sink->manager.free_in_buffer;
}

static J_COLOR_SPACE fx_color_space(fx_color color) {
  switch (color) {
    case FX_COLOR_GRAY: return JCS_GRAYSCALE;
    case FX_COLOR_YCBCR: return JCS_YCbCr;
    case FX_COLOR_RGB: return JCS_RGB;
    case FX_COLOR_CMYK: return JCS_CMYK;
    case FX_COLOR_YCCK: return JCS_YCCK;
  }
  return JCS_UNKNOWN;
}

// Writes one component a scan, band by band.
static void fx_use_separate_scans(fx_encoder *encoder, bool progressive) {
  static const struct {
    int first, last, high, low;
  } progressive_bands[] = {{0, 0, 0, 0}, {1, 5, 0, 2}, {6, 63, 0, 2}, {1, 63, 2, 1}, {1, 63, 1, 0}},
    sequential_bands[] = {{0, 63, 0, 0}};
  int band_count = progressive ? 5 : 1;
  int scan_count = 0;
  for (int band = 0; band < band_count; band += 1) {
    for (int component = 0; component < encoder->codec.num_components; component += 1) {
      jpeg_scan_info *scan = &encoder->script[scan_count++];
      scan->comps_in_scan = 1;
      scan->component_index[0] = component;
      scan->Ss = progressive ? progressive_bands[band].first : sequential_bands[band].first;
      scan->Se = progressive ? progressive_bands[band].last : sequential_bands[band].last;
      scan->Ah = progressive ? progressive_bands[band].high : sequential_bands[band].high;
      scan->Al = progressive ? progressive_bands[band].low : sequential_bands[band].low;
    }
  }
  encoder->codec.scan_info = encoder->script;
  encoder->codec.num_scans = scan_count;
}

static void fx_apply(fx_encoder *encoder, const fx_encode_options *options) {
  j_compress_ptr codec = &encoder->codec;
  jpeg_set_defaults(codec);
  jpeg_set_colorspace(codec, fx_color_space(options->color));
  jpeg_set_quality(codec, options->quality, options->wide_quantization ? FALSE : TRUE);
  if (options->jfif != FX_MARKER_DEFAULT) codec->write_JFIF_header = options->jfif == FX_MARKER_WRITE;
  if (options->adobe != FX_MARKER_DEFAULT) codec->write_Adobe_marker = options->adobe == FX_MARKER_WRITE;
  for (int i = 0; i < codec->num_components; i += 1) {
    codec->comp_info[i].h_samp_factor = options->horizontal[i] == 0 ? 1 : options->horizontal[i];
    codec->comp_info[i].v_samp_factor = options->vertical[i] == 0 ? 1 : options->vertical[i];
  }
  codec->dct_method = JDCT_ISLOW;
  codec->arith_code = options->arithmetic;
  codec->optimize_coding = options->optimized_huffman;
  codec->restart_interval = options->restart_interval;
  codec->restart_in_rows = (int)options->restart_rows;
  if (options->multiscan) {
    fx_use_separate_scans(encoder, options->progressive);
  } else if (options->progressive) {
    jpeg_simple_progression(codec);
  }
}

static int fx_run_encoder(
    fx_encoder *encoder, const uint8_t *samples, uint32_t width, uint32_t height, int components,
    const fx_encode_options *options, char *message) {
  j_compress_ptr codec = &encoder->codec;
  codec->err = fx_use_errors(&encoder->errors, message);
  if (setjmp(encoder->errors.escape) != 0) return 0;

  jpeg_create_compress(codec);
  encoder->sink.manager.init_destination = fx_sink_begin;
  encoder->sink.manager.empty_output_buffer = fx_sink_grow;
  encoder->sink.manager.term_destination = fx_sink_end;
  codec->dest = &encoder->sink.manager;
  codec->image_width = width;
  codec->image_height = height;
  codec->input_components = components;
  codec->in_color_space = components == 1 ? JCS_GRAYSCALE : components == 3 ? JCS_RGB : JCS_CMYK;
  fx_apply(encoder, options);

  jpeg_start_compress(codec, TRUE);
  for (size_t i = 0; i < options->segment_count; i += 1) {
    const fx_segment *segment = &options->segments[i];
    jpeg_write_marker(codec, segment->code, segment->bytes, (unsigned)segment->count);
  }
  while (codec->next_scanline < height) {
    // libjpeg only reads the row, although its type is not const.
    JSAMPROW row = (JSAMPROW)samples + (size_t)codec->next_scanline * width * (size_t)components;
    jpeg_write_scanlines(codec, &row, 1);
  }
  jpeg_finish_compress(codec);
  return 1;
}

int fx_encode(
    const uint8_t *samples, size_t count, uint32_t width, uint32_t height, int components,
    const fx_encode_options *options, uint8_t **jpeg, size_t *jpeg_count, char *message) {
  size_t expected = 0;
  if (components != 1 && components != 3 && components != 4) return fx_fail(message, "components are 1, 3 or 4");
  if (!fx_product(width, height, (size_t)components, &expected) || expected != count) {
    return fx_fail(message, "the number of samples does not match the size");
  }
  if (options->quality < 1 || options->quality > 100) return fx_fail(message, "quality is 1...100");
  if (options->restart_interval > 65535 || options->restart_rows > 65535) {
    return fx_fail(message, "a restart interval is at most 65535");
  }
  for (size_t i = 0; i < options->segment_count; i += 1) {
    if (options->segments[i].count > 65533) return fx_fail(message, "a marker segment holds at most 65533 bytes");
  }

  fx_encoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return fx_fail(message, "out of memory");
  encoder->sink.capacity = FX_FIRST_CAPACITY;
  encoder->sink.bytes = malloc(FX_FIRST_CAPACITY);
  int done = encoder->sink.bytes != NULL
      ? fx_run_encoder(encoder, samples, width, height, components, options, message)
      : fx_fail(message, "out of memory");
  jpeg_destroy_compress(&encoder->codec);
  if (done) {
    *jpeg = encoder->sink.bytes;
    *jpeg_count = encoder->sink.count;
  } else {
    free(encoder->sink.bytes);
  }
  free(encoder);
  return done;
}

// MARK: Decode

typedef struct {
  struct jpeg_decompress_struct codec;
  fx_errors errors;
  uint8_t *pixels;
  int16_t *coefficients;
} fx_decoder;

static void fx_open(fx_decoder *decoder, const uint8_t *jpeg, size_t count) {
  j_decompress_ptr codec = &decoder->codec;
  jpeg_create_decompress(codec);
  codec->mem->max_memory_to_use = (long)FX_MAXIMUM_BYTES;
  jpeg_mem_src(codec, jpeg, count);
  jpeg_read_header(codec, TRUE);
}

// Ends in fx_error_exit if the size overflows or exceeds the limit, or if memory runs out.
static void *fx_allocate(j_common_ptr codec, size_t first, size_t second, size_t third) {
  size_t size = 0;
  void *memory = NULL;
  if (fx_product(first, second, third, &size) && size <= FX_MAXIMUM_BYTES) memory = calloc(1, size);
  if (memory == NULL) ERREXIT1(codec, JERR_OUT_OF_MEMORY, 0);
  return memory;
}

static int fx_run_decoder(
    fx_decoder *decoder, const uint8_t *jpeg, size_t count, int scale, fx_output output, fx_picture *picture,
    char *message) {
  j_decompress_ptr codec = &decoder->codec;
  codec->err = fx_use_errors(&decoder->errors, message);
  if (setjmp(decoder->errors.escape) != 0) return 0;

  fx_open(decoder, jpeg, count);
  codec->scale_num = (unsigned)scale;
  codec->scale_denom = 8;
  codec->dct_method = JDCT_ISLOW;
  codec->do_fancy_upsampling = TRUE;
  switch (output) {
    case FX_OUTPUT_GRAY: codec->out_color_space = JCS_GRAYSCALE; break;
    case FX_OUTPUT_RGB: codec->out_color_space = JCS_RGB; break;
    case FX_OUTPUT_NATIVE: break;
    case FX_OUTPUT_STORED: codec->out_color_space = codec->jpeg_color_space; break;
  }
  // Before libjpeg allocates anything large.
  jpeg_calc_output_dimensions(codec);
  decoder->pixels = fx_allocate(
      (j_common_ptr)codec, codec->output_width, codec->output_height, (size_t)codec->output_components);

  jpeg_start_decompress(codec);
  while (codec->output_scanline < codec->output_height) {
    size_t stride = (size_t)codec->output_width * (size_t)codec->output_components;
    JSAMPROW row = decoder->pixels + codec->output_scanline * stride;
    if (jpeg_read_scanlines(codec, &row, 1) != 1) return fx_fail(message, "libjpeg gave no row");
  }
  picture->pixels = decoder->pixels;
  picture->width = codec->output_width;
  picture->height = codec->output_height;
  picture->components = codec->output_components;
  picture->warnings = codec->err->num_warnings;
  return 1;
}

int fx_decode(const uint8_t *jpeg, size_t count, int scale, fx_output output, fx_picture *picture, char *message) {
  if (scale < 1 || scale > 8) return fx_fail(message, "scale is 1...8");
  fx_decoder *decoder = calloc(1, sizeof *decoder);
  if (decoder == NULL) return fx_fail(message, "out of memory");
  int done = fx_run_decoder(decoder, jpeg, count, scale, output, picture, message);
  jpeg_destroy_decompress(&decoder->codec);
  if (!done) free(decoder->pixels);
  free(decoder);
  return done;
}

static int fx_run_coefficient_reader(
    fx_decoder *decoder, const uint8_t *jpeg, size_t count, int index, fx_coefficients *coefficients, char *message) {
  j_decompress_ptr codec = &decoder->codec;
  codec->err = fx_use_errors(&decoder->errors, message);
  if (setjmp(decoder->errors.escape) != 0) return 0;

  fx_open(decoder, jpeg, count);
  if (index < 0 || index >= codec->num_components) return fx_fail(message, "no such component");
  jvirt_barray_ptr *arrays = jpeg_read_coefficients(codec);
  jpeg_component_info *component = &codec->comp_info[index];
  size_t width = component->width_in_blocks;
  decoder->coefficients =
      fx_allocate((j_common_ptr)codec, width, component->height_in_blocks, DCTSIZE2 * sizeof(int16_t));
  for (JDIMENSION y = 0; y < component->height_in_blocks; y += 1) {
    JBLOCKARRAY rows = codec->mem->access_virt_barray((j_common_ptr)codec, arrays[index], y, 1, FALSE);
    memcpy(decoder->coefficients + y * width * DCTSIZE2, rows[0], width * sizeof(JBLOCK));
  }
  coefficients->values = decoder->coefficients;
  coefficients->width_in_blocks = width;
  coefficients->height_in_blocks = component->height_in_blocks;
  coefficients->components = codec->num_components;
  coefficients->warnings = codec->err->num_warnings;
  return 1;
}

int fx_read_coefficients(
    const uint8_t *jpeg, size_t count, int component, fx_coefficients *coefficients, char *message) {
  fx_decoder *decoder = calloc(1, sizeof *decoder);
  if (decoder == NULL) return fx_fail(message, "out of memory");
  int done = fx_run_coefficient_reader(decoder, jpeg, count, component, coefficients, message);
  jpeg_destroy_decompress(&decoder->codec);
  if (!done) free(decoder->coefficients);
  free(decoder);
  return done;
}

void fx_free(void *memory) {
  free(memory);
}
