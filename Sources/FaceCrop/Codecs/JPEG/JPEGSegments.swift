/// The segments before the data of a JPEG file with one scan, copied into a file with other metadata.
enum JPEGSegments {
  /// Returns the bytes up to the first scan's data: the tables and headers, the color profile, and comments. Other
  /// application segments can hold images or positions, and are dropped.
  static func header(of bytes: Span<UInt8>, _ metadata: CropMetadata, _ job: Job) throws(FaceCropError) -> [UInt8] {
    var copied: [UInt8] = []
    var jfif: [UInt8] = []
    var offset = 2
    while true {
      try job.step()
      while bytes.byte(at: offset) == 0xFF, bytes.byte(at: offset + 1) == 0xFF { offset += 1 }
      guard let mark = bytes.byte(at: offset), let marker = bytes.byte(at: offset + 1) else { break }
      guard mark == 0xFF, marker != 0 else {
        offset += 1
        continue
      }
      if marker == 0x01 || (0xD0...0xD7).contains(marker) {
        offset += 2
        continue
      }
      guard let length = bytes.uint16(at: offset + 2), length >= 2, offset + 2 + length <= bytes.count else { break }
      let segment = offset..<offset + 2 + length
      let payload = offset + 4
      switch marker {
      case 0xE0 where jfif.isEmpty && length >= 16 && bytes.contains("JFIF\0", at: payload):
        // Without its thumbnail (ITU-T T.871, 10.1).
        jfif = [0xFF, 0xE0, 0, 16] + bytes.copy(payload..<payload + 12) + [0, 0]
      case 0xE2 where bytes.contains("ICC_PROFILE\0", at: payload): copied += bytes.copy(segment)
      case 0xEE where bytes.contains("Adobe", at: payload): copied += bytes.copy(segment)
      case 0xE0...0xEF: break
      default: copied += bytes.copy(segment)
      }
      offset = segment.upperBound
      if marker == 0xDA {
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
