#include "hevc.hpp"

#include "plugin.hpp"

#include <algorithm>
#include <cstring>
#include <libde265/de265.h>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace fcheif {
namespace {

/// A plane of a coded picture.
struct Plane {
  void *base;
  size_t count;
  size_t stride;
  /// The sides in whole blocks of 8 rows of 8 bytes, of which no coding block of luma is smaller.
  size_t blocksAcross, blocksDown;
};

/// libde265 at the data, once.
struct Pass {
  de265_decoder_context *context = de265_new_decoder();
  /// The luma planes of pictures that libde265 has not given back.
  std::vector<Plane *> luma;
  bool usesOwnMemory = false;
  /// A picture that it has given back was not whole.
  bool hadGap = false;

  Pass() = default;
  Pass(const Pass &) = delete;
  ~Pass() {
    if (context != nullptr) de265_free_decoder(context);
  }
};

// MARK: Memory of pictures

/// Eight bytes of a row, by SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
uint64_t noise(size_t word, size_t row) {
  uint64_t value = (static_cast<uint64_t>(row) << 32 | word) * 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

Plane *make_plane(size_t stride, size_t width, size_t rows) {
  // libde265 reads a little further than a plane's end.
  const size_t count = stride * rows + 64;
  std::unique_ptr<Plane> plane(new (std::nothrow) Plane{nullptr, count, stride, width / 8, rows / 8});
  if (!plane) return nullptr;
  plane->base = mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (plane->base == MAP_FAILED) return nullptr;
  for (size_t row = 0; row < rows; row++) {
    uint8_t *bytes = static_cast<uint8_t *>(plane->base) + row * stride;
    for (size_t word = 0; word < stride / 8; word++) {
      const uint64_t value = noise(word, row);
      std::memcpy(bytes + 8 * word, &value, 8);
    }
  }
  return plane.release();
}

bool is_untouched(const Plane &plane, size_t column, size_t block) {
  for (size_t row = 8 * block; row < 8 * block + 8; row++) {
    const uint64_t value = noise(column, row);
    if (std::memcmp(static_cast<uint8_t *>(plane.base) + row * plane.stride + 8 * column, &value, 8) != 0) return false;
  }
  return true;
}

/// Whether a block of the plane is as it was before.
bool has_gap(const Plane &plane) {
  for (size_t block = 0; block < plane.blocksDown; block++) {
    for (size_t column = 0; column < plane.blocksAcross; column++) {
      if (is_untouched(plane, column, block)) return true;
    }
  }
  return false;
}

void release(de265_decoder_context *, de265_image *picture, void *cookie) {
  Pass *pass = static_cast<Pass *>(cookie);
  for (int index = 0; index < 3; index++) {
    Plane *plane = static_cast<Plane *>(de265_get_image_plane_user_data(picture, index));
    if (plane == nullptr) continue;
    const auto place = std::find(pass->luma.begin(), pass->luma.end(), plane);
    if (place != pass->luma.end()) {
      pass->hadGap = pass->hadGap || has_gap(*plane);
      pass->luma.erase(place);
    }
    munmap(plane->base, plane->count);
    delete plane;
    de265_set_image_plane(picture, index, nullptr, 0, nullptr);
  }
}

int allocate(de265_decoder_context *context, de265_image_spec *spec, de265_image *picture, void *cookie) {
  Pass *pass = static_cast<Pass *>(cookie);
  pass->usesOwnMemory = true;
  const de265_chroma chroma = de265_get_chroma_format(picture);
  const int shiftX = chroma == de265_chroma_420 || chroma == de265_chroma_422, shiftY = chroma == de265_chroma_420;
  const int alignment = spec->alignment < 8 ? 8 : spec->alignment;
  try {
    pass->luma.reserve(pass->luma.size() + 1);
  } catch (const std::bad_alloc &) {
    return 0;
  }
  for (int index = 0; index < (chroma == de265_chroma_mono ? 1 : 3); index++) {
    const int width = spec->width >> (index > 0 ? shiftX : 0), height = spec->height >> (index > 0 ? shiftY : 0);
    const int bytes = de265_get_bits_per_pixel(picture, index) > 8 ? 2 : 1;
    const int stride = (width + alignment - 1) / alignment * alignment * bytes;
    Plane *plane =
      make_plane(static_cast<size_t>(stride), static_cast<size_t>(width * bytes), static_cast<size_t>(height));
    if (plane == nullptr) {
      release(context, picture, cookie);
      return 0;
    }
    de265_set_image_plane(picture, index, plane->base, stride, plane);
    if (index == 0) pass->luma.push_back(plane);
  }
  return 1;
}

/// Whether slices are missing of what was decoded.
bool has_gap(const Pass &pass) {
  return pass.hadGap ||
         std::any_of(pass.luma.begin(), pass.luma.end(), [](const Plane *plane) { return has_gap(*plane); });
}

// MARK: The picture

heif_error copy_planes(const de265_image *picture, heif_image *image) {
  const heif_channel channels[] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
  const int depth = de265_get_bits_per_pixel(picture, 0);
  for (int index = 0; index < (de265_get_chroma_format(picture) == de265_chroma_mono ? 1 : 3); index++) {
    if (de265_get_bits_per_pixel(picture, index) != depth) return corrupt("channels of several depths");
    const int width = de265_get_image_width(picture, index), height = de265_get_image_height(picture, index);
    if (width <= 0 || height <= 0) return corrupt("a picture without pixels");
    const heif_error error = library()->image_add_plane(image, channels[index], width, height, depth);
    if (error.code != heif_error_Ok) return error;
    int from = 0, to = 0;
    const uint8_t *rows = de265_get_image_plane(picture, index, &from);
    uint8_t *copy = library()->image_get_plane(image, channels[index], &to);
    for (int y = 0; y < height; y++) {
      std::memcpy(
        copy + static_cast<ptrdiff_t>(y) * to, rows + static_cast<ptrdiff_t>(y) * from,
        static_cast<size_t>(width) * (depth > 8 ? 2 : 1));
    }
  }
  return done;
}

/// What the bitstream says of its samples; the file's word goes before it. What it says wrongly stays unspecified.
void copy_colors(const de265_image *picture, heif_image *image) {
  heif_color_profile_nclx *colors = library()->nclx_color_profile_alloc();
  if (colors == nullptr) return;
  library()->nclx_color_profile_set_color_primaries(
    colors, static_cast<uint16_t>(de265_get_image_colour_primaries(picture)));
  library()->nclx_color_profile_set_transfer_characteristics(
    colors, static_cast<uint16_t>(de265_get_image_transfer_characteristics(picture)));
  library()->nclx_color_profile_set_matrix_coefficients(
    colors, static_cast<uint16_t>(de265_get_image_matrix_coefficients(picture)));
  colors->full_range_flag = de265_get_image_full_range_flag(picture) != 0;
  library()->image_set_nclx_color_profile(image, colors);
  library()->nclx_color_profile_free(colors);
}

heif_error make_image(const de265_image *picture, heif_image **result) {
  const de265_chroma chroma = de265_get_chroma_format(picture);
  heif_image *image = nullptr;
  heif_error error = library()->image_create(
    de265_get_image_width(picture, 0), de265_get_image_height(picture, 0),
    chroma == de265_chroma_mono ? heif_colorspace_monochrome : heif_colorspace_YCbCr, static_cast<heif_chroma>(chroma),
    &image);
  if (error.code == heif_error_Ok) error = copy_planes(picture, image);
  if (error.code == heif_error_Ok) {
    copy_colors(picture, image);
    *result = image;
  } else if (image != nullptr) {
    library()->image_release(image);
  }
  return error;
}

// MARK: libheif's decoder

/// - Parameter data: units, each behind its length of four bytes.
heif_error push_units(Pass &pass, const std::vector<uint8_t> &data) {
  const uint8_t *bytes = data.data();
  size_t count = data.size();
  while (count > 0) {
    if (count < 4) return corrupt("the HEVC data end in a length");
    const size_t length = static_cast<size_t>(bytes[0]) << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
    if (length > count - 4) return corrupt("the HEVC data end in a unit");
    if (de265_push_NAL(pass.context, bytes + 4, static_cast<int>(length), 0, nullptr) == DE265_ERROR_OUT_OF_MEMORY) {
      return out_of_memory();
    }
    bytes += 4 + length;
    count -= 4 + length;
  }
  de265_flush_data(pass.context);
  return done;
}

/// Decodes all.
///
/// - Parameter result: gets the last picture; null when none is wanted.
heif_error run(Pass &pass, const std::vector<uint8_t> &data, heif_image **result) {
  if (pass.context == nullptr) return out_of_memory();
  de265_image_allocation functions = {allocate, release};
  de265_set_image_allocation_functions(pass.context, &functions, &pass);
  heif_error error = push_units(pass, data);
  int more = 1;
  while (error.code == heif_error_Ok && more != 0 && de265_decode(pass.context, &more) == DE265_OK) {
    const de265_image *picture = de265_get_next_picture(pass.context);
    if (picture == nullptr) continue;
    if (result != nullptr) {
      if (*result != nullptr) library()->image_release(*result);
      *result = nullptr;
      error = make_image(picture, result);
    }
    de265_release_next_picture(pass.context);
  }
  return error;
}

/// Decodes without the filters behind prediction, and says whether slices are missing.
///
/// libde265 asks for memory for pictures that it gives out alone. With the sample-adaptive offset, as telephones write it, that is
/// a copy behind the filter, without what was not decoded, and the memory in front of it is libde265's own.
heif_error find_gap(const std::vector<uint8_t> &data, bool *hasGap) {
  Pass pass;
  if (pass.context != nullptr) {
    de265_set_parameter_bool(pass.context, DE265_DECODER_PARAM_DISABLE_SAO, 1);
    de265_set_parameter_bool(pass.context, DE265_DECODER_PARAM_DISABLE_DEBLOCKING, 1);
  }
  const heif_error error = run(pass, data, nullptr);
  *hasGap = !pass.usesOwnMemory || has_gap(pass);
  return error;
}

heif_error decode(const std::vector<uint8_t> &data, heif_image **result) {
  bool isKnown = false, hasGap = false;
  {
    Pass pass;
    const heif_error error = run(pass, data, result);
    if (error.code != heif_error_Ok) return error;
    isKnown = pass.usesOwnMemory;
    hasGap = has_gap(pass);
  }
  if (*result == nullptr) return corrupt("the HEVC data make no sense");
  if (!isKnown) {
    const heif_error error = find_gap(data, &hasGap);
    if (error.code != heif_error_Ok) return error;
  }
  return hasGap ? corrupt("a part of the coded picture is missing") : done;
}

heif_error decode_image(void *decoder, heif_image **result) {
  *result = nullptr;
  const heif_error error = decode(static_cast<GatheredData *>(decoder)->data, result);
  if (error.code != heif_error_Ok && *result != nullptr) {
    library()->image_release(*result);
    *result = nullptr;
  }
  return error;
}

}  // namespace

const char *hevc_decoder() {
  return Plugin<GatheredData, heif_compression_HEVC, decode_image>::registered("facecrop-de265");
}

}  // namespace fcheif
