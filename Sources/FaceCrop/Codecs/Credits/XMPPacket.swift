/// A writer of credits as an XMP packet (ISO 16684-1). It takes only the texts from the input.
enum XMPPacket {
  /// The prefix of a packet in a JPEG's segment (ISO 16684-3, 4.3.2).
  static let identifier = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  /// The size that fits into a JPEG's segment, also the bound for other formats.
  static let mostBytes = 65_533 - identifier.count

  /// Returns the packet, nil without credits, and whether it has all of them. Texts that do not fit are dropped, the
  /// description first.
  static func written(_ credits: Credits) -> (packet: [UInt8]?, isWhole: Bool) {
    var credits = credits
    var isWhole = true
    let leastFirst: [WritableKeyPath<Credits, String?>] = [
      \.description, \.usageTerms, \.creditLine, \.webStatement, \.copyrightNotice,
    ]
    for text in [nil] + leastFirst.map(Optional.some) {
      if let text, credits[keyPath: text] != nil { (credits[keyPath: text], isWhole) = (nil, false) }
      if credits.isEmpty { break }
      let packet = Array(document(credits).utf8)
      if packet.count <= mostBytes { return (packet, isWhole) }
    }
    return (nil, credits.isEmpty && isWhole)
  }

  private static func document(_ credits: Credits) -> String {
    var properties = ""
    func add(_ name: String, _ value: String) { properties += "<\(name)>\(value)</\(name)>\n" }
    func language(_ text: String) -> String {
      "<rdf:Alt><rdf:li xml:lang=\"x-default\">\(escaped(text))</rdf:li></rdf:Alt>"
    }
    if !credits.creators.isEmpty {
      let items = credits.creators.map { "<rdf:li>\(escaped($0))</rdf:li>" }.joined()
      add("dc:creator", "<rdf:Seq>\(items)</rdf:Seq>")
    }
    if let text = credits.copyrightNotice { add("dc:rights", language(text)) }
    if let text = credits.description { add("dc:description", language(text)) }
    if let text = credits.creditLine { add("photoshop:Credit", escaped(text)) }
    if let text = credits.usageTerms { add("xmpRights:UsageTerms", language(text)) }
    if let text = credits.webStatement { add("xmpRights:WebStatement", escaped(text)) }
    return """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/">
      <rdf:RDF xmlns:rdf="\(RDF.namespace)">
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" \
      xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/">
      \(properties)</rdf:Description>
      </rdf:RDF>
      </x:xmpmeta>
      <?xpacket end="r"?>
      """
  }

  /// Escapes a text for an element.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      // XML would convert it to a line feed.
      case "\r": escaped += "&#13;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
