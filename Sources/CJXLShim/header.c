/// The header of a file: size, colors, and the metadata in the boxes of its container.
#include "decoder.h"

#include <errno.h>
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
  // Gray has no primaries, so those of sRGB do.
  if (colors->color_space == JXL_COLOR_SPACE_GRAY) {
    header->primaries = 1;
    return true;
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

static void read_colors(FCJXLDecoder *decoder) {
  const FCJXLLibrary *library = decoder->library;
  FCJXLHeader *header = &decoder->header;
  JxlColorEncoding colors;
  if (library->JxlDecoderGetColorAsEncodedProfile(
        FCJXL_PIXELS(decoder->handle), JXL_COLOR_PROFILE_TARGET_DATA, &colors) == JXL_DEC_SUCCESS &&
      code_points(&colors, header)) {
    header->hasCodePoints = true;
    return;
  }
  size_t count = 0;
  if (library->JxlDecoderGetICCProfileSize(FCJXL_PIXELS(decoder->handle), JXL_COLOR_PROFILE_TARGET_DATA, &count) !=
        JXL_DEC_SUCCESS ||
      count == 0) {
    return;
  }
  header->profile = (FCPart){FCPartStateTooLarge, NULL, count};
  if (count > decoder->source.maximumMetadataBytes) return;
  uint8_t *bytes = decoder->page->parts;
  const bool isRead = library->JxlDecoderGetColorAsICCProfile(
                        FCJXL_PIXELS(decoder->handle), JXL_COLOR_PROFILE_TARGET_DATA, bytes, count) == JXL_DEC_SUCCESS;
  header->profile =
    isRead ? (FCPart){FCPartStatePresent, bytes, count} : (FCPart){FCPartStateNone, NULL, 0};
}

static FCStatus read_info(FCJXLDecoder *decoder) {
  JxlBasicInfo info;
  if (decoder->library->JxlDecoderGetBasicInfo(decoder->handle, &info) != JXL_DEC_SUCCESS) {
    return fcjxl_fault(decoder, "the header is invalid");
  }
  // The preview comes before the frames whose headers are read.
  if (info.have_preview && !fcjxl_memory_is_counted()) {
    return fc_refuse(&decoder->message, FCStatusUnsupported, "the JPEG XL has a preview frame (save it without)");
  }
  FCJXLHeader *header = &decoder->header;
  header->width = info.xsize;
  header->height = info.ysize;
  header->orientation = (uint32_t)info.orientation;
  header->bits = info.bits_per_sample;
  header->isGray = info.num_color_channels == 1;
  header->hasAlpha = info.alpha_bits > 0;
  header->frameCount = info.have_animation ? 0 : 1;
  header->plays = info.animation.num_loops;
  header->ticks = info.animation.tps_numerator;
  header->seconds = info.animation.tps_denominator;
  header->isLossy = !info.uses_original_profile;
  header->extraChannels = info.num_extra_channels;
  for (uint32_t i = 0; i < info.num_extra_channels; i++) {
    JxlExtraChannelInfo channel;
    if (decoder->library->JxlDecoderGetExtraChannelInfo(decoder->handle, i, &channel) != JXL_DEC_SUCCESS) continue;
    if (channel.type == JXL_CHANNEL_BLACK) {
      return fc_refuse(&decoder->message, FCStatusUnsupported, "the JPEG XL has CMYK inks (save the file in RGB)");
    }
  }
  return FCStatusOk;
}

// MARK: Boxes

/// A box that is gathered, and its room in the page.
typedef struct {
  FCPart *part;
  uint8_t *bytes;
  size_t most;
} Box;

/// Ends a box, and keeps its bytes unless they are too many.
static void finish(FCJXLDecoder *decoder, Box *box, FCPartState state) {
  if (box->part == NULL) return;
  const size_t count = box->most - decoder->library->JxlDecoderReleaseBoxBuffer(decoder->handle);
  if (count > 0) *box->part = (FCPart){state, state == FCPartStatePresent ? box->bytes : NULL, count};
  *box = (Box){0};
}

/// Begins a new box, and gathers it if it has metadata.
static void begin(FCJXLDecoder *decoder, Box *box) {
  JxlBoxType type;
  finish(decoder, box, FCPartStatePresent);
  if (decoder->library->JxlDecoderGetBoxType(decoder->handle, type, JXL_TRUE) != JXL_DEC_SUCCESS) return;
  FCJXLHeader *header = &decoder->header;
  const size_t most = decoder->source.maximumMetadataBytes;
  uint8_t *exif = decoder->page->parts + most;
  if (memcmp(type, "Exif", 4) == 0 && header->exif.state == FCPartStateNone) {
    *box = (Box){&header->exif, exif, most};
  } else if (memcmp(type, "xml ", 4) == 0 && header->xmp.state == FCPartStateNone) {
    *box = (Box){&header->xmp, exif + most, decoder->source.maximumXMPBytes};
  }
  if (box->part != NULL) (void)decoder->library->JxlDecoderSetBoxBuffer(decoder->handle, box->bytes, box->most);
}

/// The offset of a TIFF structure stands before it (ISO/IEC 18181-2, Exif box).
static void find_tiff(FCPart *exif) {
  if (exif->state != FCPartStatePresent) return;
  const uint8_t *bytes = exif->bytes;
  const size_t skipped =
    exif->count < 4 ? SIZE_MAX : (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
  if (skipped >= exif->count || exif->count - skipped <= 4) {
    *exif = (FCPart){FCPartStateNone, NULL, 0};
    return;
  }
  exif->bytes += 4 + skipped;
  exif->count -= 4 + skipped;
}

// MARK: The child

static FCStatus read_events(FCJXLDecoder *decoder) {
  FCStatus status =
    fcjxl_open(decoder, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_BOX, decoder->mostForWork);
  if (status != FCStatusOk) return status;
  const FCJXLLibrary *library = decoder->library;
  (void)library->JxlDecoderSetDecompressBoxes(decoder->handle, JXL_TRUE);
  if (library->JxlDecoderSetInput(decoder->handle, decoder->source.bytes, decoder->source.count) != JXL_DEC_SUCCESS) {
    return fcjxl_fault(decoder, "the file cannot be read");
  }
  library->JxlDecoderCloseInput(decoder->handle);
  Box box = {0};
  bool hasInfo = false, hasColors = false;
  // Far more boxes than any file has: a frame may be in many pieces.
  for (uint32_t *events = &decoder->header.events; *events < 65536; *events += 1) {
    errno = 0;
    const JxlDecoderStatus event = library->JxlDecoderProcessInput(decoder->handle);
    if (event == JXL_DEC_BASIC_INFO) {
      hasInfo = true;
      status = read_info(decoder);
    } else if (event == JXL_DEC_COLOR_ENCODING) {
      hasColors = true;
      read_colors(decoder);
    } else if (event == JXL_DEC_BOX) {
      begin(decoder, &box);
    } else if (event == JXL_DEC_BOX_NEED_MORE_OUTPUT) {
      finish(decoder, &box, FCPartStateTooLarge);
    } else {
      if (event == JXL_DEC_SUCCESS) finish(decoder, &box, FCPartStatePresent);
      // The kernel's bound ends allocations that libjxl does not count.
      if (event == JXL_DEC_ERROR && errno == ENOMEM) decoder->exceedsMemory = true;
      break;
    }
    if (status != FCStatusOk) return status;
  }
  if (decoder->exceedsMemory) return fcjxl_fault(decoder, "");
  if (!hasInfo || !hasColors) return fcjxl_fault(decoder, "the header is invalid, or the file ends inside it");
  // A truncated box is ignored.
  if (box.part != NULL) *box.part = (FCPart){0};
  find_tiff(&decoder->header.exif);
  return FCStatusOk;
}

/// Counts the frames that are shown, by their headers. Whatever ends the child leaves the number so far.
static void count_frames(FCJXLDecoder *decoder, uint32_t *shown) {
  const FCJXLLibrary *library = decoder->library;
  if (fcjxl_open(decoder, JXL_DEC_FRAME, decoder->mostForWork) != FCStatusOk ||
      library->JxlDecoderSetInput(decoder->handle, decoder->source.bytes, decoder->source.count) != JXL_DEC_SUCCESS) {
    return;
  }
  library->JxlDecoderCloseInput(decoder->handle);
  for (uint32_t count = 0; count < decoder->source.maximumFrames; *shown = ++count) {
    if (library->JxlDecoderProcessInput(decoder->handle) != JXL_DEC_FRAME) return;
  }
}

static void read_in_child(void *context) {
  FCJXLDecoder *decoder = context;
  FCJXLPage *page = decoder->page;
  page->status = read_events(decoder);
  page->message = decoder->message;
  page->header = decoder->header;
  page->isDone = true;
  if (page->status == FCStatusOk && page->header.frameCount == 0) count_frames(decoder, &page->header.frameCount);
}

/// Returns the bytes of the page, or 0 if they are too many.
static size_t page_bytes(const FCJXLDecoder *decoder) {
  size_t count = sizeof(FCJXLPage);
  const FCJXLSource *source = &decoder->source;
  if (__builtin_add_overflow(count, source->maximumMetadataBytes, &count) ||
      __builtin_add_overflow(count, source->maximumMetadataBytes, &count) ||
      __builtin_add_overflow(count, source->maximumXMPBytes, &count)) {
    return 0;
  }
  return count;
}

void fcjxl_close_page(FCJXLDecoder *decoder) {
  fcjxl_shared_destroy(decoder->page, page_bytes(decoder));
  decoder->page = NULL;
}

/// Waits for the child, and returns its status.
static FCStatus await_header(FCJXLDecoder *decoder) {
  const FCJXLPage *page = decoder->page;
  FCJXLChildState state;
  do {
    state = fcjxl_child_wait(&decoder->child, decoder->source.cancellation, 10);
  } while (state == FCJXLChildRuns);
  if (state == FCJXLChildIsCancelled) return fc_refuse(&decoder->message, FCStatusCancelled, "cancelled");
  if (page->isDone) return fc_refuse(&decoder->message, page->status, page->message.text);
  return state == FCJXLChildWasKilled
           ? fc_refuse(&decoder->message, FCStatusOutOfMemory, "the process that reads the header was ended")
           : fc_refuse(&decoder->message, FCStatusTooMuchMemory, "its header needs more memory than such a header may");
}

FCStatus fcjxl_decoder_read_header(FCJXLDecoder *decoder, size_t memory, FCJXLHeader *header) {
  if (decoder->page != NULL) return fc_refuse(&decoder->message, FCStatusMisuse, "the header was read");
  if (fc_cancellation_step(decoder->source.cancellation, 1)) {
    return fc_refuse(&decoder->message, FCStatusCancelled, "cancelled");
  }
  // The child has no files to load the library from.
  if (fcjxl_library() == NULL) {
    return fc_refuse(
      &decoder->message, FCStatusUnsupported, FCJXL_LIBRARY " cannot be loaded (install " FCJXL_PACKAGE ")");
  }
  const size_t count = page_bytes(decoder);
  decoder->mostForWork = memory;
  if (count > 0) decoder->page = fcjxl_shared_create(count);
  if (decoder->page == NULL || !fcjxl_child_start(&decoder->child, read_in_child, decoder, memory)) {
    fcjxl_close_page(decoder);
    return fc_refuse(
      &decoder->message, FCStatusOutOfMemory, "no memory, or no further process, for the header");
  }
  const FCStatus status = await_header(decoder);
  if (status != FCStatusOk) return status;
  decoder->header = decoder->page->header;
  decoder->hasHeader = true;
  *header = decoder->header;
  return FCStatusOk;
}
