/// A writer of JPEG files with an image and its gain map, one after the other. Other readers see only the image.
enum GainMapFile {
  /// Joins an image and its gain map, JPEG files without XMP and multi-picture index. The description of the map is
  /// added to `xmp`, the image's packet.
  static func joined(
    _ picture: [UInt8], xmp: [UInt8]?, _ map: [UInt8], _ metadata: GainMap.Metadata
  ) -> [UInt8] {
    let map = inserting(segment(ofPacket: metadata.packet) + metadata.isoSegment(ofMap: true), into: map)
    let packet = packet(xmp, with: metadata.description(ofMap: map.count))
    var segments = segment(ofPacket: packet) + metadata.isoSegment(ofMap: false)
    let index = MultiPicture.segment(
      at: JPEGSegments.end(of: JPEGSegments.application, in: picture.span) + segments.count,
      first: picture.count + segments.count + MultiPicture.segmentBytes, second: map.count)
    segments += index
    return inserting(segments, into: picture) + map
  }

  /// Adds an XMP packet to a JPEG file without XMP.
  static func with(xmp: [UInt8]?, _ picture: [UInt8]) -> [UInt8] {
    inserting(segment(ofPacket: xmp), into: picture)
  }

  private static func packet(_ xmp: [UInt8]?, with description: String?) -> [UInt8]? {
    guard let description else { return xmp }
    let end = Array("</rdf:RDF>".utf8)
    // The position is known in facecrop's own packets. A foreign packet is replaced by the required description.
    if let xmp, let place = (0..<max(xmp.count - end.count, 0)).last(where: { xmp[$0...].starts(with: end) }),
      xmp.count + description.utf8.count <= XMPPacket.mostBytes
    {
      return xmp[..<place] + Array(description.utf8) + xmp[place...]
    }
    return Array(
      "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"\(RDF.namespace)\">\n\(description)</rdf:RDF></x:xmpmeta>"
        .utf8)
  }

  private static func segment(ofPacket packet: [UInt8]?) -> [UInt8] {
    guard let packet, packet.count <= XMPPacket.mostBytes else { return [] }
    return JPEGSegments.segment(0xE1, XMPPacket.identifier + packet)
  }

  private static func inserting(_ segments: [UInt8], into jpeg: [UInt8]) -> [UInt8] {
    unsafe jpeg.withUnsafeBufferPointer { jpeg in
      unsafe JPEGSegments.inserting(segments, into: jpeg, behind: JPEGSegments.application)
    }
  }
}
