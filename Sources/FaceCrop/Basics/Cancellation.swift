internal import CCancellation

/// Ends decoding and encoding soon after it is cancelled, from any thread.
///
/// Sendable because the shim's flag is atomic.
@safe final class Cancellation: @unchecked Sendable {
  /// The flag for the codecs' shims, whose loops read it; lives as long as this.
  let flag: OpaquePointer

  init() {
    // Swift's own allocations, this object's among them, end the process too where there is no memory; nothing else can fail.
    guard let made = unsafe fc_cancellation_create() else { fatalError("no memory for a flag") }
    unsafe flag = made
  }

  deinit {
    unsafe fc_cancellation_destroy(flag)
  }

  func cancel() {
    unsafe fc_cancellation_cancel(flag)
  }

  func check() throws(FaceCropError) {
    if unsafe fc_cancellation_is_cancelled(flag) { throw .cancelled }
  }

  /// Counts entries of a file's tables that are visited, of which a file may have any number.
  func step(_ count: Int = 1) throws(FaceCropError) {
    if unsafe fc_cancellation_step(flag, count) { throw .cancelled }
  }

  /// What was counted until now.
  var steps: Int { unsafe fc_cancellation_steps(flag) }
}
