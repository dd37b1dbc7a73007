// Preloaded into a process: a read of a file named hang.jpg never returns, one of crash.jpg ends the process, and one of
// killed.jpg kills it, so many times as killed.jpg.times says.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
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
  if (strcmp(name, "killed.jpg") == 0 && killsAgain()) raise(SIGKILL);
  return next(descriptor, bytes, count);
}
