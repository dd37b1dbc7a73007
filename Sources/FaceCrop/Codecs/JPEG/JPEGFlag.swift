internal import CJPEGShim

/// Sendable because the shim's flag is atomic.
@safe final class JPEGFlag: CodecFlag, @unchecked Sendable {
  let handle: OpaquePointer

  init() throws(FaceCropError) {
    guard let made = unsafe fcjpeg_cancellation_create() else { throw .outOfMemory }
    unsafe handle = made
  }

  deinit {
    unsafe fcjpeg_cancellation_destroy(handle)
  }

  func set() {
    unsafe fcjpeg_cancellation_cancel(handle)
  }
}
