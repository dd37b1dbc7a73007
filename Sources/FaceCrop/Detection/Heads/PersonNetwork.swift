import CNetworks

/// The interface of the networks that find people.
protocol PersonMasking {
  /// Returns the probability that a pixel of a color image belongs to a person; see ``PersonNetwork/mask(of:by:)``.
  func mask(of image: PixelBuffer, by kind: PersonNetwork.Kind) throws(FaceCropError) -> [UInt8]
}

/// MediaPipe's two networks for selfie segmentation. The library contains their kernels and weights.
///
/// Hair, hats, and headwear count as people. One thread at a time may use a network, which ``ObjectPool`` ensures.
final class PersonNetwork: PersonMasking {
  /// The networks. Each makes other mistakes.
  enum Kind: CaseIterable {
    case square, landscape

    /// The size of the images on which the network was trained.
    var size: PixelSize { PixelSize(width: 256, height: self == .square ? 256 : 144) }
  }

  private var networks: [Kind: ShimObject] = [:]

  init() throws(FaceCropError) { _ = try network(of: .square) }

  /// Returns a network, created at its first use: only cut-outs need the second one.
  private func network(of kind: Kind) throws(FaceCropError) -> ShimObject {
    if let network = networks[kind] { return network }
    let network = try unsafe ShimObject(
      fcsegmentation_create(kind == .square ? .square : .landscape, nil), fcsegmentation_destroy)
    networks[kind] = network
    return network
  }

  /// Returns the probability that a pixel of a color image belongs to a person, 0…255, row by row. The image has up to
  /// 256 pixels on its longer side.
  func mask(of image: PixelBuffer, by kind: Kind = .square) throws(FaceCropError) -> [UInt8] {
    let handle = try unsafe network(of: kind).handle
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
