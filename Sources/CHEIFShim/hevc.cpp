#include "hevc.hpp"

#include "library.hpp"

#include <cstdint>
#include <cstring>
#include <libde265/de265.h>
#include <libheif/heif_plugin.h>
#include <memory>
#include <mutex>
#include <new>
#include <sys/mman.h>

namespace fcheif {
namespace {

constexpr const char *name = "facecrop-de265";

const heif_error done = {heif_error_Ok, heif_suberror_Unspecified, "Success"};

heif_error corrupt(const char *text) { return {heif_error_Decoder_plugin_error, heif_suberror_Unspecified, text}; }

heif_error out_of_memory() {
  return {heif_error_Memory_allocation_error, heif_suberror_Unspecified, "no memory for decoding"};
}

struct Decoder {
  de265_decoder_context *context = nullptr;
  /// Of the last picture that memory was asked for: what is coded, and where in it lies what is shown.
  de265_image_spec spec = {};

  ~Decoder() {
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

struct Plane {
  void *base;
  size_t count;
};

Plane *make_plane(size_t rowBytes, size_t rows) {
  // libde265 reads a little further than a plane's end.
  const size_t count = rowBytes * rows + 64;
  std::unique_ptr<Plane> plane(new (std::nothrow) Plane{nullptr, count});
  if (!plane) return nullptr;
  plane->base = mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (plane->base == MAP_FAILED) return nullptr;
  for (size_t row = 0; row < rows; row++) {
    uint8_t *bytes = static_cast<uint8_t *>(plane->base) + row * rowBytes;
    for (size_t word = 0; word < rowBytes / 8; word++) {
      const uint64_t value = noise(word, row);
      std::memcpy(bytes + 8 * word, &value, 8);
    }
  }
  return plane.release();
}

void release(de265_decoder_context *, de265_image *picture, void *) {
  for (int index = 0; index < 3; index++) {
    Plane *plane = static_cast<Plane *>(de265_get_image_plane_user_data(picture, index));
    if (plane == nullptr) continue;
    munmap(plane->base, plane->count);
    delete plane;
    de265_set_image_plane(picture, index, nullptr, 0, nullptr);
  }
}

int allocate(de265_decoder_context *context, de265_image_spec *spec, de265_image *picture, void *cookie) {
  static_cast<Decoder *>(cookie)->spec = *spec;
  const de265_chroma chroma = de265_get_chroma_format(picture);
  const int shiftX = chroma == de265_chroma_420 || chroma == de265_chroma_422, shiftY = chroma == de265_chroma_420;
  const int alignment = spec->alignment < 8 ? 8 : spec->alignment;
  for (int index = 0; index < (chroma == de265_chroma_mono ? 1 : 3); index++) {
    const int width = spec->width >> (index > 0 ? shiftX : 0), height = spec->height >> (index > 0 ? shiftY : 0);
    const int bytes = de265_get_bits_per_pixel(picture, index) > 8 ? 2 : 1;
    const int stride = (width + alignment - 1) / alignment * alignment * bytes;
    Plane *plane = make_plane(static_cast<size_t>(stride), static_cast<size_t>(height));
    if (plane == nullptr) {
      release(context, picture, nullptr);
      return 0;
    }
    de265_set_image_plane(picture, index, plane->base, stride, plane);
  }
  return 1;
}

/// Whether a block of the coded luma is as it was before: 8 rows of 8 bytes, of which no coding block is smaller.
bool has_gap(const de265_image *picture, const de265_image_spec &spec) {
  int stride = 0;
  const uint8_t *shown = de265_get_image_plane(picture, 0, &stride);
  const size_t bytes = de265_get_bits_per_pixel(picture, 0) > 8 ? 2 : 1, rowBytes = static_cast<size_t>(stride);
  const uint8_t *coded =
    shown - static_cast<size_t>(spec.crop_top) * rowBytes - static_cast<size_t>(spec.crop_left) * bytes;
  const size_t words = static_cast<size_t>(spec.width) * bytes / 8, rows = static_cast<size_t>(spec.height) / 8 * 8;
  for (size_t top = 0; top < rows; top += 8) {
    for (size_t word = 0; word < words; word++) {
      size_t row = top;
      for (; row < top + 8; row++) {
        const uint64_t value = noise(word, row);
        if (std::memcmp(coded + row * rowBytes + 8 * word, &value, 8) != 0) break;
      }
      if (row == top + 8) return true;
    }
  }
  return false;
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

heif_error new_decoder(void **result) {
  std::unique_ptr<Decoder> decoder(new (std::nothrow) Decoder);
  if (decoder) decoder->context = de265_new_decoder();
  if (!decoder || decoder->context == nullptr) return out_of_memory();
  de265_image_allocation functions = {allocate, release};
  de265_set_image_allocation_functions(decoder->context, &functions, decoder.get());
  *result = decoder.release();
  return done;
}

void free_decoder(void *decoder) { delete static_cast<Decoder *>(decoder); }

/// Units, each behind its length of four bytes.
heif_error push_data(void *decoder, const void *data, size_t count) {
  const uint8_t *bytes = static_cast<const uint8_t *>(data);
  while (count > 0) {
    if (count < 4) return corrupt("the HEVC data end in a length");
    const size_t length = static_cast<size_t>(bytes[0]) << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
    if (length > count - 4) return corrupt("the HEVC data end in a unit");
    const de265_error error =
      de265_push_NAL(static_cast<Decoder *>(decoder)->context, bytes + 4, static_cast<int>(length), 0, nullptr);
    if (error == DE265_ERROR_OUT_OF_MEMORY) return out_of_memory();
    bytes += 4 + length;
    count -= 4 + length;
  }
  return done;
}

/// The data's last picture.
heif_error decode_image(void *opaque, heif_image **result) {
  Decoder *decoder = static_cast<Decoder *>(opaque);
  *result = nullptr;
  de265_flush_data(decoder->context);
  int more = 1;
  while (more != 0 && de265_decode(decoder->context, &more) == DE265_OK) {
    const de265_image *picture = de265_get_next_picture(decoder->context);
    if (picture == nullptr) continue;
    if (*result != nullptr) library()->image_release(*result);
    *result = nullptr;
    if (has_gap(picture, decoder->spec)) return corrupt("a part of the coded picture is missing");
    const heif_error error = make_image(picture, result);
    if (error.code != heif_error_Ok) return error;
    de265_release_next_picture(decoder->context);
  }
  return *result != nullptr ? done : corrupt("the HEVC data make no sense");
}

const heif_decoder_plugin plugin = {
  3,
  [] { return name; },
  nullptr,
  nullptr,
  [](heif_compression_format format) { return format == heif_compression_HEVC ? 1 : 0; },
  new_decoder,
  free_decoder,
  push_data,
  decode_image,
  [](void *, int) {},
  name,
};

}  // namespace

const char *hevc_decoder() {
  static std::once_flag once;
  std::call_once(once, [] { library()->register_decoder_plugin(&plugin); });
  return name;
}

}  // namespace fcheif
