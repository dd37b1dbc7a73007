#include "av1.hpp"

#include "colors.h"
#include "plugin.hpp"

#include <cerrno>
#include <cstring>
#include <dav1d/dav1d.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace fcheif {
namespace {

thread_local const FCHEIFSource *current = nullptr;

/// Frames that a picture may be made of: layers, and one with film grain.
constexpr int maximumFrames = 8;

struct Decoder : GatheredData {
  int frames = 0;
};

struct Frame {
  Dav1dPicture picture = {};
  ~Frame() { dav1d_picture_unref(&picture); }
};

// MARK: Memory of frames, which goes back to the system while they are converted

struct Mapping {
  void *base;
  size_t count;
};

Dav1dPixelLayout layout_of(FCHEIFChroma chroma) {
  switch (chroma) {
    case FCHEIFChromaMonochrome: return DAV1D_PIXEL_LAYOUT_I400;
    case FCHEIFChromaYUV420: return DAV1D_PIXEL_LAYOUT_I420;
    case FCHEIFChromaYUV422: return DAV1D_PIXEL_LAYOUT_I422;
    case FCHEIFChromaYUV444: return DAV1D_PIXEL_LAYOUT_I444;
  }
  return DAV1D_PIXEL_LAYOUT_I400;
}

int allocate(Dav1dPicture *picture, void *cookie) {
  Decoder *decoder = static_cast<Decoder *>(cookie);
  const bool isExpected = current != nullptr && picture->p.layout == layout_of(current->chroma) &&
                          picture->p.bpc == static_cast<int>(current->depth);
  if (!isExpected || ++decoder->frames > maximumFrames) return DAV1D_ERR(EINVAL);

  // Sides are multiples of 128, as dav1d wants them; one line of the cache more, since strides that are powers of two
  // are slow.
  const auto aligned = [](int side) { return (static_cast<size_t>(side) + 127) / 128 * 128; };
  const size_t bytes = picture->p.bpc > 8 ? 2 : 1;
  const bool isGray = picture->p.layout == DAV1D_PIXEL_LAYOUT_I400;
  const int shiftX = picture->p.layout != DAV1D_PIXEL_LAYOUT_I444, shiftY = picture->p.layout == DAV1D_PIXEL_LAYOUT_I420;
  const size_t stride = aligned(picture->p.w) * bytes + DAV1D_PICTURE_ALIGNMENT;
  const size_t chromaStride = isGray ? 0 : (aligned(picture->p.w) >> shiftX) * bytes + DAV1D_PICTURE_ALIGNMENT;
  const size_t luma = stride * aligned(picture->p.h), chroma = chromaStride * (aligned(picture->p.h) >> shiftY);

  Mapping *mapping = new (std::nothrow) Mapping;
  if (mapping == nullptr) return DAV1D_ERR(ENOMEM);
  mapping->count = luma + 2 * chroma + DAV1D_PICTURE_ALIGNMENT;
  mapping->base = mmap(nullptr, mapping->count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping->base == MAP_FAILED) {
    delete mapping;
    return DAV1D_ERR(ENOMEM);
  }
  uint8_t *base = static_cast<uint8_t *>(mapping->base);
  picture->data[0] = base;
  picture->data[1] = isGray ? nullptr : base + luma;
  picture->data[2] = isGray ? nullptr : base + luma + chroma;
  picture->stride[0] = static_cast<ptrdiff_t>(stride);
  picture->stride[1] = static_cast<ptrdiff_t>(chromaStride);
  picture->allocator_data = mapping;
  return 0;
}

void release(Dav1dPicture *picture, void *) {
  Mapping *mapping = static_cast<Mapping *>(picture->allocator_data);
  munmap(mapping->base, mapping->count);
  delete mapping;
}

/// Gives whole pages between two places back.
void give_back(uint8_t *from, uint8_t *to) {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = (reinterpret_cast<uintptr_t>(from) + page - 1) / page * page;
  const uintptr_t end = reinterpret_cast<uintptr_t>(to) / page * page;
  if (end > first) madvise(reinterpret_cast<void *>(first), end - first, MADV_DONTNEED);
}

// MARK: The picture

/// What was converted is given back so many bytes at a time.
constexpr ptrdiff_t step = 1 << 20;

/// Hands the picture on as gray of its own depth, or as RGB of 8 bits: libheif would convert it whole, at 6 bytes a pixel for
/// deep samples beside what it is made from.
heif_error convert(const Dav1dPicture &picture, heif_image *image) {
  const bool isGray = picture.p.layout == DAV1D_PIXEL_LAYOUT_I400;
  const int depth = isGray ? picture.p.bpc : 8;
  const heif_channel channels[] = {isGray ? heif_channel_Y : heif_channel_R, heif_channel_G, heif_channel_B};
  uint8_t *planes[3] = {};
  size_t strides[3] = {};
  for (int index = 0; index < (isGray ? 1 : 3); index++) {
    const heif_error error = library()->image_add_plane(image, channels[index], picture.p.w, picture.p.h, depth);
    if (error.code != heif_error_Ok) return error;
    int stride = 0;
    planes[index] = library()->image_get_plane(image, channels[index], &stride);
    strides[index] = static_cast<size_t>(stride);
  }

  const Dav1dSequenceHeader &header = *picture.seq_hdr;
  FCHEIFSamples samples = {};
  samples.depth = static_cast<uint32_t>(picture.p.bpc);
  samples.shiftX = picture.p.layout == DAV1D_PIXEL_LAYOUT_I420 || picture.p.layout == DAV1D_PIXEL_LAYOUT_I422;
  samples.shiftY = picture.p.layout == DAV1D_PIXEL_LAYOUT_I420;
  samples.colors = fcheif_colors(
    current->hasMatrix ? current->matrix : static_cast<int>(header.mtrx),
    current->hasMatrix ? current->isFullRange : header.color_range != 0, samples.depth);
  uint8_t *kept[3] = {};
  for (int index = 0; index < (isGray ? 1 : 3); index++) {
    kept[index] = static_cast<uint8_t *>(picture.data[index]);
    const uint32_t shiftX = index > 0 ? samples.shiftX : 0, shiftY = index > 0 ? samples.shiftY : 0;
    samples.planes[index] = {
      kept[index], static_cast<size_t>(picture.stride[index > 0]),
      (static_cast<uint32_t>(picture.p.w) + shiftX) >> shiftX, (static_cast<uint32_t>(picture.p.h) + shiftY) >> shiftY};
  }
  for (uint32_t y = 0; y < static_cast<uint32_t>(picture.p.h); y++) {
    if (isGray) {
      const size_t bytes = static_cast<size_t>(picture.p.w) * (samples.depth > 8 ? 2 : 1);
      std::memcpy(planes[0] + y * strides[0], samples.planes[0].rows + y * samples.planes[0].stride, bytes);
    } else {
      uint8_t *const row[] = {planes[0] + y * strides[0], planes[1] + y * strides[1], planes[2] + y * strides[2]};
      fcheif_convert_row(&samples, y, row);
    }
    for (int index = 0; index < (isGray ? 1 : 3); index++) {
      const uint32_t used = y >> (index > 0 ? samples.shiftY : 0);
      uint8_t *end = static_cast<uint8_t *>(picture.data[index]) + used * samples.planes[index].stride;
      if (end - kept[index] < step) continue;
      give_back(kept[index], end);
      kept[index] = end;
    }
  }
  return done;
}

heif_error make_image(const Dav1dPicture &picture, heif_image **result) {
  const bool isGray = picture.p.layout == DAV1D_PIXEL_LAYOUT_I400;
  heif_image *image = nullptr;
  heif_error error = library()->image_create(
    picture.p.w, picture.p.h, isGray ? heif_colorspace_monochrome : heif_colorspace_RGB,
    isGray ? heif_chroma_monochrome : heif_chroma_444, &image);
  if (error.code == heif_error_Ok) error = convert(picture, image);
  if (error.code == heif_error_Ok) {
    *result = image;
  } else if (image != nullptr) {
    library()->image_release(image);
  }
  return error;
}

// MARK: libheif's decoder

/// The first picture of the data; false when there is none.
bool decode_first(Dav1dContext *context, Decoder *decoder, Dav1dPicture *picture) {
  Dav1dData data = {};
  uint8_t *bytes = decoder->data.empty() ? nullptr : dav1d_data_create(&data, decoder->data.size());
  if (bytes == nullptr) return false;
  std::memcpy(bytes, decoder->data.data(), decoder->data.size());
  bool isFound = false, failed = false;
  while (!isFound && !failed) {
    const size_t before = data.sz;
    if (data.sz > 0) {
      const int sent = dav1d_send_data(context, &data);
      failed = sent < 0 && sent != DAV1D_ERR(EAGAIN);
    }
    const int got = failed ? DAV1D_ERR(EINVAL) : dav1d_get_picture(context, picture);
    isFound = got == 0;
    // What neither takes data nor gives a picture has none.
    failed = failed || (!isFound && (got != DAV1D_ERR(EAGAIN) || data.sz == before));
  }
  if (data.sz > 0) dav1d_data_unref(&data);
  return isFound;
}

heif_error decode_image(void *opaque, heif_image **image) {
  Decoder *decoder = static_cast<Decoder *>(opaque);
  if (current == nullptr) {
    return {heif_error_Usage_error, heif_suberror_Unspecified, "a decoder that is not for others"};
  }
  Dav1dSettings settings;
  dav1d_default_settings(&settings);
  settings.n_threads = 1;
  settings.max_frame_delay = 1;
  settings.all_layers = 0;
  settings.frame_size_limit = current->maximumFramePixels;
  settings.allocator = {decoder, allocate, release};
  settings.logger = {nullptr, nullptr};
  Dav1dContext *context = nullptr;
  if (dav1d_open(&context, &settings) < 0) return out_of_memory();
  Frame frame;
  const bool isFound = decode_first(context, decoder, &frame.picture);
  // Its notes on the frame are not needed any more; the frame outlives it.
  dav1d_close(&context);
  if (isFound) return make_image(frame.picture, image);
  return corrupt("the AV1 data make no sense, or are of another size");
}

}  // namespace

AV1Decoding::AV1Decoding(const FCHEIFSource &source) noexcept { current = &source; }
AV1Decoding::~AV1Decoding() { current = nullptr; }

const char *AV1Decoding::decoder() {
  return Plugin<Decoder, heif_compression_AV1, decode_image>::registered("facecrop-dav1d");
}

}  // namespace fcheif
