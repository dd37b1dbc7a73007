import TestSupport

@testable import FaceCrop

/// A target that reads and rewrites an XMP packet, IPTC's records or Photoshop's resources, by the last byte.
///
/// Promises: the new packet fits into a JPEG segment and contains exactly the credits that were read, which are text.
enum CreditsTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    guard let kind = bytes.last else { return }
    let data = Array(bytes.dropLast())
    var sources = CreditSources()
    switch kind % 3 {
    case 0: sources.xmp = data
    case 1: sources.iptc = data
    default: sources.iptc = Array(data[PhotoshopResources.iptc(in: data)])
    }
    if kind % 3 == 0 { try readRegions(data) } else { try readPicasa(data) }
    let credits = try read(sources).credits
    let texts =
      Credits.lists.flatMap { credits[keyPath: $0] } + Credits.texts.compactMap { credits[keyPath: $0] }
    try Finding.unless(
      credits.keywords.count <= Credits.mostKeywords && credits.people.count <= Credits.mostPeople,
      "a list has too many texts")
    for text in texts {
      try Finding.unless(CreditText.cleaned(text) == text, "a text that is none was read")
    }
    for policy in MetadataPolicy.allCases {
      let kept = credits.kept(by: policy)
      let (packet, isWhole) = XMPPacket.written(kept)
      guard let packet else {
        try Finding.unless(kept.isEmpty || !isWhole, "credits are lost without a word")
        continue
      }
      try Finding.unless(packet.count <= XMPPacket.mostBytes, "a packet of \(packet.count) bytes was written")
      let (again, isRead) = try read(CreditSources(xmp: packet))
      try Finding.unless(isRead, "what was written cannot be read")
      try Finding.unless(!isWhole || again == kept, "what was written says something else")
    }
  }

  private static func read(_ sources: CreditSources) throws(Finding) -> (credits: Credits, isWhole: Bool) {
    do throws(FaceCropError) {
      return try sources.read(Observer().job(limits: Limits()))
    } catch {
      throw Finding("credits end in an error: \(error)")
    }
  }

  /// Faces lie in the image, with names that are text.
  private static func readRegions(_ packet: [UInt8]) throws(Finding) {
    let reader: RegionReader
    do throws(FaceCropError) {
      reader = try RegionReader.read(packet, Observer().job(limits: Limits()))
    } catch {
      throw Finding("regions end in an error: \(error)")
    }
    for orientation in Orientation.allCases {
      try check(reader.regions(of: PixelSize(width: 300, height: 200), orientation))
    }
  }

  private static func readPicasa(_ file: [UInt8]) throws(Finding) {
    try check(PicasaINI(file).regions(of: "a.jpg"))
  }

  private static func check(_ regions: [FaceRegion]) throws(Finding) {
    try Finding.unless(regions.count <= FaceRegion.most, "\(regions.count) regions were read")
    for region in regions {
      try Finding.unless(region.box.isValid, "a region lies outside of the image")
      if let name = region.name { try Finding.unless(CreditText.cleaned(name) == name, "a name is no text") }
    }
  }

  static let seeds: [[UInt8]] = {
    let rdf = "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:dc='http://purl.org/dc/elements/1.1/'"
    let packet = """
      <rdf:RDF \(rdf)><rdf:Description dc:rights='r'><dc:creator><rdf:Seq><rdf:li>a</rdf:li></rdf:Seq></dc:creator>\
      <dc:description><rdf:Alt><rdf:li xml:lang='x-default'>d</rdf:li></rdf:Alt></dc:description></rdf:Description></rdf:RDF>
      """
    let all = Credits(
      creators: ["A", "B"], creditLine: "C", copyrightNotice: "D", usageTerms: "E", webStatement: "F", description: "G",
      title: "H", headline: "I", keywords: ["J", "K"], people: ["L"], rating: 3)
    let records: [UInt8] = [0x1C, 2, 80, 0, 1, 65, 0x1C, 2, 116, 0x80, 4, 0, 0, 0, 2, 0xC3, 0xA9]
    let resources = Array("8BIM\u{4}\u{4}\0\0\0\0\0".utf8) + [UInt8(records.count)] + records
    let hostile = [HostileXMP.attributes(400, namespace: 500), HostileXMP.elements(400, namespace: 2_000)]
    let people: [[UInt8]] = [
      RegionPacket.written(
        Detection(
          size: PixelSize(width: 300, height: 200), orientation: .right, detector: "",
          faces: [Face(box: NormalizedRect(x: 0.1, y: 0.2, width: 0.3, height: 0.4), score: 1, name: "A&B")],
          warnings: [], path: .index)) + [0],
      Array("[a.jpg]\nfaces=rect64(3f845bcb59418507),8e62;rect64(1),ff\n[Contacts2]\n8e62=Anna;;\n".utf8) + [1],
    ]
    let packets: [[UInt8]] = [
      Array(packet.utf8) + [0], XMPPacket.written(all).packet! + [0], records + [1], resources + [2],
    ]
    return people + packets + hostile.map { $0 + [0] }
  }()
}
