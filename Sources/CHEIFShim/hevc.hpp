/// HEVC decoding by libde265.
#pragma once

#include "picture.hpp"

namespace fcheif {

/// Decodes the last image of the source's data, which the caller has reduced to one.
///
/// libde265 returns images with missing slices, whose gaps show old memory: pixels of other people's images. Our memory
/// is therefore filled with fixed noise, and an image with left-over noise is corrupt. With the sample-adaptive offset,
/// which phones use, finding gaps takes a second decode without filters.
///
/// - Throws: `Failure`, `std::bad_alloc`.
Picture decode_hevc(const FCHEIFSource &source);

}  // namespace fcheif
