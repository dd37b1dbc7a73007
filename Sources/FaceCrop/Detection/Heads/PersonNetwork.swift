import CNetworks

/// The interface of the networks that find people.
protocol PersonMasking {
  /// Returns the probability that a pixel of a color image belongs to a person; see ``PersonNetwork/mask(of:by:)``.
  func mask(of image: PixelBuffer, by kind: PersonNetwork.Kind) throws(FaceCropError) -> [UInt8]
}

/// MediaPipe's two networks for selfie segmentation. The library contains their kernels and weights.
///
/// Hair, hats, and headwear count as people. One thread at a time may use a network, which ``ObjectPool`` ensures.
@safe final class PersonNetwork: PersonMasking {
  /// The networks. Each makes other mistakes.
  enum Kind: CaseIterable {
    case square, landscape

    /// The size of the images on which the network was trained.
    var size: PixelSize { PixelSize(width: 256, height: self == .square ? 256 : 144) }
  }

  private var handles: [Kind: OpaquePointer] = unsafe [:]

  init() throws(FaceCropError) { _ = unsafe try handle(of: .square) }

  deinit { unsafe handles.values.forEach { unsafe fcsegmentation_destroy($0) } }

  /// Returns a network, created at its first use: only cut-outs need the second one.
  private func handle(of kind: Kind) throws(FaceCropError) -> OpaquePointer {
    if let handle = unsafe handles[kind] { return unsafe handle }
    guard let handle = unsafe fcsegmentation_create(kind == .square ? .square : .landscape, nil) else {
      throw .outOfMemory
    }
    unsafe handles[kind] = handle
    return unsafe handle
  }

  /// Returns the probability that a pixel of a color image belongs to a person, 0…255, row by row. The image has up to
  /// 256 pixels on its longer side.
  func mask(of image: PixelBuffer, by kind: Kind = .square) throws(FaceCropError) -> [UInt8] {
    let handle = unsafe try handle(of: kind)
    try unsafe image.run(longestSide: FCSEGMENTATION_LONGEST_SIDE) { unsafe fcsegmentation_run(handle, $0) }
    let count = image.width * image.height
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { mask, filled in
      unsafe fcsegmentation_mask(handle, mask.baseAddress!, UInt32(image.width), UInt32(image.height))
      filled = count
    }
  }
}

extension PixelBuffer {
  /// Passes the color image to a network, and throws its failure as an error.
  func run(longestSide: Int32, _ network: (FCNetworkImage) -> FCStatus) throws(FaceCropError) {
    precondition(format == .rgb)
    let status = unsafe bytes.withUnsafeBufferPointer { pixels in
      unsafe network(
        FCNetworkImage(
          pixels: pixels.baseAddress!, width: UInt32(width), height: UInt32(height), stride: bytesPerRow))
    }
    if status == .misuse {
      throw .detectorFailed("the network takes images of 1 to \(longestSide) pixels on each side")
    }
    try status.check("")
  }
}
