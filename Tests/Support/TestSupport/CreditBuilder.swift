/// XMP packets and IPTC's records as other programs write them.
public enum CreditBuilder {
  /// Returns a packet around RDF content, with the namespaces of credits.
  public static func packet(_ rdf: String) -> [UInt8] {
    Array(
      """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
       xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
       xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/">\(rdf)</rdf:RDF></x:xmpmeta><?xpacket end="w"?>
      """.utf8)
  }

  /// Returns a packet of one description with these properties.
  public static func packet(attributes: String = "", properties: String) -> [UInt8] {
    packet("<rdf:Description rdf:about=\"\" \(attributes)>\(properties)</rdf:Description>")
  }

  /// Returns one data set of IPTC-IIM.
  public static func dataSet(_ number: UInt8, _ bytes: [UInt8], record: UInt8 = 2, isLong: Bool = false) -> [UInt8] {
    let length = isLong ? [0x80, 4] + UInt32(bytes.count).bigEndianBytes : UInt16(bytes.count).bigEndianBytes
    return [0x1C, record, number] + length + bytes
  }

  /// Returns Photoshop's resources, with the records among them.
  public static func resources(_ records: [UInt8]) -> [UInt8] {
    resource(0x03ED, name: "odd", [1, 2, 3]) + resource(0x0404, name: "", records)
      + resource(0x0425, name: "", [9])
  }

  /// A resolution among Photoshop's resources, of 16 bits behind the point.
  public static func resolution(_ x: UInt32, _ y: UInt32, unit: UInt8) -> [UInt8] {
    func side(_ value: UInt32) -> [UInt8] { value.bigEndianBytes + [0, unit, 0, 1] }
    return resource(0x0404, name: "", [1]) + resource(0x03ED, name: "", side(x) + side(y))
  }

  private static func resource(_ id: UInt16, name: String, _ data: [UInt8]) -> [UInt8] {
    let named = [UInt8(name.utf8.count)] + Array(name.utf8)
    return Array("8BIM".utf8) + id.bigEndianBytes + named + (named.count % 2 == 0 ? [] : [0])
      + UInt32(data.count).bigEndianBytes + data + (data.count % 2 == 0 ? [] : [0])
  }

  /// Returns a JPEG segment with a packet.
  public static func segment(xmp packet: [UInt8]) -> MarkerSegment {
    .app(1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet)
  }

  /// Returns JPEG segments with records, each with at most `most` bytes of Photoshop's resources.
  public static func segments(iptc records: [UInt8], most: Int = 65_000) -> [MarkerSegment] {
    let all = resources(records)
    return stride(from: 0, to: all.count, by: most).map {
      .app(13, Array("Photoshop 3.0\0".utf8) + all[$0..<min($0 + most, all.count)])
    }
  }
}

extension PNGBuilder {
  /// Returns an XMP packet's PNG chunk.
  public static func xmp(_ packet: [UInt8], isCompressed: Bool = false) throws -> (name: String, data: [UInt8]) {
    let text = isCompressed ? try compressed(packet) : packet
    return ("iTXt", Array("XML:com.adobe.xmp\0".utf8) + [isCompressed ? 1 : 0, 0] + Array("en\0XMP\0".utf8) + text)
  }
}
