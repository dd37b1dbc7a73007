#if HEIF
  import TestSupport
  import Testing

  @testable import FaceCrop

  /// Gain maps of HEIF files, Apple's and ISO 21496-1's, in the crops of their pictures.
  @Suite struct HEIFGainMapTests {
    /// Fractions for one color.
    private static let iso: [UInt8] = [0, 0, 0, 0, 0x40] + (0..<56).map { $0 }
    private static let size = PixelSize(width: 1_200, height: 800)
    private static let auxiliary = HEIFBuilder.box(
      "auxC", [0, 0, 0, 0] + Array("urn:com:apple:photo:2020:aux:hdrgainmap\0".utf8))

    private struct Recipe {
      var kind = GainMap.Kind.iso
      var codec = CodedItem.Codec.av1
      var map = Pixels.testPattern(width: 300, height: 200, channels: 1, seed: 8)
      var pictureProperties: [[UInt8]] = []
      var mapProperties: [[UInt8]] = []
      /// Of the item that is derived from both.
      var description: [UInt8] = [0] + HEIFGainMapTests.iso
      var packet: String?
      var exif: [UInt8]?

      func encoded() throws -> [UInt8] {
        var builder = HEIFBuilder()
        builder.brand = codec == .hevc ? "heic" : "avif"
        let picture = Pixels.testPattern(width: 1_200, height: 800)
        builder.primary = builder.add(try CodedItem(picture, codec: codec), pictureProperties)
        let own = kind == .apple ? [HEIFGainMapTests.auxiliary] : []
        let item = builder.add(try CodedItem(map, codec: codec, quality: 100), own + mapProperties)
        if kind == .apple {
          builder.references.append(("auxl", item, [1]))
        } else {
          builder.items.append(HEIFBuilder.Item(type: "tmap", properties: [], data: description))
          builder.references.append(("dimg", builder.items.count, [1, item]))
        }
        if let packet { builder.addXMP(Array(packet.utf8), of: item) }
        if let exif { builder.addEXIF(exif, of: 1) }
        return builder.encoded()
      }

      /// The map alone.
      func mapFile() throws -> [UInt8] { HEIFBuilder(try CodedItem(map, codec: codec, quality: 100)).encoded() }
    }

    private static func crop(
      _ file: [UInt8], _ rect: PixelRect? = nil, of size: PixelSize = size, sizes: [OutputSize] = [],
      policy: GainMapPolicy = .keep
    ) async throws -> CropResult<RenderedCrop> {
      let region = (rect ?? PixelRect(whole: size, scale: 8)).normalized(in: size)
      let plan = CropPlan(
        source: size, detector: "none", faces: [], crops: [CropPlan.Crop(region: region, faces: [])])
      let output = CropOutput(sizes: sizes, gainMap: policy)
      return try await FaceCropper().render(plan, from: .bytes(file), output: output)
    }

    private static func info(_ file: [UInt8]) throws -> ImageInfo {
      try ImageInfo(reading: file.span, isFileMapping: false, job: .forTests())
    }

    @Test(arguments: [GainMap.Kind.iso, .apple], CodedItem.Codec.allCases)
    func theMapsRegionIsThePictures(kind: GainMap.Kind, codec: CodedItem.Codec) async throws {
      let recipe = Recipe(kind: kind, codec: codec)
      let file = try recipe.encoded()
      let whole = try decoded(recipe.mapFile())
      for rect in [PixelRect(x: 100, y: 200, width: 600, height: 400), PixelRect(whole: Self.size, scale: 8)] {
        let result = try await Self.crop(file, rect)
        let map = try #require(result.crops.first?.gainMap)
        #expect(map.kind == kind && result.warnings.isEmpty)
        let part = PixelRect(x: rect.x / 4, y: rect.y / 4, width: rect.width / 4, height: rect.height / 4)
        #expect(Pixels(map.pixels) == whole.cropped(part))
      }
      let info = try Self.info(file)
      #expect(info.gainMap?.kind == kind && info.gainMap?.size == PixelSize(width: 300, height: 200))
      let plain = try Self.info(HEIFBuilder(CodedItem(.testPattern(width: 1_200, height: 800), codec: codec)).encoded())
      #expect(info.memory > plain.memory && info.cost > plain.cost && plain.gainMap == nil)
    }

    /// What a reader of the output is told is what the input says.
    @Test func outputsSayWhatInputsSay() async throws {
      let headroom = Recipe(kind: .apple, exif: GainMapBuilder.appleNote(headroom: 1_500, gain: 0))
      let said = Recipe(
        kind: .apple,
        packet: GainMapBuilder.packet(
          GainMapBuilder.apple + " HDRGainMap:HDRGainMapHeadroom=\"4.5\""))
      for (recipe, properties) in [
        (Recipe(), [:]), (headroom, ["HDRGainMapHeadroom": ["8.0"]]),
        (said, ["HDRGainMapVersion": ["65536"], "HDRGainMapHeadroom": ["4.5"]]),
      ] {
        let crop = try #require(try await Self.crop(recipe.encoded()).crops.first)
        let jpeg = try await FaceCropper().encode(crop, as: .jpeg(quality: 90))
        let info = try Self.info(jpeg)
        #expect(info.gainMap?.kind == recipe.kind && info.gainMap?.size == PixelSize(width: 300, height: 200))
        let again = try #require(try await Self.crop(jpeg).crops.first?.gainMap)
        #expect(again.metadata.properties == properties)
        #expect(again.metadata.iso == (recipe.kind == .iso ? Self.iso : nil))
      }
    }

    /// A map is turned as its picture is, also where nothing is said of that.
    @Test(arguments: [false, true]) func theMapIsTurnedWithThePicture(isSaid: Bool) async throws {
      let turn = HEIFBuilder.rotation(1)
      let recipe = Recipe(pictureProperties: [turn], mapProperties: isSaid ? [turn] : [])
      let turned = PixelSize(width: 800, height: 1_200)
      let rect = PixelRect(x: 40, y: 80, width: 400, height: 320)
      let crop = try #require(try await Self.crop(recipe.encoded(), rect, of: turned).crops.first)
      let upright = PixelBuffer(try decoded(recipe.mapFile())).upright(.left)
      #expect(crop.gainMap?.pixels == upright.cropped(to: PixelRect(x: 10, y: 20, width: 100, height: 80)))
    }

    @Test func warnsOfADroppedGainMap() async throws {
      let file = try Recipe().encoded()
      #expect(try await Self.crop(file, policy: .otherFormat).warnings == [.gainMapDropped(.format)])
      let small = try await Self.crop(file, sizes: [.longSide(300)], policy: .automatic)
      #expect(small.warnings.contains(.gainMapDropped(.smallOutput)) && small.crops[0].gainMap == nil)
      #expect(try await Self.crop(file, policy: .drop).warnings.isEmpty)
      let unusable = [
        // A version of the item, and one of the standard's structure, that are not known; a structure that is cut.
        Recipe(description: [1] + Self.iso), Recipe(description: [0, 0, 9] + Self.iso.dropFirst(2)),
        Recipe(description: [0] + Self.iso.dropLast()), Recipe(description: [0] + [UInt8](repeating: 0, count: 2_000)),
        // Another turn, another shape, an HDR picture, and a map that is far too large.
        Recipe(mapProperties: [HEIFBuilder.rotation(1)]),
        Recipe(map: .testPattern(width: 200, height: 200, channels: 1)),
        Recipe(pictureProperties: [HEIFBuilder.codePoints(9, 16, 9)]),
      ]
      for (index, recipe) in unusable.enumerated() {
        let result = try await Self.crop(recipe.encoded())
        #expect(result.crops[0].gainMap == nil && result.warnings == [.gainMapDropped(.unusable)], "\(index)")
      }
    }

    @Test func mapsCountAgainstTheLimits() throws {
      let file = try Recipe().encoded()
      func map(_ change: (inout Limits) -> Void) throws -> GainMapSource? {
        var limits = Limits()
        change(&limits)
        return try Codecs.withSession(
          file.span, isFileMapping: false, allowsDamage: false, job: .forTests(limits: limits)
        ) { (session) throws(FaceCropError) in try session.gainMap() }
      }
      let both = 1_200 * 800 + 300 * 200
      #expect(try map { $0.pixels = both } != nil)
      #expect(throws: FaceCropError.overLimit(.pixels, actual: both, allowed: both - 1)) {
        try map { $0.pixels = both - 1 }
      }
      // An item that says to be far larger than the picture, and is not decoded.
      var builder = HEIFBuilder()
      builder.brand = "avif"
      let picture = try CodedItem(.testPattern(width: 192, height: 128), codec: .av1)
      var large = try CodedItem(Pixels.testPattern(width: 192, height: 128).gray, codec: .av1)
      (large.width, large.height) = (1_920, 1_280)
      builder.primary = builder.add(picture)
      builder.references.append(("auxl", builder.add(large, [Self.auxiliary]), [1]))
      #expect(throws: FaceCropError.self) {
        try withSession(builder.encoded()) { (session) throws(FaceCropError) in _ = try session.session.gainMap() }
      }
    }
  }
#endif
