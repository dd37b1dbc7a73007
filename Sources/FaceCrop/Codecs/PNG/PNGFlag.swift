internal import CPNGShim

/// Sendable because the shim's flag is atomic.
@safe final class PNGFlag: CodecFlag, @unchecked Sendable {
  let handle: OpaquePointer

  init() throws(FaceCropError) {
    guard let made = unsafe fcpng_cancellation_create() else { throw .outOfMemory }
    unsafe handle = made
  }

  deinit {
    unsafe fcpng_cancellation_destroy(handle)
  }

  func set() {
    unsafe fcpng_cancellation_cancel(handle)
  }
}
