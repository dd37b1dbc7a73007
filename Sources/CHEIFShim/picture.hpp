/// A decoded picture, and how it is made of what a decoder gives.
#ifndef FCHEIF_PICTURE_HPP
#define FCHEIF_PICTURE_HPP

#include "colors.h"

#include <memory>

/// R, G and B of each pixel, or gray, with 8 bits a sample.
struct FCHEIFPicture {
  uint32_t width, height, channels;
  std::unique_ptr<uint8_t[]> samples;

  /// Of the size of the first plane, with its samples not yet set.
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

/// What a decoder's planes are like, without the planes.
///
/// - Parameter bitstream: what the bitstream says, behind which the file's word goes.
FCHEIFSamples samples_of(const FCHEIFSource &source, Coding bitstream);

/// The sides of plane `index`.
inline uint32_t side(uint32_t pixels, uint32_t shift) { return (pixels + shift) >> shift; }

}  // namespace fcheif

#endif
