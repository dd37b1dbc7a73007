import COpenCVShim
import TestSupport
import Testing

@testable import FaceCrop

/// Resizing compared with OpenCV, for which the detectors' thresholds were chosen.
@Suite struct ResizingTests {
  private func byOpenCV(_ picture: PixelBuffer, to output: PixelSize) throws -> PixelBuffer {
    var bytes = [UInt8](repeating: 0, count: output.width * output.height * picture.format.channels)
    var message = FCMessage()
    let status = unsafe picture.withPicture { picture in
      unsafe fcvision_resize(picture, &bytes, Int32(output.width), Int32(output.height), &message)
    }
    try #require(status == .ok)
    return PixelBuffer(size: output, format: picture.format, bytes: bytes)
  }

  private func picture(_ size: PixelSize, _ channels: Int, seed: UInt64 = 1) -> PixelBuffer {
    PixelBuffer(Pixels.noise(width: size.width, height: size.height, channels: channels, seed: seed))
  }

  private func expectSame(_ size: PixelSize, _ output: PixelSize, _ channels: Int, seed: UInt64 = 1) throws {
    let picture = picture(size, channels, seed: seed)
    let (own, expected) = (Pixels(try picture.resized(to: output)), Pixels(try byOpenCV(picture, to: output)))
    #expect(own == expected, "\(size) to \(output): \(own.maximumDifference(from: expected))")
  }

  private struct Sizes {
    var random: SplitMix64

    mutating func side(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// Returns a side that is at least half of the other.
    mutating func smaller(than side: Int) -> Int { self.side((side + 1) / 2...side) }
  }

  /// Typical inputs of detectors: the eighth of a photo, a thumbnail, an octave of a search.
  @Test(arguments: [
    (500, 375, 320, 240), (640, 480, 320, 240), (640, 427, 448, 299), (612, 408, 320, 213), (512, 512, 453, 453),
    (640, 480, 480, 360), (453, 640, 227, 320), (405, 303, 203, 152), (1_000, 750, 640, 480), (640, 480, 639, 479),
  ]) func areaAverageIsOpenCVs(width: Int, height: Int, toWidth: Int, toHeight: Int) throws {
    for channels in [1, 3] {
      try expectSame(
        PixelSize(width: width, height: height), PixelSize(width: toWidth, height: toHeight), channels)
    }
  }

  @Test(arguments: [
    (500, 375, 640, 480), (400, 300, 640, 480), (320, 240, 640, 480), (612, 408, 640, 427), (160, 213, 481, 640),
    (1, 1, 640, 640), (2, 1, 640, 320), (3, 200, 10, 640), (639, 3, 640, 3), (64, 64, 640, 640), (200, 300, 640, 960),
  ]) func linearInterpolationIsOpenCVs(width: Int, height: Int, toWidth: Int, toHeight: Int) throws {
    for channels in [1, 3] {
      try expectSame(
        PixelSize(width: width, height: height), PixelSize(width: toWidth, height: toHeight), channels)
    }
  }

  @Test func anySizeIsOpenCVs() throws {
    var sizes = Sizes(random: SplitMix64(seed: 7))
    for round in 0..<300 {
      let size = PixelSize(width: sizes.side(1...150), height: sizes.side(1...150))
      let smaller = PixelSize(width: sizes.smaller(than: size.width), height: sizes.smaller(than: size.height))
      let (larger, wider) = (
        PixelSize(width: sizes.side(size.width...400), height: sizes.side(size.height...400)),
        PixelSize(width: sizes.side(size.width...400), height: smaller.height)
      )
      for output in [smaller, larger, wider] where !isHalved(size, to: output) {
        try expectSame(size, output, round % 2 == 0 ? 3 : 1, seed: UInt64(round))
      }
    }
  }

  /// Returns whether the library resampled before, which rounds halves up.
  private func isHalved(_ size: PixelSize, to output: PixelSize) -> Bool {
    2 * output.width <= size.width && 2 * output.height <= size.height
  }

  @Test func halvingIsExactToOneLevel() throws {
    var sizes = Sizes(random: SplitMix64(seed: 8))
    for round in 0..<100 {
      let output = PixelSize(width: sizes.side(1...60), height: sizes.side(1...60))
      let size = PixelSize(
        width: sizes.side(2 * output.width...300), height: sizes.side(2 * output.height...300))
      let picture = picture(size, round % 2 == 0 ? 3 : 1, seed: UInt64(round))
      let own = Pixels(try picture.resized(to: output))
      #expect(own.maximumDifference(from: Pixels(try byOpenCV(picture, to: output))) <= 1, "\(size) to \(output)")
    }
  }

  /// A detector's view of a region does not depend on other regions.
  @Test(arguments: [1, 3]) func aPartIsCutOutOfTheWhole(channels: Int) throws {
    var random = SplitMix64(seed: 9)
    var sizes = Sizes(random: random)
    for _ in 0..<100 {
      let picture = picture(PixelSize(width: sizes.side(1...80), height: sizes.side(1...80)), channels)
      let output = PixelSize(width: sizes.side(picture.width...200), height: sizes.side(picture.height...200))
      let part = random.rect(in: output)
      #expect(
        picture.interpolated(to: output, part: part) == picture.interpolated(to: output).cropped(to: part),
        "\(picture.size) to \(output), \(part)")
    }
  }

  @Test func ownSizeIsTheSamePicture() throws {
    let picture = picture(PixelSize(width: 31, height: 17), 3)
    #expect(try picture.resized(to: picture.size) == picture)
    #expect(picture.interpolated(to: picture.size) == picture)
  }
}
