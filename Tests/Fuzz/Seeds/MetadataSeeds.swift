import TestSupport

/// EXIF data and color profiles.
enum MetadataSeeds {
  /// With all that is rewritten, and JPEG's prefix.
  static let payload = EXIFBuilder.payload(
    orientation: 6, artist: "Ada", copyright: "Nobody", dateTimeOriginal: "2026:01:01 00:00:00", pixelSize: (37, 27),
    gps: true, thumbnail: [0xFF, 0xD8, 0xFF, 0xE0, 0, 2, 0xFF, 0xD9])

  /// Without JPEG's prefix, which the target puts before them.
  static func exif() -> [[UInt8]] {
    let payloads = EXIFBuilder.ByteOrder.allCases.flatMap { order in
      [
        EXIFBuilder.payload(byteOrder: order, orientation: 8, orientationType: .long),
        EXIFBuilder.payload(byteOrder: order, artist: "A", copyright: "C"),
        EXIFBuilder.payload(byteOrder: order, artist: "Ada Lovelace", pixelSize: (4_000, 3_000)),
        EXIFBuilder.payload(
          byteOrder: order, orientation: 3, copyright: "Nobody", dateTimeOriginal: "2026:01:01 00:00:00",
          pixelSize: (37, 27), gps: true, thumbnail: [0xFF, 0xD8, 0xFF, 0xE0, 0, 2, 0xFF, 0xD9]),
      ]
    }
    return payloads.map { FuzzInput.seed($0.dropFirst(6)) }
  }

  /// The last byte says for which pixels.
  static func icc() -> [[UInt8]] {
    [(ICCBuilder.Space.gray, 0), (.rgb, 1), (.displayP3, 2), (.cmyk, 3)].map { ICCBuilder.profile($0) + [$1] }
  }
}
