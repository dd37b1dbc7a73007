/// AV1 by dav1d.
#ifndef FCHEIF_AV1_HPP
#define FCHEIF_AV1_HPP

#include "picture.hpp"

namespace fcheif {

/// The first picture of the source's data.
///
/// A frame has no more pixels than the source says, one thread decodes, and the frame's memory is given back while it is
/// converted: libheif's own way to dav1d holds the picture twice or three times, 540 MB for 20 megapixels in 10 bits.
///
/// - Throws: `Failure`, `std::bad_alloc`.
Picture decode_av1(const FCHEIFSource &source);

}  // namespace fcheif

#endif
