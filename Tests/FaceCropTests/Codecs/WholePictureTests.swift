import TestSupport
import Testing

@testable import FaceCrop

/// All pixels of a small image are decoded once, for the detection pass, and serve the regions without the file.
@Suite struct WholePictureTests {
  enum Kind: CaseIterable {
    case png, pngWithAlpha, grayPNG, interlacedPNG, webP, webPWithAlpha, gif, tiff

    func file(_ width: Int, _ height: Int) throws -> [UInt8] {
      func pattern(_ channels: Int) -> Pixels { Pixels.testPattern(width: width, height: height, channels: channels) }
      switch self {
      case .png: return PNGBuilder(pattern(3)).encoded()
      case .pngWithAlpha: return PNGBuilder(pattern(4)).encoded()
      case .grayPNG: return PNGBuilder(pattern(1)).encoded()
      case .interlacedPNG:
        var png = PNGBuilder(pattern(3))
        png.isInterlaced = true
        return png.encoded()
      case .webP: return try encodeWebP(pattern(3).rgba, quality: nil)
      case .webPWithAlpha: return try encodeWebP(PNGBuilder(pattern(4)).pixels, quality: nil)
      case .gif: return GIFBuilder(width: width, height: height).encoded()
      case .tiff: return TIFFBuilder(pattern(3)).encoded()
      }
    }
  }

  /// Decodes regions after an overview, with the file's bytes set to zero; nil for a region that needs the file.
  private static func regions(
    _ rects: [(PixelRect, scale: Int)], of file: [UInt8], limits: Limits = Limits()
  ) throws -> [PixelBuffer?] {
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: file.count)
    defer { unsafe memory.deallocate() }
    _ = unsafe memory.initialize(from: file)
    let found = Codecs.format(of: file.span)
    let format = try #require(found)
    let source = unsafe ImageBytes(UnsafeBufferPointer(memory), isFileMapping: false)
    let job = Job.forTests(limits: limits)
    let session = ObservedSession(try Codecs.descriptor(of: format).open(source, false, job), job)
    _ = try session.overview(format: .rgb)
    unsafe memory.update(repeating: 0)
    return rects.map { rect, scale in try? session.region(rect, scale: scale) }
  }

  @Test(arguments: Kind.allCases) func aSmallPictureIsDecodedOnce(kind: Kind) throws {
    let file = try kind.file(901, 703)
    var random = SplitMix64(seed: 11)
    let expected = try withSession(file) { (session) throws(FaceCropError) in
      var regions: [(PixelRect, Int, PixelBuffer)] = []
      for scale in session.scales {
        let size = PixelRect(whole: session.header.size, scale: scale).size
        for rect in [PixelRect(whole: size, scale: 8)] + (0..<9).map({ _ in random.rect(in: size) }) {
          regions.append((rect, scale, try session.region(rect, scale: scale)))
        }
      }
      return regions
    }
    let regions = try Self.regions(expected.map { ($0.0, $0.1) }, of: file)
    for (region, (rect, scale, wanted)) in zip(regions, expected) { #expect(region == wanted, "\(rect) at \(scale)/8") }
  }

  @Test(arguments: [Kind.png, .webP, .gif, .tiff]) func whatIsLargeIsNotKept(kind: Kind) throws {
    // An image that exceeds the limit of regions is not kept.
    var limits = Limits()
    limits.regionBytes = 1_400_000
    for (file, limits) in [(try kind.file(1_201, 1_203), Limits()), (try kind.file(1_301, 901), limits)] {
      let part = PixelRect(x: 300, y: 300, width: 90, height: 90)
      let region = try withSession(file) { (session) throws(FaceCropError) in try session.region(part) }
      #expect(try Self.regions([(part, scale: 8)], of: file, limits: limits) != [region])
    }
  }
}
