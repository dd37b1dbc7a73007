/// The one place where libpng's errors end.
#ifndef FCPNG_SEAM_H
#define FCPNG_SEAM_H

#include "CPNGShim.h"

#include <setjmp.h>

#include <png.h>

/// Error state of one libpng object, which knows it as its error pointer and its memory pointer.
typedef struct FCPNGSeam {
  jmp_buf landing;
  FCPNGStatus status;
  const FCCancellation *cancellation;
  bool lacksMemory;
  /// Libpng's warnings, and our own.
  uint32_t remarks;
  char message[200];
} FCPNGSeam;

/// Runs `body`, which may call libpng and `fcpng_fail`. This is the only setjmp of the shim; `body` owns nothing on its
/// stack that would have to be released.
FCPNGStatus fcpng_guard(FCPNGSeam *seam, void (*body)(void *context), void *context);

/// Ends the guarded body with a status and a text.
_Noreturn void fcpng_fail(FCPNGSeam *seam, FCPNGStatus status, const char *message);

/// The same outside of a body.
FCPNGStatus fcpng_refuse(FCPNGSeam *seam, FCPNGStatus status, const char *message);

/// Ends the guarded body when the flag is set.
void fcpng_check_cancelled(FCPNGSeam *seam);

/// Libpng objects whose errors, warnings and memory go through the seam; only inside a body.
png_structp fcpng_create_read(FCPNGSeam *seam);
png_structp fcpng_create_write(FCPNGSeam *seam);

/// Whether `count` rows of `rowBytes` each, `stride` apart, fit into `capacity`.
bool fcpng_rows_fit(size_t rowBytes, size_t stride, size_t capacity, uint32_t count);

#endif
