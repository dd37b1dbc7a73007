/// The seam to the decoders: catches every exception.
#include "picture.hpp"

#include "av1.hpp"
#include "failure.hpp"
#include "hevc.hpp"

#include <cstring>

FCHEIFPicture::FCHEIFPicture(const FCHEIFSamples &from)
    : width(from.planes[0].width), height(from.planes[0].height), channels(from.isGray ? 1 : 3) {
  size_t pixels = 0, bytes = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(width), height, &pixels) ||
      __builtin_mul_overflow(pixels, static_cast<size_t>(channels), &bytes)) {
    throw std::bad_alloc();
  }
  // Not zeroed, so that its memory grows as rows are written, while the decoder's is given back.
  samples.reset(new uint8_t[bytes]);
}

namespace fcheif {

FCHEIFSamples samples_of(const FCHEIFSource &source, Coding bitstream) {
  const Coding coding = source.hasMatrix ? Coding{source.matrix, source.isFullRange} : bitstream;
  FCHEIFSamples samples = {};
  samples.depth = source.depth;
  samples.isGray = source.chroma == FCHEIFChromaMonochrome;
  samples.shiftX = source.chroma == FCHEIFChromaYUV420 || source.chroma == FCHEIFChromaYUV422;
  samples.shiftY = source.chroma == FCHEIFChromaYUV420;
  samples.colors = fcheif_colors(coding.matrix, coding.isFullRange, source.depth);
  return samples;
}

}  // namespace fcheif

FCStatus fcheif_picture_decode(FCHEIFSource source, FCHEIFPicture **picture, FCMessage *message) {
  *picture = nullptr;
  return fcheif::guarded(message, [&] {
    fcheif::check(source.cancellation);
    fcheif::Picture decoded = source.codec == FCHEIFCodecAV1 ? fcheif::decode_av1(source) : fcheif::decode_hevc(source);
    fcheif::check(source.cancellation);
    *picture = decoded.release();
  });
}

void fcheif_picture_destroy(FCHEIFPicture *picture) { delete picture; }

struct FCHEIFSequence {
  FCHEIFSource source;
  /// Null for HEVC, whose images are decoded one by one.
  std::unique_ptr<fcheif::AV1Sequence> decoder;
};

FCStatus fcheif_sequence_create(FCHEIFSource source, FCHEIFSequence **sequence, FCMessage *message) {
  *sequence = nullptr;
  return fcheif::guarded(message, [&] {
    const bool isAV1 = source.codec == FCHEIFCodecAV1;
    *sequence = new FCHEIFSequence{source, isAV1 ? std::make_unique<fcheif::AV1Sequence>(source) : nullptr};
  });
}

void fcheif_sequence_destroy(FCHEIFSequence *sequence) { delete sequence; }

FCStatus fcheif_sequence_decode(
  FCHEIFSequence *sequence, const uint8_t *data, size_t count, FCHEIFPicture **picture, FCMessage *message) {
  *picture = nullptr;
  return fcheif::guarded(message, [&] {
    FCHEIFSource source = sequence->source;
    source.data = data;
    source.count = count;
    fcheif::check(source.cancellation);
    fcheif::Picture decoded = sequence->decoder ? sequence->decoder->decode(data, count) : fcheif::decode_hevc(source);
    fcheif::check(source.cancellation);
    *picture = decoded.release();
  });
}

uint32_t fcheif_picture_width(const FCHEIFPicture *picture) { return picture->width; }
uint32_t fcheif_picture_height(const FCHEIFPicture *picture) { return picture->height; }

void fcheif_picture_read(
  const FCHEIFPicture *picture, uint32_t x, uint32_t y, uint32_t count, uint32_t channels, uint8_t *out, size_t step) {
  const uint8_t *pixel = picture->row(y) + static_cast<size_t>(x) * picture->channels;
  if (channels == picture->channels && step == channels) {
    std::memcpy(out, pixel, static_cast<size_t>(count) * channels);
    return;
  }
  for (uint32_t i = 0; i < count; i++, pixel += picture->channels, out += step) {
    // Gray fills all three channels.
    for (uint32_t channel = 0; channel < channels; channel++) {
      out[channel] = pixel[picture->channels == 1 ? 0 : channel];
    }
  }
}
