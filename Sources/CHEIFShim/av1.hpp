/// AV1 by dav1d, as a decoder of libheif's.
#ifndef FCHEIF_AV1_HPP
#define FCHEIF_AV1_HPP

#include "CHEIFShim.h"

namespace fcheif {

/// While it lives, the decoder below works by this source's limits in this thread.
///
/// libheif's own way to dav1d lets a frame be of any size, takes as many threads as there are processors (which costs
/// dav1d 12 bytes a pixel of 4:4:4 more), and holds the picture twice or, while it converts it, three times: 540 MB for one
/// of 20 megapixels in 10 bits. libheif picks this decoder by its name; its priority is below every other's, so that what
/// else uses libheif in the process does not see it.
class AV1Decoding {
 public:
  explicit AV1Decoding(const FCHEIFSource &source) noexcept;
  ~AV1Decoding();
  AV1Decoding(const AV1Decoding &) = delete;

  /// Its name; made known to libheif at the first call.
  static const char *decoder();
};

}  // namespace fcheif

#endif
