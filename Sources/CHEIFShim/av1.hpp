/// AV1 decoding by dav1d.
#pragma once

#include "picture.hpp"

namespace fcheif {

/// Decodes the first image of the source's data on one thread. Refuses frames with more pixels than the source allows.
///
/// The frame's memory is given back while it is converted. With libheif, two or three copies of the image would take
/// 540 MB for 20 megapixels in 10 bits.
///
/// - Throws: `Failure`, `std::bad_alloc`.
Picture decode_av1(const FCHEIFSource &source);

/// The decoder of a sequence. Frames keep their memory, since later ones refer to them.
class AV1Sequence {
 public:
  /// - Throws: `std::bad_alloc`.
  explicit AV1Sequence(const FCHEIFSource &source);
  ~AV1Sequence();

  /// Decodes the next image.
  ///
  /// - Throws: `Failure`, `std::bad_alloc`.
  Picture decode(const uint8_t *data, size_t count);

 private:
  struct State;
  std::unique_ptr<State> state;
};

}  // namespace fcheif
