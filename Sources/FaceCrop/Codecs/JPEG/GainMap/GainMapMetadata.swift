/// Read and written: numbers alone, which are checked and written anew.
extension GainMap.Metadata {
  /// What the segment of ISO 21496-1 begins with.
  static let isoIdentifier: StaticString = "urn:iso:std:iso:ts:21496:-1\0"
  private static let hdrgm = "http://ns.adobe.com/hdr-gain-map/1.0/"
  private static let apple = "http://ns.apple.com/HDRGainMap/1.0/"
  private static let auxiliary = "http://ns.apple.com/pixeldatainfo/1.0/"
  static let appleType: StaticString = "urn:com:apple:photo:2020:aux:hdrgainmap"
  /// Of Adobe's Gain Map Specification 1.0, all numbers but the last.
  private static let numbers: Set = [
    "GainMapMin", "GainMapMax", "Gamma", "OffsetSDR", "OffsetHDR", "HDRCapacityMin", "HDRCapacityMax",
  ]

  /// - Parameters:
  ///   - packet: the map's XMP.
  ///   - iso: the payload of its ISO 21496-1 segment, behind the identifier.
  ///   - isApples: whether the file says in another way that it is one of Apple's.
  ///   - headroom: what Apple's maker note says, as a factor.
  /// - Returns: nil for a picture that is no gain map.
  /// - Throws: ``FaceCropError/cancelled`` or ``FaceCropError/outOfMemory``.
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
        // The maker note, which says it in older files, is not in a crop.
        properties["HDRGainMapHeadroom"] = ["\(headroom)"]
      }
    } else {
      return nil
    }
  }

  /// One finite number, or three.
  private static func areNumbers(_ values: [String]) -> Bool {
    [1, 3].contains(values.count)
      && values.allSatisfy { $0.utf8.count <= 40 && Double($0)?.isFinite == true && !$0.lowercased().contains("x") }
  }

  /// The structure if it is whole (ISO 21496-1:2025, annex C): versions, flags, and of each color five numbers, as fractions or with one
  /// denominator for all, as libultrahdr writes them too.
  private static func checked(_ payload: [UInt8]) -> [UInt8]? {
    guard payload.count >= 5, payload[0] == 0, payload[1] == 0 else { return nil }
    let colors = payload[4] & 0x80 != 0 ? 3 : 1
    let count = 5 + (payload[4] & 0x08 != 0 ? 12 + 20 * colors : 16 + 40 * colors)
    return payload.count >= count ? Array(payload[..<count]) : nil
  }

  // MARK: Written

  /// The map's XMP packet; nil where it has none.
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

  /// The segment of ISO 21496-1 for the map, or, with its versions alone, for the picture that has one.
  func isoSegment(ofMap isOfMap: Bool) -> [UInt8] {
    guard let iso else { return [] }
    let payload = Self.isoIdentifier.withUTF8Buffer { unsafe Array($0) } + (isOfMap ? iso : Array(iso[..<4]))
    return [0xFF, 0xE2, 0, UInt8(payload.count + 2)] + payload
  }

  /// What the picture's own packet says of a map of so many bytes; nil where it says nothing (Ultra HDR Image Format 1.1).
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
