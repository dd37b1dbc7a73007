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

  /// Returns the parts of a file that make its image: everything but comments and application segments. Adobe's has the
  /// color transform.
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

  /// Returns a file's beginning up to the first scan's data, with everything that decoding needs and nothing else:
  /// other segments can hold images, positions, or texts.
  static func tables(of bytes: Span<UInt8>, _ job: Job) throws(FaceCropError) -> [UInt8] {
    var (jfif, adobe, tables): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
    var offset = 2
    while let segment = next(in: bytes, from: offset) {
      try job.step()
      let payload = segment.payload.lowerBound
      switch segment.marker {
      case 0xE0 where jfif.isEmpty && segment.payload.count >= 14 && bytes.contains("JFIF\0", at: payload):
        // Without its thumbnail (ITU-T T.871, 10.1).
        jfif = [0xFF, 0xE0, 0, 16] + bytes.copy(payload..<payload + 12) + [0, 0]
      case 0xEE where adobe.isEmpty && segment.payload.count >= 12 && bytes.contains("Adobe", at: payload):
        // The color transform is the last of 12 bytes.
        adobe = [0xFF, 0xEE, 0, 14] + bytes.copy(payload..<payload + 12)
      // Frame headers, tables of Huffman and arithmetic coding, quantization tables, the restart interval, the scan.
      case 0xC0...0xC7, 0xC9...0xCF, 0xDB, 0xDD, startOfScan: tables += bytes.copy(segment.range)
      default: break
      }
      offset = segment.range.upperBound
      if segment.marker == startOfScan { return [0xFF, 0xD8] + jfif + adobe + tables }
    }
    throw .corrupt("the file ends inside its header")
  }
}
