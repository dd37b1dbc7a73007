/// The only place that catches libjpeg's longjmp.
#pragma once

// Forbids fused multiply-add: arm64 would otherwise use it and get other pixels from the same file.
#pragma STDC FP_CONTRACT OFF

#include "CJPEGShim.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>
// After jpeglib.h, whose types they need.
#include <jerror.h>

/// The error state of one libjpeg object. `manager` comes first, because `cinfo->err` must point to this struct.
typedef struct FCSeam {
  struct jpeg_error_mgr manager;
  jmp_buf landing;
  FCStatus status;
  const FCCancellation *cancellation;
  FCMessage message;
} FCSeam;

void fc_seam_init(FCSeam *seam);

/// Runs `body`, which may call libjpeg and `fc_fail`. This is the only setjmp of the shim. `body` must not own anything
/// on its stack that needs to be freed.
FCStatus fc_guard(FCSeam *seam, void (*body)(void *context), void *context);

/// Ends the guarded body with a status and a message.
_Noreturn void fc_fail(FCSeam *seam, FCStatus status, const char *message);

/// Returns allocated memory, or ends the guarded body if it is NULL.
void *fc_allocated(FCSeam *seam, void *memory);

/// Ends the guarded body if the work is cancelled.
void fc_check_cancelled(FCSeam *seam);
