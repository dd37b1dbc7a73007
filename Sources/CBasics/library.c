#include "CBasics.h"

#include <dlfcn.h>
#include <pthread.h>

bool fc_find_functions(const char *file, const FCFunction *functions, size_t count) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  bool isWhole = library != NULL;
  for (size_t i = 0; i < count && isWhole; i++) {
    *functions[i].address = dlsym(library, functions[i].name);
    isWhole = *functions[i].address != NULL;
  }
  return isWhole;
}

bool fc_library_load(FCLibrary *library) {
  enum { Unknown, Missing, Loaded };
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  // Without the lock, which a thread may hold while another one starts a child process.
  int state = __atomic_load_n(&library->state, __ATOMIC_ACQUIRE);
  if (state == Unknown) {
    pthread_mutex_lock(&lock);
    if (library->state == Unknown) {
      const bool isLoaded = fc_find_functions(library->file, library->functions, library->count);
      __atomic_store_n(&library->state, isLoaded ? Loaded : Missing, __ATOMIC_RELEASE);
    }
    state = library->state;
    pthread_mutex_unlock(&lock);
  }
  return state == Loaded;
}
