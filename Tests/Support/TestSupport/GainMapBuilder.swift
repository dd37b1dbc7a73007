/// Builds JPEG files with a gain map, as phones and their libraries write them.
public struct GainMapBuilder: Sendable {
  /// The image and its map: JPEG files without segments.
  public var picture: [UInt8]
  public var map: [UInt8]
  /// XMP packets; nil for none.
  public var picturePacket: String?
  public var mapPacket: String?
  /// The data after the identifier of ISO 21496-1.
  public var iso: [UInt8]?
  /// EXIF data of the image.
  public var exif: [UInt8]?
  /// Wrong values for the index.
  public var (saidOffset, saidLength): (Int?, Int?)
  public var isBigEndian = false
  /// The number of index entries for the map.
  public var copies = 1

  public init(picture: [UInt8], map: [UInt8]) {
    (self.picture, self.map) = (picture, map)
  }

  /// Returns a packet of one description.
  public static func packet(_ attributes: String, _ elements: String = "") -> String {
    """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" \(attributes)>\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>
    """
  }

  public static let hdrgm = "xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" hdrgm:Version=\"1.0\""
  public static let apple =
    "xmlns:apdi=\"http://ns.apple.com/pixeldatainfo/1.0/\" xmlns:HDRGainMap=\"http://ns.apple.com/HDRGainMap/1.0/\" "
    + "apdi:AuxiliaryImageType=\"urn:com:apple:photo:2020:aux:hdrgainmap\" HDRGainMap:HDRGainMapVersion=\"65536\""

  /// Returns EXIF data whose maker note has Apple's two numbers, in thousandths.
  public static func appleNote(headroom: Int, gain: Int) -> [UInt8] {
    func fraction(_ tag: UInt16, _ thousandths: Int) -> TIFFTree.Entry {
      TIFFTree.Entry(
        tag, type: 10, count: 1,
        .bytes(Int32(thousandths).bigEndianBytes + Int32(1_000).bigEndianBytes))
    }
    let note =
      Array("Apple iOS\0\0\u{1}MM".utf8)
      + TIFFTree([fraction(0x21, headroom), fraction(0x30, gain)]).encoded(at: 14, .big)
    return TIFFTree([.directory(0x8769, TIFFTree([.undefined(0x927C, note)]))]).tiff(.big)
  }

  public func encoded() -> [UInt8] {
    func packet(_ text: String?) -> [MarkerSegment] {
      text.map { [.app(1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array($0.utf8))] } ?? []
    }
    func iso(_ payload: [UInt8]?) -> [MarkerSegment] {
      payload.map { [.app(2, Array("urn:iso:std:iso:ts:21496:-1\0".utf8) + $0)] } ?? []
    }
    let second = JPEGSurgery.inserting(packet(mapPacket) + iso(self.iso), into: map)
    let before =
      (exif.map { [MarkerSegment.exif($0)] } ?? []) + packet(picturePacket)
      + iso(self.iso.map { Array($0.prefix(4)) })
    func file(first: Int, place: Int) -> [UInt8] {
      func number(_ value: Int) -> [UInt8] {
        isBigEndian ? UInt32(value).bigEndianBytes : UInt32(value).littleEndianBytes
      }
      let other =
        number(0) + number(saidLength ?? second.count) + number(saidOffset ?? first - place) + number(0)
      let entries =
        number(0x0003_0000) + number(first) + number(0) + number(0) + (0..<copies).flatMap { _ in other }
      let order: EXIFBuilder.ByteOrder = isBigEndian ? .big : .little
      let index = TIFFTree([
        .undefined(0xB000, Array("0100".utf8)), .long(0xB001, 2, order), .undefined(0xB002, entries),
      ]).tiff(order)
      return JPEGSurgery.inserting(before + [.app(2, Array("MPF\0".utf8) + index)], into: picture)
    }
    let first = file(first: 0, place: 0)
    let mark = Array("MPF\0".utf8)
    let place = first.indices.first { first[$0...].starts(with: mark) }! + 4
    return file(first: first.count, place: place) + second
  }
}
