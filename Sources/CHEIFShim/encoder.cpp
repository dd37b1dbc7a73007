/// AVIF by libheif and the encoder for AV1 that it has. Every exception ends here.
#include "failure.hpp"
#include "library.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

struct Release {
  void operator()(heif_context *context) const { fcheif::library()->context_free(context); }
  void operator()(heif_encoder *encoder) const { fcheif::library()->encoder_release(encoder); }
  void operator()(heif_image *image) const { fcheif::library()->image_release(image); }
  void operator()(heif_image_handle *handle) const { fcheif::library()->image_handle_release(handle); }
  void operator()(heif_encoding_options *options) const { fcheif::library()->encoding_options_free(options); }
  void operator()(heif_color_profile_nclx *colors) const { fcheif::library()->nclx_color_profile_free(colors); }
};

template <typename Type>
using Owned = std::unique_ptr<Type, Release>;

using fcheif::Failure;

void check(const heif_error &error) {
  if (error.code == heif_error_Ok) return;
  if (error.code == heif_error_Memory_allocation_error) throw std::bad_alloc();
  throw Failure{FCHEIFStatusUnsupported, error.message};
}

/// A plane of a picture that is made.
struct Plane {
  uint8_t *rows;
  size_t stride;

  Plane(const fcheif::Library &heif, heif_image *image, heif_channel channel, uint32_t width, uint32_t height) {
    check(heif.image_add_plane(image, channel, static_cast<int>(width), static_cast<int>(height), 8));
    int bytes = 0;
    rows = heif.image_get_plane(image, channel, &bytes);
    if (rows == nullptr) throw std::bad_alloc();
    stride = static_cast<size_t>(bytes);
  }

  uint8_t *row(uint32_t y) const { return rows + y * stride; }
};

/// ITU-T T.871 (JFIF), section 7, with 16 bits behind the point.
uint8_t luma(const uint8_t *pixel) {
  return static_cast<uint8_t>((19595u * pixel[0] + 38470u * pixel[1] + 7471u * pixel[2] + 32768u) >> 16);
}

/// How many pixels share a sample of color, along each side.
struct Factors {
  uint32_t across, down;

  explicit Factors(FCHEIFChroma chroma)
      : across(chroma == FCHEIFChromaYUV444 ? 1 : 2), down(chroma == FCHEIFChromaYUV420 ? 2 : 1) {}
};

/// - `sums`: of as many pixels as a power of two says.
uint8_t chroma(const int32_t (&sums)[3], const int32_t (&weights)[3], int power) {
  const int32_t sum = weights[0] * sums[0] + weights[1] * sums[1] + weights[2] * sums[2];
  return static_cast<uint8_t>((sum + (128 << (16 + power)) + (1 << (15 + power)) - 1) >> (16 + power));
}

const int32_t blue_difference[3] = {-11059, -21709, 32768};
const int32_t red_difference[3] = {32768, -27439, -5329};

void fill_chroma(const FCHEIFEncoding &encoding, const Plane &blue, const Plane &red) {
  const Factors factors(encoding.chroma);
  const int power = static_cast<int>(factors.across * factors.down) / 2;
  for (uint32_t y = 0; y < encoding.height; y += factors.down) {
    for (uint32_t x = 0; x < encoding.width; x += factors.across) {
      int32_t sums[3] = {0, 0, 0};
      for (uint32_t i = 0; i < factors.across * factors.down; i++) {
        // The last row and the last column count twice where their number is odd.
        const uint32_t column = std::min(x + i % factors.across, encoding.width - 1);
        const uint32_t row = std::min(y + i / factors.across, encoding.height - 1);
        const uint8_t *pixel = encoding.rows + row * encoding.stride + static_cast<size_t>(column) * encoding.channels;
        for (uint32_t c = 0; c < 3; c++) sums[c] += pixel[c];
      }
      blue.row(y / factors.down)[x / factors.across] = chroma(sums, blue_difference, power);
      red.row(y / factors.down)[x / factors.across] = chroma(sums, red_difference, power);
    }
  }
}

/// The pixels as planes: those that AV1 codes, so that libheif makes no copy of its own.
Owned<heif_image> planes(const fcheif::Library &heif, const FCHEIFEncoding &encoding) {
  const bool isGray = encoding.channels == 1;
  const heif_chroma chromas[] = {heif_chroma_monochrome, heif_chroma_420, heif_chroma_422, heif_chroma_444};
  heif_image *made = nullptr;
  check(heif.image_create(
    static_cast<int>(encoding.width), static_cast<int>(encoding.height),
    isGray ? heif_colorspace_monochrome : heif_colorspace_YCbCr,
    isGray ? heif_chroma_monochrome : chromas[encoding.chroma], &made));
  Owned<heif_image> image(made);
  const Plane y(heif, made, heif_channel_Y, encoding.width, encoding.height);
  for (uint32_t row = 0; row < encoding.height; row++) {
    const uint8_t *pixels = encoding.rows + row * encoding.stride;
    if (isGray) {
      std::memcpy(y.row(row), pixels, encoding.width);
    } else {
      for (uint32_t x = 0; x < encoding.width; x++) y.row(row)[x] = luma(pixels + static_cast<size_t>(x) * encoding.channels);
    }
  }
  if (isGray) return image;
  const Factors factors(encoding.chroma);
  const uint32_t width = (encoding.width + factors.across - 1) / factors.across;
  const uint32_t height = (encoding.height + factors.down - 1) / factors.down;
  const Plane blue(heif, made, heif_channel_Cb, width, height);
  const Plane red(heif, made, heif_channel_Cr, width, height);
  fill_chroma(encoding, blue, red);
  if (encoding.channels == 4) {
    const Plane alpha(heif, made, heif_channel_Alpha, encoding.width, encoding.height);
    for (uint32_t row = 0; row < encoding.height; row++) {
      const uint8_t *pixels = encoding.rows + row * encoding.stride;
      for (uint32_t x = 0; x < encoding.width; x++) alpha.row(row)[x] = pixels[4 * static_cast<size_t>(x) + 3];
    }
  }
  return image;
}

/// A file that grows as libheif writes it.
struct Output {
  FCHEIFFile file = {nullptr, 0};

  ~Output() { std::free(file.bytes); }

  static heif_error write(heif_context *, const void *data, size_t count, void *self) {
    FCHEIFFile &file = static_cast<Output *>(self)->file;
    void *grown = count <= SIZE_MAX - file.count ? std::realloc(file.bytes, file.count + count) : nullptr;
    if (grown == nullptr) return {heif_error_Memory_allocation_error, heif_suberror_Unspecified, "no memory for the file"};
    file.bytes = static_cast<uint8_t *>(grown);
    std::memcpy(file.bytes + file.count, data, count);
    file.count += count;
    return {heif_error_Ok, heif_suberror_Unspecified, "Success"};
  }
};

/// How the samples are to be understood: sRGB's colors unless a profile says others, and JFIF's matrix.
Owned<heif_color_profile_nclx> colors(const fcheif::Library &heif, bool hasProfile) {
  Owned<heif_color_profile_nclx> colors(heif.nclx_color_profile_alloc());
  if (!colors) throw std::bad_alloc();
  check(heif.nclx_color_profile_set_color_primaries(colors.get(), hasProfile ? 2 : 1));
  check(heif.nclx_color_profile_set_transfer_characteristics(colors.get(), hasProfile ? 2 : 13));
  check(heif.nclx_color_profile_set_matrix_coefficients(colors.get(), 6));
  colors->full_range_flag = 1;
  return colors;
}

void encode(const FCHEIFEncoding &encoding, Output *output) {
  fcheif::check(encoding.cancellation);
  const fcheif::Library *library = fcheif::library();
  if (library == nullptr) throw Failure{FCHEIFStatusUnsupported, "libheif.so.1 cannot be loaded (install libheif1)"};
  const fcheif::Library &heif = *library;
  const Owned<heif_context> context(heif.context_alloc());
  const Owned<heif_encoding_options> options(heif.encoding_options_alloc());
  if (!context || !options) throw std::bad_alloc();
  heif_encoder *found = nullptr;
  if (heif.context_get_encoder_for_format(context.get(), heif_compression_AV1, &found).code != heif_error_Ok) {
    throw Failure{
      FCHEIFStatusUnsupported,
      "libheif has no encoder for AV1 (install libheif-plugin-aomenc, or another encoder of AV1)"};
  }
  const Owned<heif_encoder> encoder(found);
  check(heif.encoder_set_lossy_quality(found, encoding.quality));
  check(heif.encoder_set_parameter_integer(found, "threads", 1));
  const char *const names[] = {"420", "420", "422", "444"};
  // Other encoders than libaom's may not have these.
  (void)heif.encoder_set_parameter_integer(found, "speed", encoding.speed);
  (void)heif.encoder_set_parameter_string(found, "chroma", names[encoding.chroma]);
  {
    const bool hasProfile = encoding.profileCount > 0;
    const Owned<heif_image> image = planes(heif, encoding);
    const Owned<heif_color_profile_nclx> nclx = colors(heif, hasProfile);
    check(heif.image_set_nclx_color_profile(image.get(), nclx.get()));
    if (hasProfile) {
      check(heif.image_set_raw_color_profile(image.get(), "prof", encoding.profile, encoding.profileCount));
      options->save_two_colr_boxes_when_ICC_and_nclx_available = true;
    }
    options->output_nclx_profile = nclx.get();
    options->macOS_compatibility_workaround = false;
    options->macOS_compatibility_workaround_no_nclx_profile = false;
    fcheif::check(encoding.cancellation);
    heif_image_handle *made = nullptr;
    check(heif.context_encode_image(context.get(), image.get(), found, options.get(), &made));
    const Owned<heif_image_handle> handle(made);
    if (encoding.exifCount > 0) {
      check(heif.context_add_exif_metadata(context.get(), made, encoding.exif, static_cast<int>(encoding.exifCount)));
    }
    if (encoding.xmpCount > 0) {
      check(heif.context_add_XMP_metadata(context.get(), made, encoding.xmp, static_cast<int>(encoding.xmpCount)));
    }
  }
  fcheif::check(encoding.cancellation);
  heif_writer writer = {1, Output::write};
  check(heif.context_write(context.get(), &writer, output));
}

}  // namespace

FCHEIFStatus fcheif_encode_avif(FCHEIFEncoding encoding, FCHEIFFile *file, FCHEIFMessage *message) {
  *file = {nullptr, 0};
  return fcheif::guarded(message, [&] {
    const bool isWhole = encoding.width >= 1 && encoding.width <= FCHEIFLargestSide && encoding.height >= 1 &&
                         encoding.height <= FCHEIFLargestSide && encoding.channels >= 1 &&
                         encoding.stride / encoding.channels >= encoding.width &&
                         encoding.capacity / encoding.stride >= encoding.height &&
                         encoding.exifCount <= INT32_MAX && encoding.xmpCount <= INT32_MAX;
    if (!isWhole) throw Failure{FCHEIFStatusUnsupported, "the image is too large for AVIF"};
    Output output;
    encode(encoding, &output);
    *file = output.file;
    output.file = {nullptr, 0};
  });
}

void fcheif_file_free(FCHEIFFile file) { std::free(file.bytes); }
