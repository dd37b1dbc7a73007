import TestSupport

/// EXIF data and color profiles.
enum MetadataSeeds {
  /// All fields that are rewritten.
  static let tiff = EXIFBuilder.tiff(
    orientation: 6, artist: "Ada", copyright: "Nobody", dateTimeOriginal: "2026:01:01 00:00:00", pixelSize: (37, 27),
    gps: true, thumbnail: [0xFF, 0xD8, 0xFF, 0xE0, 0, 2, 0xFF, 0xD9])

  /// Makes EXIF data of all kinds.
  static func exif() -> [[UInt8]] {
    let structures = EXIFBuilder.ByteOrder.allCases.flatMap { order in
      [
        EXIFBuilder.tiff(byteOrder: order, orientation: 8, orientationType: .long),
        EXIFBuilder.tiff(byteOrder: order, artist: "A", copyright: "C"),
        EXIFBuilder.tiff(byteOrder: order, artist: "Ada Lovelace", pixelSize: (4_000, 3_000)),
        EXIFBuilder.tiff(
          byteOrder: order, orientation: 3, copyright: "Nobody", dateTimeOriginal: "2026:01:01 00:00:00",
          pixelSize: (37, 27), gps: true, thumbnail: [0xFF, 0xD8, 0xFF, 0xE0, 0, 2, 0xFF, 0xD9]),
      ]
    }
    let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 2, 0xFF, 0xD9]
    let hiding = EXIFBuilder.ByteOrder.allCases.flatMap { order in
      EXIFBuilder.embeddings(of: picture, order).map(\.tiff)
    }
    return (structures + hiding + [texts]).map { FuzzInput.seed($0[...]) }
  }

  /// Texts in all encodings.
  private static let texts = TIFFTree([
    .ascii(0x010E, "a remark"), .ascii(0x8298, "Ada\0Bob"),
    .directory(
      0x8769,
      TIFFTree([
        .undefined(0x9286, Array("UNICODE\0A\0d\0a\0".utf8)), .directory(0xA005, TIFFTree([.ascii(1, "R98")])),
      ])),
    TIFFTree.Entry(0x9C9B, type: 1, count: 6, .bytes([0x41, 0, 0x42, 0, 0, 0])),
  ]).tiff(.little)

  /// Makes profiles; the last byte selects the pixels.
  static func icc() -> [[UInt8]] {
    let curves: [ICCBuilder.Curve] = [
      .none, .sampled([0, 9_000, 65_535]), .parametric(3, [2.4, 0.948, 0.052, 0.077, 0.04]),
      .parametric(4, [2.2, 0.97, 0.03, 0.08, 0.05, 0.002, 0.001]),
    ]
    let tables = [
      HostileProfile.lut8(inputs: 3, side: 3), HostileProfile.lut16(inputs: 3, side: 2, entries: 5),
      HostileProfile.steppedTable(inputs: 3, side: 3, width: 2, entries: 4),
    ]
    let inks = HostileProfile.steppedTable(inputs: 4, side: 2, width: 1, entries: 4)
    return [(ICCBuilder.Space.gray, 0), (.rgb, 1), (.displayP3, 2), (.cmyk, 3)].map { ICCBuilder.profile($0) + [$1] }
      + curves.map { ICCBuilder.gray($0) + [0] }
      + curves.map {
        ICCBuilder.matrix([[0.44, 0.22, 0.01], [0.39, 0.72, 0.1], [0.14, 0.06, 0.71]], [$0, $0, $0]) + [2]
      }
      + tables.map { HostileProfile.profile(table: $0, inputs: 3, version: 0x0420_0000) + [1] }
      + [HostileProfile.profile(table: inks, inputs: 4, version: 0x0420_0000) + [3], HostileProfile.steps(1) + [1]]
  }
}
