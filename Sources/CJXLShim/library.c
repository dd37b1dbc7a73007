#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

static FCJXLLibrary functions;
static bool isLoaded;

static void load(void) {
  void *file = dlopen(FCJXL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (file == NULL) return;
  isLoaded = true;
#define FCJXL_FIND(name) \
  *(void **)&functions.name = dlsym(file, "JxlDecoder" #name); \
  isLoaded = isLoaded && functions.name != NULL;
  FCJXL_FUNCTIONS(FCJXL_FIND)
#undef FCJXL_FIND
}

const FCJXLLibrary *fcjxl_library(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return isLoaded ? &functions : NULL;
}
