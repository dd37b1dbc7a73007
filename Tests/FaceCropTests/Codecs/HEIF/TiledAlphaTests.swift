#if HEIF
  import TestSupport
  import Testing

  @testable import FaceCrop

  /// Alpha that is attached to a grid's tiles instead of to the grid.
  @Suite struct TiledAlphaTests {
    private static let (width, height) = (350, 120)
    private static let tile = Pixels.testPattern(width: 192, height: 128)

    /// A ramp, which is another one in each tile.
    private static func ramp(_ index: Int, width: Int = 192) -> Pixels {
      Pixels(
        width: width, height: 128, channels: 1,
        samples: (0..<width * 128).map { UInt8(index == 0 ? $0 % width : 255 - $0 % width) })
    }

    /// Two tiles, with alpha for some of them.
    private static func file(
      alphaOf tiles: [Int] = [0, 1], isPremultiplied: Bool = false, width alphaWidth: Int = 192
    ) throws -> HEIFBuilder {
      var builder = HEIFBuilder()
      builder.brand = "avif"
      let item = try CodedItem(tile, codec: .av1, quality: 95)
      builder.primary = builder.addGrid([item, item], columns: 2, width: width, height: height)
      for index in tiles {
        let alpha = builder.add(
          try CodedItem(ramp(index, width: alphaWidth), codec: .av1, quality: 100), [HEIFBuilder.alpha])
        builder.references.append(("auxl", alpha, [index + 1]))
        if isPremultiplied { builder.references.append(("prem", index + 1, [alpha])) }
      }
      return builder
    }

    private static func info(_ file: [UInt8]) throws -> ImageInfo {
      try ImageInfo(reading: file.span, isFileMapping: false, job: .forTests())
    }

    @Test func eachTileHasItsOwn() throws {
      let file = try Self.file().encoded()
      let whole = try decoded(file)
      #expect(whole.channels == 4 && (whole.width, whole.height) == (Self.width, Self.height))
      for (x, expected) in [(0, 0), (50, 50), (191, 191), (192, 255), (300, 147)] {
        for y in [0, 119] { #expect(abs(Int(whole[x, y][3]) - expected) <= 2, "\(x)") }
      }
      // Regions are those of the whole picture, and colors those of the file without alpha.
      try withSession(file) { (session) throws(FaceCropError) in
        let rect = PixelRect(x: 180, y: 7, width: 30, height: 40)
        #expect(Pixels(try session.region(rect)) == whole.cropped(rect))
      }
      let opaque = try decoded(Self.file(alphaOf: []).encoded())
      #expect((0..<Self.width).allSatisfy { Array(whole[$0, 9].prefix(3)) == opaque[$0, 9] })
    }

    @Test func infoAndLimitsCountIt() throws {
      let (with, without) = (try Self.info(Self.file().encoded()), try Self.info(Self.file(alphaOf: []).encoded()))
      #expect(with.hasTransparency && !without.hasTransparency)
      #expect(with.cost > 1.9 * without.cost && with.memory > without.memory)
      var limits = Limits()
      limits.pixels = 2 * Self.width * Self.height
      let file = try Self.file().encoded()
      _ = try withSession(file, limits: limits) { (session) throws(FaceCropError) in session.header }
      limits.pixels -= 1
      #expect(throws: FaceCropError.self) {
        try withSession(file, limits: limits) { (session) throws(FaceCropError) in session.header }
      }
    }

    @Test func premultipliedColorsAreDivided() throws {
      let (plain, premultiplied) = (
        try decoded(Self.file().encoded()), try decoded(Self.file(isPremultiplied: true).encoded())
      )
      let (before, after) = (plain[100, 60].map(Int.init), premultiplied[100, 60].map(Int.init))
      for channel in 0..<3 { #expect(abs(after[channel] - min(before[channel] * 255 / before[3], 255)) <= 3) }
    }

    /// Passed over, and said.
    @Test(arguments: [[0], [1]]) func alphaOfSomeTilesIsNone(tiles: [Int]) throws {
      try withSession(Self.file(alphaOf: tiles).encoded()) { (session) throws(FaceCropError) in
        #expect(session.header.format == .rgb && session.header.faults == [.irregular])
      }
    }

    @Test func alphaOfAnotherSizeIsRefused() throws {
      let file = try Self.file(width: 96).encoded()
      let error = #expect(throws: FaceCropError.self) { try decoded(file) }
      #expect(error?.kind == "unsupported")
    }

    /// The grid's own goes before its tiles'.
    @Test func theGridsOwnCounts() throws {
      var builder = try Self.file()
      let flat = Pixels(width: 350, height: 120, channels: 1, samples: [UInt8](repeating: 77, count: 350 * 120))
      let alpha = builder.add(try CodedItem(flat, codec: .av1, quality: 100), [HEIFBuilder.alpha])
      builder.references.append(("auxl", alpha, [builder.primary]))
      let whole = try decoded(builder.encoded())
      for x in [0, 100, 300] { #expect(abs(Int(whole[x, 60][3]) - 77) <= 1) }
    }
  }
#endif
