import CNetworks

/// The interface of the networks that find people.
protocol PersonMasking {
  /// Returns the probability that a pixel of a color image belongs to a person; see ``PersonNetwork/mask(of:by:)``.
  func mask(of image: PixelBuffer, by kind: PersonNetwork.Kind) throws(FaceCropError) -> [UInt8]
}

/// MediaPipe's selfie segmentation, which separates people from background: two networks. The library contains their
/// kernels and weights.
///
/// Hair, hats, and headwear count as people. One thread at a time may use a network, which ``ObjectPool`` ensures.
@safe final class PersonNetwork: PersonMasking {
  /// The networks. Each makes other mistakes.
  enum Kind: CaseIterable {
    case square, landscape

    /// The size of the images on which the network was trained.
    var size: PixelSize { PixelSize(width: 256, height: self == .square ? 256 : 144) }
  }

  private let square: OpaquePointer
  /// The other network, which only cut-outs need.
  private var landscape: OpaquePointer?

  init() throws(FaceCropError) { unsafe square = try Self.created(.square) }

  deinit {
    unsafe fcsegmentation_destroy(square)
    if let landscape = unsafe landscape { unsafe fcsegmentation_destroy(landscape) }
  }

  private static func created(_ kind: FCSegmentationKind) throws(FaceCropError) -> OpaquePointer {
    guard let handle = unsafe fcsegmentation_create(kind, nil) else { throw .outOfMemory }
    return unsafe handle
  }

  private func handle(of kind: Kind) throws(FaceCropError) -> OpaquePointer {
    guard kind == .landscape else { return unsafe square }
    if let landscape = unsafe landscape { return unsafe landscape }
    let created = try unsafe Self.created(.landscape)
    unsafe landscape = created
    return unsafe created
  }

  /// Returns the probability that a pixel of a color image belongs to a person, 0…255, row by row. The image has up to
  /// 256 pixels on its longer side.
  func mask(of image: PixelBuffer, by kind: Kind = .square) throws(FaceCropError) -> [UInt8] {
    precondition(image.format == .rgb)
    let handle = unsafe try handle(of: kind)
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
