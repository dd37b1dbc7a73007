/// Reading and writing. Only numbers are taken, checked, and written anew.
extension GainMap.Metadata {
  /// The prefix of the ISO 21496-1 segment.
  static let isoIdentifier: StaticString = "urn:iso:std:iso:ts:21496:-1\0"
  private static let hdrgm = "http://ns.adobe.com/hdr-gain-map/1.0/"
  private static let apple = "http://ns.apple.com/HDRGainMap/1.0/"
  private static let auxiliary = "http://ns.apple.com/pixeldatainfo/1.0/"
  static let appleType: StaticString = "urn:com:apple:photo:2020:aux:hdrgainmap"
  /// The numbers of Adobe's Gain Map Specification 1.0.
  private static let numbers: Set = [
    "GainMapMin", "GainMapMax", "Gamma", "OffsetSDR", "OffsetHDR", "HDRCapacityMin", "HDRCapacityMax",
  ]

  /// Reads the metadata: the map's XMP, and the payload of its ISO 21496-1 segment after the identifier. `isApples` means
  /// that the file declares Apple's map elsewhere. `headroom` returns the one in Apple's maker note, as a factor. Returns
  /// nil for an image that is no gain map. Throws only ``FaceCropError/cancelled`` or ``FaceCropError/outOfMemory``.
  init?(
    packet: [UInt8], iso: [UInt8]?, isApples: Bool = false, headroom: @autoclosure () -> Double?, _ job: Job
  ) throws(FaceCropError) {
    let found = try XMPProperties.read(packet, namespaces: [Self.hdrgm, Self.apple, Self.auxiliary], job)
    self.iso = iso.flatMap(Self.checked)
    if found["\(Self.hdrgm) Version"]?.first == "1.0", let maximum = found["\(Self.hdrgm) GainMapMax"],
      Self.areNumbers(maximum)
    {
      kind = .ultraHDR
      for name in Self.numbers {
        if let values = found["\(Self.hdrgm) \(name)"], Self.areNumbers(values) { properties[name] = values }
      }
      switch found["\(Self.hdrgm) BaseRenditionIsHDR"]?.first?.lowercased() {
      case "true": properties["BaseRenditionIsHDR"] = ["True"]
      case "false": properties["BaseRenditionIsHDR"] = ["False"]
      default: break
      }
    } else if self.iso != nil {
      kind = .iso
    } else if isApples || found["\(Self.auxiliary) AuxiliaryImageType"]?.first == "\(Self.appleType)" {
      kind = .apple
      let version = found["\(Self.apple) HDRGainMapVersion"] ?? []
      if version.count == 1, let number = UInt32(version[0]) { properties["HDRGainMapVersion"] = ["\(number)"] }
      let said = found["\(Self.apple) HDRGainMapHeadroom"] ?? []
      if said.count == 1, Self.areNumbers(said) {
        properties["HDRGainMapHeadroom"] = said
      } else if let headroom = headroom() {
        // Older files store it in the maker note, which is not copied to crops.
        properties["HDRGainMapHeadroom"] = ["\(headroom)"]
      }
    } else {
      return nil
    }
  }

  /// Returns whether the values are one or three finite numbers.
  private static func areNumbers(_ values: [String]) -> Bool {
    [1, 3].contains(values.count)
      && values.allSatisfy { $0.utf8.count <= 40 && Double($0)?.isFinite == true && !$0.lowercased().contains("x") }
  }

  /// Returns the structure if it is complete (ISO 21496-1:2025, annex C): versions, flags, and five numbers for each
  /// color. They are fractions, or share one denominator, as libultrahdr writes them.
  private static func checked(_ payload: [UInt8]) -> [UInt8]? {
    guard payload.count >= 5, payload[0] == 0, payload[1] == 0 else { return nil }
    let colors = payload[4] & 0x80 != 0 ? 3 : 1
    let count = 5 + (payload[4] & 0x08 != 0 ? 12 + 20 * colors : 16 + 40 * colors)
    return payload.count >= count ? Array(payload[..<count]) : nil
  }

  // MARK: Writing

  /// The map's XMP packet; nil for ISO 21496-1 alone.
  var packet: [UInt8]? {
    switch kind {
    case .iso: return nil
    case .ultraHDR:
      return Self.packet(
        "xmlns:hdrgm=\"\(Self.hdrgm)\" hdrgm:Version=\"1.0\"", elements(prefix: "hdrgm"))
    case .apple:
      return Self.packet(
        "xmlns:HDRGainMap=\"\(Self.apple)\" xmlns:apdi=\"\(Self.auxiliary)\" apdi:AuxiliaryImageType=\"\(Self.appleType)\"",
        elements(prefix: "HDRGainMap"))
    }
  }

  private func elements(prefix: String) -> String {
    properties.sorted { $0.key < $1.key }.map { name, values in
      let text =
        values.count == 1 ? values[0] : "<rdf:Seq>\(values.map { "<rdf:li>\($0)</rdf:li>" }.joined())</rdf:Seq>"
      return "<\(prefix):\(name)>\(text)</\(prefix):\(name)>\n"
    }.joined()
  }

  private static func packet(_ attributes: String, _ elements: String) -> [UInt8] {
    Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="\(RDF.namespace)">
      <rdf:Description rdf:about="" \(attributes)>
      \(elements)</rdf:Description>
      </rdf:RDF></x:xmpmeta>
      """.utf8)
  }

  /// Returns the ISO 21496-1 segment for the map, or, with only its versions, for the image.
  func isoSegment(ofMap isOfMap: Bool) -> [UInt8] {
    guard let iso else { return [] }
    let payload = Self.isoIdentifier.withUTF8Buffer { unsafe Array($0) } + (isOfMap ? iso : Array(iso[..<4]))
    return [0xFF, 0xE2, 0, UInt8(payload.count + 2)] + payload
  }

  /// Returns the description of a map in the image's own packet; nil except for Ultra HDR (Ultra HDR Image Format 1.1).
  func description(ofMap byteCount: Int) -> String? {
    guard kind == .ultraHDR else { return nil }
    return """
      <rdf:Description rdf:about="" xmlns:hdrgm="\(Self.hdrgm)" xmlns:Container="http://ns.google.com/photos/1.0/container/" \
      xmlns:Item="http://ns.google.com/photos/1.0/container/item/" hdrgm:Version="1.0">
      <Container:Directory><rdf:Seq>
      <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>
      <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="\(byteCount)"/></rdf:li>
      </rdf:Seq></Container:Directory>
      </rdf:Description>

      """
  }
}
