#include "library.hpp"

#include "seam.hpp"
#include "symbols.hpp"

#include <opencv2/core/utility.hpp>
#include <opencv2/core/version.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <mutex>
#include <optional>

// Defines a pointer and a jumping function for each name. They are hidden, so OpenCV's libraries use their own.
#if defined(__x86_64__)
#define FCVISION_JUMP(symbol) "jmp *fcvision_address_" #symbol "(%rip)\n"
#elif defined(__aarch64__)
#define FCVISION_JUMP(symbol) \
  "adrp x16, fcvision_address_" #symbol "\n" \
  "ldr x16, [x16, :lo12:fcvision_address_" #symbol "]\n" \
  "br x16\n"
#else
#error "no jump for this architecture"
#endif

#define FCVISION_DEFINE(symbol) \
  extern "C" __attribute__((visibility("hidden"))) void *fcvision_address_##symbol; \
  void *fcvision_address_##symbol = nullptr; \
  asm(".pushsection .text\n" \
      ".globl " #symbol "\n" \
      ".hidden " #symbol "\n" \
      ".type " #symbol ", %function\n" \
      ".p2align 4\n" \
      #symbol ":\n" \
      ".cfi_startproc\n" \
      FCVISION_JUMP(symbol) \
      ".cfi_endproc\n" \
      ".size " #symbol ", . - " #symbol "\n" \
      ".popsection\n");
FCVISION_IMGPROC_SYMBOLS(FCVISION_DEFINE)
FCVISION_OBJDETECT_SYMBOLS(FCVISION_DEFINE)

namespace fcvision {

namespace {

#define FCVISION_SYMBOL(symbol) {#symbol, &fcvision_address_##symbol},
const FCFunction imgproc[] = {FCVISION_IMGPROC_SYMBOLS(FCVISION_SYMBOL)};
const FCFunction objdetect[] = {FCVISION_OBJDETECT_SYMBOLS(FCVISION_SYMBOL)};

/// A loaded library with its functions, or the reason why it cannot be loaded.
struct Library {
  bool isLoaded = false;
  FCMessage failure;

  template <size_t count>
  Library(const char *module, const FCFunction (&functions)[count]) noexcept {
    // The version is in the file's name since OpenCV 4.5.5, and so in the name of Debian's package.
    constexpr int version = CV_VERSION_MAJOR * 100 + CV_VERSION_MINOR;
    char name[64];
    std::snprintf(name, sizeof name, "libopencv_%s.so.%d", module, version);
    isLoaded = fc_find_functions(name, functions, count);
    if (isLoaded) return;
    const char *reason = dlerror();
    std::snprintf(failure.text, sizeof failure.text, "%s cannot be loaded: %s (install libopencv-%s%d)", name,
                  reason != nullptr ? reason : "the reason is unknown", module, version);
  }
};

std::mutex threadsMutex;
/// The number of threads for OpenCV, once it was set.
std::optional<int> threads;
/// Whether OpenCV is loaded, so that it can get this number.
bool isThere = false;

void tellThreads() noexcept {
  FCMessage ignored;
  guard(&ignored, [] {
    if (isThere && threads) cv::setNumThreads(*threads);
    return FCStatusOk;
  });
}

const Library &core() noexcept {
  static const Library library = [] {
    const Library library("imgproc", imgproc);
    const std::lock_guard<std::mutex> lock(threadsMutex);
    isThere = library.isLoaded;
    tellThreads();
    return library;
  }();
  return library;
}

const Library &library(Module module) noexcept {
  const Library &first = core();
  if (!first.isLoaded) return first;
  switch (module) {
    case Module::imgproc: return first;
    case Module::objdetect: {
      static const Library library("objdetect", objdetect);
      return library;
    }
  }
}

}  // namespace

bool load(Module module, FCMessage *message) noexcept {
  const Library &needed = library(module);
  if (!needed.isLoaded) *message = needed.failure;
  return needed.isLoaded;
}

}  // namespace fcvision

void fcvision_set_threads(int32_t count) {
  const std::lock_guard<std::mutex> lock(fcvision::threadsMutex);
  fcvision::threads = count;
  fcvision::tellThreads();
}
