import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

/// Contents of headers. FaceCropCLITests measures real crops in separate processes.
@Suite struct ImageInfoTests {
  private static func info(_ bytes: [UInt8], limits: Limits = Limits()) async throws -> ImageInfo {
    try await FaceCropper(detector: StubDetector(), limits: limits).info(of: .bytes(bytes))
  }

  @Test func jpeg() async throws {
    let profile = ICCBuilder.profile(.displayP3, description: "Display P3")
    let jpeg = try JPEGRecipe.progressive.with {
      $0.segments =
        [.exif(EXIFBuilder.tiff(orientation: 6))] + ICCBuilder.segments(for: profile)
    }.encode(Pixels.testPattern(width: 61, height: 43))
    let info = try await Self.info(jpeg)
    #expect(info.format == .jpeg && info.fileBytes == jpeg.count)
    #expect(info.storedSize == PixelSize(width: 61, height: 43) && info.size == PixelSize(width: 43, height: 61))
    #expect(info.orientation == .right && info.hasEXIF && info.bitsPerSample == 8)
    #expect(info.profile == ImageInfo.ColorProfile(name: "Display P3", bytes: profile.count))
    #expect(info.isProgressive && !info.isAnimated && !info.isGray && !info.hasTransparency)
    #expect(info.warnings.isEmpty)

    let plain = try await Self.info(JPEGRecipe.gray.encode(Pixels.testPattern(width: 61, height: 43, channels: 1)))
    #expect(plain.isGray && !plain.isProgressive && !plain.hasEXIF && plain.profile == nil)
    let odd = ICCBuilder.segments(for: ICCBuilder.profile(.gray))
    let dropped = try await Self.info(
      JPEGRecipe.baseline420.with { $0.segments = odd }.encode(Pixels.testPattern(width: 61, height: 43)))
    #expect(dropped.profile == nil && dropped.warnings == [.profileDropped])
  }

  @Test(arguments: PNGBuilder.Color.allCases) func png(color: PNGBuilder.Color) async throws {
    for depth in color.depths {
      var png = PNGBuilder(width: 20, height: 10, color: color, depth: depth)
      let info = try await Self.info(png.encoded())
      #expect(info.format == .png && info.bitsPerSample == depth && !info.isProgressive && !info.isAnimated)
      #expect(info.isGray == (color == .gray) && info.hasTransparency == (color == .grayAlpha || color == .rgba))
      png.isInterlaced = true
      png.before = [("acTL", [0, 0, 0, 3, 0, 0, 0, 0])]
      png.behind = [PNGBuilder.exif(EXIFBuilder.tiff(orientation: 8))]
      let other = try await Self.info(png.encoded())
      #expect(other.isProgressive && other.isAnimated && other.hasEXIF && other.orientation == .left)
      #expect(other.size == PixelSize(width: 10, height: 20))
    }
  }

  @Test func webP() async throws {
    let opaque = Pixels.testPattern(width: 40, height: 30).rgba
    for quality in [nil, 80] as [Float?] {
      let info = try await Self.info(encodeWebP(opaque, quality: quality))
      #expect(info.format == .webp && info.size == PixelSize(width: 40, height: 30))
      #expect(!info.hasTransparency && !info.isProgressive && !info.isAnimated && info.bitsPerSample == 8)
    }
    let transparent = PNGBuilder(width: 40, height: 30, color: .rgba).pixels
    #expect(try await Self.info(encodeWebP(transparent, quality: 80)).hasTransparency)
  }

  @Test func namesOfProfiles() {
    #expect(ICCProfile.name(of: ICCBuilder.profile(.rgb, description: "Ada's display")) == "Ada's display")
    // Multi-localized: two records, the first in UTF-16.
    let name = "Größe".utf16.flatMap { $0.bigEndianBytes }
    var tag = Array("mluc\0\0\0\0".utf8) + [0, 0, 0, 1, 0, 0, 0, 12] + Array("enUS".utf8)
    tag += UInt32(name.count).bigEndianBytes + UInt32(28).bigEndianBytes + name
    let profile = ICCBuilder.profile(of: [("desc", tag)], "mntr", "RGB ", "XYZ ")
    #expect(ICCProfile.name(of: profile) == "Größe")
    for count in 0..<profile.count { _ = ICCProfile.name(of: Array(profile.prefix(count))) }
    for place in 128..<156 {
      var broken = profile
      broken[place] = 0xFF
      _ = ICCProfile.name(of: broken)
    }
  }

  // MARK: Only the header

  /// Returns files of all kinds that end where the pixels begin.
  private static func beginnings() throws -> [[UInt8]] {
    let pixels = Pixels.testPattern(width: 640, height: 480)
    let jpegs = try [JPEGRecipe.baseline420, .progressive].map { recipe in
      let jpeg = try recipe.encode(pixels)
      return Array(jpeg.prefix(try #require(JPEGSurgery.entropyOffset(in: jpeg))))
    }
    let webPs = try [nil, 80].map { Array(try encodeWebP(pixels.rgba, quality: $0).prefix(64)) }
    // The signature, the header, and the head of the first chunk of pixels.
    return jpegs + webPs + [Array(PNGBuilder(pixels).encoded().prefix(8 + 25 + 8))]
  }

  @Test func aFileThatEndsBehindItsHeaderStillAnswers() async throws {
    for bytes in try Self.beginnings() {
      let info = try await Self.info(bytes)
      #expect(info.size == PixelSize(width: 640, height: 480))
    }
  }

  /// Both refuse the same limits; only a crop counts scans.
  @Test func infoRefusesWhatACropRefuses() async throws {
    func kind(_ body: () async throws -> Void) async throws -> Limits.Kind? {
      do {
        try await body()
      } catch FaceCropError.overLimit(let kind, _, _) {
        return kind
      } catch is FaceCropError {
      }
      return nil
    }
    var refused = 0
    for file in try HostileFile.all() {
      let cropper = FaceCropper(detector: StubDetector())
      let byInfo = try await kind { _ = try await cropper.info(of: .bytes(file.bytes)) }
      let byCrop = try await kind { _ = try await cropper.crop(.bytes(file.bytes)) }
      #expect(byInfo == (byCrop == .scans ? nil : byCrop), "\(file.name)")
      if byInfo != nil { refused += 1 }
    }
    #expect(refused > 10)
  }

  #if HEIF
    /// A HIF of 33 megapixels as from a camera: 10 bits, 4:2:2, one piece.
    @Test func cameraFilesAreWithinTheLimits() async throws {
      for (width, height) in [(7_008, 4_672), (9_504, 6_336)] {
        var item = try CodedItem(Pixels.testPattern(width: 64, height: 64), codec: .hevc, depth: 10, chroma: "422")
        (item.width, item.height) = (width, height)
        let info = try await Self.info(HEIFBuilder(item).encoded() + [UInt8](repeating: 0, count: 20_000))
        #expect(info.size == PixelSize(width: width, height: height))
        #expect(info.memory < 1_100 << 20)
      }
    }
  #endif

  /// Almost none of the 50 MB after the header enter the page cache, except some megabytes of the system's read-ahead.
  @Test func aLargeFileIsNotRead() async throws {
    let size = 50_000_000
    for bytes in try Self.beginnings() {
      let path = FilePath("/var/tmp/facecrop-info-\(getpid())-\(UInt32.random(in: .min ... .max))")
      let file = try FileDescriptor.open(
        path, .readWrite, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
      defer {
        try? file.close()
        _ = unsafe path.withPlatformString { unsafe unlink($0) }
      }
      try file.writeAll(bytes)
      try file.resize(to: Int64(size))
      let before = try Self.residentBytes(of: file, size: size)
      _ = try await FaceCropper(detector: StubDetector()).info(of: .file(path))
      let read = try Self.residentBytes(of: file, size: size) - before
      #expect(read < 16 << 20, "\(read) bytes were read")
    }
  }

  private static func residentBytes(of file: FileDescriptor, size: Int) throws -> Int {
    let page = sysconf(Int32(_SC_PAGESIZE))
    guard let base = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, file.rawValue, 0), unsafe base != MAP_FAILED else {
      throw FixtureError("no mapping")
    }
    defer { unsafe munmap(base, size) }
    var pages = [UInt8](repeating: 0, count: (size + page - 1) / page)
    guard unsafe mincore(base, size, &pages) == 0 else { throw FixtureError("no mincore") }
    return pages.count { $0 & 1 == 1 } * page
  }

  // MARK: Estimates

  /// The parts of the formula that matter for large images, one by one.
  @Test func memoryFollowsWhatIsHeld() async throws {
    let pixels = Pixels.testPattern(width: 640, height: 480)
    func memory(_ recipe: JPEGRecipe, _ size: (UInt16, UInt16) = (5_000, 4_000)) async throws -> Double {
      let jpeg = try JPEGSurgery.patchingFrame(of: recipe.encode(pixels), width: size.0, height: size.1)
      return Double(try await Self.info(jpeg).memory)
    }
    let megapixels = 20e6
    let baseline = try await memory(.baseline420)
    // The pixels, and a file of noise in the worst case.
    #expect((4 * megapixels...5.2 * megapixels).contains(baseline))
    // Coefficients: 3 bytes a pixel, or 6.
    let progressive = try await memory(.progressive)
    let full = try await memory(.baseline444.with { $0.progressive = true })
    #expect((2.5 * megapixels...3.2 * megapixels).contains(progressive - baseline))
    #expect((2.9 * megapixels...3.1 * megapixels).contains(full - progressive))
    // It is rotated while it is decoded.
    let turned = try await memory(
      .baseline420.with { $0.segments = [.exif(EXIFBuilder.tiff(orientation: 6))] })
    #expect(abs(turned - baseline) < 1e5)
    // Four times the pixels take less than four times the memory, since smaller outputs optimize Huffman tables.
    let quarter = try await memory(.baseline420, (2_500, 2_000))
    #expect((1.9...4).contains(baseline / quarter))
  }

  /// Ten jobs of small avatars fit where two of whole images would.
  @Test func memoryForSmallOutputsIsLess() async throws {
    let pixels = Pixels.testPattern(width: 640, height: 480)
    let jpeg = try JPEGSurgery.patchingFrame(of: JPEGRecipe.baseline420.encode(pixels), width: 10_000, height: 8_000)
    let info = try await Self.info(jpeg)
    var request = CropRequest()
    #expect(info.memory(for: request) == info.memory)
    request.output.sizes = [.longSide(64)]
    let small = info.memory(for: request)
    #expect(small < info.memory / 4)
    // An image twice as wide as high may have a region of any shape.
    request.output.sizes = [.exact(width: 640, height: 640)]
    #expect(info.memory(for: request) > small)
    request.output.sizes = [.longSide(64), .longSide(4_096)]
    #expect(info.memory(for: request) > small)
    request.output.sizes = [.longSide(30_000)]
    #expect(info.memory(for: request) >= 3 * 80_000_000)
    request.output.allowsUpscaling = true
    #expect(info.memory(for: request) > 3 * 900_000_000)
    // The crops of several faces are made one after the other.
    request = CropRequest()
    request.output.sizes = [.longSide(64)]
    request.search.faces = .each
    #expect(info.memory(for: request) == small)
    // A circle is cut in a copy with alpha, and a frame may extend far past the image.
    request.search.faces = .union
    request.output.sizes = []
    request.output.shape = .circle
    #expect(info.memory(for: request) >= info.memory + 4 * 80_000_000)
    request.output.shape = .rectangle
    request.composition.layout = .framing(.avatar)
    request.pad(by: .edge)
    #expect(info.memory(for: request) >= info.memory + Limits().regionBytes)
    // So does the encoder: lossy WebP 4.5 bytes a pixel, lossless 35.
    request.composition.layout.edge = .shift
    let lossy = info.memory(for: request, as: .webp(quality: 80))
    #expect(info.memory(for: request, as: .webpLossless) > lossy + 30 * 80_000_000)
    #expect(info.memory(for: request, as: .jpeg(quality: 85, isProgressive: true)) >= info.memory + 3 * 80_000_000)
  }

  @Test func costFollowsTheWork() async throws {
    let pixels = Pixels.testPattern(width: 640, height: 480)
    let baseline = try await Self.info(JPEGRecipe.baseline420.encode(pixels)).cost
    let progressive = try await Self.info(JPEGRecipe.progressive.encode(pixels)).cost
    let png = try await Self.info(PNGBuilder(pixels).encoded()).cost
    #expect(baseline > 0 && baseline < progressive && progressive < png)
  }

  @Test func limitsAreThoseOfACrop() async throws {
    let jpeg = try JPEGSurgery.patchingFrame(
      of: JPEGRecipe.baseline420.encode(Pixels.testPattern(width: 640, height: 480)), width: 20_000, height: 20_000)
    await #expect(throws: FaceCropError.overLimit(.pixels, actual: 400_000_000, allowed: 100_000_000)) {
      try await Self.info(jpeg)
    }
    await #expect(throws: FaceCropError.self) { try await Self.info(Array("BM".utf8)) }
  }
}
