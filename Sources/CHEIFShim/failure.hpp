/// The exceptions of the shim's own functions, which end at the seam.
#ifndef FCHEIF_FAILURE_HPP
#define FCHEIF_FAILURE_HPP

#include "CHEIFShim.h"

#include <cerrno>
#include <cstdio>
#include <new>

namespace fcheif {

/// A status and a message.
struct Failure {
  FCHEIFStatus status;
  FCHEIFMessage message;

  /// Copies `text`, since libraries free theirs early.
  Failure(FCHEIFStatus status, const char *text) : status(status) {
    std::snprintf(message.text, sizeof message.text, "%s", text);
  }
};

inline void check(const FCCancellation *cancellation) {
  if (fc_cancellation_is_cancelled(cancellation)) throw Failure{FCHEIFStatusCancelled, "cancelled"};
}

/// Finds failed allocations of a library that reports some of them as other errors. It looks at `errno`, which a failed
/// allocation sets to ENOMEM in its thread.
struct MissingMemory {
  MissingMemory() { errno = 0; }
  bool found() const { return errno == ENOMEM; }
};

/// Runs `work` and returns its status. No exception leaves it.
template <typename Work>
FCHEIFStatus guarded(FCHEIFMessage *message, Work work) noexcept {
  const auto refuse = [message](const Failure &failure) {
    *message = failure.message;
    return failure.status;
  };
  message->text[0] = 0;
  try {
    work();
    return FCHEIFStatusOk;
  } catch (const std::bad_alloc &) {
    return refuse({FCHEIFStatusOutOfMemory, "no memory for the image"});
  } catch (const Failure &failure) {
    return refuse(failure);
  } catch (...) {
    return refuse({FCHEIFStatusCorrupt, "the codec failed"});
  }
}

}  // namespace fcheif

#endif
