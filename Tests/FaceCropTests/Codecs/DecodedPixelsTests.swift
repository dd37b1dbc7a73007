import TestSupport
import Testing

@testable import FaceCrop

/// Limits and costs count all decoded pixels, not only the image's size.
@Suite struct DecodedPixelsTests {
  private static func info(_ file: [UInt8], limits: Limits = Limits()) throws -> ImageInfo {
    try ImageInfo(reading: file.span, isFileMapping: false, job: .forTests(limits: limits))
  }

  private static func error(_ file: [UInt8], limits: Limits = Limits()) -> FaceCropError? {
    do {
      _ = try info(file, limits: limits)
      return nil
    } catch {
      return error as? FaceCropError
    }
  }

  private static func isTooLarge(_ error: FaceCropError?, _ kind: Limits.Kind) -> Bool {
    if case .overLimit(kind, _, _) = error { true } else { false }
  }

  // MARK: Scans

  @Test func eachScanCosts() throws {
    var limits = Limits()
    limits.pixelsPerByte = .max
    let few = try Self.info(HostileJPEG.scans(width: 1_600, height: 1_600, count: 10), limits: limits)
    let many = try Self.info(HostileJPEG.scans(width: 1_600, height: 1_600, count: 100), limits: limits)
    #expect(few.cost < 3 * 2.56)
    #expect(many.cost > 7 * few.cost)
  }

  @Test func scansCountForEachByte() {
    // 50 megapixels, each decoded a hundred times, in 100 KB.
    #expect(Self.isTooLarge(Self.error(HostileJPEG.scans(width: 7_000, height: 7_000, count: 100)), .pixelsPerByte))
    #expect(Self.error(HostileJPEG.scans(width: 7_000, height: 7_000, count: 10)) == nil)
  }

  // MARK: Strips and tiles

  private static func tiff(
    _ width: Int, _ height: Int, _ colors: TIFFBuilder.Colors, isPlanar: Bool = false, isTiled: Bool = false,
    jpeg: [UInt8]
  ) -> [UInt8] {
    var tiff = TIFFBuilder(
      width: width, height: height, colors: colors, isPlanar: isPlanar, stream: jpeg, compression: 7)
    if isTiled { tiff.tile = (width, height) }
    return tiff.encoded()
  }

  /// A strip's decoder holds the coefficients of all its scans, progressive or not, in each plane.
  @Test(arguments: [false, true]) func coefficientsOfStripsCount(isTiled: Bool) throws {
    let (width, height) = (512, 2_048)
    func memory(_ colors: TIFFBuilder.Colors, isPlanar: Bool = false, _ jpeg: [UInt8]) throws -> Int {
      try Self.info(Self.tiff(width, height, colors, isPlanar: isPlanar, isTiled: isTiled, jpeg: jpeg)).memory
    }
    let single = HostileJPEG.separateScans(width: width, height: height, components: 1)
    let several = HostileJPEG.separateScans(width: width, height: height, components: 3)
    let progressive = HostileJPEG.scans(width: width, height: height, count: 2)
    let coefficients = 2 * width * height
    // The strips have at most some kilobytes.
    let rest = 200_000
    #expect(single.count + several.count + progressive.count < rest / 4)
    let gray = try memory(.gray, single)
    let planes = try memory(.rgb, isPlanar: true, single)
    #expect(try memory(.gray, progressive) >= gray + coefficients - rest)
    #expect(try memory(.rgb, isPlanar: true, progressive) >= planes + 3 * coefficients - rest)
    // Three planes hold the rows of three decoders, and the same pixels.
    #expect(try memory(.rgb, several) >= planes + 3 * coefficients - 3 * (256 * width + 1 << 20) - rest)
    var limits = Limits()
    limits.imageBytes = 3 * coefficients
    for (isPlanar, jpeg) in [(false, several), (true, progressive)] {
      let file = Self.tiff(width, height, .rgb, isPlanar: isPlanar, isTiled: isTiled, jpeg: jpeg)
      #expect(Self.isTooLarge(Self.error(file, limits: limits), .imageBytes))
    }
  }

  @Test func scansOfStripsCountForEachByte() {
    func file(_ scans: Int) -> [UInt8] {
      Self.tiff(2_000, 2_000, .gray, jpeg: HostileJPEG.scans(width: 2_000, height: 2_000, count: scans))
    }
    var limits = Limits()
    limits.pixelsPerByte = 1_000
    #expect(Self.error(file(1), limits: limits) == nil)
    #expect(Self.isTooLarge(Self.error(file(10), limits: limits), .pixelsPerByte))
  }

  /// libtiff would decode all rows of the last strip.
  @Test func stripsFitTheirPage() throws {
    func fault(_ height: Int) throws -> FaceCropError? {
      let jpeg = HostileJPEG.separateScans(width: 64, height: height, components: 1)
      let rect = PixelRect(x: 0, y: 0, width: 64, height: 20)
      return try outcome(of: Self.tiff(64, 20, .gray, jpeg: jpeg), rect: rect).error
    }
    // The last blocks may be whole.
    #expect(try fault(20) == nil)
    #expect(try fault(32) == nil)
    #expect(try fault(36)?.kind == "corrupt")
    #expect(try fault(2_000)?.kind == "corrupt")
  }

  // MARK: Metadata

  /// A dropped profile still took memory.
  @Test func droppedProfilesCountInTheMemory() throws {
    var png = PNGBuilder(width: 8, height: 8)
    let plain = try Self.info(png.encoded()).memory
    png.before = [try PNGBuilder.packedProfile([UInt8](repeating: 0, count: 1 << 20))]
    #expect(try Self.info(png.encoded()).memory >= plain + 3 << 20)
  }

  // MARK: Gain maps

  private static func withMap(_ map: [UInt8]) throws -> ImageInfo {
    let picture = try JPEGRecipe.baseline420.encode(.testPattern(width: 64, height: 48))
    var file = GainMapBuilder(picture: picture, map: map)
    file.mapPacket = GainMapBuilder.packet("\(GainMapBuilder.hdrgm) hdrgm:GainMapMax=\"2\"")
    return try info(file.encoded())
  }

  @Test func gainMapsAreNotFarLargerThanTheirPictures() throws {
    func map(_ width: Int, _ height: Int) throws -> [UInt8] {
      try JPEGRecipe.gray.encode(.testPattern(width: width, height: height, channels: 1))
    }
    #expect(try Self.withMap(map(128, 96)).gainMap != nil)
    #expect(try Self.withMap(map(136, 102)).gainMap == nil)
    // Scans of a map count against its bytes too.
    #expect(try Self.withMap(HostileJPEG.scans(width: 64, height: 48, count: 101)).gainMap == nil)
  }

  #if HEIF
    // MARK: HEIF

    private static let pattern = Pixels.testPattern(width: 192, height: 128)

    /// Returns a coded image with another declared size.
    private static func item(_ side: Int, codec: CodedItem.Codec = .av1) throws -> CodedItem {
      var item = try CodedItem(pattern.gray, codec: codec)
      (item.width, item.height) = (side, side)
      return item
    }

    private static func withAlpha(_ side: Int, of codec: CodedItem.Codec = .av1) throws -> [UInt8] {
      var builder = HEIFBuilder()
      builder.brand = "avif"
      let color = builder.add(try CodedItem(pattern, codec: codec))
      let alpha = builder.add(try item(side, codec: codec), [HEIFBuilder.alpha])
      builder.references.append(("auxl", alpha, [color]))
      return builder.encoded()
    }

    @Test(arguments: CodedItem.Codec.allCases) func alphaCounts(codec: CodedItem.Codec) throws {
      let plain = try Self.info(HEIFBuilder(CodedItem(Self.pattern, codec: codec)).encoded())
      let alpha = try Self.info(Self.withAlpha(1_024, of: codec))
      #expect(alpha.cost > 40 * plain.cost)
      #expect(alpha.memory > plain.memory + 2 << 20)
      var limits = Limits()
      limits.pixelsPerByte = 1_000
      #expect(Self.isTooLarge(Self.error(try Self.withAlpha(8_192, of: codec), limits: limits), .pixelsPerByte))
      limits = Limits()
      limits.pixels = 192 * 128 + 1_024 * 1_024
      #expect(Self.error(try Self.withAlpha(1_024, of: codec), limits: limits) == nil)
      limits.pixels -= 1
      #expect(Self.isTooLarge(Self.error(try Self.withAlpha(1_024, of: codec), limits: limits), .pixels))
    }

    /// The whole canvas is decoded, and the aperture is cut out of it.
    @Test func aperturesDoNotHideTheCanvas() throws {
      let small = HEIFBuilder.aperture(64, 64, halfX: 0, halfY: 0)
      #expect(try Self.isTooLarge(Self.error(HEIFBuilder(Self.item(8_192), small).encoded()), .pixelsPerByte))
    }

    @Test func tilesAreNotFarLargerThanTheirGrid() throws {
      for (side, kind) in [(1_920, nil), (2_048, "corrupt")] as [(Int, String?)] {
        var builder = HEIFBuilder()
        builder.brand = "avif"
        builder.primary = builder.addGrid([try Self.item(side)], columns: 1, width: 64, height: 64)
        #expect(Self.error(builder.encoded())?.kind == kind)
      }
    }

    /// Up to four thumbnails are tried.
    @Test func thumbnailsAreSmall() throws {
      func cost(_ side: Int) throws -> Double {
        var builder = HEIFBuilder(try Self.item(2_048))
        for _ in 0..<4 { builder.references.append(("thmb", builder.add(try Self.item(side)), [1])) }
        return try Self.info(builder.encoded()).cost
      }
      let picture = try Self.info(HEIFBuilder(Self.item(2_048)).encoded()).cost
      #expect(try cost(1_024) == 2 * picture)
      #expect(try cost(1_088) == picture)
      #expect(try cost(2_048) == picture)
    }

    // MARK: Reading

    /// An extent of length 0 reaches to the end of the file.
    @Test func extentsEndWithTheFile() throws {
      var builder = try HEIFBuilder(CodedItem(Self.pattern, codec: .av1))
      builder.addXMP(CreditBuilder.packet(properties: "<dc:creator>Ada</dc:creator>"), of: 1)
      let rest = HEIFBuilder.box("free", [UInt8](repeating: 32, count: CreditSources.mostBytes))
      #expect(try Self.info(builder.encoded() + rest).hasXMP)
      builder.items[1].emptyExtents = 1
      let sources = try withSession(builder.encoded() + rest) { (session) throws(FaceCropError) in
        session.header.credits
      }
      #expect(sources.xmp.isEmpty && sources.isCut)
    }

    /// The memory includes copies of an item's data, which may be junk, and the table of contents.
    @Test func dataCountInTheMemory() throws {
      func memory(_ change: (inout HEIFBuilder) -> Void) throws -> Int {
        var builder = try HEIFBuilder(CodedItem(Self.pattern))
        change(&builder)
        return try Self.info(builder.encoded()).memory
      }
      let plain = try memory { _ in }
      #expect(try memory { $0.items[0].data += [UInt8](repeating: 0, count: 50_000) } >= plain + 6 * 50_000)
      #expect(
        try memory { $0.shared = [HEIFBuilder.box("free", [UInt8](repeating: 0, count: 100_000))] } >= plain + 200_000)
    }
  #endif
}
