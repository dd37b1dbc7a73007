#include "hevc.hpp"

#include "failure.hpp"

#include <algorithm>
#include <cstring>
#include <libde265/de265.h>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace fcheif {
namespace {

/// A plane of a coded image.
struct Plane {
  void *base;
  size_t count;
  size_t stride;
  /// The sides in whole blocks of 8 rows of 8 bytes; coding blocks of luma are at least that large.
  size_t blocksAcross, blocksDown;
};

/// One decode of the data by libde265.
struct Pass {
  de265_decoder_context *context = de265_new_decoder();
  /// The luma planes of images that libde265 still holds.
  std::vector<Plane *> luma;
  bool usesOwnMemory = false;
  /// Whether memory for an image ran out, which libde265 may report as any error.
  bool lacksMemory = false;
  /// Whether an image that libde265 has released was incomplete.
  bool hadGap = false;

  Pass() = default;
  Pass(const Pass &) = delete;
  ~Pass() {
    if (context != nullptr) de265_free_decoder(context);
  }
};

// MARK: Memory of images

/// Computes eight bytes of a row by SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators").
uint64_t noise(size_t word, size_t row) {
  uint64_t value = (static_cast<uint64_t>(row) << 32 | word) * 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

Plane *make_plane(size_t stride, size_t width, size_t rows) {
  // libde265 reads slightly past a plane's end.
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

/// Returns whether any block of the plane still holds the noise.
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
  // Cleared once all planes are allocated.
  pass->lacksMemory = true;
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
  pass->lacksMemory = false;
  return 1;
}

/// Returns whether slices are missing in the decoded images.
bool has_gap(const Pass &pass) {
  return pass.hadGap ||
         std::any_of(pass.luma.begin(), pass.luma.end(), [](const Plane *plane) { return has_gap(*plane); });
}

// MARK: The image

/// Checks that an image's planes match the source's description.
void check_kind(const de265_image *picture, const FCHEIFSource &source, const FCHEIFSamples &samples) {
  const Failure failure = {FCStatusCorrupt, "the coded image differs from its configuration"};
  if (static_cast<int>(de265_get_chroma_format(picture)) != static_cast<int>(source.chroma)) throw failure;
  const FCHEIFPlane &luma = samples.planes[0];
  for (int index = 0; index < (samples.isGray ? 1 : 3); index++) {
    const FCHEIFPlane &plane = samples.planes[index];
    const bool isWhole = plane.width == side(luma.width, index > 0 ? samples.shiftX : 0) &&
                         plane.height == side(luma.height, index > 0 ? samples.shiftY : 0);
    if (!isWhole || plane.rows == nullptr || luma.width == 0 || luma.height == 0) throw failure;
    if (de265_get_bits_per_pixel(picture, index) != static_cast<int>(source.depth)) throw failure;
  }
}

Picture make_picture(const de265_image *coded, const FCHEIFSource &source) {
  // Encoders of gray and alpha omit the flag, which would mean limited range, but use the full one.
  const bool isGray = source.chroma == FCHEIFChromaMonochrome;
  FCHEIFSamples samples = samples_of(
    source, {de265_get_image_matrix_coefficients(coded), isGray || de265_get_image_full_range_flag(coded) != 0});
  for (int index = 0; index < (samples.isGray ? 1 : 3); index++) {
    int stride = 0;
    const uint8_t *rows = de265_get_image_plane(coded, index, &stride);
    const int width = de265_get_image_width(coded, index), height = de265_get_image_height(coded, index);
    samples.planes[index] = {
      rows, static_cast<size_t>(std::max(stride, 0)), static_cast<uint32_t>(std::max(width, 0)),
      static_cast<uint32_t>(std::max(height, 0))};
  }
  check_kind(coded, source, samples);
  Picture picture(new FCHEIFPicture(samples));
  for (uint32_t y = 0; y < picture->height; y++) {
    if (y % 64 == 0) check(source.cancellation);
    fcheif_convert_row(&samples, y, picture->row(y));
  }
  return picture;
}

// MARK: Decoding

/// Passes the source's units, each after its length of four bytes.
///
/// They become a stream of bytes. libde265's call for a whole unit moves the rest of it for each stuffing byte, which
/// takes time quadratic in its length.
void push_units(Pass &pass, const FCHEIFSource &source) {
  const uint8_t *bytes = source.data;
  size_t count = source.count;
  const uint8_t start[] = {0, 0, 1};
  while (count > 0) {
    if (count < 4) throw Failure{FCStatusCorrupt, "the HEVC data end inside a length"};
    const size_t length = static_cast<size_t>(bytes[0]) << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
    if (length > count - 4) throw Failure{FCStatusCorrupt, "the HEVC data end inside a unit"};
    check(source.cancellation);
    if (memmem(bytes + 4, length, start, sizeof start) != nullptr) {
      throw Failure{FCStatusCorrupt, "an HEVC unit contains a start code"};
    }
    if (de265_push_data(pass.context, start, sizeof start, 0, nullptr) == DE265_ERROR_OUT_OF_MEMORY ||
        de265_push_data(pass.context, bytes + 4, static_cast<int>(length), 0, nullptr) == DE265_ERROR_OUT_OF_MEMORY) {
      throw std::bad_alloc();
    }
    bytes += 4 + length;
    count -= 4 + length;
  }
}

/// Decodes the passed units one by one, so that decoding can end at each. Stores the last image in `result` unless it
/// is null. Returns whether libde265 waits for more.
bool decode_units(Pass &pass, const FCHEIFSource &source, Picture *result) {
  int more = 1;
  while (more != 0) {
    check(source.cancellation);
    const de265_error error = de265_decode(pass.context, &more);
    if (pass.lacksMemory || error == DE265_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
    if (error != DE265_OK) return error == DE265_ERROR_WAITING_FOR_INPUT_DATA;
    const de265_image *picture = de265_get_next_picture(pass.context);
    if (picture == nullptr) continue;
    if (result != nullptr) {
      result->reset();
      *result = make_picture(picture, source);
    }
    de265_release_next_picture(pass.context);
  }
  return false;
}

/// Decodes all data; see `decode_units`.
void run(Pass &pass, const FCHEIFSource &source, Picture *result) {
  if (pass.context == nullptr) throw std::bad_alloc();
  de265_image_allocation functions = {allocate, release};
  de265_set_image_allocation_functions(pass.context, &functions, &pass);
  push_units(pass, source);
  // The slices end when libde265 needs more data. The end of the data then runs the filters, which are a separate step.
  if (!decode_units(pass, source, result)) return;
  de265_flush_data(pass.context);
  decode_units(pass, source, result);
}

/// Decodes without in-loop filters, and returns whether slices are missing.
///
/// libde265 calls our allocator only for images that it returns. With the sample-adaptive offset, which phones use,
/// that is the copy after the filter, which has no gaps; libde265 allocates the unfiltered image itself.
bool finds_gap(const FCHEIFSource &source) {
  Pass pass;
  if (pass.context != nullptr) {
    de265_set_parameter_bool(pass.context, DE265_DECODER_PARAM_DISABLE_SAO, 1);
    de265_set_parameter_bool(pass.context, DE265_DECODER_PARAM_DISABLE_DEBLOCKING, 1);
  }
  run(pass, source, nullptr);
  return !pass.usesOwnMemory || has_gap(pass);
}

}  // namespace

Picture decode_hevc(const FCHEIFSource &source) {
  // Keeps libde265's tables, which it would otherwise build again for each tile.
  static const de265_error tables = de265_init();
  if (tables != DE265_OK) throw std::bad_alloc();
  Picture picture;
  bool isKnown = false, hasGap = false;
  {
    Pass pass;
    run(pass, source, &picture);
    isKnown = pass.usesOwnMemory;
    hasGap = has_gap(pass);
  }
  if (!picture) throw Failure{FCStatusCorrupt, "the HEVC data are invalid"};
  check(source.cancellation);
  if (!isKnown) hasGap = finds_gap(source);
  if (hasGap) throw Failure{FCStatusCorrupt, "some of the coded image is missing"};
  return picture;
}

}  // namespace fcheif
