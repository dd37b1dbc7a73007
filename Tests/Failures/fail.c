// Makes one call fail: preloaded into a program (LD_PRELOAD), it counts calls of each kind and fails the n-th.
//
// FAIL_CONTROL names a file of 64 numbers of 64 bits, which the program and its tester map. A failure can be set while
// the program runs, and counts outlive it: see `struct control`. FAIL_RANGES names a text of functions whose
// allocations may fail. A line has two hexadecimal addresses, the first and the last, relative to the program's start.
// Swift ends the process if memory runs out, so only allocations of C, C++ and the libraries below count.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { NONE, READ, WRITE, SYNC, RENAME, OPEN, MAP, ALLOCATE, KINDS };
enum { SHORT = 10000 };  // instead of an error: reads or writes half of the bytes

struct control {
  atomic_ullong kind, number, error, goes_on;  // the call that fails, from 1; with goes_on also all that follow
  atomic_ullong failed;                        // failed calls
  atomic_ullong live;                          // allocations that were not freed
  atomic_ullong count[KINDS];
};

static struct control *control;

// MARK: Whose allocations

static const char *const libraries[] = {"libjpeg", "libpng", "libz.", "libwebp", "libdav1d", "liblcms2", "libexpat",
  "libtiff", "libgif", "libsharpyuv", "liblzma", "libzstd", "libdeflate"};
static struct { uintptr_t first, last; } ranges[4096];
// Libraries that leak allocations after a failure.
static const char *const leaky[] = {"libde265", "libheif", "libaom"};
static int range_count;
static uintptr_t program;

// The treatment of a caller's allocations. Each caller is looked up once.
enum use { IGNORED, COUNTED, TRACKED };
enum { CALLERS = 1 << 14 };
static _Atomic uintptr_t callers[CALLERS];

static enum use look_up(uintptr_t caller) {
  Dl_info info;
  if (dladdr((void *)caller, &info) == 0 || info.dli_fname == NULL) return IGNORED;
  if ((uintptr_t)info.dli_fbase == program) {
    for (int i = 0; i < range_count; i++) {
      if (caller - program >= ranges[i].first && caller - program <= ranges[i].last) return TRACKED;
    }
    return IGNORED;
  }
  const char *name = strrchr(info.dli_fname, '/');
  name = name == NULL ? info.dli_fname : name + 1;
  for (size_t i = 0; i < sizeof leaky / sizeof *leaky; i++) {
    if (strncmp(name, leaky[i], strlen(leaky[i])) == 0) return COUNTED;
  }
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    if (strncmp(name, libraries[i], strlen(libraries[i])) == 0) return TRACKED;
  }
  return IGNORED;
}

static enum use use_of(void *address) {
  if (control == NULL) return IGNORED;
  const uintptr_t caller = (uintptr_t)address;
  _Atomic uintptr_t *const place = &callers[(caller * 0x9E3779B97F4A7C15u) >> 50];
  const uintptr_t known = atomic_load_explicit(place, memory_order_relaxed);
  if (known >> 2 == caller) return known & 3;
  const enum use use = look_up(caller);
  atomic_store_explicit(place, caller << 2 | use, memory_order_relaxed);
  return use;
}

// A table of the addresses of live allocations.
enum { LIVE = 1 << 20 };
static _Atomic(void *) live[LIVE];
static void *const gone = (void *)1;

static size_t slot(const void *p) { return ((uintptr_t)p >> 4) * 0x9E3779B97F4A7C15u >> 44; }

static void born(void *p) {
  if (p == NULL) return;
  for (size_t i = slot(p), n = 0; n < LIVE; i = (i + 1) % LIVE, n++) {
    void *old = atomic_load(&live[i]);
    if ((old == NULL || old == gone) && atomic_compare_exchange_strong(&live[i], &old, p)) {
      atomic_fetch_add(&control->live, 1);
      return;
    }
  }
}

static bool died(void *p) {
  if (p == NULL) return false;
  for (size_t i = slot(p), n = 0; n < LIVE; i = (i + 1) % LIVE, n++) {
    void *old = atomic_load(&live[i]);
    if (old == NULL) return false;
    if (old == p && atomic_compare_exchange_strong(&live[i], &old, gone)) {
      atomic_fetch_sub(&control->live, 1);
      return true;
    }
  }
  return false;
}

// MARK: Setting

__attribute__((constructor)) static void begin(void) {
  const char *const path = getenv("FAIL_CONTROL");
  if (path == NULL) return;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *const mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return;
  Dl_info info;
  program = dladdr((void *)getauxval(AT_ENTRY), &info) != 0 ? (uintptr_t)info.dli_fbase : 0;
  const char *const list = getenv("FAIL_RANGES");
  FILE *const text = list == NULL ? NULL : fopen(list, "r");
  if (text != NULL) {
    unsigned long first, last;
    while (range_count < 4096 && fscanf(text, "%lx %lx", &first, &last) == 2) {
      ranges[range_count].first = first;
      ranges[range_count++].last = last;
    }
    fclose(text);
  }
  control = mapped;
}

/// Counts a call, and returns the error with which it fails; 0 for none.
static int failure(enum kind kind) {
  if (control == NULL) return 0;
  const unsigned long long number = atomic_fetch_add(&control->count[kind], 1) + 1;
  if (atomic_load(&control->kind) != kind) return 0;
  const unsigned long long wanted = atomic_load(&control->number);
  if (number != wanted && !(number > wanted && atomic_load(&control->goes_on) != 0)) return 0;
  atomic_fetch_add(&control->failed, 1);
  return (int)atomic_load(&control->error);
}

#define REAL(result, name, ...) \
  static result (*real)(__VA_ARGS__); \
  if (real == NULL) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)
#define FAIL(kind, result) \
  do { \
    const int error = failure(kind); \
    if (error != 0) { \
      errno = error; \
      return result; \
    } \
  } while (0)

// MARK: Files

#define TRANSFER(name, kind, result, parameters, arguments, size, shorter) \
  result name parameters { \
    REAL(result, name, TYPES_##name); \
    const int error = fd > 2 ? failure(kind) : 0; \
    if (error == SHORT && (size) > 1) return real shorter; \
    if (error != 0 && error != SHORT) { \
      errno = error; \
      return -1; \
    } \
    return real arguments; \
  }
#define TYPES_read int, void *, size_t
#define TYPES_pread int, void *, size_t, off_t
#define TYPES_pread64 int, void *, size_t, off_t
#define TYPES_write int, const void *, size_t
#define TYPES_pwrite int, const void *, size_t, off_t
#define TYPES_pwrite64 int, const void *, size_t, off_t
TRANSFER(read, READ, ssize_t, (int fd, void *b, size_t n), (fd, b, n), n, (fd, b, n / 2))
TRANSFER(pread, READ, ssize_t, (int fd, void *b, size_t n, off_t o), (fd, b, n, o), n, (fd, b, n / 2, o))
TRANSFER(pread64, READ, ssize_t, (int fd, void *b, size_t n, off_t o), (fd, b, n, o), n, (fd, b, n / 2, o))
TRANSFER(write, WRITE, ssize_t, (int fd, const void *b, size_t n), (fd, b, n), n, (fd, b, n / 2))
TRANSFER(pwrite, WRITE, ssize_t, (int fd, const void *b, size_t n, off_t o), (fd, b, n, o), n, (fd, b, n / 2, o))
TRANSFER(pwrite64, WRITE, ssize_t, (int fd, const void *b, size_t n, off_t o), (fd, b, n, o), n, (fd, b, n / 2, o))

int fsync(int fd) {
  REAL(int, fsync, int);
  FAIL(SYNC, -1);
  return real(fd);
}

int fdatasync(int fd) {
  REAL(int, fdatasync, int);
  FAIL(SYNC, -1);
  return real(fd);
}

int rename(const char *from, const char *to) {
  REAL(int, rename, const char *, const char *);
  FAIL(RENAME, -1);
  return real(from, to);
}

int renameat(int a, const char *from, int b, const char *to) {
  REAL(int, renameat, int, const char *, int, const char *);
  FAIL(RENAME, -1);
  return real(a, from, b, to);
}

int link(const char *from, const char *to) {
  REAL(int, link, const char *, const char *);
  FAIL(RENAME, -1);
  return real(from, to);
}

int linkat(int a, const char *from, int b, const char *to, int flags) {
  REAL(int, linkat, int, const char *, int, const char *, int);
  FAIL(RENAME, -1);
  return real(a, from, b, to, flags);
}

// Dispatch reads /proc/THREAD/stat and ends the process if it cannot, so this call must not fail.
static bool is_of_thread(const char *path) {
  return strncmp(path, "/proc/", 6) == 0 && path[6] >= '0' && path[6] <= '9';
}
#define FAIL_OPEN(path) \
  if (!is_of_thread(path)) FAIL(OPEN, -1)

static mode_t mode_of(int flags, va_list list) {
  return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
  REAL(int, open, const char *, int, ...);
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  FAIL_OPEN(path);
  return real(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  REAL(int, open64, const char *, int, ...);
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  FAIL_OPEN(path);
  return real(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  REAL(int, openat, int, const char *, int, ...);
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  FAIL_OPEN(path);
  return real(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
  REAL(int, openat64, int, const char *, int, ...);
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  FAIL_OPEN(path);
  return real(folder, path, flags, mode);
}

// Only for files; the system maps libraries and threads.
void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
  REAL(void *, mmap, void *, size_t, int, int, int, off_t);
  if (fd >= 0) FAIL(MAP, MAP_FAILED);
  return real(address, size, protection, flags, fd, offset);
}

// MARK: Memory

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

#define ALLOCATED(expression) \
  const enum use use = use_of(__builtin_return_address(0)); \
  if (use != IGNORED) FAIL(ALLOCATE, NULL); \
  void *const made = expression; \
  if (use == TRACKED) born(made); \
  return made

void *malloc(size_t size) { ALLOCATED(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { ALLOCATED(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { ALLOCATED(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { ALLOCATED(__libc_memalign(alignment, size)); }

void *realloc(void *old, size_t size) {
  const enum use use = use_of(__builtin_return_address(0));
  if (use != IGNORED) FAIL(ALLOCATE, NULL);
  const bool was_live = control != NULL && died(old);
  void *const made = __libc_realloc(old, size);
  if (use == TRACKED || was_live) born(made == NULL && size > 0 ? old : made);
  return made;
}

int posix_memalign(void **place, size_t alignment, size_t size) {
  const enum use use = use_of(__builtin_return_address(0));
  if (use != IGNORED && failure(ALLOCATE) != 0) return ENOMEM;
  void *const made = __libc_memalign(alignment, size);
  if (made == NULL) return ENOMEM;
  if (use == TRACKED) born(made);
  *place = made;
  return 0;
}

void free(void *p) {
  if (control != NULL) died(p);
  __libc_free(p);
}

// C++ allocations throw if memory runs out.
static void *made(size_t size, void *caller) {
  const enum use use = use_of(caller);
  void *const p = use != IGNORED && failure(ALLOCATE) != 0 ? NULL : __libc_malloc(size > 0 ? size : 1);
  if (p == NULL) {
    void (*const refuse)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "_ZSt17__throw_bad_allocv");
    refuse();
  }
  if (use == TRACKED) born(p);
  return p;
}

void *_Znwm(size_t size) { return made(size, __builtin_return_address(0)); }
void *_Znam(size_t size) { return made(size, __builtin_return_address(0)); }
