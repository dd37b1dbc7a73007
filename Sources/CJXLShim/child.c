#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/// Returns the bytes of this process's own memory, by the sixth number of its file; 0 if there is none.
static size_t own_memory(void) {
  char text[256];
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  char *place = text;
  unsigned long pages = 0;
  for (int i = 0; i < 6; i++) pages = strtoul(place, &place, 10);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void limit(__rlimit_resource_t resource, rlim_t most) {
  struct rlimit bounds;
  if (getrlimit(resource, &bounds) != 0) return;
  if (bounds.rlim_max < most) most = bounds.rlim_max;
  bounds.rlim_cur = bounds.rlim_max = most;
  (void)setrlimit(resource, &bounds);
}

/// Cuts the child off from everything but memory. It calls only functions that are safe after a fork.
static void seclude(int end, pid_t parent, size_t memory) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(1);
  const size_t own = own_memory();
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int file = 0; file < 3; file++) {
    // The pipe can have one of these numbers, if the process began without them.
    if (file != end && (nowhere < 0 || dup2(nowhere, file) < 0)) close(file);
  }
  if (end > 3) (void)close_range(3, (unsigned)end - 1, 0);
  (void)close_range(end < 3 ? 3 : (unsigned)end + 1, ~0U, 0);
  // A handler of the process is not made for a copy with one thread.
  const int faults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) signal(faults[i], SIG_DFL);
  limit(RLIMIT_CORE, 0);
  // Larger blocks are new memory, which the limit counts, and not what this process has freed.
  mallopt(M_MMAP_THRESHOLD, 64 << 10);
  if (own > 0) limit(RLIMIT_DATA, own + memory);
}

bool fcjxl_child_start(FCJXLChild *child, void (*work)(void *context), void *context, size_t memory) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process == 0) {
    seclude(ends[1], parent, memory);
    work(context);
    _exit(0);
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return false;
  }
  *child = (FCJXLChild){process, ends[0]};
  return true;
}

/// Returns the status of the ended child; that of a success if the host has asked for it first.
static int collect(FCJXLChild *child) {
  int status = 0;
  while (waitpid(child->process, &status, 0) < 0 && errno == EINTR) continue;
  close(child->end);
  child->process = 0;
  return status;
}

FCJXLChildState fcjxl_child_wait(FCJXLChild *child, int milliseconds) {
  struct pollfd end = {child->end, POLLIN, 0};
  if (poll(&end, 1, milliseconds) <= 0) return FCJXLChildRuns;
  const int status = collect(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return FCJXLChildIsDone;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? FCJXLChildWasKilled : FCJXLChildFailed;
}

void fcjxl_child_stop(FCJXLChild *child) {
  if (child->process == 0) return;
  // Another process may have the number of one that has ended.
  struct pollfd end = {child->end, POLLIN, 0};
  if (poll(&end, 1, 0) == 0) (void)kill(child->process, SIGKILL);
  (void)collect(child);
}

void *fcjxl_shared_create(size_t count) {
  void *memory = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void fcjxl_shared_destroy(void *memory, size_t count) {
  if (memory != NULL) (void)munmap(memory, count);
}
