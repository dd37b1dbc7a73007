/// The exceptions of the shim's own functions, which end at the seam.
#pragma once

#include "CHEIFShim.h"

#include <cerrno>
#include <new>

namespace fcheif {

/// A status and a message.
struct Failure {
  FCStatus status;
  FCMessage message;

  /// Copies `text`, since libraries free theirs early.
  Failure(FCStatus status, const char *text) : status(status) { fc_refuse(&message, status, text); }
};

inline void check(const FCCancellation *cancellation) {
  if (fc_cancellation_is_cancelled(cancellation)) throw Failure{FCStatusCancelled, "cancelled"};
}

/// Finds failed allocations of a library that reports some of them as other errors. It looks at `errno`, which a failed
/// allocation sets to ENOMEM in its thread.
struct MissingMemory {
  MissingMemory() { errno = 0; }
  bool found() const { return errno == ENOMEM; }
};

/// Runs `work` and returns its status. No exception leaves it.
template <typename Work>
FCStatus guarded(FCMessage *message, Work work) noexcept {
  message->text[0] = 0;
  try {
    work();
    return FCStatusOk;
  } catch (const std::bad_alloc &) {
    return fc_refuse(message, FCStatusOutOfMemory, "no memory for the image");
  } catch (const Failure &failure) {
    return fc_refuse(message, failure.status, failure.message.text);
  } catch (...) {
    return fc_refuse(message, FCStatusCorrupt, "the codec failed");
  }
}

}  // namespace fcheif
