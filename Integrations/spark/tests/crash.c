// Loaded into a process by LD_PRELOAD: opening a file whose name has crash-poison ends it, as a decoder's bug would.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static void check(const char *path) {
  if (path != NULL && strstr(path, "crash-poison") != NULL) kill(getpid(), SIGKILL);
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }

int open(const char *path, int flags, ...) {
  MODE(flags)
  check(path);
  return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE(flags)
  check(path);
  return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64"))(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  MODE(flags)
  check(path);
  return ((int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat"))(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
  MODE(flags)
  check(path);
  return ((int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat64"))(folder, path, flags, mode);
}
