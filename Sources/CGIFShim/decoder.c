#include "CGIFShim.h"

#include <stdlib.h>
#include <string.h>

#include "lzw.h"

typedef enum { FCGIFStageNew, FCGIFStageRows, FCGIFStageZeros, FCGIFStageFailed } FCGIFStage;

struct FCGIFDecoder {
  FCGIFSource source;
  FCGIFStage stage;
  FCDamage damage;
  FCLZW codes;
  /// A whole row's indices, and then the kept rows of an interlaced frame; `isIn` marks its decoded rows.
  uint8_t *memory;
  bool *isIn;
  uint32_t pass, rowOfPass, rowsDecoded, rowsGiven;
  FCMessage message;
};

/// The first row and the row distance of each of the four passes (GIF89a, appendix E).
static const uint32_t firstRows[4] = {0, 4, 2, 1}, distances[4] = {8, 8, 4, 2};

FCGIFDecoder *fcgif_decoder_create(FCGIFSource source) {
  FCGIFDecoder *decoder = calloc(1, sizeof *decoder);
  if (decoder != NULL) decoder->source = source;
  return decoder;
}

void fcgif_decoder_destroy(FCGIFDecoder *decoder) {
  free(decoder->memory);
  free(decoder->isIn);
  free(decoder);
}

const char *fcgif_decoder_message(const FCGIFDecoder *decoder) { return decoder->message.text; }

FCDamage fcgif_decoder_damage(const FCGIFDecoder *decoder) { return decoder->damage; }

static FCStatus fail(FCGIFDecoder *decoder, FCStatus status, const char *message) {
  decoder->stage = FCGIFStageFailed;
  return fc_refuse(&decoder->message, status, message);
}

FCStatus fcgif_decoder_start(FCGIFDecoder *decoder) {
  const FCGIFSource *source = &decoder->source;
  if (decoder->stage != FCGIFStageNew) return fc_refuse(&decoder->message, FCStatusMisuse, "started before");
  if (source->width == 0 || source->height == 0) {
    // There is no row to read.
    decoder->stage = FCGIFStageRows;
    return FCStatusOk;
  }
  const size_t count = source->data < source->count ? source->count - source->data : 0;
  const FCStatus status =
    fclzw_start(&decoder->codes, source->bytes + (source->count - count), count, source->cancellation);
  if (status != FCStatusOk) return fail(decoder, status, "the frame's data do not begin");
  if (source->keptWidth > source->width || source->keptHeight > source->height) {
    return fail(decoder, FCStatusMisuse, "the frame has fewer pixels than are kept");
  }
  // Sides have 16 bits, so that the sum cannot overflow.
  const size_t rows = source->isInterlaced ? source->keptHeight : 0;
  decoder->memory = calloc(1, source->width + rows * source->keptWidth);
  decoder->isIn = calloc(rows + 1, sizeof(bool));
  if (decoder->memory == NULL || decoder->isIn == NULL) {
    return fail(decoder, FCStatusOutOfMemory, "no memory for the frame");
  }
  decoder->stage = FCGIFStageRows;
  return FCStatusOk;
}

static bool is_cancelled(const FCGIFDecoder *decoder) {
  return fc_cancellation_is_cancelled(decoder->source.cancellation);
}

/// Decodes one row into memory. Returns false if the data end or are damaged, and records the damage.
static bool decode_row(FCGIFDecoder *decoder) {
  uint8_t *row = decoder->memory;
  const bool isLast = decoder->rowsDecoded + 1 == decoder->source.height;
  FCLZW *codes = &decoder->codes;
  if (fclzw_read(codes, row, decoder->source.width)) {
    decoder->rowsDecoded += 1;
    // All pixels are there, so a missing end of data damages no row.
    if (isLast && !fclzw_finish(codes)) {
      decoder->damage = (FCDamage){FCDamageKindTruncated, decoder->source.height, 4, 0};
    }
    return true;
  }
  if (codes->isCancelled) return false;
  decoder->stage = FCGIFStageZeros;
  decoder->damage.kind = codes->reachedEnd ? FCDamageKindTruncated : FCDamageKindCorrupt;
  decoder->damage.pass = decoder->pass + 1;
  // An interlaced frame has complete rows only in its last pass.
  decoder->damage.intactRows = !decoder->source.isInterlaced ? decoder->rowsDecoded
                               : decoder->pass == 3          ? decoder->rowOfPass
                                                             : 0;
  memset(row, 0, decoder->source.width);
  return false;
}

/// Returns the memory of a kept row of an interlaced frame.
static uint8_t *kept_row(const FCGIFDecoder *decoder, uint32_t row) {
  return decoder->memory + decoder->source.width + (size_t)row * decoder->source.keptWidth;
}

/// Fills each missing row with the row above it.
static void fill(FCGIFDecoder *decoder) {
  for (uint32_t row = 1; row < decoder->source.keptHeight; row++) {
    if (!decoder->isIn[row]) memcpy(kept_row(decoder, row), kept_row(decoder, row - 1), decoder->source.keptWidth);
  }
}

FCStatus fcgif_decoder_absorb(FCGIFDecoder *decoder, uint32_t rows, bool *finished) {
  *finished = false;
  if (decoder->stage != FCGIFStageRows && decoder->stage != FCGIFStageZeros) {
    return fc_refuse(&decoder->message, FCStatusMisuse, "not started");
  }
  const FCGIFSource *source = &decoder->source;
  while (source->isInterlaced && decoder->stage == FCGIFStageRows && decoder->pass < 4 && rows > 0) {
    if (is_cancelled(decoder)) return fc_refuse(&decoder->message, FCStatusCancelled, "cancelled");
    if (decoder->rowOfPass == 0) decoder->rowOfPass = firstRows[decoder->pass];
    if (decoder->rowOfPass < source->height) {
      if (!decode_row(decoder)) {
        if (decoder->codes.isCancelled) return fc_refuse(&decoder->message, FCStatusCancelled, "cancelled");
        fill(decoder);
        break;
      }
      if (decoder->rowOfPass < source->keptHeight) {
        memcpy(kept_row(decoder, decoder->rowOfPass), decoder->memory, source->keptWidth);
        decoder->isIn[decoder->rowOfPass] = true;
      }
      decoder->rowOfPass += distances[decoder->pass];
      rows -= 1;
    }
    if (decoder->rowOfPass >= source->height) {
      decoder->pass += 1;
      decoder->rowOfPass = 0;
    }
  }
  *finished = !source->isInterlaced || decoder->stage == FCGIFStageZeros || decoder->pass == 4;
  return FCStatusOk;
}

FCStatus fcgif_decoder_read_row(FCGIFDecoder *decoder, uint8_t *row) {
  const FCGIFSource *source = &decoder->source;
  bool isAbsorbed = false;
  while (!isAbsorbed) {
    const FCStatus status = fcgif_decoder_absorb(decoder, UINT32_MAX, &isAbsorbed);
    if (status != FCStatusOk) return status;
  }
  if (decoder->rowsGiven == source->keptHeight) {
    return fc_refuse(&decoder->message, FCStatusMisuse, "the rows are outside the image");
  }
  if (is_cancelled(decoder)) return fc_refuse(&decoder->message, FCStatusCancelled, "cancelled");
  const uint8_t *from = source->isInterlaced ? kept_row(decoder, decoder->rowsGiven) : decoder->memory;
  // After damage, the one buffered row stays zero.
  if (!source->isInterlaced && decoder->stage == FCGIFStageRows) decode_row(decoder);
  if (decoder->codes.isCancelled) return fc_refuse(&decoder->message, FCStatusCancelled, "cancelled");
  decoder->rowsGiven += 1;
  if (row != NULL) memcpy(row, from, source->keptWidth);
  return FCStatusOk;
}

void fcgif_expand(const uint8_t *indices, size_t count, const uint8_t *colors, uint32_t channels, uint8_t *pixels) {
  for (size_t i = 0; i < count; i++, pixels += channels) {
    const uint8_t *color = colors + 4 * (size_t)indices[i];
    if (channels == 1) pixels[0] = fc_luma(color);
    else memcpy(pixels, color, channels);
  }
}
