/// OpenCV's libraries, loaded with the first call that needs one of them: with all that they bring they take most of the time in
/// which a process starts, and most never call them.
///
/// The shim calls OpenCV by its headers. What it would be linked with is made here instead: for each of the names in symbols.hpp
/// a jump to the address that was found in a library. A jump has no frame, so arguments, results and exceptions pass.
#ifndef FCVISION_LIBRARY_HPP
#define FCVISION_LIBRARY_HPP

#include "COpenCVShim.h"

namespace fcvision {

/// What a call needs, the first one with libopencv_core.
enum class Module { imgproc, objdetect };

/// Loads what a module needs, unless it is there. It stays.
///
/// Returns false where it cannot be loaded, and says into `message` what to install.
bool load(Module module, FCVisionMessage *message) noexcept;

}  // namespace fcvision

#endif
