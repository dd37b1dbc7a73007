import TestSupport
import Testing

@testable import FaceCrop

@Suite struct WebPSessionTests {
  private static let opaque = Pixels.testPattern(width: 301, height: 203).rgba
  private static let transparent = PNGBuilder(Pixels.testPattern(width: 301, height: 203, channels: 4)).pixels

  private static func crop(_ pixels: Pixels, profile: [UInt8]? = nil, exif: [UInt8]? = nil) -> EncoderInput {
    EncoderInput(
      pixels: PixelBuffer(pixels),
      colorProfile: profile, exif: exif)
  }

  @Test(arguments: [nil, 80] as [Float?], [false, true])
  func regionsAreThoseOfTheWholePicture(quality: Float?, isTransparent: Bool) throws {
    let file = try encodeWebP(isTransparent ? Self.transparent : Self.opaque, quality: quality)
    let whole = try referenceDecodeWebP(file)
    var random = SplitMix64(seed: 3)
    try withSession(file) { (session) throws(FaceCropError) in
      #expect(session.header.format == (isTransparent ? .rgba : .rgb))
      for _ in 0..<40 {
        let rect = random.rect(in: session.header.size)
        let region = Pixels(try session.region(rect)).rgba
        #expect(region.maximumDifference(from: whole.cropped(rect)) <= (quality == nil ? 0 : 1))
      }
      let overview = try session.overview(format: .rgb)
      #expect(Pixels(overview).maximumDifference(from: whole.flattened()) <= 1)
    }
  }

  @Test(arguments: [3, 4]) func overviewsAreSmall(channels: Int) throws {
    for quality in [nil, 90] as [Float?] {
      let pattern = Pixels.testPattern(width: 40, height: 12, channels: channels)
      let picture = pattern.resizedBilinear(width: 2_000, height: 601).rgba
      let file = try encodeWebP(picture, quality: quality)
      let whole = PixelBuffer(try referenceDecodeWebP(file).flattened())
      let overview = try withSession(file) { (session) throws(FaceCropError) in try session.overview(format: .rgb) }
      // Reduced by a whole factor that leaves enough; with alpha, libwebp scales.
      let expected = channels == 3 ? whole.averaged(by: 4) : try whole.shrunk(toLongSide: 640)
      #expect(overview.size == expected.size)
      #expect(Pixels(overview).meanDifference(from: Pixels(expected)) < 1)
    }
  }

  /// A transparent pixel does not affect the color around it, and a frame may cover a part of the image. A small image
  /// is decoded as a whole and then reduced; for others the decoder gives an overview.
  @Test(arguments: [0, 20], [false, true]) func overviewsAreOverWhite(margin: Int, isSmall: Bool) throws {
    let pixel: [[UInt8]] = [[255, 0, 0, 255], [0, 0, 0, 0]]
    let samples = (0..<1_280 * 40).flatMap { pixel[($0 + $0 / 1_280) % 2] }
    var file = try encodeWebP(Pixels(width: 1_280, height: 40, channels: 4, samples: samples), quality: nil)
    if margin > 0 {
      let picture = try #require(WebPBuilder.chunks(of: file).first { $0.name == "VP8L" })
      file = WebPBuilder.file([
        WebPBuilder.extended(flags: 18, width: 1_280 + 2 * margin, height: 40), WebPBuilder.animation,
        WebPBuilder.frame(picture, x: margin, y: 0, width: 1_280, height: 40),
      ])
    }
    let limits = isSmall ? Limits() : .keepingNoPicture(of: (1_280 + 2 * margin) * 40 * 4)
    let overview = try withSession(file, limits: limits) { (session) throws(FaceCropError) in
      try session.overview(format: .rgb)
    }
    #expect(overview.width == 640)
    let inner = Pixels(overview.cropped(to: PixelRect(x: 16, y: 2, width: 600, height: 14)))
    let pink = [[UInt8]](repeating: [255, 127, 127], count: 600 * 14).flatMap(\.self)
    // With a margin, a pixel of the overview is not a whole number of the image's pixels.
    let difference = inner.maximumDifference(from: Pixels(width: 600, height: 14, channels: 3, samples: pink))
    #expect(difference <= (margin == 0 ? 1 : 32))
  }

  @Test(arguments: [nil, 80] as [Float?]) func theSmallestPicturesAreRead(quality: Float?) throws {
    for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 3)] {
      let file = try encodeWebP(Pixels.testPattern(width: width, height: height).rgba, quality: quality)
      #expect(try decoded(file).rgba.maximumDifference(from: referenceDecodeWebP(file)) <= 1)
    }
  }

  /// Pixels outside of a frame are empty.
  @Test(arguments: [nil, 80] as [Float?]) func regionsBesideAFrameAreEmpty(quality: Float?) throws {
    let picture = try #require(
      WebPBuilder.chunks(of: encodeWebP(Pixels.testPattern(width: 20, height: 20).rgba, quality: quality))
        .first { ["VP8 ", "VP8L"].contains($0.name) })
    let file = WebPBuilder.file([
      WebPBuilder.extended(flags: 18, width: 60, height: 60), WebPBuilder.animation,
      WebPBuilder.frame(picture, x: 20, y: 20, width: 20, height: 20),
    ])
    try withSession(file) { (session) throws(FaceCropError) in
      for (x, y) in [(20, 0), (20, 40), (0, 20), (40, 20)] {
        let region = Pixels(try session.region(PixelRect(x: x, y: y, width: 20, height: 20)))
        #expect(region.samples.allSatisfy { $0 == 0 }, "at \(x), \(y)")
      }
      let frame = Pixels(try session.region(PixelRect(x: 20, y: 20, width: 20, height: 20)))
      #expect(frame.samples.contains { $0 != 0 })
    }
  }

  /// libwebp 1.2.4 loses their colors when it scales.
  @Test(arguments: [1, 2]) func overviewsOfNarrowPicturesHaveTheirColor(width: Int) throws {
    let color: [UInt8] = [200, 60, 90, 255]
    let samples = [[UInt8]](repeating: color, count: width * 1_400).flatMap(\.self)
    let file = try encodeWebP(Pixels(width: width, height: 1_400, channels: 4, samples: samples), quality: 90)
    let limits = Limits.keepingNoPicture(of: width * 1_400 * 3)
    let overview = try withSession(file, limits: limits) { (session) throws(FaceCropError) in
      Pixels(try session.overview(format: .rgb))
    }
    let expected = [[UInt8]](repeating: Array(color.prefix(3)), count: 640).flatMap(\.self)
    #expect(overview.maximumDifference(from: Pixels(width: 1, height: 640, channels: 3, samples: expected)) <= 6)
  }

  @Test func theLongestSideIsTheFormats() throws {
    func encoded(_ width: Int) throws -> [UInt8] {
      let row = Pixels(width: width, height: 1, channels: 3, samples: [UInt8](repeating: 90, count: 3 * width))
      return try WebPEncoder.encode(Self.crop(row), quality: nil, job: .forTests())
    }
    #expect(try referenceDecodeWebP(encoded(16_383)).width == 16_383)
    #expect(throws: FaceCropError.self) { try encoded(16_384) }
  }

  @Test func metadataComeBack() throws {
    let profile = ICCBuilder.profile(.displayP3)
    let exif = EXIFBuilder.tiff(orientation: 8, artist: "Ada")
    let pixels = Self.opaque.inFormat(.rgb)
    let file = try WebPEncoder.encode(Self.crop(pixels, profile: profile, exif: exif), quality: 80, job: .forTests())
    let header = try withSession(file) { (session) throws(FaceCropError) in session.header }
    #expect(header.profile == profile && header.exif == exif && header.orientation == .left)
    // Gray pixels become colors, and so does their profile.
    let linear = ICCBuilder.profile(.gray)
    let gray = try WebPEncoder.encode(Self.crop(pixels.gray, profile: linear), quality: nil, job: .forTests())
    let colors = try withSession(gray) { (session) throws(FaceCropError) in session.header.profile }
    #expect(try colors != nil && colors == ICCProfile.fitted(linear, to: .rgb, .forTests()))
    #expect(try referenceDecodeWebP(gray) == pixels.gray.rgba)
  }

  /// Compressing would take 33 bytes a pixel, a gigabyte for a large image.
  @Test func alphaThatTakesTooMuchToCompressIsStoredAsItIs() throws {
    let pixels = Pixels.testPattern(width: 90, height: 70, channels: 4)
    for (bytes, method) in [(33 * 90 * 70, 1), (33 * 90 * 70 - 1, 0)] {
      var limits = Limits()
      limits.imageBytes = bytes
      let file = try WebPEncoder.encode(Self.crop(pixels), quality: 80, job: .forTests(limits: limits))
      let chunk = try #require(file.firstRange(of: Array("ALPH".utf8)))
      #expect(Int(file[chunk.upperBound + 4] & 3) == method)
      let decoded = try referenceDecodeWebP(file)
      let alpha = stride(from: 3, to: pixels.samples.count, by: 4)
      #expect(alpha.allSatisfy { decoded.samples[$0] == pixels.samples[$0] })
    }
  }

  @Test(arguments: [nil, 80] as [Float?]) func truncatedPicturesAreSaid(quality: Float?) throws {
    let file = try encodeWebP(Self.opaque, quality: quality)
    let cut = Array(file.prefix(file.count * 6 / 10))
    for rect in [PixelRect(x: 0, y: 0, width: 301, height: 203), PixelRect(x: 0, y: 0, width: 20, height: 4)] {
      let error = #expect(throws: FaceCropError.self) {
        try withSession(cut) { (session) throws(FaceCropError) in try session.region(rect) }
      }
      #expect(error?.kind == "truncated")
    }
    let warnings = try withSession(cut, allowsDamage: true) { (session) throws(FaceCropError) in
      _ = try session.overview(format: .gray)
      _ = try session.region(PixelRect(x: 0, y: 0, width: 301, height: 203))
      return session.warnings
    }
    #expect(warnings.contains { if case .truncated(1..<203, 203, false) = $0 { true } else { false } }, "\(warnings)")
    #expect(throws: FaceCropError.self) {
      try withSession(Array(file.prefix(20))) { (session) throws(FaceCropError) in session.header.size }
    }
  }

  @Test func noCutOrFlipIsMoreThanAnError() throws {
    var random = SplitMix64(seed: 12)
    for quality in [nil, 80] as [Float?] {
      let whole = try encodeWebP(Self.transparent, quality: quality)
      for _ in 0..<100 {
        var bytes = Array(whole.prefix(Int.random(in: 1...whole.count, using: &random)))
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        }
        var limits = Limits()
        limits.pixels = 1_000_000
        _ = try? withSession(bytes, limits: limits, allowsDamage: true) { (session) throws(FaceCropError) in
          _ = try session.overview(format: .rgb)
          return try session.region(random.rect(in: session.header.size))
        }
      }
    }
  }

  @Test func limitsAreKept() throws {
    let file = try encodeWebP(Self.opaque, quality: nil)
    for change in [{ $0.pixels = 301 * 203 - 1 }, { $0.regionBytes = 10_000 }, { $0.imageBytes = 100_000 }]
      as [(inout Limits) -> Void]
    {
      var limits = Limits()
      change(&limits)
      let error = #expect(throws: FaceCropError.self) {
        try withSession(file, limits: limits) { (session) throws(FaceCropError) in
          try session.region(PixelRect(x: 0, y: 0, width: 301, height: 203))
        }
      }
      #expect(error?.kind == "limit")
    }
  }
}
