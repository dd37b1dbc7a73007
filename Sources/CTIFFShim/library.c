#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

static FCTIFFLibrary functions;
static bool isLoaded;

static void load(void) {
  void *file = dlopen("libtiff.so.6", RTLD_NOW | RTLD_LOCAL);
  if (file == NULL) return;
  isLoaded = true;
#define FCTIFF_FIND(name) \
  *(void **)&functions.name = dlsym(file, "TIFF" #name); \
  isLoaded = isLoaded && functions.name != NULL;
  FCTIFF_FUNCTIONS(FCTIFF_FIND)
#undef FCTIFF_FIND
}

const FCTIFFLibrary *fctiff_library(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return isLoaded ? &functions : NULL;
}
