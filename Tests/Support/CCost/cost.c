#define _GNU_SOURCE
#include "CCost.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Thread_local struct {
  bool is_counting;
  int counter;
  // Processor time in seconds, and pages of new memory.
  double seconds;
  long pages;
  // Bytes that were allocated before may be freed, so the number can be negative.
  int64_t live, most;
} here;

// MARK: Memory

#if (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)) && !defined(FCCOST_UNCOUNTED)
#define FCCOST_UNCOUNTED
#endif

#ifndef FCCOST_UNCOUNTED
// glibc's own names of its functions, which the following replace in the whole program.
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static void *born(void *memory) {
  if (here.is_counting && memory != NULL) {
    here.live += (int64_t)malloc_usable_size(memory);
    if (here.live > here.most) here.most = here.live;
  }
  return memory;
}

static void died(void *memory) {
  if (here.is_counting && memory != NULL) here.live -= (int64_t)malloc_usable_size(memory);
}

void *malloc(size_t count) { return born(__libc_malloc(count)); }
void *calloc(size_t number, size_t count) { return born(__libc_calloc(number, count)); }
void *memalign(size_t alignment, size_t count) { return born(__libc_memalign(alignment, count)); }
void *aligned_alloc(size_t alignment, size_t count) { return born(__libc_memalign(alignment, count)); }

void *realloc(void *old, size_t count) {
  const int64_t before = here.is_counting && old != NULL ? (int64_t)malloc_usable_size(old) : 0;
  void *const memory = __libc_realloc(old, count);
  if (memory != NULL || count == 0) here.live -= before;
  return born(memory);
}

int posix_memalign(void **memory, size_t alignment, size_t count) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *const made = born(__libc_memalign(alignment, count));
  if (made == NULL) return ENOMEM;
  *memory = made;
  return 0;
}

void free(void *memory) {
  const int code = errno;
  died(memory);
  __libc_free(memory);
  errno = code;
}
#endif

// MARK: Work

/// What the thread has used: processor time in seconds, and pages of new memory.
typedef struct {
  double seconds;
  long pages;
} Use;

static Use used(void) {
  struct timespec time;
  struct rusage usage;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  getrusage(RUSAGE_THREAD, &usage);
  return (Use){(double)time.tv_sec + (double)time.tv_nsec / 1e9, usage.ru_minflt};
}

static double rate, page_seconds;

/// Returns the seconds since `start`, without the kernel's time for new pages, which the counter leaves out too.
static double spent(Use start) {
  const Use end = used();
  return end.seconds - start.seconds - (double)(end.pages - start.pages) * page_seconds;
}

/// Finds how long the kernel takes for a new page: the shortest of three passes over new memory.
static void calibrate_pages(void) {
  const size_t size = 4 << 20, step = (size_t)sysconf(_SC_PAGESIZE);
  double shortest = 1;
  for (int trial = 0; trial < 3; trial++) {
    unsigned char *const memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    const Use start = used();
    for (size_t at = 0; at < size; at += step) ((volatile unsigned char *)memory)[at] = 1;
    const Use end = used();
    munmap(memory, size);
    if (end.pages > start.pages && end.seconds - start.seconds < shortest * (double)(end.pages - start.pages)) {
      shortest = (end.seconds - start.seconds) / (double)(end.pages - start.pages);
    }
  }
  if (shortest < 1) page_seconds = shortest;
}


/// Finds how many instructions the machine runs per second: the shortest of three loops of dependent multiplications,
/// which take as long in every build. Ordinary code runs about four instructions meanwhile.
static void calibrate(void) {
  const int count = 2000000;
  double shortest = 1;
  for (int trial = 0; trial < 3; trial++) {
    uint64_t value = 1;
    const Use start = used();
    for (int i = 0; i < count; i++) {
      value *= 0x9E3779B97F4A7C15u;
      __asm__ volatile("" : "+r"(value));
    }
    const double taken = spent(start);
    if (taken > 0 && taken < shortest) shortest = taken;
  }
  rate = 4.0 * count / shortest;
  calibrate_pages();
}

/// Opens a counter of the thread's instructions in user mode; negative if the system has none.
static int open_counter(void) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void fccost_begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, calibrate);
  here.counter = open_counter();
  here.live = here.most = 0;
  here.is_counting = true;
  const Use start = used();
  here.seconds = start.seconds;
  here.pages = start.pages;
}

FCCost fccost_end(void) {
  FCCost cost = {spent((Use){here.seconds, here.pages}) * rate, true, 0};
  here.is_counting = false;
  uint64_t count = 0;
  if (here.counter >= 0) {
    if (read(here.counter, &count, sizeof count) == sizeof count && count > 0) {
      cost.instructions = (double)count;
      cost.isEstimated = false;
    }
    close(here.counter);
  }
  cost.bytes = (double)here.most;
  return cost;
}
