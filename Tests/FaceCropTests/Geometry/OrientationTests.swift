import Testing
import TestSupport

@testable import FaceCrop

@Suite struct OrientationTests {
  private static let sizes = [
    PixelSize(width: 7, height: 4), PixelSize(width: 1, height: 9), PixelSize(width: 3, height: 3),
  ]

  @Test(arguments: Orientation.allCases, sizes)
  func mappingsAreInverse(orientation: Orientation, stored: PixelSize) {
    let shown = orientation.applied(to: stored)
    for x in 0..<shown.width {
      for y in 0..<shown.height {
        for width in 1...shown.width - x {
          for height in 1...shown.height - y {
            let rect = PixelRect(x: x, y: y, width: width, height: height)
            let inside = orientation.stored(rect, in: stored)
            #expect(inside.x >= 0 && inside.x + inside.width <= stored.width)
            #expect(inside.y >= 0 && inside.y + inside.height <= stored.height)
            #expect(orientation.displayed(inside, in: stored) == rect)
          }
        }
      }
    }
  }

  /// A rotation after the display equals one orientation.
  @Test(arguments: Orientation.allCases, QuarterTurn.allCases)
  func rotationsCompose(orientation: Orientation, turn: QuarterTurn) {
    let picture = Pixels.noise(width: 5, height: 7, channels: 1, seed: 3)
    let shown = picture.turned(orientation: orientation.rawValue).turned(orientation: turn.orientation.rawValue)
    #expect(picture.turned(orientation: orientation.rotated(by: turn).rawValue) == shown)
    #expect(turn == .none || orientation.rotated(by: turn) != orientation)
  }

  /// Cutting the stored pixels and rotating them equals rotating the image, as the standard defines it, and cutting.
  @Test(arguments: Orientation.allCases, [1, 3])
  func cutAndTurnCommute(orientation: Orientation, channels: Int) {
    let picture = Pixels.noise(width: 37, height: 70, channels: channels, seed: 5)
    let stored = PixelSize(width: picture.width, height: picture.height)
    let upright = picture.turned(orientation: orientation.rawValue)
    var random = SplitMix64(seed: 11)
    for _ in 0..<50 {
      let rect = random.rect(in: PixelSize(width: upright.width, height: upright.height))
      let cut = orientation.stored(rect, in: stored)
      let region = PixelBuffer(picture.cropped(x: cut.x, y: cut.y, width: cut.width, height: cut.height))
      let expected = upright.cropped(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
      #expect(region.upright(orientation) == PixelBuffer(expected))
    }
  }
}
