/// Builds EXIF data: a TIFF structure.
public enum EXIFBuilder {
  public enum ByteOrder: Sendable, CaseIterable {
    case little, big
  }

  /// The type of the orientation: the standard's SHORT, or the LONG that some programs write.
  public enum OrientationType: Sendable, CaseIterable {
    case short, long
  }

  /// Returns EXIF data without values of `nil` or false. `gps` writes a fixed position; `thumbnail` goes into IFD 1.
  public static func tiff(
    byteOrder: ByteOrder = .little, orientation: UInt16? = 1, orientationType: OrientationType = .short,
    artist: String? = nil, copyright: String? = nil, dateTimeOriginal: String? = nil,
    pixelSize: (width: Int, height: Int)? = nil, gps: Bool = false, thumbnail: [UInt8]? = nil
  ) -> [UInt8] {
    let order = byteOrder
    var main = TIFFTree([])
    if let orientation {
      let value = Int(orientation)
      main.entries.append(orientationType == .short ? .short(0x0112, value, order) : .long(0x0112, value, order))
    }
    if let artist { main.entries.append(.ascii(0x013B, artist)) }
    if let copyright { main.entries.append(.ascii(0x8298, copyright)) }

    var details = TIFFTree([])
    if let dateTimeOriginal { details.entries.append(.ascii(0x9003, dateTimeOriginal)) }
    if let pixelSize {
      details.entries.append(.long(0xA002, pixelSize.width, order))
      details.entries.append(.long(0xA003, pixelSize.height, order))
    }
    if !details.entries.isEmpty {
      details.entries.insert(.undefined(0x9000, Array("0230".utf8)), at: 0)
      main.entries.append(.directory(0x8769, details))
    }
    if gps { main.entries.append(.directory(0x8825, place(order))) }
    if let thumbnail {
      main.next = .directory(
        TIFFTree([
          .short(0x0103, 6, order), Entry(0x0201, type: 4, count: 1, .offset(of: thumbnail)),
          .long(0x0202, thumbnail.count, order),
        ]))
    }
    return main.tiff(order)
  }

  private typealias Entry = TIFFTree.Entry

  /// Returns 59° 55′ 12″ N, 10° 45′ 36″ E.
  private static func place(_ order: ByteOrder) -> TIFFTree {
    TIFFTree([
      Entry(0, type: 1, count: 4, .bytes([2, 3, 0, 0])), .ascii(1, "N"), .rationals(2, [59, 55, 12], order),
      .ascii(3, "E"), .rationals(4, [10, 45, 36], order),
    ])
  }
}

// MARK: Embedded images

extension EXIFBuilder {
  /// EXIF data with an image of the whole scene in one place.
  public struct Embedding: Sendable {
    /// The place of the image.
    public var place: String
    public var tiff: [UInt8]
  }

  /// The other content of ``embeddings(of:_:)``.
  public static let artist = "Fixture Artist"

  /// Returns EXIF data with the image in each place that cameras, programs or attackers may use.
  ///
  /// - Parameter picture: A whole file, or raw samples.
  public static func embeddings(of picture: [UInt8], _ order: ByteOrder) -> [Embedding] {
    let artist = Entry.ascii(0x013B, Self.artist)
    func tiff(_ main: [Entry], next: TIFFTree? = nil) -> [UInt8] {
      TIFFTree(([artist] + main).sorted { $0.tag < $1.tag }, next: next).tiff(order)
    }
    func inExif(_ entry: Entry) -> [UInt8] { tiff([.directory(0x8769, TIFFTree([entry]))]) }
    let raw = Entry.undefined(0x927C, Array("Camera\0\0".utf8) + picture)
    let all = thumbnail(picture, order)
    let strip = strips(picture, order)
    let inTags: [(String, Entry)] = [
      ("ImageDescription", Entry(0x010E, type: 2, count: picture.count, .bytes(picture))),
      ("Copyright's second part", Entry(0x8298, type: 2, count: picture.count + 2, .bytes([0x41, 0] + picture))),
      ("ImageDescription of bytes", .undefined(0x010E, picture)),
      ("XResolution of many", Entry(0x011A, type: 5, count: picture.count / 8, .bytes(picture))),
      ("XPComment", Entry(0x9C9C, type: 1, count: picture.count, .bytes(picture))),
      ("XPComment, one byte on", Entry(0x9C9C, type: 1, count: picture.count + 1, .bytes([0x41] + picture))),
      ("PrintImageMatching", .undefined(0xC4A5, picture)), ("a tag of nobody's", .undefined(0xFDE8, picture)),
    ]
    let inExifTags: [(String, Entry)] = [
      ("maker note", raw), ("UserComment", .undefined(0x9286, Array("ASCII\0\0\0".utf8) + picture)),
      ("UserComment of UTF-16", .undefined(0x9286, Array("UNICODE\0".utf8) + picture)),
      ("UserComment of no encoding", .undefined(0x9286, [UInt8](repeating: 0, count: 8) + picture)),
      ("UserComment's encoding", .undefined(0x9286, picture)), ("ExifVersion", .undefined(0x9000, picture)),
      ("CFAPattern", .undefined(0xA302, picture)), ("DeviceSettingDescription", .undefined(0xA40B, picture)),
      ("interoperability", .directory(0xA005, TIFFTree([.undefined(2, picture)] + all.entries))),
    ]
    var embeddings: [(String, [UInt8])] = [
      ("IFD1", tiff([], next: all)), ("IFD0", tiff(all.entries)),
      ("strips in IFD1", tiff([], next: strip)), ("strips in IFD0", tiff(strip.entries)),
      ("IFD2", tiff([], next: TIFFTree([.short(0x0103, 6, order)], next: all))),
      ("SubIFD", tiff([.directory(0x014A, all)])), ("strips in a SubIFD", tiff([.directory(0x014A, strip)])),
      ("offset of type 13", tiff([], next: thumbnail(picture, order, offsetType: 13))),
      ("length of type 9", tiff([], next: thumbnail(picture, order, lengthType: 9))),
      ("length of type 3", tiff([], next: thumbnail(picture, order, lengthType: 3))),
      ("GPSAreaInformation", tiff([.directory(0x8825, TIFFTree([.undefined(28, picture)]))])),
      ("thumbnail in the GPS directory", tiff([.directory(0x8825, all)])),
      ("thumbnail in the Exif directory", tiff([.directory(0x8769, all)])),
      ("everywhere", embeddingEverywhere(picture, order)), ("behind everything", tiff([]) + picture),
      (
        "behind the maker note",
        tiff([.directory(0x8769, TIFFTree([.undefined(0x927C, Array("Nikon".utf8))]))]) + picture
      ),
    ]
    embeddings += inTags.map { ($0.0, tiff([$0.1])) } + inExifTags.map { ($0.0, inExif($0.1)) }
    return embeddings.map { Embedding(place: $0.0, tiff: $0.1) }
  }

  /// Returns EXIF data with the image in all places that can be combined.
  public static func embeddingEverywhere(_ picture: [UInt8], _ order: ByteOrder) -> [UInt8] {
    let all = thumbnail(picture, order)
    let strip = strips(picture, order)
    return TIFFTree(
      strip.entries + [.ascii(0x013B, Self.artist), .directory(0x014A, all)] + all.entries + [
        .directory(
          0x8769,
          TIFFTree([
            .undefined(0x927C, Array("Camera\0\0".utf8) + picture),
            .undefined(0x9286, Array("ASCII\0\0\0".utf8) + picture),
            .directory(0xA005, TIFFTree([.undefined(2, picture)])),
          ])),
        .directory(0x8825, TIFFTree([.undefined(28, picture)])), .undefined(0xC4A5, picture),
      ], next: TIFFTree(strip.entries, next: all)
    ).tiff(order) + picture
  }

  /// Returns a directory of a JPEG file.
  private static func thumbnail(
    _ picture: [UInt8], _ order: ByteOrder, offsetType: UInt16 = 4, lengthType: UInt16 = 4
  ) -> TIFFTree {
    let length = lengthType == 3 ? order.bytes(UInt16(picture.count)) : order.bytes(UInt32(picture.count))
    return TIFFTree([
      .short(0x0103, 6, order), Entry(0x0201, type: offsetType, count: 1, .offset(of: picture)),
      Entry(0x0202, type: lengthType, count: 1, .bytes(length)),
    ])
  }

  /// Returns a directory of raw samples, as old cameras wrote them.
  private static func strips(_ picture: [UInt8], _ order: ByteOrder) -> TIFFTree {
    TIFFTree([
      .short(0x0100, 16, order), .short(0x0101, picture.count / 48, order), .short(0x0103, 1, order),
      .short(0x0106, 2, order), Entry(0x0111, type: 4, count: 1, .offset(of: picture)), .short(0x0115, 3, order),
      .long(0x0117, picture.count, order),
    ])
  }
}
