/// Small files that break rules, cost more than they seem to, or are just odd: the contents of Tests/Fixtures/bad.tar.xz.
public struct HostileFile: Sendable {
  /// `WHAT.KIND.EXTENSION`: the kind is that of the error, or `ok`.
  public let name: String
  public let bytes: [UInt8]

  public static func all() throws -> [HostileFile] {
    try jpeg() + png() + webP() + heif() + gif() + tiff() + raw() + jxl() + others
  }

  // MARK: JPEG XL

  private static func jxl() throws -> [HostileFile] {
    let pattern = Pixels.testPattern(width: 20, height: 14)
    let lossless = try JXLRecipe().encode(pattern)
    let boxed = try JXLRecipe().with {
      ($0.hasContainer, $0.distance) = (true, 1)
      $0.exif = EXIFBuilder.tiff(orientation: 6)
    }.encode(pattern)
    // Sides of 18 bits in the codestream's header, which has defaults otherwise (ISO/IEC 18181-1, annex D).
    let huge: [UInt8] = [0xFF, 0x0A, 0xFC, 0xFF, 0x1F, 0xFE, 0xFF, 0x3F] + [UInt8](repeating: 0, count: 8)
    var broken = boxed
    for place in broken.count - 40..<broken.count - 10 { broken[place] ^= 0x5A }
    return [
      HostileFile(name: "signature-only.corrupt.jxl", bytes: [0xFF, 0x0A]),
      HostileFile(name: "container-only.corrupt.jxl", bytes: Array(boxed.prefix(32))),
      HostileFile(name: "cut.truncated.jxl", bytes: Array(lossless.prefix(lossless.count - 20))),
      HostileFile(name: "bytes-of-nonsense.corrupt.jxl", bytes: broken),
      HostileFile(name: "side-262144.limit.jxl", bytes: huge),
      HostileFile(name: "inks.unsupported.jxl", bytes: try JXLRecipe().with { $0.hasBlackInk = true }.encode(pattern)),
      HostileFile(name: "frames.ok.jxl", bytes: try JXLRecipe().with { $0.frames = 2 }.encode(pattern)),
      HostileFile(name: "bytes-behind.ok.jxl", bytes: lossless + [1, 2, 3]),
      // Before version 0.11 the memory of libjxl cannot be bounded.
      HostileFile(
        name: "layers-of-25-times-the-image.\(JXLRecipe.countsMemory ? "unsupported" : "ok").jxl",
        bytes: try JXLRecipe().with { ($0.layers, $0.layerScale) = (5, 25) }.encode(pattern)),
    ]
  }

  // MARK: RAW

  private static func raw() throws -> [HostileFile] {
    let preview = try JPEGRecipe.gray.with { ($0.quality, $0.optimizedHuffman) = (20, true) }.encode(
      .testPattern(width: 16, height: 16, channels: 1))
    let lossless = try JPEGSurgery.patchingFrame(of: preview, type: 0xC3)
    func file(_ kind: RAWBuilder.Kind, _ preview: [UInt8], _ thumbnail: [UInt8] = [1, 2, 3]) -> [UInt8] {
      RAWBuilder(kind, preview: preview, thumbnail: thumbnail, samples: lossless).encoded()
    }
    func long(_ tag: UInt16, _ value: Int) -> TIFFTree.Entry { .long(tag, value, .little) }
    let mark = TIFFTree.Entry(50_706, type: 1, count: 4, .bytes([1, 4, 0, 0]))
    let outside = TIFFTree([mark, long(513, 0x7FFF_FFF0), long(514, 0x7FFF_FFFF)]).tiff(.little)
    // The first page is the next page, its own subdirectory, and its own EXIF directory.
    var circle = TIFFTree([mark, long(330, 8), long(0x8769, 8), long(513, 0), long(514, 0)], next: TIFFTree([]))
      .tiff(.little)
    circle.replaceSubrange(70..<74, with: [8, 0, 0, 0])
    return [
      HostileFile(name: "raw-offsets-outside.unsupported.dng", bytes: outside),
      HostileFile(name: "raw-directory-of-itself.unsupported.dng", bytes: circle),
      HostileFile(name: "raw-sensor-alone.unsupported.nef", bytes: file(.nef, lossless)),
      HostileFile(name: "raw-preview-is-no-jpeg.unsupported.arw", bytes: file(.arw, Array("a text".utf8))),
      HostileFile(name: "raw-preview-outside.unsupported.raf", bytes: Array(file(.raf, preview).prefix(140))),
      HostileFile(
        name: "raw-preview-cut.truncated.raf", bytes: Array(file(.raf, preview).prefix(148 + preview.count - 12))),
      HostileFile(name: "raw-header-cut.corrupt.raf", bytes: Array(file(.raf, preview).prefix(90))),
      HostileFile(name: "raw-movie-cut.unsupported.cr3", bytes: Array(file(.cr3, preview).prefix(200))),
      HostileFile(name: "raw.ok.orf", bytes: file(.orf, preview, preview)),
    ]
  }

  // MARK: JPEG

  private static func jpeg() throws -> [HostileFile] {
    let small = Pixels.testPattern(width: 16, height: 16)
    let tall = Pixels.testPattern(width: 32, height: 96)
    let lean = JPEGRecipe.baseline420.with { ($0.quality, $0.optimizedHuffman) = (20, true) }
    let gray = JPEGRecipe.gray.with { ($0.quality, $0.optimizedHuffman) = (20, true) }
    let file = try lean.encode(small)
    let markers = JPEGSurgery.markers(in: file)
    guard let frame = markers.first(where: \.isFrame), let scan = markers.last(where: { $0.code == 0xDA }) else {
      throw FixtureError("no frame or no scan")
    }
    func withFrame(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
      var payload = Array(file[frame.payload])
      change(&payload)
      return file[..<frame.offset] + MarkerSegment(code: frame.code, bytes: payload).encoded + file[frame.end...]
    }
    func sides(_ width: UInt16, _ height: UInt16, _ recipe: JPEGRecipe? = nil) throws -> [UInt8] {
      let file = try recipe?.with { $0.quality = 20 }.encode(small) ?? file
      return try JPEGSurgery.patchingFrame(of: file, width: width, height: height)
    }
    var files: [(String, [UInt8])] = [
      ("start-only.corrupt", [0xFF, 0xD8, 0xFF]),
      ("end-at-once.corrupt", [0xFF, 0xD8, 0xFF, 0xD9]),
      ("segment-without-length.corrupt", [0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0, 0]),
      ("eof-in-frame.corrupt", Array(file[..<(frame.offset + 9)])),
      ("eof-before-scan.corrupt", Array(file[..<scan.offset])),
      ("eof-in-scan-header.corrupt", Array(file[..<(scan.offset + 6)])),
      ("eof-behind-scan-header.truncated", Array(file[..<scan.end])),
      ("second-start.corrupt", Array(file[..<frame.offset] + [0xFF, 0xD8] + file[frame.offset...])),
      ("two-frames.corrupt", Array(file[..<frame.end] + file[frame.offset...])),
      // A second frame with other sides and arithmetic coding, truncated.
      (
        "frame-at-the-end.ok",
        JPEGSurgery.removingEOI(file) + [0xFF, 0xCA, 0xF8, 0xF8, 0xF8, 0xF8, 0xF8, 0xF8, 0xF8, 0xF8, 0xF8]
      ),
      ("no-frame.corrupt", JPEGSurgery.removing(code: frame.code, from: file)),
      ("no-quantization-tables.corrupt", JPEGSurgery.removing(code: 0xDB, from: file)),
      ("no-width.corrupt", try sides(0, 16)),
      ("no-height.unsupported", try sides(16, 0)),
      ("side-65535.limit", try sides(65_535, 8)),
      ("sides-65535.limit", try sides(65_535, 65_535)),
      ("megapixels-400.limit", try sides(20_000, 20_000)),
      ("coefficients-540-megabytes.limit", try sides(10_000, 9_000, .baseline444.with { $0.progressive = true })),
      ("precision-12.unsupported", try JPEGSurgery.patchingFrame(of: file, precision: 12)),
      ("lossless.unsupported", try JPEGSurgery.patchingFrame(of: file, type: 0xC3)),
      ("hierarchical.unsupported", try JPEGSurgery.patchingFrame(of: file, type: 0xC5)),
      ("frame-too-short.corrupt", withFrame { $0.removeLast() }),
      (
        "components-2.unsupported",
        withFrame {
          $0.removeLast(3); $0[5] = 2
        }
      ),
      (
        "no-components.unsupported",
        withFrame {
          $0.removeLast(9); $0[5] = 0
        }
      ),
      ("sampling-0.corrupt", withFrame { $0[7] = 0 }),
      ("sampling-5.corrupt", withFrame { $0[7] = 0x51 }),
      ("components-of-one-name.corrupt", withFrame { $0[9] = $0[6] }),
      ("table-9.corrupt", withFrame { $0[8] = 9 }),
      ("cut.truncated", Array(try lean.encode(tall).dropLast(60))),
      ("no-end-marker.ok", JPEGSurgery.removingEOI(file)),
      ("trailer.ok", JPEGSurgery.appending(trailer: Array("MZ".utf8) + [0xFF, 0xD8, 0xFF], to: file)),
    ]
    files.append(
      ("scans-over-100.limit", try repeatingRefinement(of: gray.with { $0.progressive = true }.encode(small), 100)))
    // A component without a scan, whose quantization table has an invalid number.
    var tables = try lean.with { $0.multiscan = true }.encode(small)
    if let frame = JPEGSurgery.markers(in: tables).first(where: \.isFrame), let scan = scans(of: tables).last {
      tables[frame.payload.lowerBound + 14] = 63
      files.append(("table-63-of-no-scan.ok", tables[..<scan] + [0xFF, 0xD9]))
    }
    let progressive = try gray.with { $0.progressive = true }.encode(tall)
    files.append(("cut-in-scan.truncated", Array(progressive.prefix(progressive.count * 3 / 4))))
    if let last = scans(of: progressive).last {
      files.append(("cut-before-scan.truncated", Array(progressive[..<last])))
    }

    // A circular chain of directories, and an entry with more values than bytes.
    let circle = Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 8]
    let counts =
      Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 255, 255, 0x12, 1, 3, 0] + [255, 255, 255, 255, 255, 255, 255, 127]
    let far = Array("Exif\0\0II*\0".utf8) + [0xFE, 0xFF, 0xFF, 0xFF]
    for (name, exif) in [("exif-circle", circle), ("exif-counts", counts), ("exif-far-away", far)] {
      files.append(("\(name).ok", JPEGSurgery.inserting([.app(1, exif)], into: file)))
    }
    let profile = ICCBuilder.profile(.rgb)
    for (name, order) in [("missing", [1]), ("twice", [0, 0, 1]), ("in-disorder", [1, 0])] {
      let segments = ICCBuilder.segments(for: profile, chunkSize: profile.count / 2 + 1, order: order)
      files.append(("profile-chunk-\(name).ok", JPEGSurgery.inserting(segments, into: file)))
    }
    files.append(
      ("profile-chunk-0-of-0.ok", JPEGSurgery.inserting([.app(2, Array("ICC_PROFILE\0\0\0".utf8))], into: file)))
    // An index that refers outside, to itself, and to data that are no image.
    var map = GainMapBuilder(picture: file, map: file)
    map.mapPacket = GainMapBuilder.packet(GainMapBuilder.hdrgm + " hdrgm:GainMapMax=\"2\"")
    files.append(("gain-map.ok", map.encoded()))
    for (name, offset, length) in [("outside", 0x7FFF_FFFF, 0x7FFF_FFFF), ("circle", 1, 9), ("cut", nil, 500)]
      as [(String, Int?, Int)]
    {
      (map.saidOffset, map.saidLength) = (offset, length)
      files.append(("gain-map-\(name).ok", map.encoded()))
    }
    return files.map { HostileFile(name: "\($0.0).jpg", bytes: $0.1) }
  }

  /// Returns the JPEG with repeated scans of the DC coefficients' last bit.
  private static func repeatingRefinement(of jpeg: [UInt8], _ count: Int) throws -> [UInt8] {
    let refinement = [0, 0, 0x10] as [UInt8]
    guard let start = scans(of: jpeg).first(where: { jpeg[($0 + 7)...].starts(with: refinement) }),
      let end = (start + 10..<jpeg.count - 1).first(where: { jpeg[$0] == 0xFF && jpeg[$0 + 1] != 0 })
    else { throw FixtureError("no refinement of DC coefficients") }
    return jpeg.dropLast(2) + (0..<count).flatMap { _ in jpeg[start..<end] } + jpeg.suffix(2)
  }

  /// Returns the offsets of the scans.
  private static func scans(of jpeg: [UInt8]) -> [Int] {
    jpeg.indices.dropLast().filter { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA }
  }

  // MARK: PNG

  private static func png() throws -> [HostileFile] {
    var base = PNGBuilder(width: 8, height: 8)
    base.chunkSize = 60
    let file = base.encoded()
    let headerEnd = 33
    /// Returns a header, pixels of another image, and the end.
    func header(_ width: UInt32, _ height: UInt32, depth: UInt8 = 8, color: UInt8 = 2, interlace: UInt8 = 0) -> [UInt8]
    {
      let data = width.bigEndianBytes + height.bigEndianBytes + [depth, color, 0, 0, interlace]
      return PNGBuilder.signature + PNGBuilder.chunk("IHDR", data) + file[headerEnd...]
    }
    func with(_ before: [(name: String, data: [UInt8])], behind: [(name: String, data: [UInt8])] = []) -> [UInt8] {
      var png = base
      (png.before, png.behind) = (before, behind)
      return png.encoded()
    }
    var flipped = file
    flipped[headerEnd + 12] ^= 1
    var wrongHeader = file
    wrongHeader[headerEnd - 1] ^= 1
    var palette = PNGBuilder(width: 8, height: 8, color: .palette, depth: 4).encoded()
    palette.replaceSubrange(headerEnd + 4..<headerEnd + 8, with: Array("pLTe".utf8))
    let files: [(String, [UInt8])] = [
      ("signature-only.corrupt", PNGBuilder.signature),
      ("eof-in-header.corrupt", Array(file.prefix(30))),
      ("eof-before-pixels.corrupt", Array(file.prefix(headerEnd))),
      ("eof-in-pixels.truncated", Array(file.prefix(file.count / 2))),
      ("eof-in-chunk-name.truncated", Array(file.prefix(headerEnd + 72 + 6))),
      ("no-end.ok", Array(file.dropLast(12))),
      ("no-pixels.corrupt", file.prefix(headerEnd) + PNGBuilder.chunk("IEND", [])),
      ("header-second.corrupt", PNGBuilder.signature + PNGBuilder.chunk("gAMA", [0, 0, 1, 1]) + file[8...]),
      ("no-width.corrupt", header(0, 8)),
      ("no-height.corrupt", header(8, 0)),
      ("side-2147483648.corrupt", header(1 << 31, 1)),
      ("sides-2147483647.limit", header(.max >> 1, .max >> 1)),
      ("sides-65535.limit", header(65_535, 65_535)),
      ("megapixels-280.limit", header(16_734, 16_734)),
      ("megapixels-900.limit", header(30_000, 30_000)),
      ("interlaced-361-megabytes.limit", header(9_500, 9_500, color: 6, interlace: 1)),
      ("depth-3.corrupt", header(8, 8, depth: 3)),
      ("palette-of-16-bits.corrupt", header(8, 8, depth: 16, color: 3)),
      ("color-type-5.corrupt", header(8, 8, color: 5)),
      ("interlace-2.corrupt", header(8, 8, interlace: 2)),
      ("more-rows-than-data.corrupt", header(8, 80)),
      ("palette-missing.corrupt", PNGBuilder.withRightChecksums(palette)),
      ("wrong-checksum-of-pixels.corrupt", flipped),
      ("wrong-checksum-of-header.corrupt", wrongHeader),
      (
        "length-of-32-bits.corrupt",
        file.prefix(headerEnd) + [255, 255, 255, 255] + Array("tEXt".utf8) + file[headerEnd...]
      ),
      ("unknown-critical-chunk.corrupt", with([("ABCD", [1, 2, 3])])),
      ("profile-of-nonsense.ok", with([("iCCP", Array("Fixture\0\0nonsense".utf8))])),
      ("profile-without-name.ok", with([("iCCP", [0])])),
      ("profile-of-gray.ok", with([PNGBuilder.profile(ICCBuilder.profile(.gray))])),
      ("exif-circle.ok", with([], behind: [("eXIf", Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 0, 0, 0, 0, 8])])),
      ("animated.ok", with([("acTL", [0, 0, 0, 9, 0, 0, 0, 0])], behind: [("fdAT", [0, 0, 0, 1, 2, 3])])),
      ("animated-without-frames.ok", with([("acTL", [0, 0, 0, 0, 0, 0, 0, 0])])),
      ("code-points-unknown.ok", with([("cICP", [255, 255, 255, 255])])),
      ("code-points-cut.ok", with([("cICP", [9, 16])])),
      ("code-points-of-video.ok", with([("cICP", [9, 18, 0, 0]), ("cICP", [1, 13, 0, 1])])),
    ]
    // Profiles that cost minutes and gigabytes if they are followed.
    let profiles = [
      ("profile-of-65535-steps", HostileProfile.steps(65_535)),
      ("profile-of-65535-curves", HostileProfile.steps(65_535, areCurves: true)),
      ("profile-of-overlapping-tags", ICCBuilder.overlappingTags(100, bytes: 20_000)),
      (
        "profile-of-half-a-table",
        HostileProfile.profile(table: Array(HostileProfile.lut8(inputs: 3, side: 9).dropLast(9)), inputs: 3)
      ),
    ]
    let packed = try profiles.map { name, profile in (name + ".ok", with([try PNGBuilder.packedProfile(profile)])) }
    return (files + packed).map { HostileFile(name: "\($0.0).png", bytes: $0.1) }
  }

  // MARK: HEIF

  private static func heif() throws -> [HostileFile] {
    #if HEIF
      let small = try CodedItem(.testPattern(width: 64, height: 64), quality: 20)
      let file = HEIFBuilder(small).encoded()
      func sides(_ width: Int, _ height: Int) -> [UInt8] {
        var item = small
        (item.width, item.height) = (width, height)
        return HEIFBuilder(item).encoded()
      }
      var grid = HEIFBuilder()
      grid.primary = grid.addGrid([small], columns: 1, width: 64, height: 64)
      grid.references[0].to = [grid.primary]
      // Costs seconds with 100,000 properties and 2,048 tiles.
      var many = HEIFBuilder()
      many.primary = many.addGrid([small, small, small, small], columns: 2, width: 128, height: 128)
      many.references[0].to = [1, 1, 1, 1]
      many.items.removeSubrange(1..<4)
      (many.primary, many.references[0].from) = (2, 2)
      many.shared = [HEIFBuilder.box("free", [])]
      many.sharedAssociations = [(1, [Int](repeating: 0, count: 255))]
      var turned = HEIFBuilder(small)
      turned.shared = [HEIFBuilder.rotation(1)]
      turned.sharedAssociations = [(1, [Int](repeating: 0, count: 33))]
      let sequence = HEIFBuilder.box("ftyp", Array("msf1\0\0\0\0msf1hevc".utf8)) + HEIFBuilder.box("moov", [])
      var alphas = HEIFBuilder()
      alphas.primary = alphas.addGrid([small, small], columns: 2, width: 128, height: 64)
      for tile in 1...2 {
        let wide = try CodedItem(Pixels(width: 128, height: 64, color: [90]), quality: 20)
        alphas.references.append(("auxl", alphas.add(wide, [HEIFBuilder.alpha]), [tile]))
      }
      return [
        ("alpha-wider-than-its-tile.unsupported", alphas.encoded()),
        ("brand-only.corrupt", Array(file.prefix(28))),
        ("eof-in-contents.corrupt", Array(file.prefix(100))),
        ("megapixels-289.limit", sides(17_000, 17_000)),
        ("side-4294967295.corrupt", sides(0xFFFF_FFFF, 64)),
        ("coded-smaller-than-said.corrupt", sides(1_024, 1_024)),
        ("grid-of-itself.unsupported", grid.encoded()),
        ("part-of-the-picture-missing.corrupt", try partial()),
        ("part-of-the-filtered-picture-missing.corrupt", try partial(hasOffset: true)),
        ("sequence-without-picture.unsupported", sequence),
        ("tile-of-many-properties.ok", many.encoded()),
        ("turned-33-times.unsupported", turned.encoded()),
      ].map { HostileFile(name: $0.0 + ".heic", bytes: $0.1) }
    #else
      return []
    #endif
  }

  #if HEIF
    /// Returns an image whose slices do not cover it: those of a smaller one.
    private static func partial(hasOffset: Bool = false) throws -> [UInt8] {
      var item = try CodedItem(.testPattern(width: 128, height: 128), quality: 20, hasOffset: hasOffset)
      item.data = try CodedItem(.testPattern(width: 128, height: 64), quality: 20, hasOffset: hasOffset).data
      return HEIFBuilder(item).encoded()
    }
  #endif

  // MARK: WebP

  private static func webP() throws -> [HostileFile] {
    let pattern = Pixels.testPattern(width: 24, height: 40).rgba
    let lossy = try encodeWebP(pattern, quality: 20)
    let lossless = try encodeWebP(Pixels.noise(width: 12, height: 20, channels: 4), quality: nil)
    let pixels = WebPBuilder.chunks(of: lossy)[0]
    let frame = WebPBuilder.frame(pixels, x: 0, y: 0, width: 24, height: 40)
    func extended(_ flags: UInt8, _ width: Int, _ height: Int, _ chunks: [WebPBuilder.Chunk]) -> [UInt8] {
      WebPBuilder.file([WebPBuilder.extended(flags: flags, width: width, height: height)] + chunks)
    }
    let files: [(String, [UInt8])] = [
      ("head-only.corrupt", Array(lossy.prefix(12))),
      ("eof-in-frame-header.corrupt", Array(lossy.prefix(24))),
      ("no-chunks.corrupt", WebPBuilder.file([])),
      ("no-pixels.corrupt", extended(0, 24, 40, [])),
      ("cut.truncated", Array(lossy.prefix(lossy.count * 4 / 5))),
      ("cut-lossless.truncated", Array(lossless.prefix(lossless.count / 2))),
      ("canvas-268-megapixels.limit", extended(2, 16_384, 16_384, [WebPBuilder.animation, frame])),
      ("canvas-of-24-bits.corrupt", extended(2, 1 << 24, 1 << 24, [WebPBuilder.animation, frame])),
      ("canvas-of-another-size.corrupt", extended(0, 20, 40, [pixels])),
      ("animated.ok", extended(2, 30, 40, [WebPBuilder.animation, frame, frame])),
      ("animated-without-frames.corrupt", extended(2, 24, 40, [WebPBuilder.animation])),
      (
        "frame-off-its-canvas.corrupt",
        extended(2, 24, 40, [WebPBuilder.animation, WebPBuilder.frame(pixels, x: 2, y: 0, width: 24, height: 40)])
      ),
      (
        "frame-of-another-size.ok",
        extended(2, 24, 40, [WebPBuilder.animation, WebPBuilder.frame(pixels, x: 0, y: 0, width: 22, height: 40)])
      ),
      ("profile-of-nonsense.ok", extended(32, 24, 40, [("ICCP", Array("nonsense".utf8)), pixels])),
      ("exif-of-nonsense.ok", extended(8, 24, 40, [pixels, ("EXIF", Array("nonsense".utf8))])),
    ]
    return files.map { HostileFile(name: "\($0.0).webp", bytes: $0.1) }
  }

  // MARK: GIF

  private static func gif() -> [HostileFile] {
    let base = GIFBuilder(width: 12, height: 40, bits: 4)
    let file = base.encoded()
    func with(_ change: (inout GIFBuilder) -> Void) -> [UInt8] {
      var gif = base
      change(&gif)
      return gif.encoded()
    }
    /// Returns a frame of that size with the data of another.
    func sized(_ width: Int, _ height: Int, isInterlaced: Bool = false) -> [UInt8] {
      let header = Array("GIF89a".utf8) + GIFBuilder.numbers([width, height]) + [0, 0, 0]
      return header + [0x2C, 0, 0, 0, 0] + GIFBuilder.numbers([width, height]) + [isInterlaced ? 0x40 : 0]
        + GIFBuilder.data(of: base.frame.samples, bits: 4) + [0x3B]
    }
    let files: [(String, [UInt8])] = [
      ("start-only.corrupt", Array("GIF89a".utf8)),
      ("eof-in-colors.corrupt", Array(file[..<30])),
      ("no-frame.corrupt", Array(file[..<61] + [0x3B])),
      ("eof-in-descriptor.corrupt", Array(file[..<67])),
      ("eof-before-data.corrupt", Array(file[..<71])),
      ("cut.truncated", Array(file[..<(file.count / 2)])),
      ("cut-interlaced.truncated", Array(with { $0.isInterlaced = true }[..<(file.count / 2)])),
      ("no-end.ok", Array(file.dropLast())),
      ("trailer.ok", file + Array("MZ".utf8)),
      ("bytes-between-blocks.ok", with { $0.before = [0, 0, 1] }),
      ("no-width.corrupt", sized(0, 8)),
      ("no-height.corrupt", sized(8, 0)),
      ("sides-65535.limit", sized(65_535, 65_535)),
      ("megapixels-400.limit", sized(20_000, 20_000)),
      ("pixels-per-byte.limit", sized(5_000, 5_000)),
      ("more-rows-than-data.corrupt", sized(12, 80)),
      ("interlaced-with-more-rows-than-data.corrupt", sized(12, 80, isInterlaced: true)),
      ("codes-of-13-bits.corrupt", Array(file[..<71] + [13] + file[72...])),
      ("frame-off-its-screen.ok", with { ($0.x, $0.y) = (30, 20) }),
      ("screen-of-nothing.ok", with { ($0.width, $0.height) = (0, 0) }),
      ("animated.ok", with { ($0.frameCount, $0.transparentIndex) = (2, 3) }),
      ("profile-of-nonsense.ok", with { $0.before = GIFBuilder.application("ICCRGBG1012", Array("nonsense".utf8)) }),
    ]
    return files.map { HostileFile(name: "\($0.0).gif", bytes: $0.1) }
  }

  // MARK: TIFF

  private static func tiff() -> [HostileFile] {
    let base = TIFFBuilder(width: 12, height: 20)
    let file = base.encoded()
    func with(_ change: (inout TIFFBuilder) -> Void) -> [UInt8] {
      var tiff = base
      change(&tiff)
      return tiff.encoded()
    }
    func sized(_ width: Int, _ height: Int) -> [UInt8] {
      with {
        $0.changes[256] = $0.longs([width])
        $0.changes[257] = $0.longs([height])
      }
    }
    /// A directory that is its own successor.
    var circle = file
    let directory = Int(file[4]) | Int(file[5]) << 8
    circle.replaceSubrange(directory + 2 + 12 * 10..<directory + 2 + 12 * 10 + 4, with: file[4..<8])
    let files: [(String, [UInt8])] = [
      ("start-only.corrupt", Array("II*\0".utf8)),
      ("directory-outside.corrupt", Array("II*\0".utf8) + [0xF0, 0xFF, 0xFF, 0xFF] + file[8...]),
      ("directory-of-itself.ok", circle),
      ("eof-in-directory.corrupt", Array(file.prefix(directory + 10))),
      ("no-width.corrupt", sized(0, 8)),
      ("no-height.corrupt", with { $0.changes[257] = .some(nil) }),
      ("side-65535.limit", sized(65_535, 8)),
      ("sides-of-32-bits.limit", sized(0xFFFF_FFFF, 0xFFFF_FFFF)),
      ("megapixels-400.limit", sized(20_000, 20_000)),
      ("no-strips.corrupt", with { $0.changes[273] = .some(nil) }),
      ("fewer-strips-than-rows.corrupt", with { $0.changes[278] = $0.longs([1]) }),
      ("strips-outside.truncated", with { $0.changes[273] = $0.longs([8, 0xFFFF_FFF0, 0xFFFF_FFFF]) }),
      (
        "strips-of-4-gigabytes.ok", with { $0.changes[279] = $0.longs([0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF]) }
      ),
      ("tiles-of-nothing.corrupt", with { ($0.changes[322], $0.changes[323]) = ($0.longs([0]), $0.longs([16])) }),
      (
        "tiles-of-2-gigapixels.limit",
        with {
          ($0.changes[322], $0.changes[323]) = ($0.longs([1 << 16]), $0.longs([1 << 15]))
          ($0.changes[324], $0.changes[325]) = ($0.longs([8]), $0.longs([720]))
        }
      ),
      ("lzw-of-nonsense.corrupt", with { $0.changes[259] = $0.shorts([5]) }),
      ("deflate-of-nonsense.corrupt", with { $0.changes[259] = $0.shorts([8]) }),
      (
        "fax-of-nonsense.unsupported",
        with { ($0.changes[259], $0.changes[262]) = ($0.shorts([4]), $0.shorts([32_803])) }
      ),
      ("jpeg-of-nonsense.corrupt", with { $0.changes[259] = $0.shorts([7]) }),
      ("old-jpeg.unsupported", with { $0.changes[259] = $0.shorts([6]) }),
      ("lzma.unsupported", with { $0.changes[259] = $0.shorts([34_925]) }),
      ("floating-point.unsupported", with { ($0.changes[258], $0.changes[339]) = ($0.shorts([32]), $0.shorts([3])) }),
      ("samples-65535.unsupported", with { $0.changes[277] = $0.shorts([65_535]) }),
      ("bits-17.unsupported", with { $0.changes[258] = $0.shorts([17, 17, 17]) }),
      ("palette-missing.corrupt", with { ($0.changes[262], $0.changes[277]) = ($0.shorts([3]), $0.shorts([1])) }),
      ("dng-without-a-preview.unsupported", with { $0.changes[50_706] = $0.bytes([1, 4, 0, 0], type: 1) }),
      ("profile-of-nonsense.ok", with { $0.changes[34_675] = $0.bytes(Array("nonsense".utf8)) }),
      ("exif-outside.ok", with { $0.changes[34_665] = $0.longs([0xFFFF_FFF0]) }),
      ("orientation-9.ok", with { $0.changes[274] = $0.shorts([9]) }),
    ]
    return files.map { HostileFile(name: "\($0.0).tiff", bytes: $0.1) }
  }

  // MARK: Others

  private static let others = [
    HostileFile(name: "empty.corrupt.jpg", bytes: []),
    HostileFile(name: "zeros.unsupported.jpg", bytes: [UInt8](repeating: 0, count: 64)),
    HostileFile(name: "bmp.unsupported.jpg", bytes: Array("BM".utf8) + [UInt8](repeating: 0, count: 60)),
    HostileFile(name: "svg.unsupported.png", bytes: Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)),
    HostileFile(name: "pdf.unsupported.webp", bytes: Array("%PDF-1.4\n".utf8)),
  ]
}
