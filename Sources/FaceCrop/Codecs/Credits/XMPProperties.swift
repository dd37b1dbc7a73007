/// A reader for top-level properties of an XMP packet in given namespaces. Texts come from an attribute, an element, or
/// list items.
final class XMPProperties: XMLHandler {
  private let namespaces: [String]
  private var found: [String: [String]] = [:]
  /// The open elements below a description.
  private var depth = 0
  private var isInside = false
  private var name: String?
  private var text: [UInt8] = []
  private var isItem = false

  private init(_ namespaces: [String]) { self.namespaces = namespaces }

  /// Returns the texts by namespace, space, and name, from the wanted namespaces. Unreadable properties are skipped.
  /// Throws only ``FaceCropError/cancelled`` or ``FaceCropError/outOfMemory``.
  static func read(
    _ packet: [UInt8], namespaces: [String], _ job: Job
  ) throws(FaceCropError) -> [String: [String]] {
    if packet.isEmpty { return [:] }
    let reader = XMPProperties(namespaces)
    _ = try reader.read(packet, job)
    return reader.found
  }

  private func isWanted(_ name: String) -> Bool {
    namespaces.contains { name.hasPrefix($0) && name.dropFirst($0.count).first == " " }
  }

  func begin(_ element: String, _ attributes: XMLAttributes) {
    guard isInside else {
      guard element == RDF.name("Description") else { return }
      (isInside, depth) = (true, 0)
      for (name, value) in attributes where isWanted(name) && found[name] == nil { found[name] = [value] }
      return
    }
    depth += 1
    if depth == 1 { name = isWanted(element) && found[element] == nil ? element : nil }
    isItem = depth == 3 && element == RDF.name("li")
    if depth == 1 || isItem { text = [] }
  }

  func take(_ bytes: UnsafeBufferPointer<UInt8>) {
    // Wanted values are numbers and words, never long.
    if name != nil, depth == 1 || isItem, text.count + bytes.count <= 1_024 { unsafe text.append(contentsOf: bytes) }
  }

  func end() {
    guard isInside else { return }
    guard depth > 0 else { return isInside = false }
    if let name {
      let text = String(decoding: text, as: UTF8.self)
      if depth == 3, isItem, found[name]?.count ?? 0 < 8 { found[name, default: []].append(text) }
      if depth == 1, found[name] == nil { found[name] = [text] }
    }
    if depth == 1 { name = nil }
    isItem = false
    depth -= 1
  }
}
