import FoundationEssentials
import TestSupport
import Testing

@testable import FaceCrop

/// A crop of an image with a gain map has the same region of the map, with the input's metadata.
@Suite struct GainMapTests {
  private static let numbers =
    "<hdrgm:GainMapMax><rdf:Seq><rdf:li>1.25</rdf:li><rdf:li>1.5</rdf:li><rdf:li>2</rdf:li></rdf:Seq></hdrgm:GainMapMax>"
    + "<hdrgm:OffsetSDR>0.015625</hdrgm:OffsetSDR>"
  /// Fractions for one color.
  private static let iso: [UInt8] = [0, 0, 0, 0, 0x40] + (0..<56).map { $0 }

  /// Builds an image of 1,200 × 800 pixels with a map of a quarter of that.
  private static func builder(
    _ kind: GainMap.Kind, orientation: Int = 1, mapSize: PixelSize = PixelSize(width: 300, height: 200),
    channels: Int = 3
  ) throws -> GainMapBuilder {
    let recipe = channels == 1 ? JPEGRecipe.gray : .baseline444
    let pattern = Pixels.testPattern(width: mapSize.width, height: mapSize.height, channels: channels, seed: 8)
    var builder = GainMapBuilder(
      picture: try JPEGRecipe.baseline420.encode(.testPattern(width: 1_200, height: 800)),
      map: try recipe.encode(pattern))
    if orientation != 1 { builder.exif = EXIFBuilder.tiff(orientation: UInt16(orientation)) }
    switch kind {
    case .ultraHDR:
      builder.picturePacket = GainMapBuilder.packet(GainMapBuilder.hdrgm)
      builder.mapPacket = GainMapBuilder.packet(GainMapBuilder.hdrgm + " hdrgm:Gamma=\"0.5\"", numbers)
    case .iso: builder.iso = iso
    case .apple:
      builder.mapPacket = GainMapBuilder.packet(GainMapBuilder.apple)
      if orientation == 1 { builder.exif = GainMapBuilder.appleNote(headroom: 1_500, gain: 0) }
    }
    return builder
  }

  private static func crop(
    _ file: [UInt8], _ rect: PixelRect? = nil, sizes: [OutputSize] = [], policy: GainMapPolicy = .keep,
    turned isTurned: Bool = false, change: (inout CropOutput) -> Void = { _ in }
  ) async throws -> CropResult<RenderedCrop> {
    let size = isTurned ? PixelSize(width: 800, height: 1_200) : PixelSize(width: 1_200, height: 800)
    let rect = rect ?? PixelRect(whole: size, scale: 8)
    let region = NormalizedRect(
      x: Double(rect.x) / Double(size.width), y: Double(rect.y) / Double(size.height),
      width: Double(rect.width) / Double(size.width), height: Double(rect.height) / Double(size.height))
    let plan = CropPlan(
      source: size, detector: "none", faces: [], crops: [CropPlan.Crop(region: region, faces: [])])
    var output = CropOutput(sizes: sizes, gainMap: policy)
    change(&output)
    return try await FaceCropper().render(plan, from: .bytes(file), output: output)
  }

  /// Returns the second image of a file, by its index.
  private static func map(of file: [UInt8]) throws -> (bytes: [UInt8], metadata: GainMap.Metadata?) {
    try unsafe file.withUnsafeBufferPointer { bytes in
      let source = unsafe ImageBytes(bytes, isFileMapping: false)
      let header = try JPEGHeader(reading: file.span, job: .forTests())
      let index = try #require(header.multiPicture)
      let others = try MultiPicture.others(in: source, index, .forTests())
      let range = try #require(others.first)
      let map = Array(file[range])
      #expect(range.upperBound == file.count)
      let own = try JPEGHeader(reading: map.span, job: .forTests())
      return (map, try GainMap.Metadata(packet: own.credits.xmp, iso: own.gainMap, headroom: nil, .forTests()))
    }
  }

  @Test(arguments: GainMap.Kind.allCases) func theMapsRegionIsThePictures(kind: GainMap.Kind) async throws {
    for channels in [1, 3] {
      let builder = try Self.builder(kind, channels: channels)
      let whole = try referencePixels(builder.map)
      for rect in [
        PixelRect(x: 100, y: 200, width: 600, height: 400), PixelRect(x: 0, y: 0, width: 1_200, height: 800),
      ] {
        let crop = try #require(try await Self.crop(builder.encoded(), rect).crops.first)
        let map = try #require(crop.gainMap)
        #expect(map.kind == kind)
        #expect(
          Pixels(map.pixels)
            == whole.cropped(
              PixelRect(x: rect.x / 4, y: rect.y / 4, width: rect.width / 4, height: rect.height / 4)))
      }
    }
  }

  @Test(arguments: 1...8) func theMapIsTurnedWithThePicture(orientation: Int) async throws {
    let file = try Self.builder(.ultraHDR, orientation: orientation).encoded()
    let isTurned = orientation > 4
    let rect = PixelRect(x: 40, y: 80, width: 400, height: 320)
    let crop = try #require(try await Self.crop(file, rect, turned: isTurned).crops.first)
    let upright = PixelBuffer(try referencePixels(Self.builder(.ultraHDR).map)).upright(
      try #require(Orientation(rawValue: orientation)))
    #expect(crop.gainMap?.pixels == upright.cropped(to: PixelRect(x: 10, y: 20, width: 100, height: 80)))
  }

  /// The crop's border may lie inside the map's pixels, and the map is scaled like its image.
  @Test func theMapHasThePicturesPixelsInProportion() async throws {
    let file = try Self.builder(.ultraHDR).encoded()
    let rect = PixelRect(x: 101, y: 203, width: 603, height: 398)
    for (side, width) in [(nil, 151), (300, 75), (60, 15)] as [(Int?, Int)] {
      let crop = try #require(
        try await Self.crop(file, rect, sizes: side.map { [.longSide($0)] } ?? []).crops.first)
      let map = try #require(crop.gainMap)
      #expect(map.pixels.width == width && abs(map.pixels.height - width * 398 / 603) <= 1)
    }
    // In a ramp, the region's mean shows its position in the image.
    var builder = try Self.builder(.ultraHDR)
    let ramp = Pixels(
      width: 300, height: 200, channels: 1, samples: (0..<60_000).map { UInt8($0 % 300 * 255 / 299) })
    builder.map = try JPEGRecipe.gray.with { $0.quality = 100 }.encode(ramp)
    let map = try #require(try await Self.crop(builder.encoded(), rect).crops.first?.gainMap)
    let mean = map.pixels.bytes.reduce(0.0) { $0 + Double($1) } / Double(map.pixels.bytes.count)
    #expect(abs(mean - (101 + 301.5) / 1_200 * 255) < 1)
  }

  @Test(arguments: GainMap.Kind.allCases, [false, true])
  func theFileSaysWhatTheInputsSaid(kind: GainMap.Kind, isLossless: Bool) async throws {
    var builder = try Self.builder(kind)
    if kind == .ultraHDR { builder.iso = Self.iso }
    builder.isBigEndian = isLossless
    let file = builder.encoded()
    let cropper = FaceCropper()
    let plan = CropPlan(
      source: PixelSize(width: 1_200, height: 800), detector: "none", faces: [],
      crops: [CropPlan.Crop(region: NormalizedRect(x: 0, y: 0, width: 0.48, height: 1), faces: [])])
    let written: [UInt8]
    let plain: [UInt8]
    if isLossless {
      func cut(_ gainMap: GainMapPolicy) async throws -> [UInt8] {
        let request = CropRequest(output: CropOutput(gainMap: gainMap))
        return try #require(try await cropper.cutLosslessly(.bytes(file), plan: plan, request: request).crops.first)
          .bytes
      }
      (written, plain) = (try await cut(.keep), try await cut(.drop))
    } else {
      var crop = try #require(try await Self.crop(file, PixelRect(x: 0, y: 0, width: 576, height: 800)).crops.first)
      written = try await cropper.encode(crop, as: .jpeg(quality: 90))
      crop.gainMap = nil
      plain = try await cropper.encode(crop, as: .jpeg(quality: 90))
    }
    // The image is the same as without a map.
    #expect(try referencePixels(written) == referencePixels(plain))
    let info = try await cropper.info(of: .bytes(written))
    #expect(info.gainMap == ImageInfo.GainMapInfo(kind: kind, size: PixelSize(width: 144, height: 200)))
    #expect(info.warnings.isEmpty && info.size == PixelSize(width: 576, height: 800))
    let (map, metadata) = try Self.map(of: written)
    #expect(
      try referencePixels(map).maximumDifference(
        from: referencePixels(builder.map).cropped(PixelRect(x: 0, y: 0, width: 144, height: 200))) < 90)
    switch kind {
    case .ultraHDR:
      #expect(
        metadata?.properties == ["GainMapMax": ["1.25", "1.5", "2"], "OffsetSDR": ["0.015625"], "Gamma": ["0.5"]])
      #expect(metadata?.iso == Self.iso)
      let text = String(decoding: written, as: UTF8.self)
      #expect(text.contains("Item:Length=\"\(map.count)\"") && text.contains("Item:Semantic=\"GainMap\""))
    case .iso: #expect(metadata?.iso == Self.iso)
    case .apple:
      // 3 stops, by Apple's formula.
      #expect(metadata?.properties == ["HDRGainMapVersion": ["65536"], "HDRGainMapHeadroom": ["8.0"]])
    }
    // A crop of the crop has it too.
    #expect(try await cropper.info(of: .bytes(written)).gainMap != nil)
  }

  @Test func creditsStayBesideTheMap() async throws {
    var builder = try Self.builder(.ultraHDR)
    builder.picturePacket = GainMapBuilder.packet(
      GainMapBuilder.hdrgm + " xmlns:photoshop=\"http://ns.adobe.com/photoshop/1.0/\" photoshop:Credit=\"Ada\"")
    let crop = try #require(
      try await Self.crop(builder.encoded(), change: { $0.metadata = .copyright }).crops.first)
    let written = try await FaceCropper().encode(crop, as: .jpeg(quality: 80))
    let info = try await FaceCropper().info(of: .bytes(written))
    #expect(info.credits.creditLine == "Ada" && info.gainMap?.kind == .ultraHDR)
    let packets = written.indices.filter { written[$0...].starts(with: Array("http://ns.adobe.com/xap/1.0/\0".utf8)) }
    #expect(packets.count == 2, "one of each picture")
  }

  @Test func warnsOfADroppedGainMap() async throws {
    let file = try Self.builder(.ultraHDR).encoded()
    func dropped(
      _ policy: GainMapPolicy, sizes: [OutputSize] = [], _ change: (inout CropOutput) -> Void = { _ in }
    ) async throws -> (maps: [Bool], warnings: [CropWarning]) {
      let result = try await Self.crop(file, sizes: sizes, policy: policy, change: change)
      return (result.crops.map { $0.gainMap != nil }, result.warnings)
    }
    #expect(try await dropped(.automatic) == ([true], []))
    #expect(
      try await dropped(.automatic, sizes: [.longSide(1_000), .longSide(1_001)]) == (
        [false, true], [.gainMapDropped(.smallOutput)]
      ))
    #expect(try await dropped(.keep, sizes: [.longSide(100)]) == ([true], []))
    #expect(try await dropped(.drop) == ([false], []))
    #expect(try await dropped(.otherFormat) == ([false], [.gainMapDropped(.format)]))
    #expect(try await dropped(.keep) { $0.shape = .circle } == ([false], [.gainMapDropped(.shape)]))
    let plain = try JPEGRecipe.baseline420.encode(.testPattern(width: 1_200, height: 800))
    #expect(try await Self.crop(plain).warnings.isEmpty)
  }

  // MARK: Hostile files

  @Test func aMapThatIsOfNoUseLeavesThePictureWhole() async throws {
    func builder(_ change: (inout GainMapBuilder) throws -> Void) throws -> [UInt8] {
      var builder = try Self.builder(.ultraHDR)
      try change(&builder)
      return builder.encoded()
    }
    let files: [(name: String, file: [UInt8], isSaid: Bool)] = [
      ("behind the end", try builder { $0.saidOffset = 1 << 30 }, false),
      ("no JPEG", try builder { $0.saidOffset = 20 }, false),
      ("another picture", try builder { $0.mapPacket = nil }, false),
      (
        "no number",
        try builder { $0.mapPacket = GainMapBuilder.packet(GainMapBuilder.hdrgm + " hdrgm:GainMapMax=\"much\"") }, false
      ),
      ("without its end", try builder { $0.saidLength = 900 }, true),
      ("a lossless one", try builder { $0.map = try JPEGSurgery.patchingFrame(of: $0.map, type: 0xC3) }, true),
      ("of another shape", try Self.builder(.ultraHDR, mapSize: PixelSize(width: 300, height: 150)).encoded(), true),
      (
        "cut", Array(try Self.builder(.ultraHDR).encoded().dropLast(2_000)), true
      ),
    ]
    for (name, file, isSaid) in files {
      let result = try await Self.crop(file)
      #expect(result.crops[0].gainMap == nil, "\(name)")
      #expect(result.warnings == (isSaid ? [.gainMapDropped(.unusable)] : []), "\(name)")
      #expect(result.crops[0].pixels.size == PixelSize(width: 1_200, height: 800))
    }
  }

  /// Only numbers are copied.
  @Test func copiesOnlyNumbers() throws {
    func metadata(_ attributes: String, iso: [UInt8]? = nil) -> GainMap.Metadata? {
      try? GainMap.Metadata(
        packet: Array(GainMapBuilder.packet(GainMapBuilder.hdrgm + attributes).utf8), iso: iso, headroom: nil,
        .forTests())
    }
    #expect(metadata(" hdrgm:GainMapMax=\"2\" hdrgm:Gamma=\"&lt;a/&gt;\"")?.properties == ["GainMapMax": ["2"]])
    #expect(metadata(" hdrgm:GainMapMax=\"0x10\"") == nil && metadata(" hdrgm:GainMapMax=\"nan\"") == nil)
    #expect(metadata(" hdrgm:GainMapMax=\"\(String(repeating: "1", count: 41))\"") == nil)
    // Data after the structure are dropped, and half of a structure is refused.
    #expect(metadata("", iso: Self.iso + [1, 2, 3])?.iso == Self.iso)
    #expect(metadata("", iso: Array(Self.iso.dropLast())) == nil)
  }

  // MARK: Real files

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "../shared/raster/gainmap").standardizedFileURL

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: folder.path)),
    arguments: [
      ("libavif__apple_gainmap_old.jpg", 44_821), ("libavif__paris_exif_xmp_gainmap_littleendian.jpg", 33_487),
      ("libavif__seine_sdr_different_gainmap_srgb.jpg", 114_562),
    ]) func realMapsAreCutWhereThePictureIs(file: String, place: Int) async throws
  {
    let bytes = try [UInt8](Data(contentsOf: Self.folder.appending(path: file)))
    // The position from exiftool.
    let whole = try referencePixels(Array(bytes[place...]))
    let size = try await FaceCropper().info(of: .bytes(bytes)).size
    let plan = CropPlan(
      source: size, detector: "none", faces: [],
      crops: [CropPlan.Crop(region: NormalizedRect(x: 0, y: 0, width: 1, height: 1), faces: [])])
    let result = try await FaceCropper().render(plan, from: .bytes(bytes), output: CropOutput(gainMap: .keep))
    let map = try #require(result.crops.first?.gainMap)
    #expect(Pixels(map.pixels) == whole)
  }
}
