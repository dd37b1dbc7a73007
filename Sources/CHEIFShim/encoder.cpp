/// AV1 encoding by libaom for AVIF files: the colors, and the alpha channel as a separate image.
#include "failure.hpp"
#include "library.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <utility>

namespace {

using fcheif::Failure;
using fcheif::Library;
using fcheif::MissingMemory;

/// Computes luma (ITU-T T.871, JFIF, section 7) in fixed point with 16 fractional bits.
uint8_t luma(const uint8_t *pixel) {
  return static_cast<uint8_t>((19595u * pixel[0] + 38470u * pixel[1] + 7471u * pixel[2] + 32768u) >> 16);
}

/// Computes chroma from the `sums` of 2^`power` pixels.
uint8_t chroma(const int32_t (&sums)[3], const int32_t (&weights)[3], int power) {
  const int32_t sum = weights[0] * sums[0] + weights[1] * sums[1] + weights[2] * sums[2];
  return static_cast<uint8_t>((sum + (128 << (16 + power)) + (1 << (15 + power)) - 1) >> (16 + power));
}

const int32_t blue_difference[3] = {-11059, -21709, 32768};
const int32_t red_difference[3] = {32768, -27439, -5329};

// MARK: Planes

struct ImageRelease {
  void operator()(aom_image_t *image) const { fcheif::library()->aom_img_free(image); }
};
using Image = std::unique_ptr<aom_image_t, ImageRelease>;

uint8_t *row(const Image &image, int plane, uint32_t y) {
  return image->planes[plane] + static_cast<ptrdiff_t>(y) * image->stride[plane];
}

Image make_image(const Library &aom, const FCHEIFEncoding &encoding, aom_img_fmt_t format) {
  Image image(aom.aom_img_alloc(nullptr, format, encoding.width, encoding.height, 32));
  if (!image) throw std::bad_alloc();
  image->range = AOM_CR_FULL_RANGE;
  return image;
}

/// Copies one channel into a gray image.
Image gray_image(const Library &aom, const FCHEIFEncoding &encoding, uint32_t channel) {
  Image image = make_image(aom, encoding, AOM_IMG_FMT_I420);
  image->monochrome = 1;
  for (uint32_t y = 0; y < encoding.height; y++) {
    const uint8_t *pixels = encoding.rows + y * encoding.stride + channel;
    uint8_t *out = row(image, AOM_PLANE_Y, y);
    for (uint32_t x = 0; x < encoding.width; x++) out[x] = pixels[static_cast<size_t>(x) * encoding.channels];
  }
  // libaom reads these planes in some places.
  for (const int plane : {AOM_PLANE_U, AOM_PLANE_V}) {
    for (uint32_t y = 0; y < (encoding.height + 1) / 2; y++) {
      std::memset(row(image, plane, y), 128, (encoding.width + 1) / 2);
    }
  }
  return image;
}

void fill_chroma(const FCHEIFEncoding &encoding, const Image &image) {
  const uint32_t across = 1u << image->x_chroma_shift, down = 1u << image->y_chroma_shift;
  const int power = static_cast<int>(image->x_chroma_shift + image->y_chroma_shift);
  for (uint32_t y = 0; y < encoding.height; y += down) {
    uint8_t *blue = row(image, AOM_PLANE_U, y / down), *red = row(image, AOM_PLANE_V, y / down);
    for (uint32_t x = 0; x < encoding.width; x += across) {
      int32_t sums[3] = {0, 0, 0};
      for (uint32_t i = 0; i < across * down; i++) {
        // An odd last row or column counts twice.
        const uint32_t column = std::min(x + i % across, encoding.width - 1);
        const uint32_t line = std::min(y + i / across, encoding.height - 1);
        const uint8_t *pixel = encoding.rows + line * encoding.stride + static_cast<size_t>(column) * encoding.channels;
        for (uint32_t c = 0; c < 3; c++) sums[c] += pixel[c];
      }
      blue[x / across] = chroma(sums, blue_difference, power);
      red[x / across] = chroma(sums, red_difference, power);
    }
  }
}

aom_img_fmt_t format(FCHEIFChroma chroma) {
  switch (chroma) {
    case FCHEIFChromaYUV444: return AOM_IMG_FMT_I444;
    case FCHEIFChromaYUV422: return AOM_IMG_FMT_I422;
    default: return AOM_IMG_FMT_I420;
  }
}

Image color_image(const Library &aom, const FCHEIFEncoding &encoding) {
  if (encoding.channels == 1) return gray_image(aom, encoding, 0);
  Image image = make_image(aom, encoding, format(encoding.chroma));
  for (uint32_t y = 0; y < encoding.height; y++) {
    const uint8_t *pixels = encoding.rows + y * encoding.stride;
    uint8_t *out = row(image, AOM_PLANE_Y, y);
    for (uint32_t x = 0; x < encoding.width; x++) out[x] = luma(pixels + static_cast<size_t>(x) * encoding.channels);
  }
  fill_chroma(encoding, image);
  return image;
}

// MARK: Coding

struct Encoder {
  const Library &aom;
  const MissingMemory missing = {};
  aom_codec_ctx_t codec = {};

  ~Encoder() { aom.aom_codec_destroy(&codec); }

  void check(aom_codec_err_t error) const {
    if (error == AOM_CODEC_OK) return;
    if (error == AOM_CODEC_MEM_ERROR || missing.found()) throw std::bad_alloc();
    throw Failure{
      FCStatusUnsupported, codec.err_detail != nullptr ? codec.err_detail : "libaom cannot encode the image"};
  }

  void set(int control, int value) { check(aom.aom_codec_control(&codec, control, value)); }
};

struct Output {
  uint8_t *bytes = nullptr;
  size_t count = 0;

  Output() = default;
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;
  ~Output() { std::free(bytes); }

  void append(const void *data, size_t added) {
    void *grown = added <= SIZE_MAX - count ? std::realloc(bytes, count + added) : nullptr;
    if (grown == nullptr) throw std::bad_alloc();
    bytes = static_cast<uint8_t *>(grown);
    std::memcpy(bytes + count, data, added);
    count += added;
  }

  FCBytes take() { return {std::exchange(bytes, nullptr), std::exchange(count, 0)}; }
};

/// Encodes one still image: a sequence of one frame, without the temporal delimiter, which AVIF omits (section 2.1).
void code(const Library &aom, const FCHEIFEncoding &encoding, const Image &image, Output *output) {
  const aom_codec_iface_t *interface = aom.aom_codec_av1_cx();
  aom_codec_enc_cfg_t settings;
  Encoder encoder{aom};
  encoder.check(
    aom.aom_codec_enc_config_default(const_cast<aom_codec_iface_t *>(interface), &settings, AOM_USAGE_ALL_INTRA));
  settings.g_w = encoding.width;
  settings.g_h = encoding.height;
  settings.g_threads = 1;
  settings.g_profile = image->fmt == AOM_IMG_FMT_I444 ? 1 : image->fmt == AOM_IMG_FMT_I422 ? 2 : 0;
  settings.g_limit = 1;
  settings.g_lag_in_frames = 0;
  settings.kf_mode = AOM_KF_DISABLED;
  settings.kf_max_dist = 0;
  settings.monochrome = static_cast<unsigned>(image->monochrome);
  settings.rc_end_usage = AOM_Q;
  settings.rc_min_quantizer = 0;
  settings.rc_max_quantizer = 63;
  encoder.check(aom.aom_codec_enc_init_ver(
    &encoder.codec, const_cast<aom_codec_iface_t *>(interface), &settings, 0, AOM_ENCODER_ABI_VERSION));
  encoder.set(AOME_SET_CPUUSED, encoding.speed);
  // libaom's quantizers range from 0, the best, to 63.
  encoder.set(AOME_SET_CQ_LEVEL, ((100 - encoding.quality) * 63 + 50) / 100);
  encoder.set(AOME_SET_TUNING, AOM_TUNE_SSIM);
  encoder.set(AV1E_SET_COLOR_RANGE, 1);
  encoder.set(AV1E_SET_COLOR_PRIMARIES, encoding.primaries);
  encoder.set(AV1E_SET_TRANSFER_CHARACTERISTICS, encoding.transfer);
  encoder.set(AV1E_SET_MATRIX_COEFFICIENTS, encoding.matrix);

  fcheif::check(encoding.cancellation);
  const auto take = [&] {
    aom_codec_iter_t iterator = nullptr;
    while (const aom_codec_cx_pkt_t *packet = aom.aom_codec_get_cx_data(&encoder.codec, &iterator)) {
      if (packet->kind != AOM_CODEC_CX_FRAME_PKT) continue;
      const uint8_t *data = static_cast<const uint8_t *>(packet->data.frame.buf);
      const size_t count = packet->data.frame.sz;
      const size_t delimiter = output->count == 0 && count >= 2 && data[0] == 0x12 && data[1] == 0 ? 2 : 0;
      output->append(data + delimiter, count - delimiter);
    }
  };
  encoder.check(aom.aom_codec_encode(&encoder.codec, image.get(), 0, 1, 0));
  take();
  encoder.check(aom.aom_codec_encode(&encoder.codec, nullptr, 0, 1, 0));
  take();
  if (output->count == 0) throw Failure{FCStatusUnsupported, "libaom encodes nothing of the image"};
  fcheif::check(encoding.cancellation);
}

/// Throws if the process cannot get `bytes` of memory. libaom crashes after most failed allocations (3.6.0), so they
/// are prevented rather than handled.
void check_memory(size_t bytes) {
  if (bytes == 0) return;
  void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  munmap(memory, bytes);
}

}  // namespace

FCStatus fcheif_encode_av1(FCHEIFEncoding encoding, FCBytes *color, FCBytes *alpha, FCMessage *message) {
  *color = {nullptr, 0};
  *alpha = {nullptr, 0};
  return fcheif::guarded(message, [&] {
    const bool isWhole = encoding.width >= 1 && encoding.width <= FCHEIFLargestSide && encoding.height >= 1 &&
                         encoding.height <= FCHEIFLargestSide && encoding.channels >= 1 &&
                         encoding.stride / encoding.channels >= encoding.width &&
                         encoding.capacity / encoding.stride >= encoding.height;
    if (!isWhole) throw Failure{FCStatusUnsupported, "the image is too large for AVIF"};
    fcheif::check(encoding.cancellation);
    const Library *aom = fcheif::library();
    if (aom == nullptr) throw Failure{FCStatusUnsupported, "libaom.so.3 cannot be loaded (install libaom3)"};
    check_memory(encoding.memory);
    Output colors, transparency;
    code(*aom, encoding, color_image(*aom, encoding), &colors);
    if (encoding.channels == 4) code(*aom, encoding, gray_image(*aom, encoding, 3), &transparency);
    *color = colors.take();
    *alpha = transparency.take();
  });
}

void fcheif_file_free(FCBytes file) { std::free(const_cast<uint8_t *>(file.bytes)); }
