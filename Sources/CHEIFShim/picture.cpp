/// The seam to libheif: every exception ends here.
#include "av1.hpp"
#include "colors.h"
#include "hevc.hpp"
#include "library.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

struct FCHEIFPicture {
  heif_image *image;
  /// R, G and B, or one of gray, all of one size; samples above 8 bits take two bytes.
  FCHEIFPlane planes[3];
  int planeCount;
  uint32_t depth;
};

namespace {

struct Release {
  void operator()(heif_context *context) const { fcheif::library()->context_free(context); }
  void operator()(heif_image_handle *handle) const { fcheif::library()->image_handle_release(handle); }
  void operator()(heif_decoding_options *options) const { fcheif::library()->decoding_options_free(options); }
  void operator()(FCHEIFPicture *picture) const { fcheif_picture_destroy(picture); }
};

template <typename Type>
using Owned = std::unique_ptr<Type, Release>;

FCHEIFStatus refuse(FCHEIFMessage *message, FCHEIFStatus status, const char *text) {
  std::snprintf(message->text, sizeof message->text, "%s", text);
  return status;
}

FCHEIFStatus refuse(FCHEIFMessage *message, const heif_error &error) {
  switch (error.code) {
    case heif_error_Memory_allocation_error: return refuse(message, FCHEIFStatusOutOfMemory, error.message);
    case heif_error_Unsupported_filetype:
    case heif_error_Unsupported_feature: return refuse(message, FCHEIFStatusUnsupported, error.message);
    default: return refuse(message, FCHEIFStatusCorrupt, error.message);
  }
}

bool take_plane(const fcheif::Library &heif, FCHEIFPicture *picture, int index, heif_channel channel) {
  const heif_image *image = picture->image;
  if (!heif.image_has_channel(image, channel)) return false;
  int stride = 0;
  const uint8_t *rows = heif.image_get_plane_readonly(image, channel, &stride);
  const int width = heif.image_get_width(image, channel), height = heif.image_get_height(image, channel);
  const int depth = heif.image_get_bits_per_pixel_range(image, channel);
  if (rows == nullptr || width <= 0 || height <= 0 || depth < 8 || depth > 16) return false;
  const FCHEIFPlane plane = {rows, static_cast<size_t>(stride), static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
  const FCHEIFPlane &first = picture->planes[0];
  if (index == 0) {
    picture->depth = static_cast<uint32_t>(depth);
  } else if (plane.width != first.width || plane.height != first.height || depth != static_cast<int>(picture->depth)) {
    return false;
  }
  picture->planes[index] = plane;
  picture->planeCount = index + 1;
  return true;
}

FCHEIFStatus decode(const FCHEIFSource &source, FCHEIFPicture **result, FCHEIFMessage *message) {
  if (fc_cancellation_is_cancelled(source.cancellation)) return refuse(message, FCHEIFStatusCancelled, "cancelled");
  const fcheif::Library *library = fcheif::library();
  if (library == nullptr) return refuse(message, FCHEIFStatusUnsupported, "libheif.so.1 cannot be loaded; install libheif1");
  const fcheif::Library &heif = *library;
  const Owned<heif_context> context(heif.context_alloc());
  const Owned<heif_decoding_options> options(heif.decoding_options_alloc());
  Owned<FCHEIFPicture> picture(static_cast<FCHEIFPicture *>(std::calloc(1, sizeof(FCHEIFPicture))));
  if (!context || !options || !picture) throw std::bad_alloc();
  // In the calling thread.
  heif.context_set_max_decoding_threads(context.get(), 0);
  heif_error error = heif.context_read_from_memory_without_copy(context.get(), source.bytes, source.count, nullptr);
  if (error.code != heif_error_Ok) return refuse(message, error);
  heif_image_handle *primary = nullptr;
  error = heif.context_get_primary_image_handle(context.get(), &primary);
  if (error.code != heif_error_Ok) return refuse(message, error);
  const Owned<heif_image_handle> handle(primary);

  options->ignore_transformations = true;
  const fcheif::AV1Decoding decoding(source);
  options->decoder_id = source.codec == FCHEIFCodecAV1 ? fcheif::AV1Decoding::decoder() : fcheif::hevc_decoder();
  const bool isGray = source.chroma == FCHEIFChromaMonochrome;
  // What libheif 1.15 makes of every picture on its way; from there it would go on to other forms.
  error = heif.decode_image(
    handle.get(), &picture->image, isGray ? heif_colorspace_monochrome : heif_colorspace_RGB,
    isGray ? heif_chroma_monochrome : heif_chroma_444, options.get());
  if (fc_cancellation_is_cancelled(source.cancellation)) return refuse(message, FCHEIFStatusCancelled, "cancelled");
  if (error.code != heif_error_Ok) return refuse(message, error);
  const bool isTaken = isGray ? take_plane(heif, picture.get(), 0, heif_channel_Y)
                              : take_plane(heif, picture.get(), 0, heif_channel_R) &&
                                  take_plane(heif, picture.get(), 1, heif_channel_G) &&
                                  take_plane(heif, picture.get(), 2, heif_channel_B);
  if (!isTaken) return refuse(message, FCHEIFStatusCorrupt, "the coded picture is not what its configuration says");
  *result = picture.release();
  return FCHEIFStatusOk;
}

}  // namespace

FCHEIFStatus fcheif_picture_decode(FCHEIFSource source, FCHEIFPicture **picture, FCHEIFMessage *message) {
  *picture = nullptr;
  message->text[0] = 0;
  try {
    return decode(source, picture, message);
  } catch (const std::bad_alloc &) {
    return refuse(message, FCHEIFStatusOutOfMemory, "no memory for decoding");
  } catch (...) {
    return refuse(message, FCHEIFStatusCorrupt, "the coded picture makes no sense");
  }
}

void fcheif_picture_destroy(FCHEIFPicture *picture) {
  if (picture->image != nullptr) fcheif::library()->image_release(picture->image);
  std::free(picture);
}

uint32_t fcheif_picture_width(const FCHEIFPicture *picture) { return picture->planes[0].width; }
uint32_t fcheif_picture_height(const FCHEIFPicture *picture) { return picture->planes[0].height; }

void fcheif_picture_read(
  const FCHEIFPicture *picture, uint32_t x, uint32_t y, uint32_t count, uint32_t channels, uint8_t *out, size_t step) {
  const uint32_t top = (1u << picture->depth) - 1;
  for (uint32_t channel = 0; channel < channels; channel++) {
    // Gray is all three.
    const FCHEIFPlane &plane = picture->planes[static_cast<int>(channel) < picture->planeCount ? channel : 0];
    const uint8_t *row = plane.rows + y * plane.stride;
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t sample = picture->depth > 8 ? reinterpret_cast<const uint16_t *>(row)[x + i] : row[x + i];
      out[i * step + channel] = static_cast<uint8_t>(picture->depth > 8 ? (sample * 255 + top / 2) / top : sample);
    }
  }
}
