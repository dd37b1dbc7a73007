import Testing

@testable import FaceCrop

@Suite struct PixelRectTests {
  @Test func normalizingAndBackIsExact() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<20_000 {
      let size = PixelSize(width: .random(in: 1...65_500, using: &random), height: .random(in: 1...700, using: &random))
      let rect = random.rect(in: size)
      #expect(PixelRect(covering: rect.normalized(in: size), in: size) == rect)
    }
  }

  @Test func roundsOutwardAndStaysInside() {
    let size = PixelSize(width: 10, height: 10)
    let inner = NormalizedRect(x: 0.11, y: 0.29, width: 0.1, height: 0.02)
    #expect(PixelRect(covering: inner, in: size) == PixelRect(x: 1, y: 2, width: 2, height: 2))
    let last = NormalizedRect(x: 1 - 1e-12, y: 0, width: 1e-12, height: 1)
    #expect(PixelRect(covering: last, in: size) == PixelRect(x: 9, y: 0, width: 1, height: 10))
    #expect(PixelRect(covering: .whole, in: size) == PixelRect(x: 0, y: 0, width: 10, height: 10))
  }

  @Test func validityRefusesWhatCannotBeARegion() {
    #expect(NormalizedRect.whole.isValid)
    for rect in [
      NormalizedRect(x: .nan, y: 0, width: 1, height: 1), NormalizedRect(x: 0, y: 0, width: 0, height: 1),
      NormalizedRect(x: 0, y: 0, width: .infinity, height: 1), NormalizedRect(x: 0.5, y: 0, width: 0.6, height: 1),
      NormalizedRect(x: -0.1, y: 0, width: 0.5, height: 1), NormalizedRect(x: 0, y: 0, width: 1, height: -1),
    ] {
      #expect(!rect.isValid, "\(rect)")
    }
  }
}
