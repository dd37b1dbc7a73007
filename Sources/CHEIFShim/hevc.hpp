/// HEVC by libde265, as a decoder of libheif's.
#ifndef FCHEIF_HEVC_HPP
#define FCHEIF_HEVC_HPP

namespace fcheif {

/// The name of the decoder; made known to libheif at the first call. Its priority is below every other's, so that what else uses
/// libheif in the process does not see it.
///
/// libheif's own way to libde265 1.0.11 hands pictures on of which slices are missing, and what these did not cover is whatever
/// the memory held before: pixels of other people's pictures. Here memory is filled with noise that is always the same, and a
/// picture in which some of it is left is corrupt. With the sample-adaptive offset, as telephones write it, that takes a second
/// decode, without filters. A thread less is started, too.
const char *hevc_decoder();

}  // namespace fcheif

#endif
