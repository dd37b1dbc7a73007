/// A decoded image, and its construction from a decoder's output.
#pragma once

#include "colors.h"

#include <memory>

/// R, G and B of each pixel, or gray, with 8 bits a sample.
struct FCHEIFPicture {
  uint32_t width, height, channels;
  std::unique_ptr<uint8_t[]> samples;

  /// Allocates an image of the size of the first plane, without setting its samples.
  explicit FCHEIFPicture(const FCHEIFSamples &from);

  uint8_t *row(uint32_t y) const { return samples.get() + static_cast<size_t>(y) * width * channels; }
};

namespace fcheif {

using Picture = std::unique_ptr<FCHEIFPicture>;

/// The matrix and the range of samples.
struct Coding {
  int matrix;
  bool isFullRange;
};

/// Describes a decoder's planes without the planes. The file's values override those of `bitstream`.
FCHEIFSamples samples_of(const FCHEIFSource &source, Coding bitstream);

/// Returns the side of a plane whose samples are `1 << shift` pixels wide.
inline uint32_t side(uint32_t pixels, uint32_t shift) { return (pixels + shift) >> shift; }

}  // namespace fcheif
