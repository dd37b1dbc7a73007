import CNetworks

/// The interface of a network that finds people.
protocol PersonMasking {
  /// Returns the probability that a pixel of a color image belongs to a person; see ``PersonNetwork/mask(of:)``.
  func mask(of image: PixelBuffer) throws(FaceCropError) -> [UInt8]
}

/// MediaPipe's selfie segmentation, which separates people from background. The library contains its kernels and
/// weights.
///
/// Hair, hats, and headwear count as people. One thread at a time may use a network, which ``ObjectPool`` ensures.
@safe final class PersonNetwork: PersonMasking {
  private let handle: OpaquePointer

  init() throws(FaceCropError) {
    guard let handle = unsafe fcsegmentation_create(nil) else { throw .outOfMemory }
    unsafe self.handle = handle
  }

  deinit {
    unsafe fcsegmentation_destroy(handle)
  }

  /// Returns the probability that a pixel of a color image belongs to a person, 0…255, row by row. The image has up to
  /// 256 pixels on its longer side.
  func mask(of image: PixelBuffer) throws(FaceCropError) -> [UInt8] {
    precondition(image.format == .rgb)
    let status = unsafe image.bytes.withUnsafeBufferPointer { pixels in
      unsafe fcsegmentation_run(
        handle,
        FCNetworkImage(
          pixels: pixels.baseAddress!, width: UInt32(image.width), height: UInt32(image.height),
          stride: image.bytesPerRow))
    }
    try FaceCropError.check(status, longestSide: FCSEGMENTATION_LONGEST_SIDE)
    let count = image.width * image.height
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { mask, filled in
      unsafe fcsegmentation_mask(handle, mask.baseAddress!, UInt32(image.width), UInt32(image.height))
      filled = count
    }
  }
}

extension FaceCropError {
  /// Throws a network's failure as an error.
  static func check(_ status: FCStatus, longestSide: Int32) throws(FaceCropError) {
    if status == .misuse {
      throw .detectorFailed("the network takes images of 1 to \(longestSide) pixels on each side")
    }
    try status.check("")
  }
}
