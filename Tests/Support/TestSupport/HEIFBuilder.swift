#if HEIF
  import CHEIFFixtures

  /// A coded image: the content of a HEIF file's item.
  public struct CodedItem: Sendable {
    public var type: String
    public var width: Int
    public var height: Int
    /// A whole `hvcC` or `av1C` box.
    public var configuration: [UInt8]
    public var data: [UInt8]

    public enum Codec: Sendable, CaseIterable {
      case hevc, av1
    }

    /// Encodes gray or RGB. HEVC needs even sides of at least 64; `hasOffset` adds phones' sample-adaptive offset.
    public init(
      _ pixels: Pixels, codec: Codec = .hevc, depth: Int = 8, chroma: String = "420", quality: Int = 80,
      hasOffset: Bool = false
    ) throws {
      var count = 0
      let encoding = unsafe chroma.withCString { chroma in
        unsafe fh_encode(
          pixels.samples, pixels.width, pixels.height, Int32(pixels.channels),
          fh_encoding(
            av1: codec == .av1 ? 1 : 0, depth: Int32(depth), chroma: chroma, quality: Int32(quality),
            offset: hasOffset ? 1 : 0), &count)
      }
      guard let bytes = unsafe encoding else { throw FixtureError("libheif encodes nothing") }
      defer { unsafe fh_free(bytes) }
      let file = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
      type = codec == .hevc ? "hvc1" : "av01"
      (width, height) = (pixels.width, pixels.height)
      configuration = try Self.box(codec == .hevc ? "hvcC" : "av1C", in: file)
      data = Array(try Self.box("mdat", in: file).dropFirst(8))
    }

    /// Returns the first box of a type, wherever it is.
    private static func box(_ type: String, in file: [UInt8]) throws -> [UInt8] {
      let code = Array(type.utf8)
      guard let place = file.indices.dropFirst(4).first(where: { file[$0...].starts(with: code) }) else {
        throw FixtureError("no box \(type)")
      }
      let size = file[place - 4..<place].reduce(0) { $0 << 8 | Int($1) }
      return Array(file[place - 4..<place - 4 + size])
    }
  }

  /// A builder of HEIF files (ISO/IEC 23008-12) of every kind around coded images, valid and invalid.
  public struct HEIFBuilder: Sendable {
    public struct Item: Sendable {
      public var type: String
      /// Whole boxes, in the order in which they apply.
      public var properties: [[UInt8]]
      public var data: [UInt8]
      /// Extents of length 0 after the one with the data.
      public var emptyExtents = 0
      /// Extents before it that lie behind the end of the file.
      public var outsideExtents = 0
      /// The type of a "mime" item.
      public var contentType: String?

      public init(type: String, properties: [[UInt8]], data: [UInt8]) {
        (self.type, self.properties, self.data) = (type, properties, data)
      }
    }

    public var brand = "heic"
    /// Nil for "mif1" and the major brand.
    public var compatibleBrands: [String]?
    /// Item numbers start at 1.
    public var primary = 1
    public var items: [Item] = []
    public var references: [(type: String, from: Int, to: [Int])] = []
    /// Properties without an item, and their associations, by indices from 0, before each item's own.
    public var shared: [[UInt8]] = []
    public var sharedAssociations: [(item: Int, properties: [Int])] = []

    /// Whole boxes behind the first one, and at the end.
    public var before: [UInt8] = []
    public var behind: [UInt8] = []

    public init() {}

    /// Creates a file of one image.
    public init(_ picture: CodedItem, _ properties: [UInt8]...) {
      brand = picture.type == "hvc1" ? "heic" : "avif"
      _ = add(picture, properties)
    }

    /// Adds an image.
    ///
    /// - Returns: The item's number.
    public mutating func add(_ picture: CodedItem, _ properties: [[UInt8]] = []) -> Int {
      let own = [picture.configuration, Self.size(picture.width, picture.height)]
      items.append(Item(type: picture.type, properties: own + properties, data: picture.data))
      return items.count
    }

    /// Adds an image of tiles, and the tiles.
    public mutating func addGrid(
      _ tiles: [CodedItem], columns: Int, width: Int, height: Int, _ properties: [[UInt8]] = []
    ) -> Int {
      let parts = tiles.map { add($0) }
      let description =
        [0, 0, UInt8(tiles.count / columns - 1), UInt8(columns - 1)] + Self.number(width, 2) + Self.number(height, 2)
      items.append(Item(type: "grid", properties: [Self.size(width, height)] + properties, data: description))
      references.append(("dimg", items.count, parts))
      return items.count
    }

    /// Adds EXIF data of an item, after "Exif\0\0".
    public mutating func addEXIF(_ tiff: [UInt8], of item: Int) {
      items.append(Item(type: "Exif", properties: [], data: Self.number(6, 4) + Array("Exif\0\0".utf8) + tiff))
      references.append(("cdsc", items.count, [item]))
    }

    /// Adds an XMP packet of an item.
    public mutating func addXMP(_ packet: [UInt8], of item: Int) {
      var made = Item(type: "mime", properties: [], data: packet)
      made.contentType = "application/rdf+xml"
      items.append(made)
      references.append(("cdsc", items.count, [item]))
    }

    // MARK: Properties

    public static func size(_ width: Int, _ height: Int) -> [UInt8] {
      box("ispe", number(0, 4) + number(width, 4) + number(height, 4))
    }
    /// Returns a rotation in counterclockwise quarters.
    public static func rotation(_ quarters: Int) -> [UInt8] { box("irot", [UInt8(quarters)]) }
    public static func mirror(_ axis: Int) -> [UInt8] { box("imir", [UInt8(axis)]) }
    /// Returns an aperture in whole pixels, with the distance of the centers in halves.
    public static func aperture(_ width: Int, _ height: Int, halfX: Int, halfY: Int) -> [UInt8] {
      box("clap", [(width, 1), (height, 1), (halfX, 2), (halfY, 2)].flatMap { number($0, 4) + number($1, 4) })
    }
    public static func profile(_ profile: [UInt8]) -> [UInt8] { box("colr", Array("prof".utf8) + profile) }
    public static func codePoints(_ primaries: Int, _ transfer: Int, _ matrix: Int, isFull: Bool = true) -> [UInt8] {
      box(
        "colr",
        Array("nclx".utf8) + number(primaries, 2) + number(transfer, 2) + number(matrix, 2) + [isFull ? 0x80 : 0])
    }
    public static let alpha = box("auxC", number(0, 4) + Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8))

    // MARK: The file

    public func encoded() -> [UInt8] {
      let properties = shared + items.flatMap(\.properties)
      // An entry has at most 255.
      let common = sharedAssociations.flatMap { item, properties in
        stride(from: 0, to: properties.count, by: 255).map { (item, properties[$0..<min($0 + 255, properties.count)]) }
      }
      var associations = Self.number(0, 3) + [1] + Self.number(common.count + items.count, 4)
      for (item, properties) in common {
        associations += Self.number(item, 2) + [UInt8(properties.count)]
        for property in properties { associations += Self.number(property + 1, 2) }
      }
      var next = shared.count + 1
      for (index, item) in items.enumerated() {
        associations += Self.number(index + 1, 2) + [UInt8(item.properties.count)]
        for _ in item.properties {
          associations += Self.number(next, 2)
          next += 1
        }
      }
      func meta(dataOffset: Int) -> [UInt8] {
        var locations = Self.number(0, 4) + Self.number(0x4400, 2) + Self.number(items.count, 2)
        var offset = dataOffset
        for (index, item) in items.enumerated() {
          let extents = item.outsideExtents + 1 + item.emptyExtents
          locations += Self.number(index + 1, 2) + Self.number(0, 2) + Self.number(extents, 2)
          for _ in 0..<item.outsideExtents { locations += [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1] }
          locations += Self.number(offset, 4) + Self.number(item.data.count, 4)
          locations += [UInt8](repeating: 0, count: 8 * item.emptyExtents)
          offset += item.data.count
        }
        let entries = items.enumerated().map { index, item -> [UInt8] in
          var entry: [UInt8] = [2, 0, 0, 0] + Self.number(index + 1, 2) + Self.number(0, 2)
          entry += Array(item.type.utf8) + [0]
          if let contentType = item.contentType { entry += Array(contentType.utf8) + [0] }
          return Self.box("infe", entry)
        }
        let links = references.map { reference in
          Self.box(
            reference.type,
            Self.number(reference.from, 2) + Self.number(reference.to.count, 2)
              + reference.to.flatMap { Self.number($0, 2) })
        }
        return Self.box(
          "meta",
          Self.number(0, 4) + Self.box("hdlr", Self.number(0, 8) + Array("pict".utf8) + Self.number(0, 13))
            + Self.box("pitm", Self.number(0, 4) + Self.number(primary, 2)) + Self.box("iloc", locations)
            + Self.box("iinf", Self.number(0, 4) + Self.number(items.count, 2) + entries.flatMap { $0 })
            + (links.isEmpty ? [] : Self.box("iref", Self.number(0, 4) + links.flatMap { $0 }))
            + Self.box("iprp", Self.box("ipco", properties.flatMap { $0 }) + Self.box("ipma", associations)))
      }
      let brands = [brand, "\0\0\0\0"] + (compatibleBrands ?? ["mif1", brand])
      let start = Self.box("ftyp", brands.flatMap(\.utf8)) + before
      let offset = start.count + meta(dataOffset: 0).count + 8
      return start + meta(dataOffset: offset) + Self.box("mdat", items.flatMap(\.data)) + behind
    }

    /// Tracks of so many samples each (ISO/IEC 14496-12, 8.2 to 8.7), with nothing else in them.
    public static func movie(_ sampleCounts: [Int], isCompact: Bool = false) -> [UInt8] {
      let tracks = sampleCounts.map { count -> [UInt8] in
        let sizes = box(isCompact ? "stz2" : "stsz", number(0, 4) + number(8, 4) + number(count, 4))
        return box("trak", box("tkhd", number(0, 80)) + box("mdia", box("minf", box("stbl", sizes))))
      }
      return box("moov", box("mvhd", number(0, 96)) + tracks.flatMap { $0 })
    }

    public static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      number(8 + content.count, 4) + Array(type.utf8) + content
    }

    private static func number(_ value: Int, _ width: Int) -> [UInt8] {
      (0..<width).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }
  }

  /// Returns a file's primary image in RGBA, as libheif decodes and rotates it.
  public func referenceDecodeHEIF(_ file: [UInt8]) throws -> Pixels {
    var (width, height) = (0, 0)
    guard let samples = unsafe fh_decode(file, file.count, &width, &height) else {
      throw FixtureError("a file that cannot be read")
    }
    defer { unsafe fh_free(samples) }
    return Pixels(
      width: width, height: height, channels: 4,
      samples: unsafe Array(UnsafeBufferPointer(start: samples, count: width * height * 4)))
  }
#endif
