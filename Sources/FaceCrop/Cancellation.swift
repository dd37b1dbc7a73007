internal import CCancellation

/// Ends decoding and encoding soon after it is cancelled, from any thread.
///
/// Sendable because the shim's flag is atomic.
@safe final class Cancellation: @unchecked Sendable {
  /// For the codecs' shims, whose loops read it; lives as long as this.
  let flag: OpaquePointer

  init() {
    // Swift's own allocations, this object's among them, end the process too where there is no memory.
    guard let made = unsafe fc_cancellation_create() else { fatalError("no memory for one byte") }
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
}
