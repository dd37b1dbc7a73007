#include "libjpeg/seam.h"

/// Maps libjpeg's message code to a status.
static FCStatus status_of(int code) {
  switch (code) {
    case JERR_OUT_OF_MEMORY:
      return FCStatusOutOfMemory;
    case JERR_NO_BACKING_STORE:
      return FCStatusTooMuchMemory;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_J_COLORSPACE:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_IMAGE_TOO_BIG:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
      return FCStatusUnsupported;
    case JERR_BAD_STATE:
      return FCStatusMisuse;
    default:
      return FCStatusCorrupt;
  }
}

_Noreturn static void error_exit(j_common_ptr cinfo) {
  FCSeam *seam = (FCSeam *)cinfo->err;
  seam->manager.format_message(cinfo, seam->message.text);
  seam->status = status_of(seam->manager.msg_code);
  longjmp(seam->landing, 1);
}

static void ignore_message(j_common_ptr cinfo, int level) {
  (void)cinfo;
  (void)level;
}

static void ignore_output(j_common_ptr cinfo) { (void)cinfo; }

void fc_seam_init(FCSeam *seam) {
  jpeg_std_error(&seam->manager);
  seam->manager.error_exit = error_exit;
  seam->manager.emit_message = ignore_message;
  seam->manager.output_message = ignore_output;
}

FCStatus fc_guard(FCSeam *seam, void (*body)(void *), void *context) {
  seam->status = FCStatusOk;
  seam->message.text[0] = '\0';
  if (setjmp(seam->landing) == 0) body(context);
  return seam->status;
}

_Noreturn void fc_fail(FCSeam *seam, FCStatus status, const char *message) {
  seam->status = fc_refuse(&seam->message, status, message);
  longjmp(seam->landing, 1);
}

void *fc_allocated(FCSeam *seam, void *memory) {
  if (memory == NULL) fc_fail(seam, FCStatusOutOfMemory, "out of memory");
  return memory;
}

void fc_check_cancelled(FCSeam *seam) {
  if (fc_cancellation_is_cancelled(seam->cancellation)) fc_fail(seam, FCStatusCancelled, "cancelled");
}
