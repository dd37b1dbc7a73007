import CNetworks
import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// The segmentation's kernels, compared with the authors' network in floats, and with each other.
@Suite struct PersonNetworkTests {
  /// `models/selfie_segmentation.py` made the expected masks from the authors' files. The kernels compute in integers.
  @Test(arguments: [
    (PersonNetwork.Kind.square, PixelRect(x: 112, y: 0, width: 224, height: 224), "segmentation.png"),
    (.landscape, PixelRect(x: 96, y: 40, width: 256, height: 144), "segmentation-landscape.png"),
  ])
  func masksAreNearlyTheAuthors(_ kind: PersonNetwork.Kind, _ part: PixelRect, _ file: String) throws {
    let image = PixelBuffer(try astronaut()).cropped(to: part)
    let expected = try decoded(fixtureBytes(file)).samples
    let mask = try PersonNetwork().mask(of: image, by: kind)
    let differences = zip(mask, expected).map { abs(Int($0) - Int($1)) }
    #expect(mask.count == expected.count)
    #expect(Double(differences.reduce(0, +)) / Double(mask.count) < 0.6)
    let others = zip(mask, expected).count { ($0 >= 128) != ($1 >= 128) }
    #expect(Double(others) / Double(mask.count) < 0.001)
  }

  /// A mask is identical on every machine.
  @Test func instructionSetsAgree() throws {
    let portrait = try astronaut()
    for side in [16, 96, 160, 192, 256] {
      for picture in [
        portrait.resizedBilinear(width: side, height: side),
        Pixels.noise(width: side, height: side, channels: 3, seed: 3),
      ] {
        for kind in [FCSegmentationKind.square, .landscape] {
          let masks = try instructionSets.map { try Self.mask(of: picture, by: kind, $0) }
          for (mask, name) in zip(masks, instructionSets) { #expect(mask == masks[0], "\(name), \(side)") }
        }
      }
    }
  }

  /// The sanitizers check the kernels' writes; a smaller image after a larger one has its own mask.
  @Test func anySideIsPadded() throws {
    let portrait = try astronaut()
    let network = try PersonNetwork()
    for (width, height) in [(256, 256), (1, 1), (17, 40), (40, 17), (100, 77), (255, 3), (192, 192)] {
      let image = PixelBuffer(portrait.resizedBilinear(width: width, height: height))
      let mask = try network.mask(of: image)
      #expect(mask.count == width * height)
      #expect(try PersonNetwork().mask(of: image) == mask, "\(width)×\(height)")
    }
  }

  @Test func sizesAboveTheLongestAreRefused() throws {
    #expect(throws: FaceCropError.self) {
      try PersonNetwork().mask(of: PixelBuffer(Pixels(width: 257, height: 16, color: [0, 0, 0])))
    }
  }

  private static func mask(
    of picture: Pixels, by kind: FCSegmentationKind, _ instructionSet: String
  ) throws -> [UInt8] {
    let made = unsafe fcsegmentation_create(kind, instructionSet)
    guard let network = unsafe made else { throw FixtureError("no network for \(instructionSet)") }
    defer { unsafe fcsegmentation_destroy(network) }
    let status = unsafe picture.samples.withUnsafeBufferPointer { pixels in
      unsafe fcsegmentation_run(
        network,
        FCNetworkImage(
          pixels: pixels.baseAddress!, width: UInt32(picture.width), height: UInt32(picture.height),
          stride: picture.width * 3))
    }
    guard status == .ok else { throw FixtureError("the network failed: \(status)") }
    #expect(unsafe fcsegmentation_memory(network) < 4 << 20)
    var mask = [UInt8](repeating: 0, count: picture.width * picture.height)
    unsafe mask.withUnsafeMutableBufferPointer {
      unsafe fcsegmentation_mask(network, $0.baseAddress!, UInt32(picture.width), UInt32(picture.height))
    }
    return mask
  }
}
