/// The only place that catches libpng's errors.
#pragma once

#include "CPNGShim.h"

#include <setjmp.h>

#include <png.h>

/// The error state of one libpng object, which gets it as its error pointer and its memory pointer.
typedef struct FCPNGSeam {
  jmp_buf landing;
  FCStatus status;
  const FCCancellation *cancellation;
  bool lacksMemory;
  /// libpng's warnings, and our own.
  uint32_t remarks;
  FCMessage message;
} FCPNGSeam;

/// Runs `body`, which may call libpng and `fcpng_fail`. This is the only setjmp of the shim. `body` must not own
/// anything on its stack that needs to be freed.
FCStatus fcpng_guard(FCPNGSeam *seam, void (*body)(void *context), void *context);

/// Ends the guarded body with a status and a message.
_Noreturn void fcpng_fail(FCPNGSeam *seam, FCStatus status, const char *message);

/// Ends the guarded body if the work is cancelled.
void fcpng_check_cancelled(FCPNGSeam *seam);

/// Creates libpng objects whose errors, warnings and memory go through the seam. Call these only in a guarded body.
png_structp fcpng_create_read(FCPNGSeam *seam);
png_structp fcpng_create_write(FCPNGSeam *seam);
