import TestSupport
import Testing

@testable import FaceCrop

/// Regions that are rotated while they are decoded, and coefficients that are freed behind them.
@Suite struct TurnedRegionTests {
  @Test(arguments: 1...8) func turnedRegionsAreTheRegionsTurned(orientation: Int) throws {
    var random = SplitMix64(seed: UInt64(orientation))
    let exif = MarkerSegment.exif(EXIFBuilder.tiff(orientation: UInt16(orientation)))
    for recipe in [JPEGRecipe.baseline420, .progressive, .gray, .cmykAdobe, .arithmetic] {
      let pixels = Pixels.testPattern(width: 83, height: 61, channels: recipe.channels)
      let jpeg = try recipe.with { $0.segments = [exif] }.encode(pixels)
      try JPEGSession.with(jpeg) { (session) throws(FaceCropError) in
        #expect(session.header.orientation.rawValue == orientation)
        for scale in [8, 3] {
          let whole = PixelRect(whole: session.header.size, scale: scale)
          for rect in [whole, random.rect(in: whole.size), random.rect(in: whole.size)] {
            let turned = try session.region(rect, scale: scale, turned: session.header.orientation)
            let expected = try session.region(rect, scale: scale).upright(session.header.orientation)
            #expect(turned.size == expected.size && turned == expected, "\(recipe), \(rect), \(scale)/8")
            let bands = try session.bands(of: rect, scale: scale)
            #expect(try Array(bands.joined()) == session.region(rect, scale: scale).bytes)
            // Bands arrive one by one, at most a row of MCUs each.
            let bytesPerRow = rect.width * session.header.format.channels
            #expect(bands.allSatisfy { $0.count <= 16 * bytesPerRow })
          }
        }
      }
    }
  }

  /// More rows than are kept, also in a file without its last scans, in which libjpeg smooths the blocks' edges.
  @Test(arguments: [JPEGRecipe.progressive, .baseline444, .multiscan, .gray])
  func coefficientsThatAreGivenUpAreNoLongerNeeded(recipe: JPEGRecipe) throws {
    let recipe = recipe.with { $0.progressive = !$0.multiscan }
    let jpeg = try recipe.encode(
      Pixels.testPattern(width: 1_100, height: 900, channels: recipe.channels).addingNoise(amplitude: 4, seed: 1))
    for bytes in [jpeg, Array(jpeg.prefix(jpeg.count * 6 / 10))] {
      let rects = [PixelRect(x: 0, y: 0, width: 1_100, height: 900), PixelRect(x: 31, y: 300, width: 800, height: 599)]
      for rect in rects {
        let plain = try JPEGSession.with(bytes, allowsDamage: true) { (session) throws(FaceCropError) in
          try session.region(rect)
        }
        try JPEGSession.with(bytes, allowsDamage: true) { (session) throws(FaceCropError) in
          let last = try session.region(rect, isLast: true)
          #expect(last == plain)
          // Another region costs the same again, and is equal.
          let another = try session.region(rect)
          #expect(another == plain)
        }
      }
    }
  }
}
