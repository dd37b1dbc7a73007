#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// The memory of a process by its file: bytes that it may write, and those that it holds by itself.
typedef struct {
  size_t data, held;
} Memory;

/// Returns the memory of a process, 0 for this one; zeros without such a file.
static Memory memory_of(pid_t process) {
  char text[256];
  snprintf(text, sizeof text, "/proc/%d/statm", process == 0 ? getpid() : process);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return (Memory){0};
  const ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return (Memory){0};
  text[count] = 0;
  // Pages: all, resident, shared, code, 0, data.
  size_t pages[6];
  char *place = text;
  for (int i = 0; i < 6; i++) pages[i] = strtoul(place, &place, 10);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (Memory){pages[5] * page, pages[1] > pages[2] ? (pages[1] - pages[2]) * page : 0};
}

static void limit(__rlimit_resource_t resource, rlim_t most) {
  struct rlimit bounds;
  if (getrlimit(resource, &bounds) != 0) return;
  if (bounds.rlim_max < most) most = bounds.rlim_max;
  bounds.rlim_cur = most;
  // At the upper bound of its time, a process is killed as if the machine lacked memory.
  if (resource != RLIMIT_CPU) bounds.rlim_max = most;
  (void)setrlimit(resource, &bounds);
}

/// The seconds of processor time for any work, and the bytes that add a second each: the samples of 0.7 megapixels.
/// libjxl takes a fifth of a second for them at most.
enum { leastSeconds = 2, bytesPerSecond = 32 << 20 };

/// The size in bytes from which malloc maps blocks: glibc's first value.
enum { mapped = 128 << 10 };

/// Bounds the processor time of the work that begins.
static void limit_time(const FCJXLChild *child) {
  limit(RLIMIT_CPU, (rlim_t)(clock() / CLOCKS_PER_SEC) + leastSeconds + child->memory / bytesPerSecond);
}

/// Cuts the child off from everything but memory.
static void seclude(int end, pid_t parent, const FCJXLChild *child) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(1);
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int file = 0; file < 3; file++) {
    // The pipe can have one of these numbers, if the process began without them.
    if (file != end && (nowhere < 0 || dup2(nowhere, file) < 0)) close(file);
  }
  if (end > 3) (void)close_range(3, (unsigned)end - 1, 0);
  (void)close_range(end < 3 ? 3 : (unsigned)end + 1, ~0U, 0);
  // A process that has freed large blocks takes the next ones from its heap, which may not shrink. The child's blocks
  // are mapped one by one, and given back.
  (void)mallopt(M_MMAP_THRESHOLD, mapped);
  // Memory that the process has freed is new memory for the child.
  malloc_trim(0);
  const Memory own = memory_of(0);
  // A handler of the process is not made for a copy with one thread.
  const int faults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SIGXCPU};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) signal(faults[i], SIG_DFL);
  // Threads of a pool block signals, and so would the child.
  sigset_t none;
  sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
  limit(RLIMIT_CORE, 0);
  limit_time(child);
  // The kernel's limit misses memory that the process has freed, and the parent's look misses what is taken at once.
  if (own.data > 0) limit(RLIMIT_DATA, own.data + child->memory);
  *child->atStart = own.held;
}

bool fcjxl_child_start(FCJXLChild *child, void (*work)(void *context), void *context, size_t memory) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  *child = (FCJXLChild){0, ends[0], memory, fcjxl_shared_create(sizeof *child->atStart), 0};
  const pid_t parent = getpid();
  const pid_t process = child->atStart == NULL ? -1 : fork();
  if (process == 0) {
    child->end = ends[1];
    seclude(ends[1], parent, child);
    work(context);
    _exit(0);
  }
  close(ends[1]);
  if (process > 0) {
    child->process = process;
    return true;
  }
  close(ends[0]);
  fcjxl_shared_destroy(child->atStart, sizeof *child->atStart);
  return false;
}

/// Returns the status of the ended child; that of a success if the host has asked for it first.
static int collect(FCJXLChild *child) {
  int status = 0;
  while (waitpid(child->process, &status, 0) < 0 && errno == EINTR) continue;
  close(child->end);
  fcjxl_shared_destroy(child->atStart, sizeof *child->atStart);
  child->process = 0;
  return status;
}

static bool takes_too_much(const FCJXLChild *child) {
  const size_t atStart = *child->atStart;
  return atStart > 0 && memory_of(child->process).held > atStart + child->memory;
}

/// Sends a signal to the child if it runs. Another process may have the number of one that has ended.
static void send(const FCJXLChild *child, int number) {
  struct pollfd end = {child->end, POLLIN, 0};
  (void)poll(&end, 1, 0);
  if ((end.revents & POLLHUP) == 0) (void)kill(child->process, number);
}

static void count_time(FCJXLChild *child, FCCancellation *cancellation) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(child->process, &clock) != 0 || clock_gettime(clock, &time) != 0) return;
  const uint64_t used = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
  if (used > child->counted) fc_cancellation_add_elsewhere(cancellation, used - child->counted);
  child->counted = used;
}

/// Waits while the work is paused, and returns whether it is cancelled.
static bool is_cancelled(const FCJXLChild *child, const FCCancellation *cancellation) {
  const bool isPaused = fc_cancellation_is_paused(cancellation);
  if (isPaused) send(child, SIGSTOP);
  const bool isCancelled = fc_cancellation_is_cancelled(cancellation);
  if (isPaused) send(child, SIGCONT);
  return isCancelled;
}

FCJXLChildState fcjxl_child_wait(FCJXLChild *child, FCCancellation *cancellation, int milliseconds) {
  struct pollfd end = {child->end, POLLIN, 0};
  char part;
  const bool runs =
    poll(&end, 1, milliseconds) <= 0 || ((end.revents & POLLIN) != 0 && read(child->end, &part, 1) == 1);
  count_time(child, cancellation);
  const bool isCancelled = is_cancelled(child, cancellation);
  if (isCancelled || (runs && takes_too_much(child))) {
    fcjxl_child_stop(child);
    return isCancelled ? FCJXLChildIsCancelled : FCJXLChildFailed;
  }
  if (runs) return FCJXLChildRuns;
  const int status = collect(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return FCJXLChildIsDone;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) return FCJXLChildIsLate;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? FCJXLChildWasKilled : FCJXLChildFailed;
}

void fcjxl_child_hand_over(const FCJXLChild *child, sem_t *next) {
  if (write(child->end, "", 1) != 1) return;
  while (sem_wait(next) != 0) continue;
  limit_time(child);
}

void fcjxl_child_stop(FCJXLChild *child) {
  if (child->process == 0) return;
  send(child, SIGKILL);
  (void)collect(child);
}

void *fcjxl_shared_create(size_t count) {
  void *memory = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void fcjxl_shared_destroy(void *memory, size_t count) {
  if (memory != NULL) (void)munmap(memory, count);
}
