// Preloaded into a process: reading hang.jpg never returns. Reading crash.jpg or exit.jpg ends the process, and
// killed.jpg kills it as often as killed.jpg.times says. A file named cut.jpg is truncated to a page when it is mapped.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int killsAgain(void) {
  int times = 0;
  FILE *file = fopen("killed.jpg.times", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%d", &times) != 1) times = 0;
  fclose(file);
  if (times <= 0) return 0;
  file = fopen("killed.jpg.times", "w");
  fprintf(file, "%d", times - 1);
  fclose(file);
  return 1;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
  ssize_t (*next)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  if (strcmp(name, "hang.jpg") == 0) {
    for (;;) pause();
  }
  if (strcmp(name, "crash.jpg") == 0) raise(SIGSEGV);
  if (strcmp(name, "exit.jpg") == 0) _exit(3);
  if (strcmp(name, "killed.jpg") == 0 && killsAgain()) raise(SIGKILL);
  return next(descriptor, bytes, count);
}

void *mmap(void *address, size_t count, int protection, int flags, int descriptor, off_t offset) {
  void *(*next)(void *, size_t, int, int, int, off_t) = dlsym(RTLD_NEXT, "mmap");
  void *mapping = next(address, count, protection, flags, descriptor, offset);
  if (descriptor >= 0) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    const char *slash = strrchr(path, '/');
    if (slash != NULL && strcmp(slash + 1, "cut.jpg") == 0 && truncate(path, 4096) != 0) raise(SIGABRT);
  }
  return mapping;
}
