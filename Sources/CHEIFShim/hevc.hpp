/// HEVC by libde265.
#ifndef FCHEIF_HEVC_HPP
#define FCHEIF_HEVC_HPP

#include "picture.hpp"

namespace fcheif {

/// The last picture of the source's data, of which the caller leaves but one.
///
/// libde265 gives pictures out of which slices are missing, and what these did not cover is whatever the memory held before:
/// pixels of other people's pictures. Here memory is filled with noise that is always the same, and a picture in which some of
/// it is left is corrupt. With the sample-adaptive offset, as telephones write it, that takes a second decode, without filters.
///
/// - Throws: `Failure`, `std::bad_alloc`.
Picture decode_hevc(const FCHEIFSource &source);

}  // namespace fcheif

#endif
