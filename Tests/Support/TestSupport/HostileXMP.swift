/// XMP packets that cost a parser far more than their bytes.
public enum HostileXMP {
  /// Returns a description with attributes in a namespace with a long name.
  public static func attributes(_ count: Int, namespace length: Int) -> [UInt8] {
    packet(namespace: length, " " + (0..<count).map { "a:\(name($0))=\"\"" }.joined(separator: " "), "")
  }

  /// Returns a description with elements in such a namespace.
  public static func elements(_ count: Int, namespace length: Int) -> [UInt8] {
    packet(namespace: length, "", String(repeating: "<a:b/>", count: count))
  }

  private static func packet(namespace length: Int, _ attributes: String, _ elements: String) -> [UInt8] {
    let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    let name = String(repeating: "u", count: length)
    return Array(
      ("<rdf:RDF xmlns:rdf=\"\(rdf)\" xmlns:a=\"\(name)\"><rdf:Description\(attributes)>\(elements)</rdf:Description>"
        + "</rdf:RDF>").utf8)
  }

  /// Returns a name of three letters.
  private static func name(_ number: Int) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    let count = letters.count
    return String([letters[number % count], letters[number / count % count], letters[number / count / count % count]])
  }
}
