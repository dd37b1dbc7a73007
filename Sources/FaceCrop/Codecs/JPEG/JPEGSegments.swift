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

  /// Returns the parts that make the image: all but comments and application segments. Adobe's has the color transform.
  static func imageParts(of file: Span<UInt8>) -> ImageParts {
    var parts = ImageParts()
    var offset = min(2, file.count)
    while let segment = next(in: file, from: offset) {
      offset = segment.range.upperBound
      switch segment.marker {
      case 0xE1 where parts.exif == nil && file.contains("Exif\0\0", at: segment.payload.lowerBound):
        parts.exif = segment.payload.dropFirst(JPEGHeader.exifIdentifier.count)
      case 0xE0...0xED, 0xEF, 0xFE: break
      default: parts.data.append(segment.range)
      }
      if segment.marker == startOfScan { break }
    }
    parts.data.append(offset..<file.count)
    return parts
  }
}
