import FoundationEssentials
import TestSupport
import Testing

@testable import FaceCrop

/// A RAW file is read as its largest JPEG; apart from that, only its directories are read.
@Suite struct RAWSessionTests {
  private static let pattern = Pixels.testPattern(width: 301, height: 203, seed: 4)

  /// Builds a file with a small thumbnail, and with the sensor's samples as lossless JPEG, which has the most pixels.
  private static func builder(
    _ kind: RAWBuilder.Kind, _ recipe: JPEGRecipe = .baseline420, _ pixels: Pixels = pattern
  ) throws -> RAWBuilder {
    let thumbnail = try JPEGRecipe.baseline420.encode(.testPattern(width: 40, height: 27))
    let lossless = try JPEGSurgery.patchingFrame(of: thumbnail, type: 0xC3, width: 6_000, height: 4_000)
    return RAWBuilder(kind, preview: try recipe.encode(pixels), thumbnail: thumbnail, samples: lossless)
  }

  @Test(arguments: RAWBuilder.Kind.allCases) func theLargestPreviewIsThePicture(kind: RAWBuilder.Kind) throws {
    for recipe in [JPEGRecipe.baseline420, .progressive] {
      var raw = try Self.builder(kind, recipe)
      raw.orientation = kind == .raf ? 1 : 6
      let whole = try referencePixels(raw.preview)
      var random = SplitMix64(seed: 9)
      try withSession(raw.encoded()) { (session) throws(FaceCropError) in
        let header = session.header
        #expect(session.format == .raw && header.size == PixelSize(width: 301, height: 203))
        #expect(header.raw?.kind.rawValue == kind.rawValue)
        #expect(header.raw?.camera == (kind == .dng || kind == .raf ? "\(raw.make) \(raw.model)" : Self.camera(raw)))
        let border = kind == .cr3 ? 80 : 0
        #expect(header.raw?.sensorSize == PixelSize(width: 6_000 + border, height: 4_000 + border * 3 / 4))
        #expect(header.orientation == (kind == .raf ? .up : .right))
        for isLooked in [false, true] {
          if isLooked { _ = try session.overview(format: .rgb, smallest: 160) }
          for _ in 0..<5 {
            let rect = random.rect(in: header.size)
            #expect(Pixels(try session.region(rect)) == whole.cropped(rect), "\(rect)")
          }
        }
        #expect(session.warnings.isEmpty)
      }
    }
  }

  /// Returns the camera's name; most models begin with their maker's name.
  private static func camera(_ raw: RAWBuilder) -> String {
    let maker = raw.make.split(separator: " ")[0].lowercased()
    return raw.model.lowercased().hasPrefix(maker) ? raw.model : "\(raw.make) \(raw.model)"
  }

  @Test(arguments: RAWBuilder.Kind.allCases) func whatTheSensorSawIsNoPicture(kind: RAWBuilder.Kind) throws {
    var raw = try Self.builder(kind)
    (raw.preview, raw.thumbnail) = (raw.samples, Array("no picture".utf8))
    let error = #expect(throws: FaceCropError.self) { try withSession(raw.encoded()) { _ in } }
    #expect(error?.kind == "unsupported")
    #expect("\(error!)".contains("(\(kind.rawValue.uppercased()))") && "\(error!)".contains("JPEG"))
    // One preview is enough.
    raw.preview = raw.thumbnail
    raw.thumbnail = try Self.builder(kind).thumbnail
    guard [.cr2, .arw, .dng, .pef, .srw].contains(kind) else { return }
    try withSession(raw.encoded()) { (session) throws(FaceCropError) in
      #expect(session.header.size == PixelSize(width: 40, height: 27))
    }
  }

  @Test func aPreviewThatSaysHowItIsTurnedIsBelieved() throws {
    for (own, expected) in [(nil, Orientation.right), (1, .up), (8, .left)] as [(Int?, Orientation)] {
      let recipe = JPEGRecipe.baseline420.with { recipe in
        recipe.segments = own.map { [.exif(EXIFBuilder.tiff(orientation: UInt16($0), artist: "Ada"))] } ?? []
      }
      var raw = try Self.builder(.nef, recipe)
      raw.orientation = 6
      try withSession(raw.encoded()) { (session) throws(FaceCropError) in
        #expect(session.header.orientation == expected)
        // The preview's EXIF data, or else the file's.
        let exif = session.header.exif.flatMap { EXIF($0) }
        #expect((exif?.text(EXIFTags.artist, in: .main) != nil) == (own != nil))
        #expect((exif?.text(EXIFTags.dateTime, in: .main) != nil) == (own == nil))
      }
    }
  }

  @Test func infoOfTheCamera() async throws {
    var raw = try Self.builder(.cr3)
    raw.orientation = 8
    let bytes = raw.encoded()
    let info = try await FaceCropper().info(of: .bytes(bytes))
    #expect(info.format == .raw && info.fileBytes == bytes.count && info.hasEXIF)
    #expect(info.size == PixelSize(width: 203, height: 301))
    #expect(
      info.raw
        == RAWOrigin(kind: .cr3, camera: "Canon EOS R6", sensorSize: PixelSize(width: 6_080, height: 4_060)))
    #expect(info.captureDate == Date(timeIntervalSince1970: 1_795_602_030))
    let jpeg = try await FaceCropper().info(of: .bytes(raw.preview))
    #expect(jpeg.raw == nil && info.cost == jpeg.cost)
    #expect(info.memory - jpeg.memory <= 3 * 400, "the EXIF data")
  }

  @Test func anOutputThatThePreviewIsTooSmallForIsSaid() async throws {
    let cropper = FaceCropper(detector: StubDetector())
    var request = CropRequest()
    request.search.noFace = .center
    for (side, isSaid) in [(400, true), (100, false)] {
      request.output.sizes = [.longSide(side)]
      for (size, isSmall) in [
        (PixelSize(width: 6_000, height: 4_000), true), (PixelSize(width: 320, height: 210), false),
      ] {
        var raw = try Self.builder(.nef)
        raw.sensor = (size.width, size.height)
        let warnings = try await cropper.crop(.bytes(raw.encoded()), request: request).warnings
        let warning = CropWarning.smallPreview(preview: PixelSize(width: 301, height: 203), sensor: size)
        #expect(warnings.contains(warning) == (isSaid && isSmall), "\(warnings)")
      }
    }
  }

  @Test func aCropCanBeCutWithoutLoss() async throws {
    let raw = try Self.builder(.dng)
    let plan = CropPlan(
      source: PixelSize(width: 301, height: 203), detector: "none", faces: [],
      crops: [CropPlan.Crop(region: NormalizedRect(x: 0.2, y: 0.2, width: 0.5, height: 0.5), faces: [])])
    let cropper = FaceCropper()
    let own = try await cropper.cutLosslessly(.bytes(raw.encoded()), plan: plan)
    let jpeg = try await cropper.cutLosslessly(.bytes(raw.preview), plan: plan)
    #expect(own.crops.map(\.bytes) == jpeg.crops.map(\.bytes) && !own.crops.isEmpty)
  }

  // MARK: Hostile files

  private static let mark = TIFFTree.Entry(50_706, type: 1, count: 4, .bytes([1, 4, 0, 0]))

  @Test func manyEntriesAreRefused() throws {
    let entry = TIFFTree.Entry.short(0x9999, 1, .little)
    func file(_ count: Int) -> [UInt8] {
      let page = TIFFTree([TIFFTree.Entry](repeating: entry, count: count))
      return TIFFTree([Self.mark, .directories(330, [page, page, page])]).tiff(.little)
    }
    let error = #expect(throws: FaceCropError.self) { try withSession(file(8_000)) { _ in } }
    #expect(error?.kind == "unsupported" && "\(error!)".contains("20000"))
    let few = #expect(throws: FaceCropError.self) { try withSession(file(100)) { _ in } }
    #expect(few?.kind == "unsupported" && "\(few!)".contains("RAW") && "\(few!)".contains("JPEG"))
  }

  /// At most eight candidates are checked, each once.
  @Test func manyPreviewsAreNotAllLookedAt() throws {
    let jpeg = try JPEGRecipe.baseline420.encode(Self.pattern)
    func file(_ nothings: Int) -> [UInt8] {
      let pages = (0...nothings).map { index -> TIFFTree in
        let bytes = index == nothings ? jpeg : Array("nothing \(index)".utf8)
        return TIFFTree([
          TIFFTree.Entry(513, type: 4, count: 1, .offset(of: bytes)), .long(514, bytes.count, .little),
        ])
      }
      return TIFFTree([Self.mark, .directories(330, pages)]).tiff(.little)
    }
    try withSession(file(RAWContents.mostPreviews - 1)) { (session) throws(FaceCropError) in
      #expect(session.header.size.width == 301)
    }
    #expect(throws: FaceCropError.self) { try withSession(file(RAWContents.mostPreviews)) { _ in } }
  }

  @Test func thePictureOverALimitIsSaid() throws {
    var limits = Limits()
    limits.pixels = 100 * 100
    var raw = try Self.builder(.raf)
    raw.thumbnail = []
    #expect(throws: FaceCropError.overLimit(.pixels, actual: 301 * 203, allowed: 10_000)) {
      try withSession(raw.encoded(), limits: limits) { _ in }
    }
  }

  // MARK: Real files

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "../shared/raster/raw").standardizedFileURL

  /// Sizes and cameras from exiftool.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: folder.path)),
    arguments: [
      ("Magick.NET__DSC8695.dng", 600, 400, "NIKON D500"), ("exiv2__Canon-R6-pruned.CR3", 1_620, 1_080, "Canon EOS R6"),
      ("photoprism__canon_eos_6d.dng", 1_024, 683, "Canon EOS 6D"),
      ("pigallery2__test.dng", 510, 382, "Google Pixel 7"),
    ]) func realFilesAreRead(file: String, width: Int, height: Int, camera: String) async throws
  {
    let bytes = try [UInt8](Data(contentsOf: Self.folder.appending(path: file)))
    let info = try await FaceCropper().info(of: .bytes(bytes))
    #expect(info.format == .raw && info.storedSize == PixelSize(width: width, height: height))
    #expect(info.raw?.camera == camera)
    var request = CropRequest()
    request.search.noFace = .center
    let crop = try await FaceCropper(detector: StubDetector()).crop(.bytes(bytes), request: request)
    #expect(crop.crops[0].size.shortSide == min(width, height))
  }
}
