#include "CGIFShim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

typedef enum { FCGIFStageNew, FCGIFStageRows, FCGIFStageZeros, FCGIFStageFailed } FCGIFStage;

struct FCGIFDecoder {
  FCGIFSource source;
  GifFileType *gif;
  FCGIFStage stage;
  FCGIFDamage damage;
  /// What giflib has read of the header that stands before the descriptor, and where it is in the source.
  size_t headerRead, position;
  bool reachedEnd;
  /// A row's indices, or those of an interlaced frame; which of its rows are in.
  uint8_t *memory;
  bool *isIn;
  uint32_t pass, rowOfPass, rowsDecoded, rowsGiven;
  char message[120];
};

/// GIF89a, appendix E: four passes, by their first row and the distance of the next.
static const uint32_t firstRows[4] = {0, 4, 2, 1}, distances[4] = {8, 8, 4, 2};

/// What stands before the frame for giflib: a screen as large as there is, without colors, so that neither the file's first bytes
/// nor what lies between them and the frame reach it.
static const uint8_t header[13] = {'G', 'I', 'F', '8', '9', 'a', 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0};

static FCGIFStatus refuse(FCGIFDecoder *decoder, FCGIFStatus status, const char *message) {
  snprintf(decoder->message, sizeof decoder->message, "%s", message);
  return status;
}

FCGIFDecoder *fcgif_decoder_create(FCGIFSource source) {
  FCGIFDecoder *decoder = calloc(1, sizeof *decoder);
  if (decoder == NULL) return NULL;
  decoder->source = source;
  decoder->position = source.descriptor;
  return decoder;
}

void fcgif_decoder_destroy(FCGIFDecoder *decoder) {
  if (decoder->gif != NULL) DGifCloseFile(decoder->gif, NULL);
  free(decoder->memory);
  free(decoder->isIn);
  free(decoder);
}

const char *fcgif_decoder_message(const FCGIFDecoder *decoder) { return decoder->message; }

FCGIFDamage fcgif_decoder_damage(const FCGIFDecoder *decoder) { return decoder->damage; }

static int read_bytes(GifFileType *gif, GifByteType *bytes, int wanted) {
  FCGIFDecoder *decoder = gif->UserData;
  const size_t count = (size_t)wanted;
  if (decoder->headerRead < sizeof header) {
    if (count > sizeof header - decoder->headerRead) return 0;
    memcpy(bytes, header + decoder->headerRead, count);
    decoder->headerRead += count;
    return wanted;
  }
  const size_t left = decoder->source.count - decoder->position;
  if (left < count) {
    decoder->reachedEnd = true;
    if (decoder->stage != FCGIFStageRows) return 0;
    // Of a block what there is, and then no other, so that rows that were read stay.
    memset(bytes, 0, count);
    memcpy(bytes, decoder->source.bytes + decoder->position, left);
    decoder->position += left;
    return wanted;
  }
  memcpy(bytes, decoder->source.bytes + decoder->position, count);
  decoder->position += count;
  return wanted;
}

static FCGIFStatus fail(FCGIFDecoder *decoder, int error) {
  decoder->stage = FCGIFStageFailed;
  const char *message = GifErrorString(error);
  return refuse(decoder, error == D_GIF_ERR_NOT_ENOUGH_MEM ? FCGIFStatusOutOfMemory : FCGIFStatusCorrupt,
                message != NULL ? message : "giflib cannot read the frame");
}

FCGIFStatus fcgif_decoder_start(FCGIFDecoder *decoder) {
  const FCGIFSource *source = &decoder->source;
  if (decoder->stage != FCGIFStageNew) return refuse(decoder, FCGIFStatusMisuse, "started before");
  if (source->width == 0 || source->height == 0 || source->descriptor > source->count) {
    return refuse(decoder, FCGIFStatusMisuse, "the frame has no pixels");
  }
  int error = 0;
  decoder->gif = DGifOpen(decoder, read_bytes, &error);
  if (decoder->gif == NULL) return fail(decoder, error);
  GifRecordType type;
  if (DGifGetRecordType(decoder->gif, &type) == GIF_ERROR || type != IMAGE_DESC_RECORD_TYPE ||
      DGifGetImageDesc(decoder->gif) == GIF_ERROR) {
    return fail(decoder, decoder->gif->Error);
  }
  const GifImageDesc *image = &decoder->gif->Image;
  if (image->Width != (int)source->width || image->Height != (int)source->height ||
      image->Interlace != source->isInterlaced) {
    decoder->stage = FCGIFStageFailed;
    return refuse(decoder, FCGIFStatusMisuse, "the frame differs from the declared one");
  }
  const size_t rows = source->isInterlaced ? source->height : 1;
  decoder->memory = calloc(rows, source->width);
  decoder->isIn = calloc(rows, sizeof(bool));
  if (decoder->memory == NULL || decoder->isIn == NULL) return fail(decoder, D_GIF_ERR_NOT_ENOUGH_MEM);
  decoder->stage = FCGIFStageRows;
  return FCGIFStatusOk;
}

/// One row into memory. False when there is none; what is wrong was noted.
static bool decode_row(FCGIFDecoder *decoder, uint8_t *row) {
  const bool isLast = decoder->rowsDecoded + 1 == decoder->source.height;
  const int width = (int)decoder->source.width;
  // With the last pixel giflib reads what ends the data, which may be missing where no pixel is.
  const int others = isLast ? width - 1 : width;
  const bool isRead = others == 0 || (DGifGetLine(decoder->gif, row, others) == GIF_OK && !decoder->reachedEnd);
  if (isRead && (!isLast || DGifGetLine(decoder->gif, row + others, 1) == GIF_OK)) {
    decoder->rowsDecoded += 1;
    if (isLast && decoder->reachedEnd) {
      decoder->damage = (FCGIFDamage){FCGIFDamageKindTruncated, decoder->source.height, 4};
    }
    return true;
  }
  decoder->stage = FCGIFStageZeros;
  decoder->damage.kind = decoder->reachedEnd ? FCGIFDamageKindTruncated : FCGIFDamageKindCorrupt;
  decoder->damage.pass = decoder->pass + 1;
  // Before the last pass no row is complete.
  decoder->damage.intactRows = !decoder->source.isInterlaced ? decoder->rowsDecoded
                               : decoder->pass == 3          ? decoder->rowOfPass
                                                             : 0;
  memset(row, 0, decoder->source.width);
  return false;
}

/// Rows that did not come are those above them.
static void fill(FCGIFDecoder *decoder) {
  const size_t width = decoder->source.width;
  for (uint32_t row = 1; row < decoder->source.height; row++) {
    if (!decoder->isIn[row]) memcpy(decoder->memory + row * width, decoder->memory + (row - 1) * width, width);
  }
}

static bool is_cancelled(const FCGIFDecoder *decoder) {
  return fc_cancellation_is_cancelled(decoder->source.cancellation);
}

FCGIFStatus fcgif_decoder_absorb(FCGIFDecoder *decoder, uint32_t rows, bool *finished) {
  *finished = false;
  if (decoder->stage != FCGIFStageRows && decoder->stage != FCGIFStageZeros) {
    return refuse(decoder, FCGIFStatusMisuse, "not started");
  }
  const FCGIFSource *source = &decoder->source;
  while (source->isInterlaced && decoder->stage == FCGIFStageRows && decoder->pass < 4 && rows > 0) {
    if (is_cancelled(decoder)) return refuse(decoder, FCGIFStatusCancelled, "cancelled");
    if (decoder->rowOfPass == 0) decoder->rowOfPass = firstRows[decoder->pass];
    if (decoder->rowOfPass < source->height) {
      if (!decode_row(decoder, decoder->memory + (size_t)decoder->rowOfPass * source->width)) {
        fill(decoder);
        break;
      }
      decoder->isIn[decoder->rowOfPass] = true;
      decoder->rowOfPass += distances[decoder->pass];
      rows -= 1;
    }
    if (decoder->rowOfPass >= source->height) {
      decoder->pass += 1;
      decoder->rowOfPass = 0;
    }
  }
  *finished = !source->isInterlaced || decoder->stage == FCGIFStageZeros || decoder->pass == 4;
  return FCGIFStatusOk;
}

FCGIFStatus fcgif_decoder_read_row(FCGIFDecoder *decoder, uint8_t *row) {
  const FCGIFSource *source = &decoder->source;
  bool isAbsorbed = false;
  while (!isAbsorbed) {
    const FCGIFStatus status = fcgif_decoder_absorb(decoder, UINT32_MAX, &isAbsorbed);
    if (status != FCGIFStatusOk) return status;
  }
  if (decoder->rowsGiven == source->height) return refuse(decoder, FCGIFStatusMisuse, "the rows are outside the image");
  if (is_cancelled(decoder)) return refuse(decoder, FCGIFStatusCancelled, "cancelled");
  const uint8_t *from = decoder->memory + (source->isInterlaced ? (size_t)decoder->rowsGiven * source->width : 0);
  // After damage the one row that is held stays empty.
  if (!source->isInterlaced && decoder->stage == FCGIFStageRows) decode_row(decoder, decoder->memory);
  decoder->rowsGiven += 1;
  if (row != NULL) memcpy(row, from, source->width);
  return FCGIFStatusOk;
}

static uint8_t luma(const uint8_t *rgb) {
  return (uint8_t)((299u * rgb[0] + 587u * rgb[1] + 114u * rgb[2] + 500u) / 1000u);
}

void fcgif_expand(const uint8_t *indices, size_t count, const uint8_t *colors, uint32_t channels, uint8_t *pixels) {
  for (size_t i = 0; i < count; i++, pixels += channels) {
    const uint8_t *color = colors + 4 * (size_t)indices[i];
    if (channels == 1) pixels[0] = luma(color);
    else memcpy(pixels, color, channels);
  }
}
