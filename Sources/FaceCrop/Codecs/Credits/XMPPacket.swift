/// A writer of credits as an XMP packet (ISO 16684-1). It takes only the texts from the input.
enum XMPPacket {
  /// The prefix of a packet in a JPEG's segment (ISO 16684-3, 4.3.2).
  static let identifier = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  /// The size that fits into a JPEG's segment, also the bound for other formats.
  static let mostBytes = 65_533 - identifier.count

  /// Returns the packet, nil without credits, and whether it has all of them. Texts that do not fit are dropped, the
  /// description and the keywords first. So are texts that are too long, or code other data, which can be an image.
  static func written(_ all: Credits) -> (packet: [UInt8]?, isWhole: Bool) {
    var credits = all
    credits.dropLongTexts()
    var isWhole = credits == all
    let leastFirst: [XMPProperty] = [
      .description, .subject, .personInImage, .headline, .title, .usageTerms, .credit, .webStatement, .rights,
    ]
    for property in [nil] + leastFirst.map(Optional.some) {
      if let property, credits.remove(property) { isWhole = false }
      if credits.isEmpty { break }
      let packet = Array(document(credits).utf8)
      if packet.count <= mostBytes { return (packet, isWhole) }
    }
    return (nil, credits.isEmpty && isWhole)
  }

  private static func document(_ credits: Credits) -> String {
    var properties = ""
    var namespaces = ""
    func add(_ name: String, _ value: String) { properties += "<\(name)>\(value)</\(name)>\n" }
    func language(_ text: String) -> String {
      "<rdf:Alt><rdf:li xml:lang=\"x-default\">\(escaped(text))</rdf:li></rdf:Alt>"
    }
    func list(_ kind: String, _ texts: [String]) -> String {
      "<rdf:\(kind)>\(texts.map { "<rdf:li>\(escaped($0))</rdf:li>" }.joined())</rdf:\(kind)>"
    }
    if !credits.creators.isEmpty { add("dc:creator", list("Seq", credits.creators)) }
    if let text = credits.copyrightNotice { add("dc:rights", language(text)) }
    if let text = credits.description { add("dc:description", language(text)) }
    if let text = credits.creditLine { add("photoshop:Credit", escaped(text)) }
    if let text = credits.usageTerms { add("xmpRights:UsageTerms", language(text)) }
    if let text = credits.webStatement { add("xmpRights:WebStatement", escaped(text)) }
    // Packets without these properties stay as they were.
    if let text = credits.title { add("dc:title", language(text)) }
    if let text = credits.headline { add("photoshop:Headline", escaped(text)) }
    if !credits.keywords.isEmpty { add("dc:subject", list("Bag", credits.keywords)) }
    if !credits.people.isEmpty {
      namespaces += " xmlns:Iptc4xmpExt=\"http://iptc.org/std/Iptc4xmpExt/2008-02-29/\""
      add("Iptc4xmpExt:PersonInImage", list("Bag", credits.people))
    }
    if let rating = credits.rating {
      namespaces += " xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\""
      add("xmp:Rating", "\(rating)")
    }
    return """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/">
      <rdf:RDF xmlns:rdf="\(RDF.namespace)">
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" \
      xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/"\(namespaces)>
      \(properties)</rdf:Description>
      </rdf:RDF>
      </x:xmpmeta>
      <?xpacket end="r"?>
      """
  }

  /// Escapes a text for an element.
  private static func escaped(_ text: String) -> String {
    // XML would convert a carriage return to a line feed.
    RDF.escaped(text, by: ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"])
  }
}

extension Credits {
  /// Drops texts that an output must not have. All texts of a list together have the bound of one text, because their
  /// parts can be those of an image.
  fileprivate mutating func dropLongTexts() {
    for text in Self.texts where !(self[keyPath: text].map(CreditText.isKept) ?? true) { self[keyPath: text] = nil }
    for list in Self.lists {
      var left = EXIFTags.mostCreditBytes
      self[keyPath: list] = self[keyPath: list].filter { text in
        left -= text.utf8.count
        return left > 0
      }
      // Many short words, such as numbered ones, can look like coded data.
      let long = self[keyPath: list].filter { $0.utf8.count >= Self.longWord }
      if CodedText.isFound(in: long.joined(separator: " ").utf16) { self[keyPath: list] = [] }
    }
  }

  private static var longWord: Int { 32 }

  /// Returns whether there was anything to remove.
  fileprivate mutating func remove(_ property: XMPProperty) -> Bool {
    let before = self
    switch property.target {
    case .text(let text): self[keyPath: text] = nil
    case .list(let list): self[keyPath: list] = []
    case .rating: rating = nil
    }
    return self != before
  }
}
