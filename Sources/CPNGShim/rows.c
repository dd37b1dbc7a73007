/// Decodes rows of the image in the caller's color.
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

FCPNGDecoder *fcpng_decoder_create(FCPNGSource source) {
  FCPNGDecoder *decoder = calloc(1, sizeof *decoder);
  if (decoder == NULL) return NULL;
  decoder->source = source;
  decoder->seam.cancellation = source.cancellation;
  return decoder;
}

void fcpng_decoder_destroy(FCPNGDecoder *decoder) {
  png_destroy_read_struct(&decoder->png, &decoder->info, NULL);
  free(decoder->memory);
  free(decoder->profile);
  free(decoder->xmp);
  free(decoder);
}

const char *fcpng_decoder_message(const FCPNGDecoder *decoder) { return decoder->seam.message.text; }

FCDamage fcpng_decoder_damage(const FCPNGDecoder *decoder) {
  FCDamage damage = decoder->damage;
  damage.remarks = decoder->header.remarks + decoder->seam.remarks;
  return damage;
}

void fcpng_note_damage(FCPNGDecoder *decoder, FCDamageKind kind, uint32_t rows, uint32_t pass) {
  if (decoder->damage.kind != FCDamageKindNone) return;
  decoder->damage.kind = kind;
  decoder->damage.pass = pass + 1;
  // An interlaced image has complete rows only in its last pass.
  decoder->damage.intactRows = pass + 1 < decoder->passes ? 0 : rows;
}

static void ignore_metadata(FCPNGDecoder *decoder) {
  png_structp png = decoder->png;
  // Ignores all ancillary chunks except tRNS: a negative count means those that libpng knows, 0 those that it does not.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
  png_set_chunk_cache_max(png, 16);
  png_set_chunk_malloc_max(png, decoder->source.maximumMetadataBytes);
  // `header.c` and `source.c` check these checksums.
  png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_WARN_DISCARD);
}

static void start(void *context) {
  FCPNGDecoder *decoder = context;
  FCPNGSeam *seam = &decoder->seam;
  const FCPNGSource *source = &decoder->source;
  fcpng_parse_header(decoder);
  const FCPNGHeader *header = &decoder->header;
  if ((uint64_t)header->width * header->height > source->maximumPixels) {
    fcpng_fail(seam, FCStatusTooLarge, "the image has more pixels than allowed");
  }

  decoder->png = fcpng_create_read(seam);
  if (decoder->png == NULL) fcpng_fail(seam, FCStatusOutOfMemory, "no memory for libpng");
  decoder->info = png_create_info_struct(decoder->png);
  if (decoder->info == NULL) fcpng_fail(seam, FCStatusOutOfMemory, "no memory for libpng");
  png_structp png = decoder->png;
  png_set_user_limits(png, INT32_MAX, INT32_MAX);
  ignore_metadata(decoder);
  fcpng_source_install(decoder);
  png_read_info(png, decoder->info);
  png_set_expand(png);
  png_set_scale_16(png);
  decoder->passes = (uint32_t)png_set_interlace_handling(png);
  png_read_update_info(png, decoder->info);
  decoder->channels = png_get_channels(png, decoder->info);
  decoder->rowBytes = png_get_rowbytes(png, decoder->info);
  if (png_get_bit_depth(png, decoder->info) != 8 || decoder->channels < 1 || decoder->channels > 4 ||
      decoder->rowBytes != (size_t)header->width * decoder->channels) {
    fcpng_fail(seam, FCStatusUnsupported, "libpng cannot expand the pixels");
  }

  const size_t rows = decoder->passes > 1 ? header->height : 1;
  decoder->memory = calloc(rows, decoder->rowBytes);
  if (decoder->memory == NULL) fcpng_fail(seam, FCStatusOutOfMemory, "no memory for rows");
}

FCStatus fcpng_decoder_start(FCPNGDecoder *decoder, FCColor color) {
  if (decoder->stage != FCPNGStageNew) return fc_refuse(&decoder->seam.message, FCStatusMisuse, "started before");
  decoder->color = color;
  const FCStatus status = fcpng_guard(&decoder->seam, start, decoder);
  decoder->stage = status == FCStatusOk ? FCPNGStageRows : FCPNGStageFailed;
  return status;
}

typedef struct {
  FCPNGDecoder *decoder;
  uint32_t count;
  /// The caller's pixels, or NULL to skip the rows.
  uint8_t *rows;
  size_t stride;
  uint32_t x, width;
} Request;

/// Converts a row from libpng's channels to the caller's.
static void convert(const Request *request, const uint8_t *row, uint8_t *out) {
  const uint32_t from = request->decoder->channels, to = fc_channels(request->decoder->color);
  const uint8_t *pixel = row + (size_t)request->x * from;
  if (from == to) {
    memcpy(out, pixel, (size_t)request->width * to);
    return;
  }
  for (uint32_t i = 0; i < request->width; i++, pixel += from, out += to) {
    if (to <= 2) out[0] = from <= 2 ? pixel[0] : fc_luma(pixel);
    else for (uint32_t c = 0; c < 3; c++) out[c] = pixel[from <= 2 ? 0 : c];
    if (to % 2 == 0) out[to - 1] = from % 2 == 0 ? pixel[from - 1] : 255;
  }
}

/// Decodes one row of the current pass.
static void decode_row(FCPNGDecoder *decoder, uint8_t *row) {
  fcpng_check_cancelled(&decoder->seam);
  // In interlaced files, pixels also fill the places of later passes.
  if (decoder->passes > 1) png_read_row(decoder->png, NULL, row);
  else png_read_row(decoder->png, row, NULL);
  decoder->rowsDecoded += 1;
}

static void absorb(void *context) {
  const Request *request = context;
  FCPNGDecoder *decoder = request->decoder;
  for (uint32_t i = 0; i < request->count && decoder->pass < decoder->passes; i++) {
    decode_row(decoder, decoder->memory + (size_t)decoder->rowsDecoded * decoder->rowBytes);
    if (decoder->rowsDecoded < decoder->header.height) continue;
    decoder->pass += 1;
    if (decoder->pass < decoder->passes) decoder->rowsDecoded = 0;
  }
}

static void give_rows(void *context) {
  Request *request = context;
  FCPNGDecoder *decoder = request->decoder;
  while (request->count > 0) {
    if (decoder->passes == 1) decode_row(decoder, decoder->memory);
    if (request->rows != NULL) {
      const size_t offset = decoder->passes == 1 ? 0 : (size_t)decoder->rowsGiven * decoder->rowBytes;
      convert(request, decoder->memory + offset, request->rows);
      request->rows += request->stride;
    }
    decoder->rowsGiven += 1;
    request->count -= 1;
  }
}

/// Returns whether the last row is decoded. A row counts before libpng reads the data after it. After the last row of
/// an interlaced image, the pass counts.
static bool decoded_last_row(const FCPNGDecoder *decoder) {
  if (decoder->passes > 1) return png_get_current_pass_number(decoder->png) >= decoder->passes;
  return png_get_current_row_number(decoder->png) >= decoder->header.height;
}

/// Handles a failure while decoding rows. Returns true for damage that the caller can accept.
static bool survive(FCPNGDecoder *decoder, FCStatus status) {
  if (status != FCStatusCorrupt && status != FCStatusTruncated) {
    decoder->stage = FCPNGStageFailed;
    return false;
  }
  if (decoded_last_row(decoder)) {
    decoder->rowsDecoded = decoder->header.height;
    decoder->pass = decoder->passes;
  }
  if (status == FCStatusCorrupt) fcpng_source_check_chunk(decoder);
  const uint32_t pass = decoder->pass < decoder->passes ? decoder->pass : decoder->passes - 1;
  fcpng_note_damage(decoder, status == FCStatusTruncated ? FCDamageKindTruncated : FCDamageKindCorrupt,
                    decoder->rowsDecoded, pass);
  decoder->stage = FCPNGStageZeros;
  return true;
}

static void check_end(FCPNGDecoder *decoder) {
  if (decoder->stage == FCPNGStageRows && !fcpng_source_has_end(decoder)) {
    fcpng_note_damage(decoder, FCDamageKindTruncated, decoder->header.height, decoder->passes - 1);
  }
}

FCStatus fcpng_decoder_absorb(FCPNGDecoder *decoder, uint32_t rows, bool *finished) {
  *finished = false;
  if (decoder->stage != FCPNGStageRows && decoder->stage != FCPNGStageZeros) {
    return fc_refuse(&decoder->seam.message, FCStatusMisuse, "not started");
  }
  if (decoder->passes > 1 && decoder->pass < decoder->passes && decoder->stage == FCPNGStageRows) {
    Request request = {.decoder = decoder, .count = rows};
    const FCStatus status = fcpng_guard(&decoder->seam, absorb, &request);
    if (status != FCStatusOk && !survive(decoder, status)) return status;
    if (decoder->pass == decoder->passes) check_end(decoder);
  }
  *finished = decoder->passes == 1 || decoder->pass == decoder->passes || decoder->stage == FCPNGStageZeros;
  return FCStatusOk;
}

/// Reads or skips up to `request.count` rows. Lost rows are zero.
static FCStatus advance(Request request) {
  FCPNGDecoder *decoder = request.decoder;
  bool isAbsorbed = decoder->passes == 1;
  while (!isAbsorbed) {
    const FCStatus status = fcpng_decoder_absorb(decoder, UINT32_MAX, &isAbsorbed);
    if (status != FCStatusOk) return status;
  }
  // An interlaced image is in memory, even if it is damaged.
  if (decoder->stage == FCPNGStageRows || decoder->passes > 1) {
    const FCStatus status = fcpng_guard(&decoder->seam, give_rows, &request);
    if (status != FCStatusOk) {
      if (!survive(decoder, status)) return status;
      // The row in which libpng failed is only complete if it was the last.
      if (decoder->rowsDecoded > decoder->rowsGiven) {
        if (request.rows != NULL) convert(&request, decoder->memory, request.rows);
        decoder->rowsGiven += 1;
        request.count -= 1;
      }
    }
    if (decoder->passes == 1 && decoder->rowsGiven == decoder->header.height) check_end(decoder);
  }
  for (; request.count > 0; request.count--) {
    if (request.rows != NULL) {
      memset(request.rows, 0, (size_t)request.width * fc_channels(decoder->color));
      request.rows += request.stride;
    }
    decoder->rowsGiven += 1;
  }
  return FCStatusOk;
}

FCStatus fcpng_decoder_skip_rows(FCPNGDecoder *decoder, uint32_t rows) {
  if ((decoder->stage != FCPNGStageRows && decoder->stage != FCPNGStageZeros) ||
      rows > decoder->header.height - decoder->rowsGiven) {
    return fc_refuse(&decoder->seam.message, FCStatusMisuse, "the rows to skip are outside the image");
  }
  return advance((Request){.decoder = decoder, .count = rows});
}

FCStatus fcpng_decoder_read_rows(FCPNGDecoder *decoder, uint32_t x, uint32_t width, uint8_t *rows, size_t stride,
                                 size_t capacity, uint32_t maximumRows, uint32_t *read) {
  *read = 0;
  if ((decoder->stage != FCPNGStageRows && decoder->stage != FCPNGStageZeros) || width == 0 ||
      (uint64_t)x + width > decoder->header.width) {
    return fc_refuse(
      &decoder->seam.message, FCStatusMisuse, "the columns are outside the image, or decoding was not started");
  }
  const uint32_t left = decoder->header.height - decoder->rowsGiven;
  const uint32_t count = maximumRows < left ? maximumRows : left;
  if (count == 0) return FCStatusOk;
  if (!fc_rows_fit((size_t)width * fc_channels(decoder->color), stride, capacity, count)) {
    return fc_refuse(&decoder->seam.message, FCStatusMisuse, "the memory is too small for the rows");
  }
  const FCStatus status =
    advance((Request){.decoder = decoder, .count = count, .rows = rows, .stride = stride, .x = x, .width = width});
  if (status == FCStatusOk) *read = count;
  return status;
}
