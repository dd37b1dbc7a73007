import TestSupport
import Testing

@testable import FaceCrop

@Suite struct PNGSessionTests {
  private static func header(_ png: PNGBuilder) throws -> (header: ImageHeader, warnings: [CropWarning]) {
    try withSession(png.encoded()) { (session) throws(FaceCropError) in (session.header, session.warnings) }
  }

  // MARK: Pixels

  @Test(arguments: PNGBuilder.Color.allCases, [false, true])
  func regionsAreThoseOfTheWholePicture(color: PNGBuilder.Color, isInterlaced: Bool) throws {
    var random = SplitMix64(seed: 5)
    for depth in color.depths {
      for isTransparent in [false, true] where !isTransparent || [.gray, .rgb, .palette].contains(color) {
        for (width, height) in [(37, 29), (1, 1), (3, 70)] {
          var png = PNGBuilder(width: width, height: height, color: color, depth: depth, seed: UInt64(depth))
          (png.isInterlaced, png.isTransparent) = (isInterlaced, isTransparent)
          let hasAlpha = isTransparent || color == .rgba || color == .grayAlpha
          let format: PixelBuffer.Format = hasAlpha ? .rgba : color == .gray ? .gray : .rgb
          let whole = png.pixels.inFormat(format)
          try withSession(png.encoded()) { (session) throws(FaceCropError) in
            #expect(session.header.format == format)
            for scale in session.scales {
              let scaled = scale == 8 ? whole : whole.averaged(by: 8 / scale)
              for _ in 0..<3 {
                let rect = random.rect(in: PixelSize(width: scaled.width, height: scaled.height))
                let region = Pixels(try session.region(rect, scale: scale))
                #expect(region == scaled.cropped(rect), "\(depth) bits, \(isTransparent), \(scale)/8, \(rect)")
              }
            }
            #expect(session.warnings.isEmpty)
          }
        }
      }
    }
  }

  /// Small ones are exact; larger ones are reduced by a whole factor first.
  @Test(arguments: [PNGBuilder.Color.gray, .rgb, .rgba], [(90, 61), (1_400, 50), (2_000, 33)])
  func overviewsAreAverages(color: PNGBuilder.Color, size: (width: Int, height: Int)) throws {
    let png = PNGBuilder(width: size.width, height: size.height, color: color)
    let average = png.pixels.inFormat(color == .rgba ? .rgba : .rgb).averaged(by: max(size.width / 640, 1))
    let flat = PixelBuffer(color == .rgba ? average.flattened() : average)
    let file = png.encoded()
    let channels = color == .gray ? 1 : color == .rgb ? 3 : 4
    for isKept in [true, false] where isKept || size.width > 640 {
      let limits = isKept ? Limits() : .keepingNoPicture(of: size.width * size.height * channels)
      for format in [PixelBuffer.Format.rgb, .gray] {
        let overview = try withSession(file, limits: limits) { (session) throws(FaceCropError) in
          try session.overview(format: format)
        }
        let expected = try (format == .gray ? flat.inGray() : flat).shrunk(toLongSide: 640)
        #expect(overview.format == format && overview.size.longSide <= 640)
        // Luma may be computed before or after averaging.
        #expect(Pixels(overview).maximumDifference(from: Pixels(expected)) <= (format == .gray ? 1 : 0))
      }
    }
  }

  // MARK: Metadata

  @Test func orientationMayStandOnEitherSideOfThePixels() throws {
    let exif = PNGBuilder.exif(EXIFBuilder.tiff(orientation: 6, artist: "Ada"))
    var png = PNGBuilder(width: 20, height: 10)
    #expect(try Self.header(png).header.orientation == .up)
    png.before = [exif]
    let early = try Self.header(png).header
    (png.before, png.behind) = ([], [exif])
    let late = try Self.header(png).header
    #expect(early.orientation == .right && late.orientation == .right)
    #expect(early.exif == late.exif && early.exif == exif.data)
    #expect(early.displaySize == PixelSize(width: 10, height: 20))
  }

  /// A private chunk may contain a whole chunk of EXIF data with its checksum, such as a thumbnail's.
  @Test func exifInsideOfAnotherChunkIsNotThePictures() throws {
    let exif = PNGBuilder.exif(EXIFBuilder.tiff(orientation: 6))
    var png = PNGBuilder(width: 20, height: 10)
    png.behind = [("prVt", PNGBuilder.chunk(exif.name, exif.data) + [UInt8](repeating: 7, count: 40))]
    let header = try Self.header(png).header
    #expect(header.orientation == .up && header.exif == nil)
  }

  @Test func profilesAreKeptWhereTheyFit() throws {
    let (rgb, gray) = (ICCBuilder.profile(.displayP3), ICCBuilder.profile(.gray))
    for color in PNGBuilder.Color.allCases {
      for profile in [rgb, gray] {
        var png = PNGBuilder(width: 9, height: 9, color: color)
        png.before = [PNGBuilder.profile(profile)]
        let fits = profile == rgb || color == .gray || color == .grayAlpha
        let (header, warnings) = try Self.header(png)
        #expect(header.profile == (fits ? profile : nil))
        #expect(warnings == (fits ? [] : [.profileDropped]))
      }
    }
    var broken = PNGBuilder(width: 9, height: 9)
    broken.before = [("iCCP", Array("Fixture\0\0nonsense".utf8))]
    #expect(try Self.header(broken).warnings == [.profileDropped])
  }

  // MARK: Damage

  private static let whole = PixelRect(x: 0, y: 0, width: 60, height: 80)

  @Test(arguments: [false, true]) func truncatedPicturesAreSaid(isInterlaced: Bool) throws {
    var png = PNGBuilder(width: 60, height: 80)
    png.isInterlaced = isInterlaced
    // libpng reads a chunk, or 8 KiB of it, at a time.
    png.chunkSize = 500
    let bytes = png.encoded()
    for percent in [20, 50, 90] {
      let cut = Array(bytes.prefix(bytes.count * percent / 100))
      // Even if the region itself is complete.
      for rect in [Self.whole, PixelRect(x: 3, y: 0, width: 9, height: 2)] {
        let strict = try outcome(of: cut, rect: rect)
        #expect(strict.error?.kind == "truncated", "\(percent): \(strict)")
        let lenient = try outcome(of: cut, allowsDamage: true, rect: rect)
        #expect(lenient.error == nil)
        guard case .truncated(let intactRows, 80, let isCoarse) = lenient.warnings.first else {
          Issue.record("\(lenient)")
          continue
        }
        // An interlaced image has complete rows only in its last pass.
        #expect(isInterlaced ? isCoarse && intactRows < 80 : !isCoarse && (1..<80).contains(intactRows))
      }
    }
    // Only the end is missing, and no pixel.
    let endless = try outcome(of: Array(bytes.dropLast(12)))
    #expect(endless.error == nil && endless.warnings == [.truncated(intactRows: 80, rows: 80, coarse: false)])
    #expect(try outcome(of: Array(bytes.prefix(30))).error?.kind == "corrupt")
  }

  /// The checksum of the only chunk follows a region at the top.
  @Test func aFlippedByteIsFoundWhereverTheRegionLies() throws {
    var png = PNGBuilder(width: 60, height: 80)
    png.chunkSize = 1 << 20
    var bytes = png.encoded()
    bytes[bytes.count / 2] ^= 0x10
    for rect in [Self.whole, PixelRect(x: 0, y: 0, width: 60, height: 5), PixelRect(x: 0, y: 70, width: 5, height: 5)] {
      #expect(try outcome(of: bytes, rect: rect).error?.kind == "corrupt")
      #expect(try !outcome(of: bytes, allowsDamage: true, rect: rect).warnings.isEmpty)
    }
  }

  /// A chunk's checksum follows it, so the data from its beginning may be wrong.
  @Test(arguments: [false, true]) func aWrongChecksumCondemnsTheWholeChunk(isInterlaced: Bool) throws {
    var png = PNGBuilder(width: 60, height: 80)
    png.isInterlaced = isInterlaced
    png.chunkSize = 1 << 20
    var bytes = png.encoded()
    bytes[bytes.count - 12 - 1] ^= 1
    let error = try #require(outcome(of: bytes).error)
    #expect(error.kind == "corrupt" && "\(error)".contains("0 of 80"))
    #expect(try outcome(of: bytes, allowsDamage: true).warnings == [.corrupt(intactRows: 0, rows: 80)])
  }

  @Test func noCutOrFlipIsMoreThanAnError() throws {
    var random = SplitMix64(seed: 11)
    for color in PNGBuilder.Color.allCases {
      var png = PNGBuilder(width: 24, height: 20, color: color)
      png.isInterlaced = color == .rgb
      png.before = [PNGBuilder.profile(ICCBuilder.profile(.rgb)), PNGBuilder.exif(EXIFBuilder.tiff(orientation: 6))]
      let whole = png.encoded()
      for _ in 0..<150 {
        var bytes = Array(whole.prefix(Int.random(in: 1...whole.count, using: &random)))
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        }
        _ = try? withSession(bytes, allowsDamage: Bool.random(using: &random)) { (session) throws(FaceCropError) in
          _ = try session.overview(format: .rgb)
          return try session.region(random.rect(in: session.header.size))
        }
      }
    }
  }

  // MARK: Limits

  @Test func limitsAreKept() throws {
    var png = PNGBuilder(width: 60, height: 80)
    png.before = [PNGBuilder.profile(ICCBuilder.profile(.rgb, padding: 5_000))]
    func error(_ change: (inout Limits) -> Void, isInterlaced: Bool = false) throws -> FaceCropError? {
      var limits = Limits()
      change(&limits)
      png.isInterlaced = isInterlaced
      do {
        _ = try withSession(png.encoded(), limits: limits) { (session) throws(FaceCropError) in
          try session.region(Self.whole)
        }
        return nil
      } catch {
        return error as? FaceCropError
      }
    }
    #expect(try error { $0.side = 80 } == nil)
    #expect(try error { $0.side = 79 } == .overLimit(.side, actual: 80, allowed: 79))
    #expect(try error { $0.pixels = 4_799 } == .overLimit(.pixels, actual: 4_800, allowed: 4_799))
    #expect(try error { $0.metadataBytes = 3_000 }?.kind == "limit")
    #expect(try error { $0.regionBytes = 14_399 }?.kind == "limit")
    #expect(try error { $0.imageBytes = 14_399 } == nil)
    // libpng's rows, and the region.
    let bytes = 2 * 14_400
    #expect(
      try error({ $0.imageBytes = bytes - 1 }, isInterlaced: true)
        == .overLimit(.imageBytes, actual: bytes, allowed: bytes - 1))
    #expect(try error({ $0.imageBytes = bytes }, isInterlaced: true) == nil)
  }

  @Test(arguments: [false, true]) func cancellationReachesTheRows(isInterlaced: Bool) throws {
    var png = PNGBuilder(width: 300, height: 400)
    png.isInterlaced = isInterlaced
    let bytes = png.encoded()
    try expectCancelled(bytes)
    try expectCancelled(bytes) { (session) throws(FaceCropError) in _ = try session.overview(format: .rgb) }
  }

  // MARK: Encoding

  @Test(arguments: [PNGBuilder.Color.gray, .rgb, .rgba]) func encodedPicturesComeBack(color: PNGBuilder.Color) throws {
    let profile = ICCBuilder.profile(color == .gray ? .gray : .displayP3)
    let exif = EXIFBuilder.tiff(orientation: 1, artist: "Ada")
    let format: PixelBuffer.Format = color == .gray ? .gray : color == .rgb ? .rgb : .rgba
    let pixels = PNGBuilder(width: 61, height: 43, color: color).pixels
    let crop = EncoderInput(
      pixels: PixelBuffer(pixels.inFormat(format)), colorProfile: profile,
      exif: exif)
    let file = try PNGEncoder.encode(crop, job: .forTests())
    #expect(try referenceDecodePNG(file) == pixels)
    let header = try withSession(file) { (session) throws(FaceCropError) in session.header }
    #expect(header.profile == profile && header.exif == exif)
  }

  @Test func aPixelIsTheLeastThatThereIs() throws {
    let dot = EncoderInput(PNGBuilder(width: 1, height: 1, color: .rgb).pixels.inFormat(.rgb))
    #expect(try decoded(PNGEncoder.encode(dot, job: .forTests())) == Pixels(dot.pixels))
    for (width, height) in [(0, 9), (9, 0)] as [(UInt32, UInt32)] {
      var file = PNGBuilder(width: 9, height: 9).encoded()
      file.replaceSubrange(16..<24, with: width.bigEndianBytes + height.bigEndianBytes)
      #expect(try outcome(of: file).error?.kind == "corrupt")
    }
  }

  /// gAMA and cHRM become a profile, and sRGB in the output; the chunk sRGB and a profile override them.
  @Test func gammaAndPrimariesCount() async throws {
    func number(_ value: Double) -> [UInt8] { UInt32((value * 100_000).rounded()).bigEndianBytes }
    let p3 = [0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06].flatMap(number)
    func color(
      _ color: [UInt8], _ chunks: [(name: String, data: [UInt8])], keeps: Bool = false
    ) async throws -> (color: [Int], profile: [UInt8]?) {
      var png = PNGBuilder(Pixels(width: 40, height: 40, color: color))
      png.before = chunks
      var request = CropRequest()
      request.output.color = keeps ? .keep : .srgb
      let crop = try await FaceCropper(detector: StubDetector()).crop(.bytes(png.encoded()), request: request).crops[0]
      return (crop.pixels.bytes.prefix(color.count).map(Int.init), crop.colorProfile)
    }
    func near(_ color: [Int], _ wanted: [Int]) -> Bool { zip(color, wanted).allSatisfy { abs($0 - $1) <= 2 } }
    // Linear light: 55 of 255 is 128 in sRGB (IEC 61966-2-1).
    #expect(near(try await color([55, 55, 55], [("gAMA", number(1))]).color, [128, 128, 128]))
    #expect(near(try await color([55], [("gAMA", number(1))]).color, [128]))
    // Display P3's red is out of sRGB; a muted one becomes more vivid.
    #expect(near(try await color([200, 100, 100], [("cHRM", p3)]).color, [215, 95, 98]))
    // Values that mean sRGB, or the chunk sRGB, change nothing.
    for chunks in [
      [("gAMA", number(0.45455))], [("sRGB", [0]), ("gAMA", number(1)), ("cHRM", p3)],
      [("cHRM", [0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06].flatMap(number))],
      [("cHRM", [UInt8](repeating: 0, count: 32))], [("gAMA", number(1_000))],
    ] as [[(name: String, data: [UInt8])]] {
      #expect(near(try await color([200, 100, 100], chunks).color, [200, 100, 100]))
    }
    let kept = try await color([55, 55, 55], [("gAMA", number(1))], keeps: true)
    #expect(kept.color == [55, 55, 55] && kept.profile != nil)
  }

  // MARK: Code points

  /// What an AVIF file of the same code points gives; the pixels are coded without loss there.
  #if HEIF
    @Test(arguments: [(12, 13), (9, 16), (9, 18), (1, 1), (12, 8)]) func codePointsAreThoseOfAVIF(
      primaries: Int, transfer: Int
    ) async throws {
      let colors: [[UInt8]] = [[200, 60, 30], [128, 128, 128], [30, 200, 60]]
      let stripes = Pixels(width: 48, height: 40, channels: 3, samples: (0..<48 * 40).flatMap { colors[$0 % 48 / 16] })
      var png = PNGBuilder(stripes)
      png.before = [Self.codePoints(primaries, transfer)]
      let item = try CodedItem(stripes, codec: .av1, chroma: "444", quality: 100)
      let avif = HEIFBuilder(item, HEIFBuilder.codePoints(primaries, transfer, 6))
      var made: [[UInt8]] = []
      for file in [png.encoded(), avif.encoded()] {
        let result = try await FaceCropper(detector: StubDetector()).crop(.bytes(file))
        #expect(result.crops[0].colorProfile == nil && result.warnings.isEmpty)
        made.append(result.crops[0].pixels.bytes)
      }
      let differences = zip(made[0], made[1]).map { abs(Int($0) - Int($1)) }
      #expect(differences.max()! <= 3 && made[0] != stripes.samples)
    }
  #endif

  @Test func codePointsGoBeforeAllElse() throws {
    let p3 = try #require(try ICCProfile.coded(primaries: 12, transfer: 13))
    let linear = ("gAMA", UInt32(100_000).bigEndianBytes)
    let profile = PNGBuilder.profile(ICCBuilder.profile(.rgb))
    func header(_ chunks: [(name: String, data: [UInt8])], color: PNGBuilder.Color = .rgb) throws -> ImageHeader {
      var png = PNGBuilder(width: 9, height: 9, color: color)
      png.before = chunks
      return try Self.header(png).header
    }
    for others in [[], [profile], [linear], [("sRGB", [0])], [("iCCP", Array("Fixture\0\0nonsense".utf8))]] {
      for isFirst in [false, true] {
        let own = [Self.codePoints(12, 13)]
        let found = try header(isFirst ? own + others : others + own)
        #expect(found.profile == p3 && !found.faults.contains(.profileDropped), "\(others.map(\.0)), \(isFirst)")
      }
    }
    // sRGB is that, whatever a profile says; code points that say nothing leave it to the profile.
    #expect(try header([Self.codePoints(1, 13), profile]).profile == nil)
    #expect(try header([Self.codePoints(2, 2), profile]).profile == ICCBuilder.profile(.rgb))
    #expect(try header([Self.codePoints(9, 16)], color: .gray).profile == ICCProfile.coded(primaries: 9, transfer: 16))
    // Those that are not known, and the range of video.
    for unknown in [Self.codePoints(3, 13), Self.codePoints(12, 99), ("cICP", [12, 13, 0, 0])] {
      let found = try header([unknown, profile])
      #expect(found.profile == ICCBuilder.profile(.rgb) && found.faults == [.profileDropped])
    }
    // Chunks that are none, or a second one.
    for wrong in [("cICP", [12, 13, 1, 1]), ("cICP", [12, 13, 0]), ("cICP", [12, 13, 0, 2])] as [(String, [UInt8])] {
      let found = try header([wrong])
      #expect(found.profile == nil && found.faults == [.irregular])
    }
    #expect(try header([Self.codePoints(12, 13), Self.codePoints(9, 16)]).profile == p3)
  }

  private static func codePoints(_ primaries: Int, _ transfer: Int) -> (name: String, data: [UInt8]) {
    ("cICP", [UInt8(primaries), UInt8(transfer), 0, 1])
  }
}
