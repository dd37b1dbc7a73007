#include "seam.h"

#include <stdlib.h>

FCStatus fcpng_guard(FCPNGSeam *seam, void (*body)(void *), void *context) {
  seam->status = FCStatusOk;
  seam->lacksMemory = false;
  seam->message.text[0] = '\0';
  if (setjmp(seam->landing) == 0) body(context);
  return seam->status;
}

_Noreturn void fcpng_fail(FCPNGSeam *seam, FCStatus status, const char *message) {
  seam->status = fc_refuse(&seam->message, status, message);
  longjmp(seam->landing, 1);
}

void fcpng_check_cancelled(FCPNGSeam *seam) {
  if (fc_cancellation_is_cancelled(seam->cancellation)) fcpng_fail(seam, FCStatusCancelled, "cancelled");
}

/// Ends the guarded body. libpng has no error codes, so all errors but our own and a lack of memory blame the file.
static _Noreturn void handle_error(png_structp png, png_const_charp message) {
  FCPNGSeam *seam = png_get_error_ptr(png);
  fcpng_fail(seam, seam->lacksMemory ? FCStatusOutOfMemory : FCStatusCorrupt, message);
}

static void handle_warning(png_structp png, png_const_charp message) {
  (void)message;
  ((FCPNGSeam *)png_get_error_ptr(png))->remarks += 1;
}

static png_voidp allocate(png_structp png, png_alloc_size_t count) {
  void *memory = malloc(count);
  if (memory == NULL) ((FCPNGSeam *)png_get_mem_ptr(png))->lacksMemory = true;
  return memory;
}

static void release(png_structp png, png_voidp memory) {
  (void)png;
  free(memory);
}

png_structp fcpng_create_read(FCPNGSeam *seam) {
  return png_create_read_struct_2(PNG_LIBPNG_VER_STRING, seam, handle_error, handle_warning, seam, allocate, release);
}

png_structp fcpng_create_write(FCPNGSeam *seam) {
  return png_create_write_struct_2(PNG_LIBPNG_VER_STRING, seam, handle_error, handle_warning, seam, allocate, release);
}
