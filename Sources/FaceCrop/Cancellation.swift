internal import CJPEGShim

/// A flag that ends decoding and encoding soon after it is set, from any thread.
///
/// Sendable because the shim's flag is atomic.
@safe final class Cancellation: @unchecked Sendable {
  let handle: OpaquePointer

  init() throws(FaceCropError) {
    guard let made = unsafe fcjpeg_cancellation_create() else { throw .outOfMemory }
    unsafe handle = made
  }

  deinit {
    unsafe fcjpeg_cancellation_destroy(handle)
  }

  func cancel() {
    unsafe fcjpeg_cancellation_cancel(handle)
  }

  func check() throws(FaceCropError) {
    if unsafe fcjpeg_cancellation_is_cancelled(handle) { throw .cancelled }
  }
}
