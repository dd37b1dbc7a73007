/// OpenCV's libraries, loaded when the first call needs one. Loading them would take most of a process's start, and
/// most processes never call them.
///
/// The shim uses OpenCV's headers, but is not linked with OpenCV. Each name in symbols.hpp is a jump to the address
/// found in the library. A jump has no frame, so arguments, results and exceptions pass through.
#pragma once

#include "COpenCVShim.h"

namespace fcvision {

/// The library that a call needs; imgproc includes libopencv_core.
enum class Module { imgproc, objdetect };

/// Loads a module once and keeps it. Otherwise returns false and writes the package to install into `message`.
bool load(Module module, FCMessage *message) noexcept;

}  // namespace fcvision
