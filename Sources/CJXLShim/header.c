/// The header of a file: size, colors, and the metadata in the boxes of its container.
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

// MARK: Colors

/// Converts libjxl's color encoding to code points; returns false if it has none.
static bool code_points(const JxlColorEncoding *colors, FCJXLHeader *header) {
  switch (colors->transfer_function) {
    case JXL_TRANSFER_FUNCTION_709:
    case JXL_TRANSFER_FUNCTION_LINEAR:
    case JXL_TRANSFER_FUNCTION_SRGB:
    case JXL_TRANSFER_FUNCTION_PQ:
    case JXL_TRANSFER_FUNCTION_HLG: header->transfer = (uint16_t)colors->transfer_function; break;
    default: return false;
  }
  // Gray with sRGB's curve needs no profile.
  if (colors->color_space == JXL_COLOR_SPACE_GRAY) {
    header->primaries = 1;
    return colors->transfer_function == JXL_TRANSFER_FUNCTION_SRGB && colors->white_point == JXL_WHITE_POINT_D65;
  }
  if (colors->color_space != JXL_COLOR_SPACE_RGB) return false;
  const bool isD65 = colors->white_point == JXL_WHITE_POINT_D65;
  switch (colors->primaries) {
    case JXL_PRIMARIES_SRGB: header->primaries = 1; return isD65;
    case JXL_PRIMARIES_2100: header->primaries = 9; return isD65;
    case JXL_PRIMARIES_P3:
      header->primaries = isD65 ? 12 : 11;
      return isD65 || colors->white_point == JXL_WHITE_POINT_DCI;
    default: return false;
  }
}

// Before version 0.9 these functions also took the format of the pixels, which they did not look at.
#if JPEGXL_NUMERIC_VERSION < JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define FCJXL_PIXELS(decoder) decoder, NULL
#else
#define FCJXL_PIXELS(decoder) decoder
#endif

static FCJXLStatus read_colors(FCJXLDecoder *decoder) {
  const FCJXLLibrary *library = decoder->library;
  FCJXLHeader *header = &decoder->header;
  JxlColorEncoding colors;
  if (library->GetColorAsEncodedProfile(FCJXL_PIXELS(decoder->handle), JXL_COLOR_PROFILE_TARGET_DATA, &colors) ==
        JXL_DEC_SUCCESS &&
      code_points(&colors, header)) {
    header->hasCodePoints = true;
    return FCJXLStatusOk;
  }
  size_t count = 0;
  if (library->GetICCProfileSize(FCJXL_PIXELS(decoder->handle), JXL_COLOR_PROFILE_TARGET_DATA, &count) !=
        JXL_DEC_SUCCESS ||
      count == 0) {
    return FCJXLStatusOk;
  }
  header->profile = (FCJXLPart){FCJXLMetadataTooLarge, NULL, count};
  if (count > decoder->source.maximumMetadataBytes) return FCJXLStatusOk;
  decoder->profile = malloc(count);
  if (decoder->profile == NULL) return fcjxl_refuse(decoder, FCJXLStatusOutOfMemory, "no memory for the profile");
  header->profile = (FCJXLPart){FCJXLMetadataNone, NULL, 0};
  if (library->GetColorAsICCProfile(FCJXL_PIXELS(decoder->handle), JXL_COLOR_PROFILE_TARGET_DATA, decoder->profile,
                                    count) == JXL_DEC_SUCCESS) {
    header->profile = (FCJXLPart){FCJXLMetadataPresent, decoder->profile, count};
  }
  return FCJXLStatusOk;
}

static FCJXLStatus read_info(FCJXLDecoder *decoder) {
  JxlBasicInfo info;
  if (decoder->library->GetBasicInfo(decoder->handle, &info) != JXL_DEC_SUCCESS) {
    return fcjxl_fault(decoder, "the header is invalid");
  }
  FCJXLHeader *header = &decoder->header;
  header->width = info.xsize;
  header->height = info.ysize;
  header->orientation = (uint32_t)info.orientation;
  header->bits = info.bits_per_sample;
  header->isGray = info.num_color_channels == 1;
  header->hasAlpha = info.alpha_bits > 0;
  header->isAnimated = info.have_animation;
  header->isLossy = !info.uses_original_profile;
  header->extraChannels = info.num_extra_channels;
  for (uint32_t i = 0; i < info.num_extra_channels; i++) {
    JxlExtraChannelInfo channel;
    if (decoder->library->GetExtraChannelInfo(decoder->handle, i, &channel) != JXL_DEC_SUCCESS) continue;
    if (channel.type == JXL_CHANNEL_BLACK) {
      return fcjxl_refuse(decoder, FCJXLStatusUnsupported, "the JPEG XL has CMYK inks (save the file in RGB)");
    }
  }
  return FCJXLStatusOk;
}

// MARK: Boxes

/// A box that is gathered.
typedef struct {
  uint8_t **bytes;
  FCJXLPart *part;
  size_t capacity, most;
} Box;

static size_t used(FCJXLDecoder *decoder, const Box *box) {
  return box->capacity - decoder->library->ReleaseBoxBuffer(decoder->handle);
}

/// Ends a box, and keeps the bytes gathered so far.
static void finish(FCJXLDecoder *decoder, Box *box) {
  if (box->bytes == NULL) return;
  const size_t count = used(decoder, box);
  if (count > 0) *box->part = (FCJXLPart){FCJXLMetadataPresent, *box->bytes, count};
  *box = (Box){0};
}

/// Gives a box more room, or drops one that is too large.
static void grow(FCJXLDecoder *decoder, Box *box) {
  const size_t first = 4096;
  const size_t count = box->capacity == 0 ? 0 : used(decoder, box);
  size_t capacity = box->capacity == 0 ? first : 2 * box->capacity;
  if (capacity > box->most) capacity = box->most;
  uint8_t *moved = capacity > count ? realloc(*box->bytes, capacity) : NULL;
  if (moved == NULL) {
    decoder->lacksMemory = decoder->lacksMemory || capacity > count;
    free(*box->bytes);
    *box->bytes = NULL;
    *box->part = (FCJXLPart){FCJXLMetadataTooLarge, NULL, count};
    *box = (Box){0};
    return;
  }
  *box->bytes = moved;
  box->capacity = capacity;
  (void)decoder->library->SetBoxBuffer(decoder->handle, moved + count, capacity - count);
}

/// Begins a new box, and gathers it if it has metadata.
static void begin(FCJXLDecoder *decoder, Box *box) {
  JxlBoxType type;
  finish(decoder, box);
  if (decoder->library->GetBoxType(decoder->handle, type, JXL_TRUE) != JXL_DEC_SUCCESS) return;
  FCJXLHeader *header = &decoder->header;
  if (memcmp(type, "Exif", 4) == 0 && header->exif.state == FCJXLMetadataNone) {
    *box = (Box){&decoder->exif, &header->exif, 0, decoder->source.maximumMetadataBytes};
  } else if (memcmp(type, "xml ", 4) == 0 && header->xmp.state == FCJXLMetadataNone) {
    *box = (Box){&decoder->xmp, &header->xmp, 0, decoder->source.maximumXMPBytes};
  }
  if (box->bytes != NULL) grow(decoder, box);
}

/// The offset of a TIFF structure stands before it (ISO/IEC 18181-2, Exif box).
static void find_tiff(FCJXLPart *exif) {
  if (exif->state != FCJXLMetadataPresent) return;
  const uint8_t *bytes = exif->bytes;
  const size_t skipped =
    exif->count < 4 ? SIZE_MAX : (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
  if (skipped >= exif->count || exif->count - skipped <= 4) {
    *exif = (FCJXLPart){FCJXLMetadataNone, NULL, 0};
    return;
  }
  exif->bytes += 4 + skipped;
  exif->count -= 4 + skipped;
}

FCJXLStatus fcjxl_decoder_read_header(FCJXLDecoder *decoder, FCJXLHeader *header) {
  if (decoder->hasHeader) return fcjxl_refuse(decoder, FCJXLStatusMisuse, "the header was read");
  FCJXLStatus status = fcjxl_open(decoder, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_BOX,
                                   decoder->source.maximumHeaderMemory);
  if (status != FCJXLStatusOk) return status;
  const FCJXLLibrary *library = decoder->library;
  (void)library->SetDecompressBoxes(decoder->handle, JXL_TRUE);
  if (library->SetInput(decoder->handle, decoder->source.bytes, decoder->source.count) != JXL_DEC_SUCCESS) {
    return fcjxl_fault(decoder, "the file cannot be read");
  }
  library->CloseInput(decoder->handle);
  Box box = {0};
  bool hasInfo = false, hasColors = false;
  // Far more boxes than any file has: a frame may be in many pieces.
  for (uint32_t events = 0; events < 65536; events++) {
    if (fc_cancellation_step(decoder->source.cancellation, 1)) {
      return fcjxl_refuse(decoder, FCJXLStatusCancelled, "cancelled");
    }
    const JxlDecoderStatus event = library->ProcessInput(decoder->handle);
    if (event == JXL_DEC_BASIC_INFO) {
      hasInfo = true;
      status = read_info(decoder);
    } else if (event == JXL_DEC_COLOR_ENCODING) {
      hasColors = true;
      status = read_colors(decoder);
    } else if (event == JXL_DEC_BOX) {
      begin(decoder, &box);
    } else if (event == JXL_DEC_BOX_NEED_MORE_OUTPUT) {
      grow(decoder, &box);
    } else {
      if (event == JXL_DEC_SUCCESS) finish(decoder, &box);
      break;
    }
    if (status != FCJXLStatusOk) return status;
  }
  if (decoder->exceedsMemory) return fcjxl_fault(decoder, "");
  if (decoder->lacksMemory) return fcjxl_refuse(decoder, FCJXLStatusOutOfMemory, "no memory for the metadata");
  if (!hasInfo || !hasColors) return fcjxl_fault(decoder, "the header is invalid, or the file ends inside it");
  // A truncated box is ignored.
  if (box.bytes != NULL) *box.part = (FCJXLPart){0};
  find_tiff(&decoder->header.exif);
  decoder->hasHeader = true;
  *header = decoder->header;
  return FCJXLStatusOk;
}
