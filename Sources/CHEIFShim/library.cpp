#include "library.hpp"

#include <dlfcn.h>

namespace fcheif {

const Library *library() noexcept {
  static Library functions;
  static const bool isLoaded = [] {
    void *file = dlopen("libaom.so.3", RTLD_NOW | RTLD_LOCAL);
    if (file == nullptr) return false;
    bool isWhole = true;
#define FCHEIF_FIND(name) \
    functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(file, "aom_" #name)); \
    isWhole = isWhole && functions.name != nullptr;
    FCHEIF_FUNCTIONS(FCHEIF_FIND)
#undef FCHEIF_FIND
    return isWhole;
  }();
  return isLoaded ? &functions : nullptr;
}

}  // namespace fcheif
