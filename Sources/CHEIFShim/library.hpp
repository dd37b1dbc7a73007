/// libheif, loaded with the first HEIC or AVIF picture: it and the codecs behind it take a third of the time in which a process
/// starts, and most read no such picture.
#ifndef FCHEIF_LIBRARY_HPP
#define FCHEIF_LIBRARY_HPP

#include <libheif/heif.h>

#define FCHEIF_FUNCTIONS(USE) \
  USE(context_alloc) USE(context_free) USE(context_set_max_decoding_threads) \
  USE(context_read_from_memory_without_copy) USE(context_get_primary_image_handle) USE(image_handle_release) \
  USE(decoding_options_alloc) USE(decoding_options_free) USE(decode_image) USE(register_decoder_plugin) \
  USE(image_create) USE(image_release) USE(image_add_plane) USE(image_get_plane) USE(image_get_plane_readonly) \
  USE(image_has_channel) USE(image_get_width) USE(image_get_height) USE(image_get_bits_per_pixel_range) \
  USE(image_set_nclx_color_profile) USE(nclx_color_profile_alloc) USE(nclx_color_profile_free) \
  USE(nclx_color_profile_set_color_primaries) USE(nclx_color_profile_set_transfer_characteristics) \
  USE(nclx_color_profile_set_matrix_coefficients) USE(image_set_raw_color_profile) \
  USE(context_get_encoder_for_format) USE(encoder_release) USE(encoder_set_lossy_quality) \
  USE(encoder_set_parameter_integer) USE(encoder_set_parameter_string) USE(encoding_options_alloc) \
  USE(encoding_options_free) USE(context_encode_image) USE(context_add_exif_metadata) USE(context_add_XMP_metadata) \
  USE(context_write)

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
