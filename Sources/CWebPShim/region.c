/// Decodes a region step by step.
#include "decoder.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

FCWebPDecoder *fcwebp_decoder_create(FCWebPSource source) {
  FCWebPDecoder *decoder = calloc(1, sizeof *decoder);
  if (decoder == NULL) return NULL;
  decoder->source = source;
  return decoder;
}

static void end_region(FCWebPDecoder *decoder) {
  if (decoder->incremental != NULL) {
    WebPIDelete(decoder->incremental);
    WebPFreeDecBuffer(&decoder->config.output);
  }
  free(decoder->copy);
  decoder->incremental = NULL;
  decoder->copy = NULL;
  decoder->rows = NULL;
  decoder->isRunning = false;
}

void fcwebp_decoder_destroy(FCWebPDecoder *decoder) {
  end_region(decoder);
  WebPDemuxDelete(decoder->frames);
  free(decoder);
}

const char *fcwebp_decoder_message(const FCWebPDecoder *decoder) { return decoder->message.text; }
FCDamage fcwebp_decoder_damage(const FCWebPDecoder *decoder) { return decoder->damage; }

/// Returns the bytes of a step: 64 KiB, or less if that holds about a megapixel, so that flat images stay cancellable.
static size_t step_of(const FCWebPDecoder *decoder) {
  const size_t largest = 64 * 1024, smallest = 1024;
  const uint64_t pixels = (uint64_t)decoder->header.frameWidth * decoder->header.frameHeight;
  const uint64_t megapixel = ((uint64_t)decoder->header.frame.count << 20) / pixels;
  return megapixel > largest ? largest : megapixel < smallest ? smallest : (size_t)megapixel;
}

/// Returns the bytes to hand out next. Until its first row, libwebp reads the Huffman tables of a lossless stream again
/// in each step; they can be long, so these steps double.
static size_t next_given(const FCWebPDecoder *decoder) {
  const size_t left = decoder->header.frame.count - decoder->given;
  const bool doubles = decoder->header.compression == FCWebPCompressionLossless && !decoder->hasRows;
  const size_t step = doubles && decoder->given > decoder->step ? decoder->given : decoder->step;
  return decoder->given + (left < step ? left : step);
}

/// Sets libwebp's output to the copy or to the caller's rows.
static bool set_output(FCWebPDecoder *decoder, size_t capacity) {
  const FCWebPPlan *plan = &decoder->plan;
  WebPDecBuffer *output = &decoder->config.output;
  output->colorspace = decoder->region.color == FCColorRGBA ? MODE_RGBA : MODE_RGB;
  output->is_external_memory = 1;
  if (plan->usesCopy) {
    decoder->copyStride = (size_t)plan->decoded.width * fc_channels(decoder->region.color);
    decoder->copy = calloc(plan->decoded.height, decoder->copyStride);
    if (decoder->copy == NULL) return false;
    output->u.RGBA.rgba = decoder->copy;
    output->u.RGBA.stride = (int)decoder->copyStride;
    output->u.RGBA.size = plan->decoded.height * decoder->copyStride;
  } else {
    const size_t offset =
      plan->covered.y * decoder->stride + (size_t)plan->covered.x * fc_channels(decoder->region.color);
    output->u.RGBA.rgba = decoder->rows + offset;
    output->u.RGBA.stride = (int)decoder->stride;
    output->u.RGBA.size = capacity - offset;
  }
  return true;
}

static void set_options(FCWebPDecoder *decoder) {
  const FCWebPPlan *plan = &decoder->plan;
  WebPDecoderOptions *options = &decoder->config.options;
  options->use_cropping = 1;
  options->crop_left = (int)plan->decoded.x;
  options->crop_top = (int)plan->decoded.y;
  options->crop_width = (int)plan->decoded.width;
  options->crop_height = (int)plan->decoded.height;
  options->use_scaling = plan->isScaled;
  options->scaled_width = (int)plan->scaledWidth;
  options->scaled_height = (int)plan->scaledHeight;
}

FCStatus fcwebp_decoder_start_region(FCWebPDecoder *decoder, FCWebPRegion region, uint8_t *rows, size_t stride,
                                     size_t capacity) {
  FCWebPHeader header;
  end_region(decoder);
  const FCStatus status = fcwebp_decoder_read_header(decoder, &header);
  if (status != FCStatusOk) return status;
  const size_t rowBytes = (size_t)region.outWidth * fc_channels(region.color);
  if (!fcwebp_is_inside(decoder, region) || stride > INT_MAX ||
      !fc_rows_fit(rowBytes, stride, capacity, region.outHeight)) {
    return fc_refuse(&decoder->message, FCStatusMisuse, "the region is outside the image, or the memory is too small");
  }
  if ((uint64_t)header.width * header.height > decoder->source.maximumPixels) {
    return fc_refuse(&decoder->message, FCStatusTooLarge, "the image has more pixels than allowed");
  }

  decoder->region = region;
  decoder->plan = fcwebp_plan(decoder, region);
  decoder->rows = rows;
  decoder->stride = stride;
  decoder->given = 0;
  decoder->step = step_of(decoder);
  decoder->rowsReady = 0;
  decoder->hasRows = false;
  decoder->damage = (FCDamage){0};
  decoder->isRunning = true;
  for (uint32_t y = 0; y < region.outHeight; y++) memset(rows + y * stride, 0, rowBytes);
  if (decoder->plan.covered.width == 0) return FCStatusOk;

  if (!WebPInitDecoderConfig(&decoder->config)) {
    end_region(decoder);
    return fc_refuse(&decoder->message, FCStatusUnsupported, "the version of libwebp differs from its headers");
  }
  set_options(decoder);
  if (set_output(decoder, capacity)) decoder->incremental = WebPIDecode(NULL, 0, &decoder->config);
  if (decoder->incremental != NULL) return FCStatusOk;
  end_region(decoder);
  return fc_refuse(&decoder->message, FCStatusOutOfMemory, "no memory for decoding");
}

/// Returns the complete rows of the region once libwebp has written `decoded` rows.
static uint32_t rows_from(const FCWebPDecoder *decoder, uint32_t decoded) {
  const FCWebPRegion *region = &decoder->region;
  const FCWebPPlan *plan = &decoder->plan;
  if (plan->isScaled) return decoded;
  const uint32_t covered = decoded > plan->copyY ? decoded - plan->copyY : 0;
  if (covered >= plan->covered.height) return region->outHeight;
  // Rows above the frame count with its first one.
  if (covered == 0) return 0;
  return (uint32_t)((uint64_t)(plan->covered.y + covered) * region->outHeight / region->height);
}

/// Moves rows that libwebp has written from the copy to the caller.
static void take_rows(FCWebPDecoder *decoder) {
  const FCWebPRegion *region = &decoder->region;
  const FCWebPPlan *plan = &decoder->plan;
  int decoded = 0;
  if (WebPIDecGetRGB(decoder->incremental, &decoded, NULL, NULL, NULL) == NULL || decoded <= 0) return;
  decoder->hasRows = true;
  const uint32_t ready = rows_from(decoder, (uint32_t)decoded);
  if (plan->usesCopy) {
    const uint32_t channels = fc_channels(region->color);
    const bool isFullSize = region->outWidth == region->width && region->outHeight == region->height;
    for (uint32_t y = decoder->rowsReady; y < ready; y++) {
      uint8_t *out = decoder->rows + y * decoder->stride;
      if (!isFullSize) {
        fcwebp_average_row(decoder, y, out);
      } else if (y >= plan->covered.y && y - plan->covered.y < plan->covered.height) {
        const uint8_t *line = decoder->copy + (size_t)(y - plan->covered.y + plan->copyY) * decoder->copyStride;
        memcpy(out + (size_t)plan->covered.x * channels, line + (size_t)plan->copyX * channels,
               (size_t)plan->covered.width * channels);
      }
    }
  }
  if (ready > decoder->rowsReady) decoder->rowsReady = ready;
}

static void finish(FCWebPDecoder *decoder, FCDamageKind kind) {
  const FCWebPRegion *region = &decoder->region;
  if (kind != FCDamageKindNone) {
    // libwebp may have begun rows that it did not count.
    for (uint32_t y = decoder->rowsReady; y < region->outHeight; y++) {
      memset(decoder->rows + y * decoder->stride, 0, (size_t)region->outWidth * fc_channels(region->color));
    }
    decoder->damage = (FCDamage){kind, decoder->rowsReady, 0, 0};
  } else if (!decoder->header.isComplete) {
    decoder->damage = (FCDamage){FCDamageKindTruncated, region->outHeight, 0, 0};
  }
  end_region(decoder);
}

FCStatus fcwebp_decoder_decode(FCWebPDecoder *decoder, uint32_t *rowsReady, bool *finished) {
  *rowsReady = 0;
  *finished = false;
  if (!decoder->isRunning) return fc_refuse(&decoder->message, FCStatusMisuse, "decoding was not started");
  if (fc_cancellation_is_cancelled(decoder->source.cancellation)) {
    end_region(decoder);
    return fc_refuse(&decoder->message, FCStatusCancelled, "cancelled");
  }

  VP8StatusCode status = VP8_STATUS_OK;
  if (decoder->incremental != NULL) {
    decoder->given = next_given(decoder);
    // libwebp reports a lack of memory as damage, so `errno` tells them apart.
    errno = 0;
    status = WebPIUpdate(decoder->incremental, decoder->header.frame.bytes, decoder->given);
    const bool isFailed =
      status != VP8_STATUS_OK && status != VP8_STATUS_SUSPENDED && status != VP8_STATUS_NOT_ENOUGH_DATA;
    if (isFailed && errno == ENOMEM) status = VP8_STATUS_OUT_OF_MEMORY;
    take_rows(decoder);
  }
  const bool isAtEnd = decoder->incremental == NULL || decoder->given == decoder->header.frame.count;
  switch (status) {
    case VP8_STATUS_OK:
      decoder->rowsReady = decoder->region.outHeight;
      finish(decoder, FCDamageKindNone);
      break;
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
      if (isAtEnd) finish(decoder, decoder->header.isComplete ? FCDamageKindCorrupt : FCDamageKindTruncated);
      break;
    case VP8_STATUS_OUT_OF_MEMORY:
      end_region(decoder);
      return fc_refuse(&decoder->message, FCStatusOutOfMemory, "no memory for decoding");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      end_region(decoder);
      return fc_refuse(&decoder->message, FCStatusUnsupported, "libwebp does not know this kind of WebP");
    case VP8_STATUS_INVALID_PARAM:
    case VP8_STATUS_BITSTREAM_ERROR:
    case VP8_STATUS_USER_ABORT:
      finish(decoder, FCDamageKindCorrupt);
      break;
  }
  *rowsReady = decoder->rowsReady;
  *finished = !decoder->isRunning;
  return FCStatusOk;
}
