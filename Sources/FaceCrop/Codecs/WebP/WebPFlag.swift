internal import CWebPShim

/// Sendable because the shim's flag is atomic.
@safe final class WebPFlag: CodecFlag, @unchecked Sendable {
  let handle: OpaquePointer

  init() throws(FaceCropError) {
    guard let made = unsafe fcwebp_cancellation_create() else { throw .outOfMemory }
    unsafe handle = made
  }

  deinit {
    unsafe fcwebp_cancellation_destroy(handle)
  }

  func set() {
    unsafe fcwebp_cancellation_cancel(handle)
  }
}
