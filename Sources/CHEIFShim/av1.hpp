/// AV1 decoding by dav1d.
#ifndef FCHEIF_AV1_HPP
#define FCHEIF_AV1_HPP

#include "picture.hpp"

namespace fcheif {

/// Decodes the first image of the source's data on one thread. Refuses frames with more pixels than the source allows.
///
/// The frame's memory is given back while it is converted. With libheif, two or three copies of the image would take
/// 540 MB for 20 megapixels in 10 bits.
///
/// - Throws: `Failure`, `std::bad_alloc`.
Picture decode_av1(const FCHEIFSource &source);

}  // namespace fcheif

#endif
