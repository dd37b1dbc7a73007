#if HEIF
  import TestSupport
  import Testing

  @testable import FaceCrop

  /// The session's pixels compared with libheif's decode of the whole file, within a level.
  @Suite struct HEIFSessionTests {
    private static let pattern = Pixels.testPattern(width: 192, height: 128)

    /// Compares the whole image, and random regions at full size, as displayed.
    private func expectEqual(_ file: [UInt8], regions: Int = 20, within levels: Int = 1) throws {
      let whole = try referenceDecodeHEIF(file)
      var random = SplitMix64(seed: 5)
      try withSession(file) { (session) throws(FaceCropError) in
        let header = session.header
        #expect(header.displaySize == PixelSize(width: whole.width, height: whole.height))
        var largest = 0
        for index in 0..<regions {
          let shown = index == 0 ? PixelRect(whole: header.displaySize, scale: 8) : random.rect(in: header.displaySize)
          let stored = header.orientation.stored(shown, in: header.size)
          let region = try session.region(stored, scale: 8, turned: session.header.orientation)
          let turned = index > 2 ? region : try session.region(stored).upright(header.orientation)
          #expect(turned == region)
          largest = max(largest, Pixels(region).rgba.maximumDifference(from: whole.cropped(shown)))
        }
        #expect(largest <= levels)
      }
    }

    // MARK: Samples

    @Test(arguments: CodedItem.Codec.allCases, ["420", "422", "444"])
    func everySubsamplingIsThatOfTheWholePicture(codec: CodedItem.Codec, chroma: String) throws {
      try expectEqual(HEIFBuilder(CodedItem(Self.pattern, codec: codec, chroma: chroma)).encoded())
    }

    @Test func filtersAreApplied() throws {
      try expectEqual(HEIFBuilder(CodedItem(Self.pattern, quality: 30, hasOffset: true)).encoded())
    }

    // libheif 1.15 fails an assertion when it encodes AV1 with 10 bits and not 4:2:2.
    @Test(
      arguments: [(.hevc, 10, "420"), (.hevc, 12, "444"), (.av1, 10, "422"), (.av1, 12, "420")]
        as [(CodedItem.Codec, Int, String)])
    func deepSamplesBecomeEightBits(codec: CodedItem.Codec, depth: Int, chroma: String) throws {
      try expectEqual(HEIFBuilder(CodedItem(Self.pattern, codec: codec, depth: depth, chroma: chroma)).encoded())
    }

    @Test(arguments: CodedItem.Codec.allCases) func grayStaysGray(codec: CodedItem.Codec) throws {
      let file = try HEIFBuilder(CodedItem(Self.pattern.gray, codec: codec)).encoded()
      #expect(try withSession(file) { (session) throws(FaceCropError) in session.header.format } == .gray)
      try expectEqual(file)
    }

    /// Limited range maps 16 to black and 235 to white, in gray as in color; values beyond are clamped.
    @Test func grayOfLimitedRangeIsWidened() throws {
      let steps: [UInt8] = [16, 50, 126, 200, 235, 250]
      let samples = (0..<192 * 128).map { steps[$0 % 192 / 32] }
      let gray = Pixels(width: 192, height: 128, channels: 1, samples: samples)
      let item = try CodedItem(gray, codec: .av1, quality: 100)
      let file = HEIFBuilder(item, HEIFBuilder.codePoints(1, 13, 6, isFull: false)).encoded()
      let region = try withSession(file) { (session) throws(FaceCropError) in
        try session.region(PixelRect(x: 0, y: 0, width: 192, height: 128))
      }
      let middles = (0..<6).map { Int(region.bytes[64 * 192 + $0 * 32 + 16]) }
      for (middle, step) in zip(middles, steps) {
        let expected = min(max((Double(step) - 16) * 255 / 219, 0), 255)
        #expect(abs(Double(middle) - expected) <= 2, "\(step)")
      }
    }

    @Test func oddSizesAreRead() throws {
      let odd = Pixels.testPattern(width: 97, height: 71)
      try expectEqual(HEIFBuilder(CodedItem(odd, codec: .av1)).encoded())
    }

    @Test(arguments: [(1, true), (1, false), (6, true), (6, false), (9, true), (0, true)])
    func matrixAndRangeAreThoseOfTheFile(matrix: Int, isFull: Bool) throws {
      let item = try CodedItem(Self.pattern, chroma: "444")
      try expectEqual(HEIFBuilder(item, HEIFBuilder.codePoints(1, 13, matrix, isFull: isFull)).encoded())
    }

    // MARK: Transformations

    @Test(arguments: 0..<4, [nil, 0, 1])
    func picturesAreTurnedOnce(quarters: Int, axis: Int?) throws {
      let item = try CodedItem(Self.pattern, codec: .av1, chroma: "444")
      let mirror = axis.map { [HEIFBuilder.mirror($0)] } ?? []
      for properties in [[HEIFBuilder.rotation(quarters)] + mirror, mirror + [HEIFBuilder.rotation(quarters)]] {
        var builder = HEIFBuilder()
        builder.brand = "avif"
        let primary = builder.add(item, properties)
        // EXIF's orientation repeats the file's, or is wrong.
        builder.addEXIF(EXIFBuilder.tiff(orientation: 6), of: primary)
        try expectEqual(builder.encoded(), regions: 6)
      }
    }

    @Test func aperturesAreCut() throws {
      let item = try CodedItem(Self.pattern, codec: .av1, chroma: "444")
      let aperture = HEIFBuilder.aperture(100, 60, halfX: 20, halfY: -12)
      for properties in [
        [aperture], [aperture, HEIFBuilder.rotation(1)], [HEIFBuilder.rotation(3), aperture, HEIFBuilder.mirror(1)],
        [HEIFBuilder.aperture(1_000, 60, halfX: 3, halfY: 0)],
      ] {
        var builder = HEIFBuilder()
        builder.brand = "avif"
        _ = builder.add(item, properties)
        try expectEqual(builder.encoded(), regions: 6)
      }
      let outside = HEIFBuilder(item, HEIFBuilder.aperture(10, 10, halfX: 4_000, halfY: 0)).encoded()
      expectFault("corrupt", naming: "clean aperture") {
        try withSession(outside) { (session) throws(FaceCropError) in session.header.size }
      }
    }

    @Test func identitiesAreTheirSourceTurned() throws {
      var builder = HEIFBuilder()
      let source = builder.add(try CodedItem(Self.pattern), [HEIFBuilder.rotation(1)])
      builder.items.append(
        .init(type: "iden", properties: [HEIFBuilder.size(128, 192), HEIFBuilder.mirror(1)], data: []))
      builder.references.append(("dimg", 2, [source]))
      builder.primary = 2
      let header = try withSession(builder.encoded()) { (session) throws(FaceCropError) in session.header }
      #expect(header.orientation == .left.followed(by: .upMirrored))
      #expect(header.displaySize == PixelSize(width: 128, height: 192))
    }

    /// Two in a row, each with an aperture and then a rotation, as in the conformance file C039.
    @Test func identitiesOfIdentitiesAreCutAndTurnedTwice() throws {
      var builder = HEIFBuilder()
      let source = builder.add(try CodedItem(Self.pattern), [])
      for (item, width, height) in [(2, 100, 60), (3, 40, 80)] {
        let aperture = HEIFBuilder.aperture(width, height, halfX: 0, halfY: 0)
        builder.items.append(.init(type: "iden", properties: [aperture, HEIFBuilder.rotation(1)], data: []))
        builder.references.append(("dimg", item, [item == 2 ? source : 2]))
      }
      builder.primary = 3
      let header = try withSession(builder.encoded()) { (session) throws(FaceCropError) in session.header }
      #expect(header.orientation == .down && header.size == PixelSize(width: 80, height: 40))
      builder.primary = source
      let whole = try decoded(builder.encoded())
      builder.primary = 3
      #expect(try decoded(builder.encoded()) == whole.cropped(x: 56, y: 44, width: 80, height: 40))
    }

    @Test func orientationsFollowEachOther() {
      let size = PixelSize(width: 5, height: 3)
      for first in Orientation.allCases {
        for second in Orientation.allCases {
          let both = first.followed(by: second)
          let shown = first.applied(to: size)
          let rect = PixelRect(x: 1, y: 0, width: 2, height: 1)
          #expect(both.stored(rect, in: size) == first.stored(second.stored(rect, in: shown), in: size))
        }
      }
    }

    // MARK: Tiles

    /// Returns an image of 3 × 2 tiles that extend past its edges.
    private static func grid(_ properties: [[UInt8]] = []) throws -> HEIFBuilder {
      let picture = Pixels.testPattern(width: 384, height: 256)
      let tiles = try (0..<6).map { index in
        try CodedItem(picture.cropped(x: index % 3 * 128, y: index / 3 * 128, width: 128, height: 128))
      }
      var builder = HEIFBuilder()
      builder.primary = builder.addGrid(tiles, columns: 3, width: 350, height: 230, properties)
      return builder
    }

    @Test func tilesMakeThePicture() throws {
      try expectEqual(Self.grid().encoded())
      try expectEqual(Self.grid([HEIFBuilder.rotation(1)]).encoded())
      var repeated = try Self.grid()
      repeated.references[0].to = [1, 2, 1, 2, 1, 6]
      try expectEqual(repeated.encoded())
    }

    @Test func onlyTheTilesTouchedAreDecoded() throws {
      var builder = try Self.grid()
      // The last tile is invalid.
      builder.items[5].data = [0, 0, 0, 9] + [UInt8](repeating: 0x55, count: 9)
      let file = builder.encoded()
      try withSession(file) { (session) throws(FaceCropError) in
        _ = try session.region(PixelRect(x: 0, y: 0, width: 256, height: 230))
        #expect(session.lastPath == .tiles && session.warnings == [])
      }
      let touched = PixelRect(x: 200, y: 100, width: 100, height: 100)
      expectFault("corrupt", naming: "128", "230") {
        try withSession(file) { (session) throws(FaceCropError) in try session.region(touched) }
      }
      let warnings = try withSession(file, allowsDamage: true) { (session) throws(FaceCropError) in
        _ = try session.region(touched)
        return session.warnings
      }
      #expect(warnings == [.corrupt(intactRows: 128, rows: 230)])
    }

    @Test func smallerScalesAreAverages() throws {
      let file = try Self.grid().encoded()
      let whole = try referenceDecodeHEIF(file).inFormat(.rgb)
      try withSession(file) { (session) throws(FaceCropError) in
        #expect(session.scales == [1, 2, 4, 8])
        for scale in [1, 2, 4] {
          let average = whole.averaged(by: 8 / scale)
          let size = PixelSize(width: average.width, height: average.height)
          let region = try session.region(PixelRect(whole: size, scale: 8), scale: scale)
          #expect(Pixels(region).maximumDifference(from: average) <= 1)
        }
      }
    }

    @Test func gridsThatDoNotFitAreRefused() throws {
      func kind(_ change: (inout HEIFBuilder) -> Void) throws -> String? {
        var builder = try Self.grid()
        change(&builder)
        let file = builder.encoded()
        return #expect(throws: FaceCropError.self) {
          try withSession(file) { (session) throws(FaceCropError) in session.header.size }
        }?.kind
      }
      #expect(try kind { $0.references[0].to.removeLast() } == "corrupt")
      #expect(try kind { $0.references[0].to[3] = 99 } == "corrupt")
      // A tile of 10 bits among tiles of 8 bits would exceed the estimated memory.
      var other = HEIFBuilder()
      _ = other.add(try CodedItem(Pixels.testPattern(width: 128, height: 128), depth: 10))
      #expect(try kind { $0.items[3] = other.items[0] } == "corrupt")
      // 385 pixels need a fourth column; 200 do not need the third.
      #expect(try kind { $0.items[6].data[4...5] = [1, 129] } == "corrupt")
      #expect(try kind { $0.items[6].data[4...5] = [0, 200] } == "corrupt")
      #expect(try kind { $0.items[6].data = [0, 0] } == "corrupt")
      // 65,536 tiles, all of them the first.
      #expect(
        try kind { builder in
          builder.items[6].data = [0, 0, 255, 255, 0x27, 0x10, 0x27, 0x10]
          builder.references[0].to = [Int](repeating: 1, count: 65_535)
        } == "unsupported")
      #expect(try kind { $0.items[6].data = [0, 1, 1, 2] + [UInt8](repeating: 0x7F, count: 8) } == "corrupt")
      #expect(try kind { $0.items[6].data = [0, 1, 1, 2, 0, 1, 0, 0, 0, 1, 0, 0] } == "limit")
    }

    // MARK: Alpha

    @Test(arguments: [false, true], CodedItem.Codec.allCases)
    func transparencyIsKept(isPremultiplied: Bool, codec: CodedItem.Codec) throws {
      var builder = HEIFBuilder()
      let colors = Pixels(width: 192, height: 128, color: [100, 60, 40])
      let ramp = Pixels(
        width: 192, height: 128, channels: 1, samples: (0..<192 * 128).map { UInt8(min($0 % 192 + 64, 255)) })
      let color = builder.add(try CodedItem(colors, codec: codec, chroma: "444", quality: 95))
      let alpha = builder.add(try CodedItem(ramp, codec: codec, quality: 95), [HEIFBuilder.alpha])
      builder.references.append(("auxl", alpha, [color]))
      if isPremultiplied { builder.references.append(("prem", color, [alpha])) }
      let file = builder.encoded()
      let whole = try referenceDecodeHEIF(file)
      try withSession(file) { (session) throws(FaceCropError) in
        #expect(session.header.format == .rgba)
        let region = Pixels(try session.region(PixelRect(x: 0, y: 0, width: 192, height: 128)))
        for x in [0, 50, 100, 191] {
          let (own, reference) = (region[x, 64].map(Int.init), whole[x, 64].map(Int.init))
          #expect(own[3] == reference[3])
          for channel in 0..<3 {
            let expected =
              isPremultiplied ? min(reference[channel] * 255 / max(reference[3], 1), 255) : reference[channel]
            #expect(abs(own[channel] - expected) <= 4, "\(x)")
          }
        }
        // Its overview is on white.
        #expect(try session.overview(format: .rgb).format == .rgb)
      }
      if !isPremultiplied { try expectEqual(file) }
    }

    @Test func alphaMayHaveAnotherSize() throws {
      var builder = HEIFBuilder()
      let color = builder.add(try CodedItem(Self.pattern))
      let half = Pixels(width: 96, height: 64, channels: 1, samples: (0..<96 * 64).map { $0 % 96 < 48 ? 255 : 0 })
      let alpha = builder.add(try CodedItem(half, codec: .av1, quality: 100), [HEIFBuilder.alpha])
      builder.references.append(("auxl", alpha, [color]))
      let region = try withSession(builder.encoded()) { (session) throws(FaceCropError) in
        Pixels(try session.region(PixelRect(x: 0, y: 0, width: 192, height: 128)))
      }
      #expect(region[10, 100][3] >= 254 && region[85, 5][3] >= 254)
      #expect(region[110, 5][3] <= 1 && region[191, 127][3] <= 1)
    }

    // MARK: Detection pass

    /// Returns a grid of 2 × 2 tiles with the thumbnail `small`.
    private static func withThumbnail(_ small: Pixels, _ properties: [[UInt8]] = []) throws -> [UInt8] {
      let picture = Self.pattern.resizedBilinear(width: 768, height: 512)
      let tiles = try (0..<4).map { index in
        try CodedItem(picture.cropped(x: index % 2 * 384, y: index / 2 * 256, width: 384, height: 256))
      }
      var builder = HEIFBuilder()
      builder.primary = builder.addGrid(tiles, columns: 2, width: 768, height: 512)
      let thumbnail = builder.add(try CodedItem(small), properties)
      builder.references.append(("thmb", thumbnail, [builder.primary]))
      return builder.encoded()
    }

    @Test func agreeingThumbnailsAreLookedAt() throws {
      let small = Self.pattern.resizedBilinear(width: 384, height: 256)
      for (thumbnail, properties, isUsed) in [
        (small, [], true),
        // Another shape, too small, rotated, and another image.
        (small.cropped(x: 0, y: 0, width: 384, height: 250), [], false),
        (Self.pattern, [], false),
        (small, [HEIFBuilder.rotation(2)], false),
        (Pixels(width: 384, height: 256, color: [250, 250, 250]), [], false),
      ] as [(Pixels, [[UInt8]], Bool)] {
        let file = try Self.withThumbnail(thumbnail, properties)
        let whole = try referenceDecodeHEIF(file).inFormat(.rgb)
        try withSession(file) { (session) throws(FaceCropError) in
          let overview = try session.overview(format: .rgb)
          #expect(session.lastPath == (isUsed ? .thumbnail : .tiles))
          #expect(overview.size == (isUsed ? PixelSize(width: 384, height: 256) : PixelSize(width: 640, height: 427)))
          let expected = whole.resizedBilinear(width: overview.width, height: overview.height)
          #expect(Pixels(overview).meanDifference(from: expected) < 8)
        }
      }
    }

    // MARK: Colors and metadata

    @Test func metadataComeBack() throws {
      let profile = ICCBuilder.profile(.displayP3)
      var builder = HEIFBuilder()
      let exif = EXIFBuilder.tiff(orientation: 8, artist: "Ada")
      let item = builder.add(
        try CodedItem(Self.pattern), [HEIFBuilder.profile(profile), HEIFBuilder.codePoints(2, 2, 6)])
      builder.addEXIF(exif, of: item)
      let header = try withSession(builder.encoded()) { (session) throws(FaceCropError) in session.header }
      #expect(header.profile == profile && header.exif == exif)
      #expect(header.orientation == .up, "EXIF's orientation is not applied")
      let empty = try HEIFBuilder(CodedItem(Self.pattern), HEIFBuilder.profile([])).encoded()
      try withSession(empty) { (session) throws(FaceCropError) in
        #expect(session.header.profile == nil && session.warnings == [])
      }
      let wrong = try HEIFBuilder(CodedItem(Self.pattern), HEIFBuilder.profile([1, 2, 3])).encoded()
      try withSession(wrong) { (session) throws(FaceCropError) in
        #expect(session.header.profile == nil && session.warnings == [.profileDropped])
      }
    }

    @Test func codePointsBecomeAProfile() throws {
      let item = try CodedItem(Self.pattern)
      func profile(_ primaries: Int, _ transfer: Int) throws -> [UInt8]? {
        try withSession(HEIFBuilder(item, HEIFBuilder.codePoints(primaries, transfer, 6)).encoded()) {
          (session) throws(FaceCropError) in session.header.profile
        }
      }
      for (primaries, transfer) in [(1, 13), (2, 2), (1, 2), (77, 13), (12, 99)] {
        #expect(try profile(primaries, transfer) == nil)
      }
      let p3 = try #require(try profile(12, 13))
      #expect(try profile(12, 13) == p3, "the same at any time")
      // Display P3's red lies outside of sRGB; its grays are those of sRGB.
      let colors = PixelBuffer(
        Pixels(width: 3, height: 1, channels: 3, samples: [200, 50, 50, 128, 128, 128, 255, 255, 255]))
      let conversion = try #require(try ColorConversion(from: p3, format: .rgb))
      let converted = try conversion.converted(colors, job: .forTests()).bytes
      // By the matrices of both spaces: 217.9, 23.7, 40.0.
      #expect(zip(converted, [218, 24, 40]).allSatisfy { abs(Int($0) - $1) <= 2 }, "\(converted)")
      #expect(converted[3...].allSatisfy { $0 == 255 || abs(Int($0) - 128) <= 1 })
      for (primaries, transfer) in [(9, 1), (9, 14), (1, 1), (9, 16), (9, 18), (1, 8), (11, 4), (5, 5), (6, 6)] {
        let made = try #require(try profile(primaries, transfer))
        let conversion = try #require(try ColorConversion(from: made, format: .rgb))
        let light = try conversion.converted(colors, job: .forTests()).bytes
        #expect(light[6...].allSatisfy { $0 >= 250 } && light[3] < light[6])
      }
    }

    // MARK: Faults

    @Test(arguments: CodedItem.Codec.allCases) func truncatedPicturesAreSaid(codec: CodedItem.Codec) throws {
      let file = try HEIFBuilder(CodedItem(Self.pattern, codec: codec)).encoded()
      let cut = Array(file.dropLast(10))
      #expect(throws: FaceCropError.truncated(intactRows: 0, rows: 128, coarse: false)) {
        try withSession(cut) { (session) throws(FaceCropError) in
          try session.region(PixelRect(x: 0, y: 0, width: 5, height: 5))
        }
      }
      // Without a decodable part there is no image, even if damage is allowed.
      expectFault("corrupt", naming: "ends", "coded") {
        try withSession(cut, allowsDamage: true) { (session) throws(FaceCropError) in
          try session.region(PixelRect(x: 0, y: 0, width: 5, height: 5))
        }
      }
      expectFault("corrupt", naming: "ends", "table of contents") {
        try withSession(Array(file.prefix(100))) { (session) throws(FaceCropError) in session.header.size }
      }
    }

    /// libde265 returns an image that its slices do not cover, with old memory in the gaps.
    @Test(arguments: [false, true]) func missingPartsOfAPictureAreSaid(hasOffset: Bool) throws {
      var item = try CodedItem(.testPattern(width: 192, height: 256), hasOffset: hasOffset)
      item.data = try CodedItem(Self.pattern, hasOffset: hasOffset).data
      let file = HEIFBuilder(item).encoded()
      for allowsDamage in [false, true] {
        let error = try #require(throws: FaceCropError.self) {
          try withSession(file, allowsDamage: allowsDamage) { (session) throws(FaceCropError) in
            try session.region(PixelRect(x: 0, y: 0, width: 5, height: 5))
          }
        }
        #expect(error.kind == "corrupt" && "\(error)".contains("missing"))
      }
    }

    @Test func truncatedTilesLeaveTheRest() throws {
      var builder = try Self.grid()
      // The grid's description first, then the tiles in order.
      let description = builder.items.removeLast()
      builder.items.insert(description, at: 0)
      builder.primary = 1
      builder.references = [("dimg", 1, [2, 3, 4, 5, 6, 7])]
      let file = builder.encoded()
      try expectEqual(file, regions: 2)
      let cut = Array(file.dropLast(builder.items[6].data.count / 2))
      let all = PixelRect(x: 0, y: 0, width: 350, height: 230)
      #expect(throws: FaceCropError.truncated(intactRows: 128, rows: 230, coarse: false)) {
        try withSession(cut) { (session) throws(FaceCropError) in try session.region(all) }
      }
      let (warnings, region) = try withSession(cut, allowsDamage: true) { (session) throws(FaceCropError) in
        let region = try session.region(all)
        return (session.warnings, region)
      }
      #expect(warnings == [.truncated(intactRows: 128, rows: 230, coarse: false)])
      #expect(Pixels(region)[349, 229] == [0, 0, 0])
    }

    @Test(arguments: CodedItem.Codec.allCases) func sizesThatLieAreRefused(codec: CodedItem.Codec) throws {
      for (width, height) in [(64, 64), (200, 128), (192, 140)] {
        var item = try CodedItem(Pixels.testPattern(width: 192, height: 128), codec: codec)
        (item.width, item.height) = (width, height)
        let file = HEIFBuilder(item).encoded()
        let error = #expect(throws: FaceCropError.self) {
          try withSession(file) { (session) throws(FaceCropError) in
            try session.region(PixelRect(x: 0, y: 0, width: 8, height: 8))
          }
        }
        #expect(error?.kind == "corrupt")
      }
    }

    @Test func onlyTheFirstPictureOfAnItemIsDecoded() throws {
      var item = try CodedItem(Self.pattern)
      let expected = try referenceDecodeHEIF(HEIFBuilder(item).encoded())
      let data = item.data
      let configuration = try HEVCConfiguration(
        ByteReader(Array(item.configuration.dropFirst(8))), largest: PixelSize(width: 256, height: 192))
      let units = try configuration.units(ofFirstPicture: data, .forTests())
      // The parameter sets come first.
      #expect(units.count > data.count && units.suffix(data.count) == data[...])
      for _ in 0..<3 { item.data += data }
      #expect(try configuration.units(ofFirstPicture: item.data, .forTests()) == units)
      let region = try withSession(HEIFBuilder(item).encoded()) { (session) throws(FaceCropError) in
        Pixels(try session.region(PixelRect(x: 0, y: 0, width: 192, height: 128)))
      }
      #expect(region.rgba.maximumDifference(from: expected) <= 1)
    }

    @Test func limitsAreKept() throws {
      let file = try Self.grid().encoded()
      for change in [
        { $0.pixels = 350 * 230 - 1 }, { $0.regionBytes = 10_000 }, { $0.heifBytes = 50_000 },
        { $0.metadataBytes = 200 },
      ] as [(inout Limits) -> Void] {
        var limits = Limits()
        change(&limits)
        let error = #expect(throws: FaceCropError.self) {
          try withSession(file, limits: limits) { (session) throws(FaceCropError) in
            try session.region(PixelRect(x: 0, y: 0, width: 350, height: 230))
          }
        }
        #expect(error?.kind == "limit")
      }
    }

    /// An image that is no grid is in memory as a whole, besides the region, which may be just as large.
    @Test(arguments: [(CodedItem.Codec.hevc, 6_000, 6), (.av1, 6_000, 6)])
    func imageAndRegionCountTogether(codec: CodedItem.Codec, side: Int, bytesPerPixel: Double) throws {
      var item = try CodedItem(Self.pattern, codec: codec)
      (item.width, item.height) = (side, side)
      let file = HEIFBuilder(item).encoded()
      var limits = Limits()
      limits.heifBytes = 200 << 20
      func error(_ rect: PixelRect) throws -> FaceCropError? {
        #expect(throws: FaceCropError.self) {
          try withSession(file, limits: limits) { (session) throws(FaceCropError) in try session.region(rect) }
        }
      }
      let bytes = Int(Double(side * side) * bytesPerPixel)
      #expect(
        try error(PixelRect(x: 0, y: 0, width: side, height: side))
          == .overLimit(.heifBytes, actual: bytes, allowed: 200 << 20))
      // A crop of a face would decode it, if its size were right.
      #expect(try error(PixelRect(x: 0, y: 0, width: 1_000, height: 1_000))?.kind == "corrupt")
    }

    @Test(
      arguments: [
        ("heic", [], .read(.heic)), ("avif", [], .read(.avif)), ("mif1", [], .read(.heic)), ("msf1", [], .read(.heic)),
        ("mif1", ["mif1", "avif", "miaf"], .read(.avif)), ("mif1", ["mif1", "heic"], .read(.heic)),
        ("isom", ["iso8", "mif1"], .read(.heic)), ("isom", ["msf1", "avis"], .read(.avif)),
        ("zzzz", ["miaf", "heix"], .read(.heic)), ("mp42", ["mp42", "isom"], .other("a movie")),
        ("zzzz", ["miaf"], .other("HEIF")), ("crx ", ["heic"], .read(.raw)),
      ] as [(String, [String], ImageKind)])
    func allBrandsCount(brand: String, compatible: [String], kind: ImageKind) throws {
      var builder = try HEIFBuilder(CodedItem(Self.pattern))
      (builder.brand, builder.compatibleBrands) = (brand, compatible)
      let file = builder.encoded()
      #expect(ImageKind(of: file.span) == kind)
      #expect(ImageKind(of: Array(file.prefix(ImageKind.bytesNeeded)).span) == kind)
      guard case .read(let format) = kind, format != .raw else { return }
      try withSession(file) { (session) throws(FaceCropError) in
        #expect(session.format == format)
        #expect(try session.region(PixelRect(x: 8, y: 8, width: 90, height: 70)).size.width == 90)
      }
    }

    /// An extent of length 0 reaches to the end: four copies exceed the file.
    @Test func repeatedExtentsAreBounded() throws {
      var builder = try HEIFBuilder(CodedItem(Self.pattern))
      builder.addEXIF(EXIFBuilder.tiff(orientation: 6), of: 1)
      #expect(try withSession(builder.encoded()) { (session) throws(FaceCropError) in session.header.exif } != nil)
      builder.items[1].emptyExtents = 3
      expectFault("corrupt", naming: "item", "bytes") {
        try withSession(builder.encoded()) { (session) throws(FaceCropError) in session.header.size }
      }
    }

    /// A list of extents is walked over once. Reading a byte takes a search in those that have data.
    @Test func extentsWithoutDataCostNothingLater() throws {
      let item = try CodedItem(.testPattern(width: 64, height: 64), codec: .av1, quality: 20)
      var builder = HEIFBuilder(item)
      builder.items[0].outsideExtents = 40_000
      // The last one is the whole file.
      builder.items[0].emptyExtents = 1
      let (file, count) = (builder.encoded(), item.data.count)
      try unsafe file.span.withBuffer { (buffer) throws(FaceCropError) in
        let heif = try HEIFFile(unsafe ImageBytes(buffer, isFileMapping: false), job: .forTests())
        let location = heif.items.locations[1]!
        #expect(location.parts.count == 2 && location.count == count + file.count && !location.isComplete)
        for place in [0, 1, count / 2, count - 1] { #expect(heif.byte(place, of: location) == item.data[place]) }
        for place in [0, 9, file.count - 1] { #expect(heif.byte(count + place, of: location) == file[place]) }
        #expect(heif.byte(count + file.count, of: location) == nil)
        #expect(heif.start(of: location, count + 9) == item.data + file[..<9])
      }
    }

    /// Every tile has a configuration to read, so its length is limited.
    @Test func configurationsAreNoLongerThanAnyIs() throws {
      func error(_ change: (inout [UInt8]) -> Void) throws -> FaceCropError? {
        var item = try CodedItem(Self.pattern)
        var content = Array(item.configuration.dropFirst(8))
        change(&content)
        item.configuration = HEIFBuilder.box("hvcC", content)
        let file = HEIFBuilder(item).encoded()
        do {
          _ = try withSession(file) { (session) throws(FaceCropError) in session.header.size }
          return nil
        } catch {
          return error as? FaceCropError
        }
      }
      #expect(try error { $0 += [UInt8](repeating: 0, count: 16_384 - $0.count) } == nil)
      let tooLong = try error { $0 += [UInt8](repeating: 0, count: 16_385 - $0.count) }
      #expect(tooLong?.kind == "corrupt" && tooLong.map { "\($0)".contains("HEVC configuration") } == true)
      // Parameter sets come in arrays: one each of video, sequence and picture.
      func repeated(_ count: Int) throws -> FaceCropError? {
        try error { content in
          let arrays = Array(content[23...])
          var offset = 0
          while arrays[offset] & 0x3F != 33 { offset += 5 + Int(arrays[offset + 3]) << 8 + Int(arrays[offset + 4]) }
          let length = Int(arrays[offset + 3]) << 8 + Int(arrays[offset + 4])
          let unit = arrays[offset + 3..<offset + 5 + length]
          let many = arrays[..<(offset + 1)] + [0, UInt8(count)] + (0..<count).flatMap { _ in unit }
          content = content[..<23] + many + arrays[(offset + 5 + length)...]
        }
      }
      #expect(try repeated(16) == nil)
      let tooMany = try repeated(17)
      #expect(tooMany?.kind == "corrupt" && tooMany.map { "\($0)".contains("sequences") } == true)
    }

    @Test func cancellationReachesTheTiles() throws {
      let cancellation = Cancellation()
      let job = Job(limits: Limits(), cancellation: cancellation) { _ in cancellation.cancel() }
      let file = try Self.grid().encoded()
      #expect(throws: FaceCropError.cancelled) {
        try withSession(file, job: job) { (session) throws(FaceCropError) in
          try session.region(PixelRect(x: 0, y: 0, width: 350, height: 230))
        }
      }
    }

    @Test func namesUnsupportedVariants() throws {
      var overlay = HEIFBuilder()
      overlay.items = [.init(type: "iovl", properties: [HEIFBuilder.size(64, 64)], data: [0])]
      expectFault("unsupported", naming: "'iovl'") {
        try withSession(overlay.encoded()) { (session) throws(FaceCropError) in session.header.size }
      }
      var loop = HEIFBuilder()
      loop.items = [.init(type: "iden", properties: [HEIFBuilder.size(64, 64)], data: [])]
      loop.references = [("dimg", 1, [1])]
      expectFault("unsupported", naming: "derived") {
        try withSession(loop.encoded()) { (session) throws(FaceCropError) in session.header.size }
      }
      let sequence =
        Array(HEIFBuilder().encoded().prefix(24)) + HEIFBuilder.box("moov", [UInt8](repeating: 0, count: 40))
      expectFault("unsupported", naming: "sequence") {
        try withSession(sequence) { (session) throws(FaceCropError) in session.header.size }
      }
    }

    @Test func noCutOrFlipIsMoreThanAnError() throws {
      var random = SplitMix64(seed: 31)
      let files = try [
        Self.grid().encoded(), HEIFBuilder(CodedItem(Self.pattern, codec: .av1)).encoded(),
        HEIFBuilder(CodedItem(Self.pattern, depth: 10), HEIFBuilder.codePoints(9, 16, 9), HEIFBuilder.rotation(1))
          .encoded(),
      ]
      var limits = Limits()
      limits.pixels = 1_000_000
      for whole in files {
        for round in 0..<200 {
          var bytes =
            round.isMultiple(of: 4) ? Array(whole.prefix(Int.random(in: 1...whole.count, using: &random))) : whole
          // Usually in the table of contents.
          let end = round.isMultiple(of: 2) ? bytes.count : min(bytes.count, 1_500)
          for _ in 0..<Int.random(in: 1...3, using: &random) {
            bytes[Int.random(in: 0..<end, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
          }
          _ = try? withSession(bytes, limits: limits, allowsDamage: true) { (session) throws(FaceCropError) in
            _ = try session.overview(format: .rgb)
            return try session.region(random.rect(in: session.header.size))
          }
        }
      }
    }
  }
#endif
