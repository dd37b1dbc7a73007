extension JPEGSegments {
  /// Upper bounds of a segment's payload (ITU-T T.81, B.1.1.4), and of a profile's bytes in one (ICC.1:2010, B.4).
  private static let largestPayload = 65_533, largestChunk = largestPayload - 14
  /// The largest profile, which fits into 255 segments.
  static let largestProfile = 255 * largestChunk
  /// The markers of JFIF's segments, and of all application segments.
  static let jfif: ClosedRange<UInt8> = 0xE0...0xE0, application: ClosedRange<UInt8> = 0xE0...0xEF

  /// Returns a segment. The payload must fit.
  static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xFF, marker] + [UInt8](payload.count + 2, count: 2, .bigEndian) + payload
  }

  /// Returns the segments of metadata and of a profile.
  static func segments(of metadata: CropMetadata, profile: [UInt8]?) throws(FaceCropError) -> [UInt8] {
    let exif = metadata.exif.map { JPEGHeader.exifIdentifier + $0 }
    let xmp = metadata.xmp.map { XMPPacket.identifier + $0 }
    let profile = profile ?? []
    let payloads = [exif, xmp].compactMap { $0 }
    guard payloads.allSatisfy({ $0.count <= largestPayload }), profile.count <= largestProfile else {
      throw .invalidRequest(InvalidRequest("the metadata do not fit into a JPEG file"))
    }
    let starts = Array(stride(from: 0, to: profile.count, by: largestChunk))
    let chunks = starts.enumerated().flatMap { index, start in
      let place = [UInt8(index + 1), UInt8(starts.count)]
      return segment(0xE2, Array("ICC_PROFILE\0".utf8) + place + profile[start...].prefix(largestChunk))
    }
    return payloads.flatMap { segment(0xE1, $0) } + chunks
  }

  /// Returns the end of the segments with the given markers at the start of a file.
  static func end(of markers: ClosedRange<UInt8>, in jpeg: Span<UInt8>) -> Int {
    var place = 2
    while jpeg.byte(at: place) == 0xFF, let marker = jpeg.byte(at: place + 1), markers.contains(marker),
      let length = jpeg.uint16(at: place + 2)
    { place += 2 + length }
    return min(place, jpeg.count)
  }

  /// Inserts segments behind those with the given markers at the start of a file.
  static func inserting(
    _ segments: [UInt8], into jpeg: UnsafeBufferPointer<UInt8>, behind markers: ClosedRange<UInt8>
  ) -> [UInt8] {
    let place = unsafe end(of: markers, in: jpeg.span)
    return unsafe [UInt8](jpeg.prefix(place)) + segments + jpeg.dropFirst(place)
  }
}
