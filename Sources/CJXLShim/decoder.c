/// The decoder and its frames.
///
/// The counts in a JPEG XL file can be free of bits: 44 bytes can demand minutes and gigabytes, in one call of libjxl.
/// So child processes do all work. This process ends them at a cancellation, and the kernel bounds their memory.
#include "decoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const size_t step = 256 * 1024;

FCJXLDecoder *fcjxl_decoder_create(FCJXLSource source) {
  FCJXLDecoder *decoder = calloc(1, sizeof *decoder);
  if (decoder == NULL) return NULL;
  decoder->source = source;
  if (!fcjxl_memory_is_counted() && !fcjxl_shorten_sizes(decoder)) {
    free(decoder);
    return NULL;
  }
  return decoder;
}

static void close_handle(FCJXLDecoder *decoder) {
  if (decoder->handle != NULL) decoder->library->JxlDecoderDestroy(decoder->handle);
  decoder->handle = NULL;
}

static size_t frame_bytes(const FCJXLDecoder *decoder) { return sizeof(FCJXLFrame) + decoder->capacity; }

static void close_frame(FCJXLDecoder *decoder) {
  fcjxl_child_stop(&decoder->child);
  fcjxl_shared_destroy(decoder->frame, frame_bytes(decoder));
  decoder->frame = NULL;
}

void fcjxl_decoder_destroy(FCJXLDecoder *decoder) {
  close_handle(decoder);
  close_frame(decoder);
  fcjxl_close_page(decoder);
  free(decoder->copy);
  free(decoder);
}

size_t fcjxl_decoder_copied_bytes(const FCJXLDecoder *decoder) {
  return decoder->copy == NULL ? 0 : decoder->source.count;
}

const char *fcjxl_decoder_message(const FCJXLDecoder *decoder) { return decoder->message.text; }

// MARK: libjxl's calls to us

/// The head of each block, which keeps the block aligned.
typedef union {
  size_t count;
  max_align_t alignment;
} Head;

/// Counts the memory, because a file can demand far more than its pixels need: layers, reference frames, profiles.
static void *allocate(void *context, size_t count) {
  FCJXLDecoder *decoder = context;
  size_t whole = 0;
  if (__builtin_add_overflow(count, sizeof(Head), &whole) || whole > decoder->mostHeld - decoder->held) {
    decoder->exceedsMemory = true;
    return NULL;
  }
  Head *head = malloc(whole);
  if (head == NULL) {
    decoder->lacksMemory = true;
    return NULL;
  }
  head->count = whole;
  decoder->held += whole;
  if (decoder->held > decoder->peak) decoder->peak = decoder->held;
  return head + 1;
}

static void release(void *context, void *memory) {
  FCJXLDecoder *decoder = context;
  if (memory == NULL) return;
  Head *head = (Head *)memory - 1;
  decoder->held -= head->count;
  free(head);
}

bool fcjxl_memory_is_counted(void) { return JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 11, 0); }

size_t fcjxl_decoder_peak_memory(const FCJXLDecoder *decoder) { return decoder->peak; }

FCStatus fcjxl_open(FCJXLDecoder *decoder, int events, size_t memory) {
  close_handle(decoder);
  decoder->held = decoder->peak = 0;
  decoder->mostHeld = memory;
  decoder->exceedsMemory = false;
  decoder->library = fcjxl_library();
  const JxlMemoryManager manager = {decoder, allocate, release};
  decoder->handle = decoder->library->JxlDecoderCreate(&manager);
  if (decoder->handle == NULL && decoder->exceedsMemory) return fcjxl_fault(decoder, "");
  if (decoder->handle == NULL ||
      decoder->library->JxlDecoderSetKeepOrientation(decoder->handle, JXL_TRUE) != JXL_DEC_SUCCESS ||
      decoder->library->JxlDecoderSetUnpremultiplyAlpha(decoder->handle, JXL_TRUE) != JXL_DEC_SUCCESS ||
      decoder->library->JxlDecoderSubscribeEvents(decoder->handle, events) != JXL_DEC_SUCCESS) {
    return fc_refuse(&decoder->message, FCStatusOutOfMemory, "no memory for libjxl");
  }
  return FCStatusOk;
}

FCStatus fcjxl_fault(FCJXLDecoder *decoder, const char *message) {
  if (decoder->exceedsMemory) {
    return fc_refuse(
      &decoder->message, FCStatusTooMuchMemory, "its layers or tables need more memory than such an image may");
  }
  if (decoder->lacksMemory) return fc_refuse(&decoder->message, FCStatusOutOfMemory, "no memory for the image");
  return fc_refuse(&decoder->message, FCStatusCorrupt, message);
}

// MARK: The frame

static JxlPixelFormat format_of(const FCJXLHeader *header) {
  const uint32_t channels = header->hasAlpha ? 4 : header->isGray ? 1 : 3;
  return (JxlPixelFormat){channels, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
}

/// Reads the header of the codestream again, to find its first frame, and checks the frames.
static FCStatus check_codestream(FCJXLDecoder *decoder, const uint8_t *bytes, size_t count, size_t memory) {
  const FCStatus status = fcjxl_open(decoder, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING, memory);
  if (status != FCStatusOk) return status;
  const FCJXLLibrary *library = decoder->library;
  if (library->JxlDecoderSetInput(decoder->handle, bytes, count) != JXL_DEC_SUCCESS) return fcjxl_fault(decoder, "");
  library->JxlDecoderCloseInput(decoder->handle);
  JxlBasicInfo info;
  if (library->JxlDecoderProcessInput(decoder->handle) != JXL_DEC_BASIC_INFO ||
      library->JxlDecoderGetBasicInfo(decoder->handle, &info) != JXL_DEC_SUCCESS ||
      library->JxlDecoderProcessInput(decoder->handle) != JXL_DEC_COLOR_ENCODING) {
    return fcjxl_fault(decoder, "the header is invalid, or the file ends inside it");
  }
  const size_t start = count - library->JxlDecoderReleaseInput(decoder->handle);
  const FCJXLFrames frames = {
    bytes, count, start, info.xsize, info.ysize, info.num_extra_channels, !info.uses_original_profile,
    info.have_animation, info.have_animation && info.animation.have_timecodes};
  return fcjxl_check_frames(decoder, &frames);
}

FCStatus fcjxl_decoder_check_frames(FCJXLDecoder *decoder, size_t memory) {
  size_t count = 0;
  uint8_t *bytes = fcjxl_codestream(decoder->source.bytes, decoder->source.count, SIZE_MAX, &count);
  if (bytes == NULL) {
    decoder->exceedsMemory = true;
    return fcjxl_fault(decoder, "");
  }
  const FCStatus status = check_codestream(decoder, bytes, count, memory);
  close_handle(decoder);
  free(bytes);
  return status;
}

static bool set_target(FCJXLDecoder *decoder) {
  const JxlPixelFormat format = format_of(&decoder->header);
  size_t wanted = 0;
  const FCJXLLibrary *library = decoder->library;
  uint8_t *pixels = decoder->frame->pixels;
  decoder->hasTarget =
    library->JxlDecoderImageOutBufferSize(decoder->handle, &format, &wanted) == JXL_DEC_SUCCESS &&
    wanted <= decoder->capacity &&
    library->JxlDecoderSetImageOutBuffer(decoder->handle, &format, pixels, decoder->capacity) == JXL_DEC_SUCCESS;
  return decoder->hasTarget;
}

/// Gives libjxl the next part of the file, and sets `finished` with the frame's last pixel.
static FCStatus decode_part(FCJXLDecoder *decoder, bool *finished) {
  const FCJXLSource *source = &decoder->source;
  const size_t left = source->count - decoder->given, count = left < step ? left : step;
  // The decoder gets its unused bytes again, with the following ones.
  const size_t unused = decoder->library->JxlDecoderReleaseInput(decoder->handle);
  const uint8_t *from = source->bytes + (decoder->given - unused);
  if (decoder->library->JxlDecoderSetInput(decoder->handle, from, unused + count) != JXL_DEC_SUCCESS) {
    return fcjxl_fault(decoder, "the image cannot be read");
  }
  decoder->given += count;
  for (;;) {
    errno = 0;
    switch (decoder->library->JxlDecoderProcessInput(decoder->handle)) {
      case JXL_DEC_FRAME: {
        JxlFrameHeader frame = {0};
        (void)decoder->library->JxlDecoderGetFrameHeader(decoder->handle, &frame);
        decoder->frame->ticks = frame.duration;
        continue;
      }
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
        if (!set_target(decoder)) return fcjxl_fault(decoder, "the frame has another size than the image");
        continue;
      case JXL_DEC_FULL_IMAGE:
      case JXL_DEC_SUCCESS:
        *finished = decoder->hasTarget;
        return *finished ? FCStatusOk : fcjxl_fault(decoder, "the file has no frame");
      case JXL_DEC_NEED_MORE_INPUT:
        if (decoder->given < source->count) return FCStatusOk;
        if (decoder->hasTarget) (void)decoder->library->JxlDecoderFlushImage(decoder->handle);
        if (decoder->exceedsMemory) return fcjxl_fault(decoder, "");
        return fc_refuse(&decoder->message, FCStatusTruncated, "the file ends inside the image");
      default:
        // The kernel's bound ends allocations that libjxl does not count.
        decoder->exceedsMemory = decoder->exceedsMemory || errno == ENOMEM;
        return fcjxl_fault(decoder, "the image data are invalid");
    }
  }
}

/// Decodes a frame, in the child.
static void decode_frame(FCJXLDecoder *decoder, FCStatus status) {
  bool finished = false;
  decoder->hasTarget = false;
  while (status == FCStatusOk && !finished) {
    status = decode_part(decoder, &finished);
    decoder->frame->given = decoder->given;
  }
  decoder->frame->status = status;
  decoder->frame->message = decoder->message;
  decoder->frame->peak = decoder->peak;
  decoder->frame->isDone = true;
}

/// Decodes the first frame, in the child, and those after it that are wanted.
static void decode_frames(void *context) {
  FCJXLDecoder *decoder = context;
  const size_t memory = decoder->mostForWork;
  FCStatus status = fcjxl_memory_is_counted() ? FCStatusOk : fcjxl_decoder_check_frames(decoder, memory);
  // Without its first frame, the file has no part to keep.
  if (status == FCStatusTruncated) status = FCStatusCorrupt;
  if (status == FCStatusOk) status = fcjxl_open(decoder, JXL_DEC_FRAME | JXL_DEC_FULL_IMAGE, memory);
  decode_frame(decoder, status);
  while (decoder->source.allFrames && decoder->frame->status == FCStatusOk) {
    fcjxl_child_hand_over(&decoder->child, &decoder->frame->next);
    decode_frame(decoder, FCStatusOk);
  }
}

/// Ends with the frame, so that another may be started. The child of an animation waits for the next one.
static FCStatus end(FCJXLDecoder *decoder, FCStatus status) {
  if (!decoder->source.allFrames || status != FCStatusOk) close_frame(decoder);
  decoder->isStarted = false;
  return status;
}

FCStatus fcjxl_decoder_start(FCJXLDecoder *decoder, uint8_t *pixels, size_t capacity, size_t memory) {
  const FCJXLHeader *header = &decoder->header;
  const uint64_t bytes = (uint64_t)header->width * header->height * format_of(header).num_channels;
  if (!decoder->hasHeader || decoder->isStarted || capacity < bytes) {
    return fc_refuse(&decoder->message, FCStatusMisuse, "the header is missing, or the memory is too small");
  }
  decoder->given = 0;
  decoder->pixels = pixels;
  decoder->capacity = (size_t)bytes;
  decoder->mostForWork = memory;
  decoder->isStarted = true;
  if (decoder->frame != NULL) {
    decoder->frame->isDone = false;
    (void)sem_post(&decoder->frame->next);
    return FCStatusOk;
  }
  decoder->frame = fcjxl_shared_create(frame_bytes(decoder));
  if (decoder->frame == NULL || sem_init(&decoder->frame->next, 1, 0) != 0 ||
      !fcjxl_child_start(&decoder->child, decode_frames, decoder, memory)) {
    return end(
      decoder, fc_refuse(&decoder->message, FCStatusOutOfMemory, "no memory, or no further process, for the image"));
  }
  return FCStatusOk;
}

FCStatus fcjxl_decoder_decode(FCJXLDecoder *decoder, bool *finished) {
  *finished = false;
  if (!decoder->isStarted) return fc_refuse(&decoder->message, FCStatusMisuse, "not started");
  const FCJXLChildState state = fcjxl_child_wait(&decoder->child, decoder->source.cancellation, 10);
  if (state == FCJXLChildIsCancelled) {
    return end(decoder, fc_refuse(&decoder->message, FCStatusCancelled, "cancelled"));
  }
  FCJXLFrame *frame = decoder->frame;
  if (state == FCJXLChildRuns && !frame->isDone) {
    decoder->given = frame->given;
    return FCStatusOk;
  }
  if (state == FCJXLChildWasKilled) {
    return end(decoder, fc_refuse(&decoder->message, FCStatusOutOfMemory, "the process that decodes was ended"));
  }
  if (state == FCJXLChildIsLate) {
    return end(decoder, fc_refuse(&decoder->message, FCStatusUnsupported,
      "its layers or tables need more time than such an image may (save it as one layer, or in another format)"));
  }
  if (!frame->isDone) {
    return end(decoder, fc_refuse(&decoder->message, FCStatusTooMuchMemory,
      "decoding failed; its layers or tables seem to need more memory than such an image may"));
  }
  decoder->message = frame->message;
  decoder->peak = frame->peak;
  const FCStatus status = frame->status;
  *finished = status == FCStatusOk;
  if (*finished || status == FCStatusTruncated) memcpy(decoder->pixels, frame->pixels, decoder->capacity);
  decoder->given = decoder->source.count;
  return end(decoder, status);
}

uint32_t fcjxl_decoder_ticks(const FCJXLDecoder *decoder) {
  return decoder->frame == NULL ? 0 : decoder->frame->ticks;
}

double fcjxl_decoder_fraction_read(const FCJXLDecoder *decoder) {
  return decoder->source.count == 0 ? 1 : (double)decoder->given / (double)decoder->source.count;
}
