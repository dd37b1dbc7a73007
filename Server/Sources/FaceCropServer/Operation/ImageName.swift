/// Names of images in the log.
enum ImageName {
  /// Returns a name without the secrets that a URL may have. The text before the last `@` may be a user and a password.
  /// The text after the first `?`, `;` or `#`, or after a `&` of a query, may be a token. Escapes of any depth hide none
  /// of them. A name without secrets stays as it is.
  static func withoutSecrets(_ name: String) -> String {
    var bytes = unescaped(name)[...]
    let user = bytes.lastIndex(of: UInt8(ascii: "@"))
    if let user { bytes = bytes[user...] }
    let lastValue = bytes.lastIndex(of: UInt8(ascii: "=")) ?? 0
    let query = bytes.indices.first {
      "?;#".utf8.contains(bytes[$0]) || bytes[$0] == UInt8(ascii: "&") && $0 < lastValue
    }
    if let query { bytes = bytes[...query] }
    guard user != nil || query != nil else { return name }
    return (user == nil ? "" : "…") + String(decoding: bytes, as: UTF8.self) + (query == nil ? "" : "…")
  }

  /// Decodes all percent escapes, also those that others become. The work grows with the length only.
  private static func unescaped(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      bytes.append(byte)
      while bytes.count >= 3, bytes[bytes.count - 3] == UInt8(ascii: "%"),
        let high = PercentCoding.digit(bytes[bytes.count - 2]), let low = PercentCoding.digit(bytes[bytes.count - 1])
      {
        bytes.replaceSubrange((bytes.count - 3)..., with: [high << 4 | low])
      }
    }
    return bytes
  }
}
