/// The segments before the data of a JPEG file's first scan (ITU-T T.81, B.1.1).
enum JPEGSegments {
  static let startOfScan: UInt8 = 0xDA

  struct Segment {
    var marker: UInt8
    /// The bytes with the marker and the length.
    var range: Range<Int>

    var payload: Range<Int> { range.lowerBound + 4..<range.upperBound }
  }

  /// Returns the next segment with a length, of those before the first scan's data. Bytes between segments are skipped.
  /// Nil at the end of the file, and for a segment that ends outside.
  static func next(in bytes: Span<UInt8>, from start: Int) -> Segment? {
    var offset = start
    while let mark = bytes.byte(at: offset), let marker = bytes.byte(at: offset + 1) {
      if mark != 0xFF || marker == 0 || marker == 0xFF {
        offset += 1
      } else if marker == 0x01 || (0xD0...0xD7).contains(marker) {
        offset += 2
      } else {
        guard let length = bytes.uint16(at: offset + 2), length >= 2, offset + 2 + length <= bytes.count else {
          return nil
        }
        return Segment(marker: marker, range: offset..<offset + 2 + length)
      }
    }
    return nil
  }

  /// Returns the bytes up to the first scan's data for a file with other metadata: the tables and headers, the color
  /// profile, and comments. Other application segments can hold images or positions, and are dropped.
  static func header(of bytes: Span<UInt8>, _ metadata: CropMetadata, _ job: Job) throws(FaceCropError) -> [UInt8] {
    var copied: [UInt8] = []
    var jfif: [UInt8] = []
    var offset = 2
    while let segment = next(in: bytes, from: offset) {
      try job.step()
      let payload = segment.payload.lowerBound
      switch segment.marker {
      case 0xE0 where jfif.isEmpty && segment.payload.count >= 14 && bytes.contains("JFIF\0", at: payload):
        // Without its thumbnail (ITU-T T.871, 10.1).
        jfif = [0xFF, 0xE0, 0, 16] + bytes.copy(payload..<payload + 12) + [0, 0]
      case 0xE2 where bytes.contains("ICC_PROFILE\0", at: payload): copied += bytes.copy(segment.range)
      case 0xEE where bytes.contains("Adobe", at: payload): copied += bytes.copy(segment.range)
      case 0xE0...0xEF: break
      default: copied += bytes.copy(segment.range)
      }
      offset = segment.range.upperBound
      if segment.marker == startOfScan {
        return [0xFF, 0xD8] + jfif + self.segment(JPEGHeader.exifIdentifier, metadata.exif)
          + self.segment(XMPPacket.identifier, metadata.xmp) + copied
      }
    }
    throw .corrupt("the file ends inside its header")
  }

  private static func segment(_ identifier: [UInt8], _ content: [UInt8]?) -> [UInt8] {
    guard let content, identifier.count + content.count <= 65_533 else { return [] }
    let length = identifier.count + content.count + 2
    return [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + identifier + content
  }
}
