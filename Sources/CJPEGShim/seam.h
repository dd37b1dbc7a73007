/// The one place where libjpeg's longjmp ends.
#ifndef FCJPEG_SEAM_H
#define FCJPEG_SEAM_H

// A product and a sum are rounded one after the other, on every processor: arm64 would else make one operation of both, and of the
// same file other pixels.
#pragma STDC FP_CONTRACT OFF

#include "CJPEGShim.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>
// After jpeglib.h, whose types they need.
#include <jerror.h>

/// Error state of one libjpeg object. `manager` comes first: libjpeg hands back `cinfo->err`, which is then this struct.
typedef struct FCSeam {
  struct jpeg_error_mgr manager;
  jmp_buf landing;
  FCJPEGStatus status;
  const FCCancellation *cancellation;
  char message[JMSG_LENGTH_MAX];
} FCSeam;

void fc_seam_init(FCSeam *seam);

/// Runs `body`, which may call libjpeg and `fc_fail`. This is the only setjmp of the shim; `body` owns nothing on its
/// stack that would have to be released.
FCJPEGStatus fc_guard(FCSeam *seam, void (*body)(void *context), void *context);

/// Ends the guarded body with a status and a text.
_Noreturn void fc_fail(FCSeam *seam, FCJPEGStatus status, const char *message);

/// Ends the guarded body when the flag is set.
void fc_check_cancelled(FCSeam *seam);

#endif
