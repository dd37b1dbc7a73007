#if HEIF
  /// A writer of AVIF files around coded images (AV1 Image File Format 1.1; ISO/IEC 23008-12): the table of contents,
  /// then the data.
  struct AVIFFile {
    let size: PixelSize
    /// The AV1 units of one frame, the sequence header first.
    let color: [UInt8]
    /// The AV1 units of the alpha channel; empty for none.
    let alpha: [UInt8]
    /// The chroma subsampling; nil for a gray image.
    let chroma: ChromaSubsampling?
    let colors: CodedColors
    var profile: [UInt8] = []
    /// The EXIF data as a TIFF structure.
    var exif: [UInt8] = []
    var xmp: [UInt8] = []

    /// The version and flags of most boxes.
    private static let plain: [UInt8] = [0, 0, 0, 0]

    /// Returns the file. Nil from 4 GiB, or if a coded image does not start with the sequence header of a still image.
    func written() -> [UInt8]? {
      // The offset of the TIFF header precedes EXIF data (ISO/IEC 23008-12, A.2.1).
      let items = [color, alpha, exif.isEmpty ? [] : Self.plain + exif, xmp]
      let begin = Self.box("ftyp", Self.text(brands.joined()))
      guard let first = contents(items, at: 0) else { return nil }
      let start = begin.count + first.count + 8
      let bytes = items.reduce(0) { $0 + $1.count }
      guard start + bytes <= UInt32.max, let meta = contents(items, at: start) else { return nil }
      var file: [UInt8] = []
      file.reserveCapacity(start + bytes)
      for part in [begin, meta, Self.big(bytes + 8, 4), Self.text("mdat")] + items { file += part }
      return file
    }

    /// The major brand, its version, and the compatible brands. The last one is a profile with a maximum AV1 level (8.2
    /// and 8.3). It is baseline for 4:2:0 up to level 5.1, and advanced for 4:4:4 up to level 6.0.
    private var brands: [String] {
      let level = Self.level(color)
      let profile =
        switch chroma {
        case .yuv422: ""
        case .yuv444: level <= 16 ? "MA1A" : ""
        default: level <= 13 ? "MA1B" : ""
        }
      return ["avif", "\0\0\0\0", "avif", "mif1", "miaf", profile]
    }

    /// Returns the level in a short sequence header.
    private static func level(_ units: [UInt8]) -> UInt8 { units.count > 3 ? (units[2] & 7) << 2 | units[3] >> 6 : 31 }

    /// Returns the table of contents. Its length does not depend on `start`.
    private func contents(_ items: [[UInt8]], at start: Int) -> [UInt8]? {
      guard let properties = properties() else { return nil }
      let numbers = items.indices.filter { !items[$0].isEmpty }
      let types = ["av01\0", "av01\0", "Exif\0", "mime\0application/rdf+xml\0"]
      var (entries, places, references): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
      var offset = start
      for index in numbers {
        let number = Self.big(index + 1, 2)
        entries += Self.box("infe", [2, 0, 0, 0], number, [0, 0], Self.text(types[index]))
        // Each item is in this file, in one extent.
        for part in [number, [0, 0, 0, 1], Self.big(offset, 4), Self.big(items[index].count, 4)] { places += part }
        offset += items[index].count
        // The alpha channel and the metadata refer to the first item.
        if index > 0 { references += Self.box(index == 1 ? "auxl" : "cdsc", number, [0, 1, 0, 1]) }
      }
      let count = Self.big(numbers.count, 2)
      return Self.box(
        "meta", Self.plain,
        Self.box("hdlr", Self.plain, Self.plain, Self.text("pict"), [UInt8](repeating: 0, count: 13)),
        Self.box("pitm", Self.plain, [0, 1]),
        // Offsets and lengths have four bytes.
        Self.box("iloc", Self.plain, [0x44, 0], count, places),
        Self.box("iinf", Self.plain, count, entries),
        references.isEmpty ? [] : Self.box("iref", Self.plain, references),
        properties)
    }

    /// Returns the properties of the coded images.
    private func properties() -> [UInt8]? {
      guard let configuration = Self.configuration(color, chroma) else { return nil }
      func bits(_ channels: Int) -> [UInt8] {
        Self.box("pixi", Self.plain, [UInt8(channels)], [UInt8](repeating: 8, count: channels))
      }
      var all = [
        Self.box("ispe", Self.plain, Self.big(size.width, 4), Self.big(size.height, 4)),
        bits(chroma == nil ? 1 : 3), configuration,
        Self.box(
          "colr", Self.text("nclx"), Self.big(colors.primaries, 2), Self.big(colors.transfer, 2),
          Self.big(colors.matrix, 2), [0x80]),
      ]
      if !profile.isEmpty { all.append(Self.box("colr", Self.text("prof"), profile)) }
      // The highest bit marks a property that readers must understand to show the image.
      let essential: UInt8 = 0x80
      var uses: [[UInt8]] = [(1...UInt8(all.count)).map { $0 == 3 ? $0 | essential : $0 }]
      if !alpha.isEmpty {
        guard let configuration = Self.configuration(alpha, nil) else { return nil }
        let next = UInt8(all.count) + 1
        let kind = Self.text("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0")
        all += [bits(1), configuration, Self.box("auxC", Self.plain, kind)]
        uses.append([1, next, (next + 1) | essential, next + 2])
      }
      var associations: [UInt8] = []
      for (index, properties) in uses.enumerated() {
        associations += Self.big(index + 1, 2) + [UInt8(properties.count)] + properties
      }
      return Self.box(
        "iprp", Self.box("ipco", all.flatMap(\.self)),
        Self.box("ipma", Self.plain, Self.big(uses.count, 4), associations))
    }

    /// Returns the box `av1C`: profile and level from a still image's short sequence header (AV1 specification, 5.5.1),
    /// tier 0, 8 bits.
    private static func configuration(_ units: [UInt8], _ chroma: ChromaSubsampling?) -> [UInt8]? {
      // The header unit has a size. Its bits are: three of the profile, still image, short header, five of the level.
      guard units.count > 3, units[0] == 0x0A, units[1] < 0x80, units[2] & 0x18 == 0x18 else { return nil }
      let profile = units[2] & 0xE0
      let sampling: UInt8 =
        switch chroma {
        case nil: 0x1C
        case .yuv444: 0
        case .yuv422: 0x08
        case .yuv420, .automatic: 0x0C
        }
      return box("av1C", [0x81, profile | level(units), sampling, 0])
    }

    private static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
      var bytes = big(parts.reduce(8) { $0 + $1.count }, 4) + text(type)
      for part in parts { bytes += part }
      return bytes
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func big(_ number: Int, _ bytes: Int) -> [UInt8] { [UInt8](number, count: bytes, .bigEndian) }
  }

  /// The meaning of samples, by the codes of ITU-T H.273, with full range.
  struct CodedColors {
    var primaries: Int
    var transfer: Int
    var matrix: Int

    /// The colors of sRGB, and JFIF's matrix.
    static let sRGB = CodedColors(primaries: 1, transfer: 13, matrix: 6)
    /// The colors of a profile, and JFIF's matrix.
    static let profile = CodedColors(primaries: 2, transfer: 2, matrix: 6)
  }
#endif
