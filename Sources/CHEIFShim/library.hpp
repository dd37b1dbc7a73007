/// libheif, loaded with the first AVIF file that is written: it and the codecs behind it take a third of the time in which a
/// process starts, and most write no such file.
#ifndef FCHEIF_LIBRARY_HPP
#define FCHEIF_LIBRARY_HPP

#include <libheif/heif.h>

#define FCHEIF_FUNCTIONS(USE) \
  USE(context_alloc) USE(context_free) USE(image_handle_release) USE(image_create) USE(image_release) \
  USE(image_add_plane) USE(image_get_plane) USE(image_set_nclx_color_profile) USE(nclx_color_profile_alloc) \
  USE(nclx_color_profile_free) USE(nclx_color_profile_set_color_primaries) \
  USE(nclx_color_profile_set_transfer_characteristics) USE(nclx_color_profile_set_matrix_coefficients) \
  USE(image_set_raw_color_profile) USE(context_get_encoder_for_format) USE(encoder_release) \
  USE(encoder_set_lossy_quality) USE(encoder_set_parameter_integer) USE(encoder_set_parameter_string) \
  USE(encoding_options_alloc) USE(encoding_options_free) USE(context_encode_image) USE(context_add_exif_metadata) \
  USE(context_add_XMP_metadata) USE(context_write)

namespace fcheif {

/// Its functions, without the prefix `heif_`.
struct Library {
#define FCHEIF_MEMBER(name) decltype(&::heif_##name) name;
  FCHEIF_FUNCTIONS(FCHEIF_MEMBER)
#undef FCHEIF_MEMBER
};

/// Null where it cannot be loaded. It stays loaded.
const Library *library() noexcept;

}  // namespace fcheif

#endif
