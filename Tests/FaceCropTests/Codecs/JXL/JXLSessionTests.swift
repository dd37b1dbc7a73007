import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// Pictures that were encoded without loss come back as they were; others nearly so.
@Suite struct JXLSessionTests {
  private static let pattern = Pixels.testPattern(width: 190, height: 120)

  private static func header(_ file: [UInt8]) throws -> ImageHeader {
    try withSession(file) { (session) throws(FaceCropError) in session.header }
  }

  private static func info(_ file: [UInt8]) throws -> ImageInfo {
    try ImageInfo(reading: file.span, isFileMapping: false, job: .forTests())
  }

  // MARK: Pixels

  @Test(arguments: 1...4, [false, true]) func regionsAreThoseOfTheWholePicture(channels: Int, hasContainer: Bool) throws
  {
    var random = SplitMix64(seed: 5)
    let pixels = Pixels.noise(width: 90, height: 71, channels: channels, seed: 3)
    for bits in [8, 16] {
      let file = try JXLRecipe().with { ($0.hasContainer, $0.bits) = (hasContainer, bits) }.encode(pixels)
      // Gray with alpha becomes RGB with alpha.
      let whole =
        channels == 2
        ? Pixels(
          width: 90, height: 71, channels: 4,
          samples: stride(from: 0, to: pixels.samples.count, by: 2).flatMap {
            [pixels.samples[$0], pixels.samples[$0], pixels.samples[$0], pixels.samples[$0 + 1]]
          }) : pixels
      try withSession(file) { (session) throws(FaceCropError) in
        #expect(session.format == .jxl && session.header.bitsPerSample == bits)
        #expect(session.header.isGray == (channels == 1) && session.header.hasAlpha == (channels % 2 == 0))
        for scale in session.scales {
          let scaled = scale == 8 ? whole : whole.averaged(by: 8 / scale)
          let rect = random.rect(in: PixelSize(width: scaled.width, height: scaled.height))
          #expect(Pixels(try session.region(rect, scale: scale)) == scaled.cropped(rect), "\(bits) bits, \(scale)/8")
        }
        #expect(session.warnings.isEmpty)
      }
    }
  }

  @Test(arguments: [0.5, 1, 2] as [Float], [false, true]) func lossyPicturesAreNear(distance: Float, isResponsive: Bool)
    throws
  {
    let file = try JXLRecipe().with { ($0.distance, $0.isResponsive) = (distance, isResponsive) }.encode(Self.pattern)
    let found = try decoded(file)
    let differences = zip(found.samples, Self.pattern.samples).map { abs(Int($0) - Int($1)) }
    #expect(differences.reduce(0, +) <= 16 * differences.count && found.channels == 3)
  }

  @Test func overviewsAreAverages() throws {
    let pixels = Pixels.testPattern(width: 1_400, height: 300)
    let file = try JXLRecipe().encode(pixels)
    let expected = pixels.averaged(by: 2)
    for format in [PixelBuffer.Format.rgb, .gray] {
      let overview = try withSession(file) { (session) throws(FaceCropError) in try session.overview(format: format) }
      let flat = PixelBuffer(expected)
      let shrunk = try (format == .gray ? flat.inGray() : flat).shrunk(toLongSide: 640)
      #expect(Pixels(overview).maximumDifference(from: Pixels(shrunk)) <= 1)
    }
  }

  @Test func theLastRegionIsDecodedAnewAfterIt() throws {
    let file = try JXLRecipe().encode(Self.pattern)
    try withSession(file) { (session) throws(FaceCropError) in
      for isLast in [false, true, true] {
        let rect = PixelRect(x: 10, y: 20, width: 30, height: 40)
        #expect(Pixels(try session.region(rect, isLast: isLast)) == Self.pattern.cropped(rect))
      }
    }
  }

  /// The codestream says how it is turned. EXIF data only repeat it.
  @Test(arguments: 1...8) func picturesAreTurnedOnce(orientation: Int) async throws {
    let file = try JXLRecipe().with {
      ($0.orientation, $0.hasContainer) = (orientation, true)
      $0.exif = EXIFBuilder.tiff(orientation: 3, artist: "Ada")
    }.encode(Self.pattern)
    let header = try Self.header(file)
    #expect(
      header.orientation == Orientation(rawValue: orientation) && header.size == PixelSize(width: 190, height: 120))
    let crop = try await FaceCropper(detector: StubDetector()).crop(.bytes(file)).crops[0]
    let upright = PixelBuffer(Self.pattern).upright(try #require(Orientation(rawValue: orientation)))
    #expect(crop.pixels == upright)
  }

  // MARK: Metadata

  @Test(arguments: [false, true]) func metadataComeBack(areCompressed: Bool) throws {
    let exif = EXIFBuilder.tiff(orientation: 1, artist: "Ada")
    let xmp = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"></x:xmpmeta>".utf8)
    let recipe = JXLRecipe().with {
      ($0.hasContainer, $0.compressesBoxes, $0.exif, $0.xmp) = (true, areCompressed, exif, xmp)
    }
    let header = try Self.header(recipe.encode(Self.pattern))
    #expect(header.exif == exif && header.credits.xmp == xmp)
    // More than is allowed.
    var limits = Limits()
    limits.metadataBytes = exif.count - 1
    #expect(throws: FaceCropError.self) {
      try withSession(recipe.encode(Self.pattern), limits: limits) { (session) throws(FaceCropError) in session.header }
    }
    let long = Array(repeating: UInt8(ascii: " "), count: CreditSources.mostBytes + 1)
    let cut = try Self.header(recipe.with { $0.xmp = long }.encode(Self.pattern)).credits
    #expect(cut.isCut && cut.xmp.isEmpty)
  }

  @Test func colorsAreTheFiles() async throws {
    let colors = Pixels(width: 64, height: 64, color: [200, 60, 30])
    func crop(_ recipe: JXLRecipe) async throws -> (color: [Int], crop: RenderedCrop) {
      let file = try recipe.encode(colors)
      let crop = try await FaceCropper(detector: StubDetector()).crop(.bytes(file)).crops[0]
      return (crop.pixels.bytes.prefix(3).map(Int.init), crop)
    }
    func near(_ color: [Int], _ wanted: [Int]) -> Bool { zip(color, wanted).allSatisfy { abs($0 - $1) <= 2 } }
    #expect(near(try await crop(JXLRecipe()).color, [200, 60, 30]))
    // Display P3, by its code points and by a profile.
    #expect(near(try await crop(JXLRecipe().with { $0.primaries = 11 }).color, [217, 43, 0]))
    let profile = ICCBuilder.profile(.displayP3)
    let file = try JXLRecipe().with { $0.profile = profile }.encode(colors)
    #expect(try Self.header(file).profile == profile)
    let pq = try Self.header(JXLRecipe().with { ($0.primaries, $0.transfer) = (9, 16) }.encode(colors))
    #expect(try pq.profile == ICCProfile.coded(primaries: 9, transfer: 16))
  }

  @Test func animationsAreSaid() async throws {
    let file = try JXLRecipe().with { $0.frames = 3 }.encode(Self.pattern)
    #expect(try Self.header(file).isAnimated && decoded(file) == Self.pattern)
    let result = try await FaceCropper(detector: StubDetector()).crop(.bytes(file))
    #expect(result.warnings.contains(.firstFrameOnly))
  }

  @Test func inksAreNotRead() throws {
    let file = try JXLRecipe().with { $0.hasBlackInk = true }.encode(Self.pattern)
    expectFault("unsupported", naming: "CMYK") { try Self.header(file) }
  }

  // MARK: Damage

  @Test(arguments: [0, 1] as [Float]) func truncatedPicturesAreSaid(distance: Float) throws {
    let pixels = Pixels.noise(width: 600, height: 500, channels: 3)
    let file = try JXLRecipe().with { ($0.distance, $0.hasContainer) = (distance, distance == 0) }.encode(pixels)
    let rect = PixelRect(x: 0, y: 0, width: 600, height: 500)
    for percent in [40, 70, 95] {
      let cut = Array(file.prefix(file.count * percent / 100))
      #expect(try outcome(of: cut, rect: rect).error == .truncated(intactRows: 0, rows: 500, coarse: true))
      let lenient = try outcome(of: cut, allowsDamage: true, rect: rect)
      #expect(lenient.error == nil && lenient.warnings == [.truncated(intactRows: 0, rows: 500, coarse: true)])
    }
    #expect(throws: FaceCropError.corrupt("the header is invalid, or the file ends inside it")) {
      try Self.header(Array(file.prefix(distance == 0 ? 34 : 3)))
    }
  }

  @Test func noCutOrFlipIsMoreThanAnError() throws {
    var random = SplitMix64(seed: 11)
    for recipe in [JXLRecipe(), JXLRecipe().with { ($0.distance, $0.hasContainer) = (1, true) }] {
      let whole = try recipe.encode(.testPattern(width: 40, height: 30))
      for _ in 0..<100 {
        var bytes = Array(whole.prefix(Int.random(in: 12...whole.count, using: &random)))
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          bytes[Int.random(in: 2..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
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
    let file = try JXLRecipe().encode(.noise(width: 190, height: 120, channels: 4))
    func error(_ change: (inout Limits) -> Void) throws -> FaceCropError? {
      var limits = Limits()
      change(&limits)
      do {
        _ = try withSession(file, limits: limits) { (session) throws(FaceCropError) in
          try session.region(PixelRect(x: 0, y: 0, width: 8, height: 8))
        }
        return nil
      } catch {
        return error as? FaceCropError
      }
    }
    let area = 190 * 120
    #expect(try error { $0.pixels = area } == nil)
    #expect(try error { $0.pixels = area - 1 } == .overLimit(.pixels, actual: area, allowed: area - 1))
    #expect(try error { $0.side = 189 } == .overLimit(.side, actual: 190, allowed: 189))
    // 15 bytes for each of four channels, and the pixels.
    let bytes = area * 64
    #expect(try error { $0.heifBytes = bytes } == nil)
    #expect(try error { $0.heifBytes = bytes - 1 } == .overLimit(.heifBytes, actual: bytes, allowed: bytes - 1))
    #expect(try error { $0.regionBytes = 4 * area - 1 }?.kind == "limit")
  }

  /// libjxl gets no more than the bound, whatever the file demands.
  @Test func memoryBeyondTheBoundIsRefused() throws {
    let file = try JXLRecipe().encode(Self.pattern)
    let size = 190 * 120 * 3
    for bound in [0, 1_000, JXLDecoder.countsMemory ? size : 2_000, 1 << 30] {
      let kind = try Self.withDecoder(file) { decoder -> String? in
        do throws(FaceCropError) {
          _ = try unsafe decoder.header()
          var faults = Faults(allowsDamage: false, rows: 120)
          _ = try decoder.frame(ImageHeader(size: PixelSize(width: 190, height: 120)), memory: bound, &faults)
          return nil
        } catch {
          return error.kind
        }
      }
      #expect(kind == (bound == 1 << 30 ? nil : "unsupported"), "\(bound): \(kind ?? "")")
    }
  }

  /// The bound, which is part of the estimate, is more than files without layers need.
  @Test(arguments: 1...4, [0, 1] as [Float]) func theBoundIsAboveThePeak(channels: Int, distance: Float) throws {
    for (width, height, bits) in [(1, 1, 8), (64, 48, 16), (700, 500, 8), (700, 500, 16)] {
      for isResponsive in [false, true] where distance == 0 || bits == 8 {
        let recipe = JXLRecipe().with { ($0.distance, $0.isResponsive, $0.bits) = (distance, isResponsive, bits) }
        let file = try recipe.encode(.noise(width: width, height: height, channels: channels))
        try withSession(file) { (session) throws(FaceCropError) in
          _ = try session.region(PixelRect(x: 0, y: 0, width: 1, height: 1))
          #expect(session.warnings.isEmpty)
        }
      }
    }
  }

  private static func withDecoder<Result>(
    _ file: [UInt8], _ body: (JXLDecoder) throws(FaceCropError) -> Result
  ) throws(FaceCropError) -> Result {
    try unsafe file.span.withBuffer { (buffer) throws(FaceCropError) in
      try body(try JXLDecoder(reading: unsafe ImageBytes(buffer, isFileMapping: false), job: .forTests()))
    }
  }

  /// The length of a coded profile is known before libjxl unpacks it, whatever precedes it.
  @Test(arguments: [false, true]) func profilesAreRefusedByTheirLength(hasExtraFields: Bool) throws {
    let limit = Limits().metadataBytes
    for count in [limit + 1, 40_000_000] {
      let file = HostileJXL.profile(of: count, hasExtraFields: hasExtraFields)
      let error = #expect(throws: FaceCropError.self) { try Self.header(file) }
      guard case .overLimit(.metadataBytes, let actual, limit)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect((count..<count + 1_000).contains(actual))
      // Nothing was unpacked, because a file that ends inside the profile has the same fault.
      let part = Array(file.prefix(file.count / 2))
      #expect(#expect(throws: FaceCropError.self) { try Self.header(part) } == error)
    }
    // Those that encoders write.
    for channels in [3, 4] {
      let profile = ICCBuilder.profile(.displayP3, padding: 100_000)
      let file = try JXLRecipe().with { ($0.profile, $0.hasContainer) = (profile, channels == 4) }.encode(
        .testPattern(width: 64, height: 48, channels: channels))
      #expect(try Self.header(file).profile == profile)
      let bytes = try Self.withDecoder(file) { (decoder) throws(FaceCropError) in decoder.headerBytes }
      #expect((600_000..<700_000).contains(bytes - 16 << 20))
    }
  }

  /// The process that reads a header takes no more than its bound.
  @Test func headersHaveABoundOfMemory() throws {
    let file = HostileJXL.profile(of: 12_000_000)
    for (bound, isEnough) in [(8 << 20, false), (128 << 20, true)] {
      let kind = try Self.withDecoder(file) { decoder -> String? in
        do throws(FaceCropError) {
          _ = try unsafe decoder.unpackedHeader(memory: bound)
          return nil
        } catch {
          return error.kind
        }
      }
      #expect(kind == (isEnough ? nil : "unsupported"))
    }
    // It is part of the estimate.
    let memory = try Self.info(file).memory
    #expect(memory > 6 * 12_000_000)
  }

  /// Many layers, or large ones, are not decoded, with every version of libjxl.
  @Test(arguments: [(2, 1, true), (5, 1, false), (2, 3, false)])
  func layersHaveTheMemoryOfAnImage(layers: Int, scale: Int, fits: Bool) throws {
    let file = try JXLRecipe().with { ($0.layers, $0.layerScale) = (layers, scale) }.encode(
      .testPattern(width: 1_000, height: 800, channels: 4))
    let kind: String?
    do {
      _ = try withSession(file) { (session) throws(FaceCropError) in
        try session.region(PixelRect(x: 0, y: 0, width: 8, height: 8))
      }
      kind = nil
    } catch {
      kind = (error as? FaceCropError)?.kind
    }
    #expect(kind == (fits ? nil : "unsupported"))
  }

  /// libjxl blends each layer with the whole image, so that 15 bytes cost as much as the image.
  @Test(.enabled(if: !JXLRecipe.countsMemory), arguments: [(16, true), (17, false)])
  func smallLayersAreFew(layers: Int, fits: Bool) throws {
    let file = HostileJXL.layers(layers, side: 1_100)
    let expected: FaceCropError? =
      fits ? nil : .unsupported("it has more than 16 layers (save it as one layer)")
    var found: FaceCropError?
    do {
      _ = try withSession(file) { (session) throws(FaceCropError) in
        try session.region(PixelRect(x: 0, y: 0, width: 8, height: 8))
      }
    } catch {
      found = error as? FaceCropError
    }
    #expect(found == expected)
  }

  /// The frames are found by their headers, whatever the image is like.
  @Test(arguments: 1...4, [0, 1] as [Float]) func framesAreFound(channels: Int, distance: Float) throws {
    for (frames, isResponsive, hasContainer) in [
      (1, false, true), (1, true, false), (3, false, false), (3, true, true),
    ] {
      let recipe = JXLRecipe().with {
        ($0.distance, $0.frames, $0.isResponsive, $0.hasContainer) = (distance, frames, isResponsive, hasContainer)
      }
      let file = try recipe.encode(.testPattern(width: 700, height: 500, channels: channels))
      try unsafe file.withUnsafeBufferPointer { (bytes) throws(FaceCropError) in
        let decoder = try JXLDecoder(reading: unsafe ImageBytes(bytes, isFileMapping: false), job: .forTests())
        try decoder.checkFrames()
      }
    }
  }

  @Test func theEstimateCoversTheDecodersMemory() throws {
    let few = try Self.info(JXLRecipe().encode(.noise(width: 190, height: 120, channels: 3)))
    let more = try Self.info(JXLRecipe().encode(.noise(width: 190, height: 120, channels: 4)))
    #expect(few.format == .jxl && few.memory > 190 * 120 * 48 && more.memory >= few.memory + 190 * 120 * 16)
    #expect(abs(few.cost - 14 * 0.0228) < 1e-9)
    #expect(abs(more.cost - few.cost * 4 / 3) < 1e-9)
    let lossy = try Self.info(JXLRecipe().with { $0.distance = 1 }.encode(Self.pattern))
    #expect(abs(lossy.cost - 8 * 0.0228) < 1e-9)
  }

  @Test func cancellationReachesTheFrame() throws {
    try expectCancelled(JXLRecipe().encode(.noise(width: 900, height: 700, channels: 3)))
  }

  /// 60,000 patches, each as large as the image, in 43 bytes. One call of libjxl takes half a minute for them.
  private static let manyPatches: [UInt8] = [
    0xFF, 0x0A, 0x3A, 0x1F, 0xE8, 0x7C, 0x0C, 0x0C, 0x2B, 0x00, 0x00, 0x0C, 0x00, 0x4B, 0x20, 0x18, 0x58, 0x30, 0x08,
    0x00,
    0x54, 0x00, 0x9E, 0x08, 0x18, 0x08, 0x08, 0x00, 0x00, 0xE1, 0x28, 0x24, 0x88, 0xA1, 0x31, 0xE0, 0xF9, 0xF3, 0x5F,
    0xEA,
    0x25, 0x10, 0x0C,
  ]

  /// The time limit ends the process that decodes, whatever libjxl does. By itself it would end after
  /// two seconds, and the job would be abandoned before.
  @Test(.timeLimit(.minutes(5))) func noCountDelaysTheTimeLimit() async throws {
    let isAbandoned = Atomic(false)
    let admission = Admission(abandoned: { isAbandoned.store(true, ordering: .relaxed) }, abandonedEnded: {})
    let cropper = FaceCropper(limits: with(Limits()) { $0.time = .seconds(1) })
    await #expect(throws: FaceCropError.self) {
      try await cropper.run(.bytes(Self.manyPatches), allowsDamage: false, admission: admission, progress: nil) {
        (session, _) throws(FaceCropError) in
        _ = try session.overview(OverviewRequest(format: .rgb))
      }
    }
    let wasAbandoned = isAbandoned.load(ordering: .relaxed)
    #expect(!wasAbandoned)
  }

  /// Thousands of layers of one pixel, each blended into an image of 1,000 × 1,000. The size of the image leaves about
  /// four seconds of processor time.
  @Test(.timeLimit(.minutes(5))) func noCountTakesFarMoreTimeThanItsImage() throws {
    let head: [UInt8] = [0xFF, 0x0A, 0x3A, 0x1F, 0x11, 0x04, 0x20, 0x26]
    let layer: [UInt8] = [
      0x08, 0x22, 0x00, 0x00, 0x10, 0x40, 0x40, 0x21, 0x00, 0x00, 0x2C, 0x00, 0x4B, 0x12, 0xA5, 0x42, 0x85, 0x24,
      0x8E, 0x0B, 0xFC, 0x00, 0x04,
    ]
    let shown: [UInt8] = [0x08, 0x02, 0x2A, 0x04] + [UInt8](repeating: 0, count: 100)
    let file = head + (0..<30_000).flatMap { _ in layer } + shown
    // Where libjxl's memory is not counted, the layers are.
    let text =
      JXLRecipe.countsMemory
      ? "its layers or tables need more time than such an image may (save it as one layer, or in another format)"
      : "it has more than 16 layers (save it as one layer)"
    #expect(throws: FaceCropError.unsupported(text)) {
      try withSession(file) { (session) throws(FaceCropError) in
        try session.region(PixelRect(x: 0, y: 0, width: 8, height: 8))
      }
    }
  }

  /// A preview that nothing can count is refused by the header, as `info` reads it.
  @Test(.enabled(if: !JXLRecipe.countsMemory)) func previewsAreSaid() {
    // A header for 64 × 64 pixels, and a preview of 8 × 8.
    let file: [UInt8] = [0xFF, 0x0A, 0x4F, 0x84, 0x05, 0x81, 0x98] + [UInt8](repeating: 0, count: 64)
    #expect(throws: FaceCropError.unsupported("the JPEG XL has a preview frame (save it without)")) {
      try Self.info(file)
    }
  }
}
