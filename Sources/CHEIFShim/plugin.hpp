/// What libheif's decoders of ours have in common: data are gathered, and decoded in one call.
#ifndef FCHEIF_PLUGIN_HPP
#define FCHEIF_PLUGIN_HPP

#include "library.hpp"

#include <cstdint>
#include <libheif/heif_plugin.h>
#include <mutex>
#include <new>
#include <vector>

namespace fcheif {

inline const heif_error done = {heif_error_Ok, heif_suberror_Unspecified, "Success"};

inline heif_error corrupt(const char *text) { return {heif_error_Decoder_plugin_error, heif_suberror_Unspecified, text}; }

inline heif_error out_of_memory() {
  return {heif_error_Memory_allocation_error, heif_suberror_Unspecified, "no memory for decoding"};
}

/// One item's coded data.
struct GatheredData {
  std::vector<uint8_t> data;
};

/// A decoder for libheif, which it finds by its name alone: its priority is below every other's.
///
/// - `Decoder`: a ``GatheredData``.
/// - `format`: what it decodes.
/// - `decode`: decodes what a `Decoder` has gathered.
template <class Decoder, heif_compression_format format, heif_error (*decode)(void *, heif_image **)>
struct Plugin {
  /// Makes it known to libheif at the first call.
  static const char *registered(const char *name) {
    static std::once_flag once;
    std::call_once(once, [name] {
      table.id_name = name;
      library()->register_decoder_plugin(&table);
    });
    return table.id_name;
  }

 private:
  static heif_error make(void **decoder) {
    *decoder = new (std::nothrow) Decoder;
    return *decoder != nullptr ? done : out_of_memory();
  }

  static void free(void *decoder) { delete static_cast<Decoder *>(decoder); }

  static heif_error push(void *decoder, const void *data, size_t count) {
    const uint8_t *bytes = static_cast<const uint8_t *>(data);
    std::vector<uint8_t> &all = static_cast<Decoder *>(decoder)->data;
    all.insert(all.end(), bytes, bytes + count);
    return done;
  }

  static inline heif_decoder_plugin table = {
    3,
    [] { return table.id_name; },
    nullptr,
    nullptr,
    [](heif_compression_format other) { return other == format ? 1 : 0; },
    make,
    free,
    push,
    decode,
    [](void *, int) {},
    nullptr,
  };
};

}  // namespace fcheif

#endif
