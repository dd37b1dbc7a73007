import TestSupport
import Testing

@testable import FaceCrop

/// A small file's coefficients are read once for its overview and all its regions, with the pixels of a full decode.
@Suite struct KeptCoefficientsTests {
  private static let kinds: [(name: String, recipe: JPEGRecipe)] = [
    ("4:2:0", .baseline420), ("optimized 4:2:2", .baseline422.with { $0.optimizedHuffman = true }),
    ("4:4:4", .baseline444), ("4:1:0", .sampling410), ("gray", .gray),
    ("restarts", .baseline420.with { $0.restartInterval = 3 }),
    ("restarts by row", .baseline444.with { $0.restartRows = 1 }),
    // Values of 11 bits, and blocks without a zero.
    ("the best quality", .baseline444.with { $0.quality = 100 }),
    ("the worst quality", .baseline420.with { $0.quality = 1 }),
  ]

  /// Runs `body` in a session after an overview of half the size.
  private static func afterLook<Result>(
    _ jpeg: [UInt8], limits: Limits = Limits(), allowsDamage: Bool = false, access: JPEGSession.Access = .fastest,
    _ body: (ObservedSession, _ overview: PixelBuffer) throws(FaceCropError) -> Result
  ) throws -> Result {
    try JPEGSession.with(jpeg, limits: limits, allowsDamage: allowsDamage, access: access) {
      (session) throws(FaceCropError) in
      try body(session, try session.overview(format: session.header.format, smallest: 400))
    }
  }

  /// Draws bands of a pattern, of noise, and of black and white, which has the largest coefficients.
  private static func picture(_ size: PixelSize, channels: Int) -> Pixels {
    let pattern = Pixels.testPattern(width: size.width, height: size.height, channels: channels, seed: 3)
    let noise = Pixels.noise(width: size.width, height: size.height, channels: channels)
    let samples = pattern.samples.indices.map { place -> UInt8 in
      switch place / 100 % 3 {
      case 0: return pattern.samples[place]
      case 1: return noise.samples[place]
      default: return place / channels % size.width / 4 % 2 == 0 ? 0 : 255
      }
    }
    return Pixels(width: size.width, height: size.height, channels: channels, samples: samples)
  }

  @Test(arguments: kinds.map(\.name)) func regionsAreThoseOfAFullDecode(kind: String) throws {
    let recipe = try #require(Self.kinds.first { $0.name == kind }).recipe
    for size in [PixelSize(width: 803, height: 91), PixelSize(width: 67, height: 1_203)] {
      let jpeg = try recipe.encode(Self.picture(size, channels: recipe.channels))
      let all = try referencePixels(jpeg)
      var random = SplitMix64(seed: 5)
      let rects = [PixelRect(whole: size, scale: 8)] + (0..<60).map { _ in random.rect(in: size) }
      try Self.afterLook(jpeg) { (session, _) throws(FaceCropError) in
        for rect in rects {
          let region = try session.region(rect)
          #expect(session.lastPath == .index)
          #expect(Pixels(region) == all.cropped(rect), "\(rect)")
        }
      }
    }
  }

  /// More rows than are decoded at a time.
  @Test func tallRegionsAreDecodedInParts() throws {
    let size = PixelSize(width: 1_100, height: 1_203)
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: size.width, height: size.height, seed: 3))
    let all = try referencePixels(jpeg)
    try Self.afterLook(jpeg) { (session, _) throws(FaceCropError) in
      for rect in [PixelRect(whole: size, scale: 8), PixelRect(x: 5, y: 7, width: 1_001, height: 901)] {
        #expect(Pixels(try session.region(rect)) == all.cropped(rect))
        #expect(try session.bands(of: rect).flatMap { $0 } == all.cropped(rect).samples)
        #expect(session.lastPath == .index)
      }
    }
  }

  @Test(arguments: kinds.map(\.name)) func overviewIsNearlyLibjpegs(kind: String) throws {
    let recipe = try #require(Self.kinds.first { $0.name == kind }).recipe
    let jpeg = try recipe.encode(.testPattern(width: 1_001, height: 91, channels: recipe.channels, seed: 8))
    let overview = try Self.afterLook(jpeg) { (session, overview) throws(FaceCropError) in
      #expect(session.lastPath == .index || recipe == .sampling410)
      return overview
    }
    let expected = try referencePixels(jpeg, scale: 4)
    #expect(overview.size == PixelSize(width: expected.width, height: expected.height))
    // Chroma is repeated, while libjpeg interpolates it.
    #expect(Pixels(overview).meanDifference(from: expected) < (recipe.sampling.isEmpty ? 0.6 : 8))
  }

  /// libjpeg reports any damage, and gives the available rows.
  @Test func damageIsJudgedAsEver() throws {
    let jpeg = try JPEGRecipe.baseline420.with { $0.restartInterval = 9 }
      .encode(.testPattern(width: 810, height: 40, channels: 3, seed: 1))
    let start = try #require(JPEGSurgery.entropyOffset(in: jpeg))
    func outcome(_ jpeg: [UInt8], _ access: JPEGSession.Access) throws -> (pixels: PixelBuffer?, said: String) {
      do {
        return try Self.afterLook(jpeg, allowsDamage: true, access: access) { (session, _) throws(FaceCropError) in
          let region = try session.region(PixelRect(x: 300, y: 0, width: 99, height: 40))
          return (region, "\(session.warnings)")
        }
      } catch let error as FaceCropError {
        return (nil, "\(error)")
      }
    }
    var random = SplitMix64(seed: 7)
    for _ in 0..<300 {
      let offset = Int.random(in: start..<jpeg.count, using: &random)
      let mask = UInt8.random(in: 1...255, using: &random)
      let isCut = Bool.random(using: &random)
      let damaged =
        isCut ? Array(jpeg.prefix(offset)) : JPEGSurgery.flippingByte(at: offset, mask: mask, in: jpeg)
      let (kept, sequential) = (try outcome(damaged, .fastest), try outcome(damaged, .sequential))
      #expect(kept.said == sequential.said, "\(offset)")
      let isSame = kept.pixels == sequential.pixels
      #expect(isSame, "\(offset)")
    }
  }

  /// Coefficients that exceed the limit are not kept, and the image is decoded as usual.
  @Test func memoryHasALimit() throws {
    let jpeg = try JPEGRecipe.baseline444.with { $0.quality = 95 }.encode(.noise(width: 900, height: 300))
    let rect = PixelRect(x: 3, y: 5, width: 600, height: 200)
    let expected = try referencePixels(jpeg).cropped(rect)
    var paths: [DecodePath?] = []
    // Only an index, and coefficients too.
    for bytes in [600 << 10, 64 << 20] {
      var limits = Limits()
      limits.coefficientBytes = bytes
      try Self.afterLook(jpeg, limits: limits) { (session, _) throws(FaceCropError) in
        #expect(Pixels(try session.region(rect)) == expected)
        paths.append(session.lastPath)
      }
    }
    #expect(paths == [.sequential, .index])
  }
}
