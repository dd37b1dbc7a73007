import TestSupport
import Testing

@testable import FaceCrop

@Suite struct GIFSessionTests {
  private static func header(_ bytes: [UInt8]) throws -> (header: ImageHeader, warnings: [CropWarning]) {
    try withSession(bytes) { (session) throws(FaceCropError) in (session.header, session.warnings) }
  }

  // MARK: Pixels

  @Test(arguments: [false, true], [false, true])
  func regionsAreThoseOfTheWholePicture(isInterlaced: Bool, hasAlpha: Bool) throws {
    var random = SplitMix64(seed: 7)
    for bits in 1...8 {
      for (width, height) in [(37, 29), (1, 1), (3, 70)] {
        var gif = GIFBuilder(width: width, height: height, bits: bits, seed: UInt64(bits))
        gif.isInterlaced = isInterlaced
        gif.hasLocalColors = bits % 2 == 1
        if hasAlpha {
          gif.transparentIndex = 1
          (gif.x, gif.y, gif.width, gif.height) = (5, 3, width + 9, height + 4)
        }
        let whole = gif.pixels.inFormat(hasAlpha ? .rgba : .rgb)
        try withSession(gif.encoded()) { (session) throws(FaceCropError) in
          #expect(session.header.format == (hasAlpha ? .rgba : .rgb) && session.header.bitsPerSample == bits)
          #expect(session.header.isProgressive == isInterlaced && !session.header.isAnimated)
          for scale in session.scales {
            let scaled = scale == 8 ? whole : whole.averaged(by: 8 / scale)
            for _ in 0..<3 {
              let rect = random.rect(in: PixelSize(width: scaled.width, height: scaled.height))
              let region = Pixels(try session.region(rect, scale: scale))
              #expect(region == scaled.cropped(rect), "\(bits) bits, \(scale)/8, \(rect)")
            }
          }
          #expect(session.warnings.isEmpty)
        }
      }
    }
  }

  /// Files of giflib with codes of up to twelve bits, which the builder does not make.
  @Test(arguments: [false, true]) func picturesOfGiflibComeBack(isInterlaced: Bool) throws {
    let indices = Pixels.testPattern(width: 300, height: 200, channels: 1)
    let colors = (0..<256).map { (level: Int) -> [UInt8] in [UInt8(level), UInt8(255 - level), UInt8(level / 2)] }
    let file = try encodeGIF(indices, colors: colors.flatMap { $0 }, isInterlaced: isInterlaced)
    #expect(try referenceDecodeGIF(file).width == 300)
    let picture = try withSession(file) { (session) throws(FaceCropError) in
      try session.region(PixelRect(x: 0, y: 0, width: 300, height: 200))
    }
    #expect(Pixels(picture) == GIFBuilder(indices, colors: colors).pixels.inFormat(.rgb))
  }

  /// An index has no more than 8 bits; some writers say more.
  @Test(arguments: 9...12, [false, true]) func codesMayBeginLonger(bits: Int, isInterlaced: Bool) throws {
    var gif = GIFBuilder(width: 90, height: 70)
    (gif.minimumBits, gif.isInterlaced) = (bits, isInterlaced)
    let file = gif.encoded()
    #expect(try decoded(file).rgba == gif.pixels)
    var random = SplitMix64(seed: 3)
    for _ in 0..<200 {
      var broken = file
      for _ in 0..<4 {
        broken[Int.random(in: 800..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try? withSession(broken, allowsDamage: true) { (session) throws(FaceCropError) in
        try session.region(PixelRect(whole: session.header.size, scale: 8))
      }
    }
  }

  @Test func codesAreNoLongerThanTheTableHas() throws {
    var gif = GIFBuilder(width: 9, height: 7)
    gif.minimumBits = 13
    #expect(try outcome(of: gif.encoded(), rect: PixelRect(x: 0, y: 0, width: 9, height: 7)).error?.kind == "corrupt")
  }

  /// No data, the code that ends them, and one that clears the table before it: nothing is drawn.
  @Test(arguments: [[], [0x01, 0x01], [0x00, 0x03, 0x02]] as [[UInt8]], [false, true])
  func framesWhoseDataEndAtOnceAreEmpty(codes: [UInt8], isInterlaced: Bool) throws {
    var gif = GIFBuilder(width: 90, height: 70)
    (gif.codes, gif.isInterlaced) = (codes, isInterlaced)
    for count in [1, 3] {
      gif.frameCount = count
      try withSession(gif.encoded()) { (session) throws(FaceCropError) in
        #expect(session.header.format == .rgba && session.header.size == PixelSize(width: 90, height: 70))
        #expect(session.header.isAnimated == (count > 1))
        for rect in [PixelRect(x: 0, y: 0, width: 90, height: 70), PixelRect(x: 3, y: 60, width: 7, height: 10)] {
          #expect(try session.region(rect).bytes.allSatisfy { $0 == 0 })
        }
        #expect(session.warnings == [.irregular])
      }
    }
    // One pixel, and then the end, is damage.
    gif.codes = [0x00, 0x02, 0x02]
    #expect(try outcome(of: gif.encoded(), rect: PixelRect(x: 0, y: 0, width: 90, height: 70)).error?.kind == "corrupt")
  }

  @Test(arguments: [true, false]) func overviewsAreAverages(isKept: Bool) throws {
    let gif = GIFBuilder(width: 1_400, height: 50)
    let expected = try PixelBuffer(gif.pixels.inFormat(.rgb).averaged(by: 2)).shrunk(toLongSide: 640)
    let limits = isKept ? Limits() : .keepingNoPicture(of: 1_400 * 50 * 3)
    try withSession(gif.encoded(), limits: limits) { (session) throws(FaceCropError) in
      let overview = try session.overview(format: .rgb)
      #expect(overview == expected)
    }
    try withSession(gif.encoded(), limits: limits) { (session) throws(FaceCropError) in
      let gray = Pixels(try session.overview(format: .gray))
      #expect(gray.maximumDifference(from: Pixels(expected.inGray())) <= 2)
    }
  }

  // MARK: Header

  @Test func theScreenIsThePicture() throws {
    var gif = GIFBuilder(width: 20, height: 10)
    (gif.width, gif.height) = (50, 40)
    #expect(try Self.header(gif.encoded()).header.size == PixelSize(width: 50, height: 40))
    #expect(try Self.header(gif.encoded()).header.hasAlpha)
    // A frame that extends past the screen enlarges it.
    (gif.width, gif.height, gif.x, gif.y) = (0, 5, 3, 2)
    #expect(try Self.header(gif.encoded()).header.size == PixelSize(width: 23, height: 12))
    (gif.width, gif.height, gif.x, gif.y) = (20, 10, 0, 0)
    #expect(try !Self.header(gif.encoded()).header.hasAlpha)
  }

  @Test func framesAreCounted() throws {
    var gif = GIFBuilder(width: 20, height: 10)
    gif.frameCount = 3
    #expect(try Self.header(gif.encoded()).header.isAnimated)
    gif.before = GIFBuilder.application("NETSCAPE2.0", [1, 0, 0])
    gif.frameCount = 1
    #expect(try !Self.header(gif.encoded()).header.isAnimated)
    // Frames after the end marker are ignored.
    #expect(try !Self.header(gif.encoded() + gif.encoded()).header.isAnimated)
  }

  @Test func profilesAreKeptWhereTheyFit() throws {
    var gif = GIFBuilder(width: 9, height: 9)
    let profile = ICCBuilder.profile(.displayP3, padding: 900)
    gif.before = GIFBuilder.application("ICCRGBG1012", profile)
    #expect(try Self.header(gif.encoded()).header.profile == profile)
    gif.before = GIFBuilder.application("ICCRGBG1012", ICCBuilder.profile(.gray))
    #expect(try Self.header(gif.encoded()).warnings == [.profileDropped])
  }

  // MARK: Damage

  private static let whole = PixelRect(x: 0, y: 0, width: 60, height: 80)

  @Test(arguments: [false, true]) func truncatedPicturesAreSaid(isInterlaced: Bool) throws {
    var gif = GIFBuilder(width: 60, height: 80)
    gif.isInterlaced = isInterlaced
    let bytes = gif.encoded()
    for percent in [40, 60, 90] {
      let cut = Array(bytes.prefix(bytes.count * percent / 100))
      // Even if the region itself is complete.
      for rect in [Self.whole, PixelRect(x: 3, y: 0, width: 9, height: 2)] {
        #expect(try outcome(of: cut, rect: rect).error?.kind == "truncated", "\(percent)")
        let lenient = try outcome(of: cut, allowsDamage: true, rect: rect)
        guard case .truncated(let intactRows, 80, let isCoarse) = lenient.warnings.first else {
          Issue.record("\(lenient)")
          continue
        }
        #expect(isInterlaced ? isCoarse && intactRows < 80 : !isCoarse && (1..<80).contains(intactRows))
      }
    }
    let unmarked = CropWarning.truncated(intactRows: 80, rows: 80, coarse: false)
    for missing in [1, 2] {
      #expect(try outcome(of: Array(bytes.dropLast(missing))).warnings == [unmarked])
    }
    #expect(try outcome(of: Array(bytes.prefix(12))).error?.kind == "corrupt")
    // Frames after the first hold no rows of the image.
    gif.frameCount = 2
    #expect(try outcome(of: Array(gif.encoded().dropLast(500))).warnings == [unmarked])
  }

  @Test func codesThatAreNoneAreFound() throws {
    var bytes = GIFBuilder(width: 60, height: 80).encoded()
    // The end of the data, in their middle: 257 twice.
    let middle = bytes.count / 2
    for place in middle..<middle + 40 { bytes[place] = 0xFF }
    #expect(try outcome(of: bytes).error?.kind == "corrupt")
    guard case .corrupt(let intactRows, 80)? = try outcome(of: bytes, allowsDamage: true).warnings.first else {
      Issue.record("no warning")
      return
    }
    #expect((20..<60).contains(intactRows))
  }

  @Test func noCutOrFlipIsMoreThanAnError() throws {
    var random = SplitMix64(seed: 11)
    for isInterlaced in [false, true] {
      var gif = GIFBuilder(width: 24, height: 20, bits: 4)
      gif.isInterlaced = isInterlaced
      gif.before = GIFBuilder.application("ICCRGBG1012", ICCBuilder.profile(.rgb))
      let whole = gif.encoded()
      for _ in 0..<300 {
        var bytes = Array(whole.prefix(Int.random(in: 1...whole.count, using: &random)))
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        }
        var limits = Limits()
        limits.pixels = 1 << 20
        _ = try? withSession(bytes, limits: limits, allowsDamage: Bool.random(using: &random)) {
          (session) throws(FaceCropError) in
          _ = try session.overview(format: .rgb)
          return try session.region(random.rect(in: session.header.size))
        }
      }
    }
  }

  // MARK: Limits

  /// Data may not be longer than any image of that size needs.
  @Test func dataAreNoLongerThanAPicturesAre() throws {
    for bits in [1, 4, 8] {
      var gif = GIFBuilder(width: 60, height: 80, bits: bits)
      let most = 2 * 60 * 80 + 4_096
      gif.codes = GIFBuilder.clearCodes(bits: max(bits, 2), bytes: most)
      #expect(try Self.header(gif.encoded()).header.size.width == 60)
      gif.codes?.append(0)
      expectFault("corrupt", naming: "\(most)", "\(most + 1)") { try Self.header(gif.encoded()) }
    }
  }

  /// One row can have any number of codes that clear the table. Filling it for each took 3 s for a megabyte.
  @Test(.endsIfItHangs, arguments: [2, 3, 8]) func clearingTheTableCostsLittle(bits: Int) throws {
    var gif = GIFBuilder(width: 1_000, height: 1_000, bits: bits)
    gif.codes = GIFBuilder.clearCodes(bits: bits, bytes: 2_000_000)
    let file = gif.encoded()
    let seconds = try processorTime {
      let error = try outcome(of: file, rect: PixelRect(x: 0, y: 0, width: 9, height: 9)).error
      #expect(error?.kind == "corrupt")
    }
    #expect(seconds < 1, "in a build for tests")
  }

  @Test func limitsAreKept() throws {
    var gif = GIFBuilder(width: 60, height: 80)
    gif.frameCount = 3
    gif.before = GIFBuilder.application("ICCRGBG1012", ICCBuilder.profile(.rgb, padding: 5_000))
    func error(_ change: (inout Limits) -> Void, isInterlaced: Bool = false) throws -> FaceCropError? {
      var limits = Limits()
      change(&limits)
      gif.isInterlaced = isInterlaced
      do {
        _ = try withSession(gif.encoded(), limits: limits) { (session) throws(FaceCropError) in
          try session.region(Self.whole)
        }
        return nil
      } catch {
        return error as? FaceCropError
      }
    }
    #expect(try error { $0.pixels = 4_799 } == .overLimit(.pixels, actual: 4_800, allowed: 4_799))
    #expect(try error { $0.frames = 2 } == .overLimit(.frames, actual: 3, allowed: 2))
    #expect(try error { $0.metadataBytes = 3_000 }?.kind == "limit")
    #expect(try error { $0.regionBytes = 14_399 }?.kind == "limit")
    #expect(try error { $0.imageBytes = 14_399 } == nil)
    // Its indices, and the region.
    let bytes = 4_800 + 14_400
    #expect(
      try error({ $0.imageBytes = bytes - 1 }, isInterlaced: true)
        == .overLimit(.imageBytes, actual: bytes, allowed: bytes - 1))
    #expect(try error({ $0.imageBytes = bytes }, isInterlaced: true) == nil)
  }

  @Test(arguments: [false, true]) func cancellationReachesTheRows(isInterlaced: Bool) throws {
    var gif = GIFBuilder(width: 300, height: 400)
    gif.isInterlaced = isInterlaced
    try expectCancelled(gif.encoded())
  }
}
