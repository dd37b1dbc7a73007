#include "av1.hpp"

#include "failure.hpp"

#include <cerrno>
#include <cstring>
#include <dav1d/dav1d.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fcheif {
namespace {

/// The state that the allocator of frames needs.
struct Decoding {
  const FCHEIFSource &source;
  /// Frames of the current image.
  uint32_t frames = 0;
};

struct Frame {
  Dav1dPicture picture = {};
  ~Frame() { dav1d_picture_unref(&picture); }
};

struct Units {
  Dav1dData data = {};
  ~Units() {
    if (data.sz > 0) dav1d_data_unref(&data);
  }
};

struct Decoder {
  Dav1dContext *context = nullptr;
  ~Decoder() {
    if (context != nullptr) dav1d_close(&context);
  }
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
  Decoding *decoding = static_cast<Decoding *>(cookie);
  const FCHEIFSource &source = decoding->source;
  // A frame of one column takes the memory of 128, so both sides are bounded.
  const bool isExpected = picture->p.layout == layout_of(source.chroma) &&
                          picture->p.bpc == static_cast<int>(source.depth) &&
                          static_cast<uint32_t>(picture->p.w) <= source.maximumWidth &&
                          static_cast<uint32_t>(picture->p.h) <= source.maximumHeight;
  if (!isExpected || ++decoding->frames > source.maximumFrames) return DAV1D_ERR(EINVAL);

  // dav1d requires sides in multiples of 128. Rows get another cache line, since strides of powers of two are slow.
  const auto aligned = [](int side) { return (static_cast<size_t>(side) + 127) / 128 * 128; };
  const size_t bytes = picture->p.bpc > 8 ? 2 : 1;
  const bool isGray = picture->p.layout == DAV1D_PIXEL_LAYOUT_I400;
  const int shiftX = picture->p.layout != DAV1D_PIXEL_LAYOUT_I444,
            shiftY = picture->p.layout == DAV1D_PIXEL_LAYOUT_I420;
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

/// Gives the whole pages between two addresses back to the system.
void give_back(uint8_t *from, uint8_t *to) {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = (reinterpret_cast<uintptr_t>(from) + page - 1) / page * page;
  const uintptr_t end = reinterpret_cast<uintptr_t>(to) / page * page;
  if (end > first) madvise(reinterpret_cast<void *>(first), end - first, MADV_DONTNEED);
}

// MARK: The image

/// Bytes of converted samples that are given back at a time.
constexpr ptrdiff_t step = 1 << 20;

/// Converts a frame. Its memory is given back meanwhile, unless others refer to it.
Picture make_picture(const Dav1dPicture &frame, const FCHEIFSource &source, bool isKept) {
  const Dav1dSequenceHeader &header = *frame.seq_hdr;
  FCHEIFSamples samples = samples_of(source, {static_cast<int>(header.mtrx), header.color_range != 0});
  const int planes = samples.isGray ? 1 : 3;
  uint8_t *kept[3] = {};
  for (int index = 0; index < planes; index++) {
    kept[index] = static_cast<uint8_t *>(frame.data[index]);
    samples.planes[index] = {
      kept[index], static_cast<size_t>(frame.stride[index > 0]),
      side(static_cast<uint32_t>(frame.p.w), index > 0 ? samples.shiftX : 0),
      side(static_cast<uint32_t>(frame.p.h), index > 0 ? samples.shiftY : 0)};
  }
  Picture picture(new FCHEIFPicture(samples));
  for (uint32_t y = 0; y < picture->height; y++) {
    if (y % 64 == 0) check(source.cancellation);
    fcheif_convert_row(&samples, y, picture->row(y));
    for (int index = 0; index < planes; index++) {
      const uint32_t used = y >> (index > 0 ? samples.shiftY : 0);
      uint8_t *end = static_cast<uint8_t *>(frame.data[index]) + used * samples.planes[index].stride;
      if (isKept || end - kept[index] < step) continue;
      give_back(kept[index], end);
      kept[index] = end;
    }
  }
  return picture;
}

// MARK: Decoding

/// Decodes the first image of the data. Returns 0, or dav1d's error.
int decode_first(Dav1dContext *context, const FCHEIFSource &source, Dav1dPicture *picture) {
  Dav1dData data = {};
  // The data are borrowed; the context is closed before the source ends.
  const auto keep = [](const uint8_t *, void *) {};
  if (source.count == 0) return DAV1D_ERR(EINVAL);
  int status = dav1d_data_wrap(&data, source.data, source.count, keep, nullptr);
  if (status < 0) return status;
  status = DAV1D_ERR(EAGAIN);
  while (status == DAV1D_ERR(EAGAIN) && !fc_cancellation_is_cancelled(source.cancellation)) {
    const size_t before = data.sz;
    const int sent = data.sz > 0 ? dav1d_send_data(context, &data) : 0;
    status = sent < 0 && sent != DAV1D_ERR(EAGAIN) ? sent : dav1d_get_picture(context, picture);
    // Data that dav1d neither takes nor decodes hold no image.
    if (status == DAV1D_ERR(EAGAIN) && data.sz == before) status = DAV1D_ERR(EINVAL);
  }
  if (data.sz > 0) dav1d_data_unref(&data);
  return status;
}

/// The settings for one thread that returns an image as soon as its units end.
Dav1dSettings settings_for(Decoding *decoding) {
  Dav1dSettings settings;
  dav1d_default_settings(&settings);
  settings.n_threads = 1;
  settings.max_frame_delay = 1;
  settings.all_layers = 0;
  settings.operating_point = static_cast<int>(decoding->source.operatingPoint);
  settings.allocator = {decoding, allocate, release};
  settings.logger = {nullptr, nullptr};
  return settings;
}

/// Decodes all units of an image of a sequence, so that later images can refer to its frames. Returns 0 and the first
/// image, or dav1d's error.
int decode_next(Dav1dContext *context, Units &units, const FCCancellation *cancellation, Dav1dPicture *picture) {
  bool isFound = false;
  while (!fc_cancellation_is_cancelled(cancellation)) {
    const size_t before = units.data.sz;
    const int sent = before > 0 ? dav1d_send_data(context, &units.data) : 0;
    if (sent < 0 && sent != DAV1D_ERR(EAGAIN)) return sent;
    Frame other;
    const int status = dav1d_get_picture(context, isFound ? &other.picture : picture);
    if (status == 0) {
      isFound = true;
    } else if (status != DAV1D_ERR(EAGAIN)) {
      return status;
    } else if (units.data.sz == before) {
      // dav1d needs more, or takes no more.
      return isFound && before == 0 ? 0 : DAV1D_ERR(EINVAL);
    }
  }
  return DAV1D_ERR(EAGAIN);
}

}  // namespace

struct AV1Sequence::State {
  const FCHEIFSource source;
  Decoding decoding = {source};
  Decoder decoder;

  explicit State(const FCHEIFSource &source) : source(source) {
    Dav1dSettings settings = settings_for(&decoding);
    if (dav1d_open(&decoder.context, &settings) < 0) throw std::bad_alloc();
  }
};

AV1Sequence::AV1Sequence(const FCHEIFSource &source) : state(std::make_unique<State>(source)) {}
AV1Sequence::~AV1Sequence() = default;

Picture AV1Sequence::decode(const uint8_t *data, size_t count) {
  state->decoding.frames = 0;
  const FCHEIFSource &source = state->source;
  Units units;
  if (count == 0) throw Failure{FCStatusCorrupt, "an image of the sequence has no data"};
  // dav1d refers to the data of earlier images, so it gets copies.
  uint8_t *copy = dav1d_data_create(&units.data, count);
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, data, count);
  Frame frame;
  const MissingMemory missing;
  const int status = decode_next(state->decoder.context, units, source.cancellation, &frame.picture);
  check(source.cancellation);
  if (status < 0 && (status == DAV1D_ERR(ENOMEM) || missing.found())) throw std::bad_alloc();
  if (status < 0) throw Failure{FCStatusCorrupt, "the AV1 data are invalid, or the image has another size"};
  return make_picture(frame.picture, source, true);
}

Picture decode_av1(const FCHEIFSource &source) {
  Decoding decoding = {source};
  Dav1dSettings settings = settings_for(&decoding);
  Frame frame;
  int status = 0;
  bool isMemoryMissing = false;
  {
    // Closes the decoder before the conversion, which does not need its memory; the frame outlives it.
    Decoder decoder;
    if (source.operatingPoint > 31) throw Failure{FCStatusCorrupt, "an image has an invalid AV1 operating point"};
    if (dav1d_open(&decoder.context, &settings) < 0) throw std::bad_alloc();
    const MissingMemory missing;
    status = decode_first(decoder.context, source, &frame.picture);
    isMemoryMissing = status == DAV1D_ERR(ENOMEM) || missing.found();
  }
  check(source.cancellation);
  if (status < 0 && isMemoryMissing) throw std::bad_alloc();
  if (status < 0) throw Failure{FCStatusCorrupt, "the AV1 data are invalid, or the image has another size"};
  return make_picture(frame.picture, source, false);
}

}  // namespace fcheif
