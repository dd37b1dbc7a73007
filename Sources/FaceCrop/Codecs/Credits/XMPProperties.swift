internal import CXMLShim

/// Top-level properties of an XMP packet in some namespaces, with their texts: an attribute's, an element's, or its items'.
final class XMPProperties {
  private let namespaces: [String]
  private var found: [String: [String]] = [:]
  /// The elements that are open below a description; 0 is outside of one.
  private var depth = 0
  private var isInside = false
  private var name: String?
  private var text: [UInt8] = []
  private var isItem = false

  private init(_ namespaces: [String]) { self.namespaces = namespaces }

  /// - Parameter namespaces: of the properties that are wanted.
  /// - Returns: texts by a namespace and a name with a space between them. What cannot be read says nothing.
  static func read(_ packet: [UInt8], namespaces: [String]) -> [String: [String]] {
    if packet.isEmpty { return [:] }
    let reader = XMPProperties(namespaces)
    _ = unsafe packet.withUnsafeBufferPointer { bytes in
      withExtendedLifetime(reader) {
        unsafe fcxml_read(
          bytes.baseAddress!, bytes.count,
          FCXMLVisitor(
            context: Unmanaged.passUnretained(reader).toOpaque(),
            begin: { context, name, attributes in
              unsafe XMPProperties.of(context).begin(String(cString: name), attributes)
            },
            end: { unsafe XMPProperties.of($0).end() },
            text: { context, bytes, count in
              unsafe bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
                unsafe XMPProperties.of(context).take(UnsafeBufferPointer(start: $0, count: count))
              }
            }))
      }
    }
    return reader.found
  }

  private static func of(_ context: UnsafeMutableRawPointer) -> XMPProperties {
    unsafe Unmanaged<XMPProperties>.fromOpaque(context).takeUnretainedValue()
  }

  private func isWanted(_ name: String) -> Bool {
    namespaces.contains { name.hasPrefix($0) && name.dropFirst($0.count).first == " " }
  }

  private func begin(_ element: String, _ attributes: UnsafePointer<UnsafePointer<CChar>?>) {
    guard isInside else {
      guard element == RDF.name("Description") else { return }
      (isInside, depth) = (true, 0)
      var place = unsafe attributes
      while let name = unsafe place[0], let value = unsafe place[1] {
        let name = unsafe String(cString: name)
        if isWanted(name), found[name] == nil { found[name] = [unsafe String(cString: value)] }
        unsafe place += 2
      }
      return
    }
    depth += 1
    if depth == 1 { name = isWanted(element) && found[element] == nil ? element : nil }
    isItem = depth == 3 && element == RDF.name("li")
    if depth == 1 || isItem { text = [] }
  }

  private func take(_ bytes: UnsafeBufferPointer<UInt8>) {
    // Numbers and words, of which none is long.
    if name != nil, depth == 1 || isItem, text.count + bytes.count <= 1_024 { unsafe text.append(contentsOf: bytes) }
  }

  private func end() {
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
