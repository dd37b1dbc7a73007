/// libaom's encoder, loaded when the first AVIF file is written, since most processes write none.
#ifndef FCHEIF_LIBRARY_HPP
#define FCHEIF_LIBRARY_HPP

#include <aom/aom_encoder.h>
#include <aom/aomcx.h>

#define FCHEIF_FUNCTIONS(USE) \
  USE(codec_av1_cx) USE(codec_enc_config_default) USE(codec_enc_init_ver) USE(codec_control) USE(codec_encode) \
  USE(codec_get_cx_data) USE(codec_destroy) USE(img_alloc) USE(img_free)

namespace fcheif {

/// The functions of libaom, without the prefix `aom_`.
struct Library {
#define FCHEIF_MEMBER(name) decltype(&::aom_##name) name;
  FCHEIF_FUNCTIONS(FCHEIF_MEMBER)
#undef FCHEIF_MEMBER
};

/// Loads libaom once and keeps it, or returns null if it cannot be loaded.
const Library *library() noexcept;

}  // namespace fcheif

#endif
