/// Files with only one large table, the worst that the format allows. A reader that searches the table for each entry,
/// or for each reference to it, takes quadratic time.
public struct HostileTable: Sendable, CustomStringConvertible {
  public let description: String
  /// A number of entries that can double without reaching a limit.
  public let entries: Int
  /// The entries of a file of a mebibyte, or the most that the format allows.
  public let mostEntries: Int
  /// A function that makes a file with a number of entries.
  public let file: @Sendable (_ entries: Int) throws -> [UInt8]

  init(_ name: String, _ entries: Int, _ mostEntries: Int, _ file: @escaping @Sendable (Int) throws -> [UInt8]) {
    (description, self.entries, self.mostEntries, self.file) = (name, entries, mostEntries, file)
  }

  public static let all = jpeg + png + webP + heif + gif + tiff + raw + jxl

  // MARK: JPEG

  private static let jpeg = [
    HostileTable("JPEG markers", 10_000, 260_000) { try segments([.app(1, [])], $0) },
    HostileTable("JPEG pieces of a profile", 10_000, 60_000) {
      try segments([.app(2, Array("ICC_PROFILE\0\0\0".utf8))], $0)
    },
    HostileTable("JPEG EXIF data that are none", 10_000, 80_000) {
      try segments([.app(1, Array("Exif\0\0?".utf8))], $0)
    },
    // Each entry of the index refers to the same image, whose header is long.
    HostileTable("JPEG segments of a second picture", 5_000, 200_000) { count in
      var file = GainMapBuilder(
        picture: try JPEGRecipe.baseline420.encode(.testPattern(width: 16, height: 16)),
        map: try segments([.app(9, [])], count))
      (file.mapPacket, file.copies) = (GainMapBuilder.packet(""), 1_000)
      return file.encoded()
    },
    HostileTable("JPEG bytes between markers", 1 << 18, 1 << 20) { count in
      let file = try JPEGRecipe.baseline420.encode(.testPattern(width: 16, height: 16))
      return file.prefix(2) + (0..<count).map { $0 % 3 == 2 ? 0 : 0xFF } + [0] + file.dropFirst(2)
    },
  ]

  private static func segments(_ segments: [MarkerSegment], _ count: Int) throws -> [UInt8] {
    let file = try JPEGRecipe.baseline420.encode(.testPattern(width: 16, height: 16))
    let bytes = segments.flatMap(\.encoded)
    return file.prefix(2) + repeated(bytes, count) + file.dropFirst(2)
  }

  private static func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(bytes.count * count)
    for _ in 0..<count { all += bytes }
    return all
  }

  // MARK: PNG

  private static let png = [
    HostileTable("PNG chunks", 10_000, 65_000) { count in
      let file = PNGBuilder(width: 8, height: 8).encoded()
      return file.prefix(33) + repeated(PNGBuilder.chunk("teSt", []), count) + file.dropFirst(33)
    },
    HostileTable("PNG chunks behind the pixels", 5_000, 60_000) { count in
      // Each may describe the image if all chunks after it are complete.
      let file = PNGBuilder(width: 8, height: 8).encoded()
      return file.dropLast(12) + repeated(PNGBuilder.chunk("eXIf", []), count)
    },
    HostileTable("steps of a profile", 10_000, 65_535) { try packed(HostileProfile.steps($0)) },
    HostileTable("curves of a profile", 10_000, 65_535) { try packed(HostileProfile.steps($0, areCurves: true)) },
    HostileTable("bytes of a profile", 1 << 20, 16_000_000) { count in
      try packed(ICCBuilder.profile(.displayP3, padding: count))
    },
    HostileTable("bytes of no profile", 1 << 20, 16_000_000) { try packed([UInt8](repeating: 0, count: $0)) },
    HostileTable("EXIF entries", 10_000, 65_535) { count in
      var png = PNGBuilder(width: 8, height: 8)
      png.before = [("eXIf", exif(entries: count))]
      return png.encoded()
    },
  ]

  /// Returns a profile that takes almost no room in the file.
  private static func packed(_ profile: [UInt8]) throws -> [UInt8] {
    var png = PNGBuilder(width: 8, height: 8)
    png.before = [try PNGBuilder.packedProfile(profile)]
    return png.encoded()
  }

  /// Returns a directory of meaningless entries that links to itself.
  private static func exif(entries: Int) -> [UInt8] {
    Array("MM\0*".utf8) + UInt32(8).bigEndianBytes + UInt16(entries).bigEndianBytes
      + repeated([0xEE, 0xEE, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0], entries) + UInt32(8).bigEndianBytes
  }

  // MARK: JPEG XL

  private static let jxl = [
    HostileTable("JPEG XL boxes", 10_000, 60_000) { count in
      let file = try JXLRecipe().with { $0.hasContainer = true }.encode(.testPattern(width: 24, height: 40))
      // Behind the signature and the type of the file.
      return file[..<32] + repeated([0, 0, 0, 8] + Array("free".utf8), count) + file[32...]
    }
  ]

  // MARK: WebP

  private static let webP = [
    HostileTable("WebP chunks", 10_000, 49_000) { count in
      let picture = try encodeWebP(.testPattern(width: 24, height: 40).rgba, quality: 20)
      let others = [WebPBuilder.Chunk](repeating: ("teSt", []), count: count)
      return WebPBuilder.file(
        [WebPBuilder.extended(flags: 0, width: 24, height: 40)] + WebPBuilder.chunks(of: picture) + others)
    },
    HostileTable("WebP frames", 2_000, 9_900) { count in
      let picture = WebPBuilder.chunks(of: try encodeWebP(.testPattern(width: 8, height: 8).rgba, quality: 20))[0]
      let frame = WebPBuilder.frame(picture, x: 0, y: 0, width: 8, height: 8)
      return WebPBuilder.file(
        [WebPBuilder.extended(flags: 2, width: 8, height: 8), WebPBuilder.animation]
          + [WebPBuilder.Chunk](repeating: frame, count: count))
    },
    HostileTable("WebP frames with the largest tables", 500, 9_900) { HostileWebP.tables(frames: $0) },
    // By the square of the side.
    HostileTable("WebP blocks at no bit", 2_048 * 2_048, 9_980 * 9_980) { count in
      HostileWebP.blocks(side: 4 * Int(Double(count).squareRoot() / 4), bits: 0)
    },
    HostileTable("WebP blocks at a bit", 2_048 * 2_048, 9_980 * 9_980) { count in
      HostileWebP.blocks(side: 4 * Int(Double(count).squareRoot() / 4), bits: 1)
    },
    HostileTable("WebP groups of codes", 512 * 512, 4_000 * 4_000) { count in
      try HostileWebP.groups(side: 4 * Int(Double(count).squareRoot() / 4))
    },
  ]

  // MARK: GIF

  private static let gif = [
    HostileTable("GIF blocks of nothing", 10_000, 340_000) { count in
      var gif = GIFBuilder(width: 8, height: 8)
      gif.before = repeated([0x21, 0xFE, 0], count)
      return gif.encoded()
    },
    HostileTable("GIF blocks of a byte", 10_000, 520_000) { count in
      var gif = GIFBuilder(width: 8, height: 8)
      gif.before = [0x21, 0xFE] + repeated([1, 0xFF], count) + [0]
      return gif.encoded()
    },
    HostileTable("GIF bytes between blocks", 10_000, 1 << 20) { count in
      var gif = GIFBuilder(width: 8, height: 8)
      gif.before = repeated([0], count)
      return gif.encoded()
    },
    HostileTable("GIF frames", 2_000, 9_900) { count in
      var gif = GIFBuilder(width: 1, height: 1, bits: 1)
      gif.frameCount = count
      return gif.encoded()
    },
    HostileTable("GIF profile in blocks of a byte", 10_000, 520_000) { count in
      var gif = GIFBuilder(width: 8, height: 8)
      gif.before = [0x21, 0xFF, 11] + Array("ICCRGBG1012".utf8) + repeated([1, 0], count) + [0]
      return gif.encoded()
    },
  ]

  // MARK: TIFF

  private static let tiff = [
    HostileTable("TIFF entries", 10_000, 65_535) { tiff(entries: $0, isBig: false) },
    HostileTable("BigTIFF entries", 10_000, 52_000) { tiff(entries: $0, isBig: true) },
    HostileTable("TIFF strips", 5_000, 30_000) { count in
      var tiff = TIFFBuilder(width: 1, height: count, colors: .gray)
      tiff.rowsPerStrip = 1
      return tiff.encoded()
    },
    HostileTable("TIFF tiles", 10_000, 130_000) { count in
      var tiff = TIFFBuilder(width: 100, height: count / 100, colors: .gray)
      tiff.tile = (1, 1)
      return tiff.encoded()
    },
    HostileTable("TIFF entries of EXIF data", 10_000, 65_535) { count in
      // The directory is its own EXIF directory, recursively.
      var file = tiff(entries: count, isBig: false)
      file.replaceSubrange(10..<22, with: [0x69, 0x87, 4, 0, 1, 0, 0, 0, 8, 0, 0, 0])
      return file
    },
  ]

  /// Returns a directory of meaningless entries after those for the pixels.
  private static func tiff(entries: Int, isBig: Bool) -> [UInt8] {
    let number = [UInt8(entries & 255), UInt8(entries >> 8 & 255)]
    let header = isBig ? Array("II+\0\u{8}\0\0\0\u{10}\0\0\0\0\0\0\0".utf8) : Array("II*\0\u{8}\0\0\0".utf8)
    let count = isBig ? number + [0, 0, 0, 0, 0, 0] : number
    let entry = [0xEE, 0xEE, 3, 0, 1] + [UInt8](repeating: 0, count: isBig ? 15 : 7)
    return header + count + repeated(entry, entries)
  }

  // MARK: RAW

  private static let raw = [
    HostileTable("entries of a RAW file", 9_000, 65_535) { dng(pages: 1, entries: $0) },
    HostileTable("pages of a RAW file", 60, 64_000) { dng(pages: $0, entries: 1) },
    HostileTable("boxes of a RAW file", 500, 900) { count in
      let preview = try JPEGRecipe.baseline420.encode(.testPattern(width: 16, height: 16))
      let file = RAWBuilder(.cr3, preview: preview, thumbnail: []).encoded()
      return file + repeated([0, 0, 0, 8] + Array("free".utf8), count)
    },
    HostileTable("segments of a RAW file's preview", 5_000, 60_000) { count in
      RAWBuilder(.raf, preview: try segments([.app(2, Array("ICC_PROFILE\0\0\0".utf8))], count), thumbnail: [])
        .encoded()
    },
  ]

  /// Returns consecutive pages of meaningless entries; the first has DNG's mark.
  private static func dng(pages: Int, entries: Int) -> [UInt8] {
    var file = Array("II*\0\u{8}\0\0\0".utf8)
    for page in 0..<pages {
      let count = page == 0 ? entries + 1 : entries
      let end = file.count + 2 + 12 * count + 4
      file += UInt16(truncatingIfNeeded: min(count, 65_535)).littleEndianBytes
      file += repeated([0xEE, 0xEE, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0], entries)
      if page == 0 { file += [0x12, 0xC6, 1, 0, 4, 0, 0, 0, 1, 4, 0, 0] }
      file += UInt32(page == pages - 1 ? 0 : end).littleEndianBytes
    }
    return file
  }

  // MARK: HEIF

  #if HEIF
    private static let heif = [
      HostileTable("HEIF properties of an item that is every tile", 10_000, 49_000) { count in
        var file = try HEIFBuilder.ofOneTile()
        file.say(of: 1, count)
        return file.encoded()
      },
      HostileTable("HEIF auxiliary pictures", 10_000, 20_000) { count in
        var file = try HEIFBuilder(CodedItem(.testPattern(width: 64, height: 64), quality: 20))
        file.items.append(HEIFBuilder.Item(type: "hvc1", properties: [], data: [0]))
        file.say(of: 2, count)
        for _ in 0..<count { file.references.append(("auxl", 2, [1])) }
        return file.encoded()
      },
      // An item that repeats at once is cached.
      HostileTable("HEIF auxiliary pictures by turns", 10_000, 20_000) { count in
        var file = try HEIFBuilder(CodedItem(.testPattern(width: 64, height: 64), quality: 20))
        for _ in 2...3 { file.items.append(HEIFBuilder.Item(type: "hvc1", properties: [], data: [0])) }
        file.say(of: 2, count)
        for index in 0..<count { file.references.append(("auxl", 2 + index % 2, [1])) }
        return file.encoded()
      },
      HostileTable("HEIF auxiliary pictures of one long name", 100_000, 700_000) { count in
        var file = try HEIFBuilder(CodedItem(.testPattern(width: 64, height: 64), quality: 20))
        let name = HEIFBuilder.box("auxC", [UInt8](repeating: 0, count: 4) + [UInt8](repeating: 65, count: count))
        file.items.append(HEIFBuilder.Item(type: "hvc1", properties: [name], data: [0]))
        for _ in 0..<20_000 { file.references.append(("auxl", 2, [1])) }
        return file.encoded()
      },
      HostileTable("HEIF references in one", 10_000, 49_000) { count in
        var file = try HEIFBuilder(CodedItem(.testPattern(width: 64, height: 64), quality: 20))
        for type in ["cdsc", "thmb", "auxl", "dimg"] {
          file.references.append((type, 1, (0..<count / 4).map { $0 % 2 == 0 ? 1 : 2 + $0 }))
        }
        return file.encoded()
      },
      HostileTable("HEIF configuration of all tiles", 8_000, 16_000) { count in
        // One more array, with units of length 0.
        var content = try Array(CodedItem(.testPattern(width: 64, height: 64), quality: 20).configuration.dropFirst(8))
        let units = max(count - content.count, 0) / 2
        content[22] += 1
        content += [34] + UInt16(units).bigEndianBytes + [UInt8](repeating: 0, count: 2 * units)
        var file = HEIFBuilder()
        file.shared = [HEIFBuilder.box("hvcC", content), HEIFBuilder.size(64, 64)]
        for number in 1...2_048 {
          file.items.append(HEIFBuilder.Item(type: "hvc1", properties: [], data: [0]))
          file.sharedAssociations.append((number, [0, 1]))
        }
        file.addGrid(of: Array(1...2_048))
        return file.encoded()
      },
      HostileTable("HEIF extents", 10_000, 49_000) { count in
        var file = try HEIFBuilder(CodedItem(.testPattern(width: 64, height: 64), quality: 20))
        file.items[0].emptyExtents = count
        return file.encoded()
      },
      // Each byte of the units is looked up.
      HostileTable("HEIF extents before units", 10_000, 49_000) { count in
        var item = try CodedItem(.testPattern(width: 64, height: 64), codec: .av1, quality: 20)
        let unit: [UInt8] = [0x7A, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0]
        item.data = repeated(unit, 250) + item.data
        var file = HEIFBuilder(item)
        file.items[0].outsideExtents = count
        return file.encoded()
      },
      HostileTable("HEIF boxes of properties", 5_000, 19_000) { count in
        var file = try HEIFBuilder(CodedItem(.testPattern(width: 64, height: 64), quality: 20))
        file.shared = [[UInt8]](repeating: HEIFBuilder.box("free", []), count: count)
        return file.encoded()
      },
      HostileTable("HEIF items", 5_000, 19_000) { count in
        var file = try HEIFBuilder(CodedItem(.testPattern(width: 64, height: 64), quality: 20))
        file.items += [HEIFBuilder.Item](
          repeating: HEIFBuilder.Item(type: "hvc1", properties: [], data: []), count: count)
        return file.encoded()
      },
      HostileTable("HEIF boxes of the file", 4_000, 9_900) { count in
        let file = try HEIFBuilder(CodedItem(.testPattern(width: 64, height: 64), quality: 20)).encoded()
        return file.prefix(24) + repeated(HEIFBuilder.box("free", []), count) + file.dropFirst(24)
      },
    ]
  #else
    private static let heif: [HostileTable] = []
  #endif
}

#if HEIF
  extension HEIFBuilder {
    /// Returns an image of 2,048 tiles, the most allowed, which are all item 1.
    fileprivate static func ofOneTile() throws -> HEIFBuilder {
      var file = HEIFBuilder()
      file.addGrid(
        of: [Int](repeating: file.add(try CodedItem(.testPattern(width: 64, height: 64), quality: 20)), count: 2_048))
      return file
    }

    /// Adds a grid with 64 columns of tiles of 64 × 64 pixels.
    fileprivate mutating func addGrid(of tiles: [Int]) {
      let (columns, rows) = (64, tiles.count / 64)
      let sides = [64 * columns, 64 * rows].flatMap { UInt16($0).bigEndianBytes }
      items.append(
        Item(
          type: "grid", properties: [Self.size(64 * columns, 64 * rows)],
          data: [0, 0, UInt8(rows - 1), UInt8(columns - 1)] + sides))
      primary = items.count
      references.append(("dimg", primary, tiles))
    }

    /// Associates an item with `count` properties.
    fileprivate mutating func say(of item: Int, _ count: Int) {
      shared = [Self.box("free", [])]
      sharedAssociations.append((item, [Int](repeating: 0, count: count)))
    }
  }
#endif
