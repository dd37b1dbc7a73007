import Foundation
import Glibc

/// The names that a URL may have for a host (RFC 952 and 1123): ASCII letters, digits, dots and hyphens, or a literal address. What else
/// URLs allow, zeros among it, systems read in different ways, so that a host that was compared may not be the one that is asked.
enum HostName {
  /// The host in lower case; nil where it is missing or no such name.
  static func of(_ url: URL) -> String? {
    guard let host = url.host(percentEncoded: false), host == unbracketed(url.host(percentEncoded: true) ?? "") else {
      return nil
    }
    return isValid(host) ? host.lowercased() : nil
  }

  static func isValid(_ host: String) -> Bool {
    guard !host.isEmpty, host.utf8.count <= 253 else { return false }
    if host.utf8.allSatisfy(isPlain) { return true }
    guard host.utf8.allSatisfy({ $0 == UInt8(ascii: ":") || isPlain($0) }) else { return false }
    var address = in6_addr()
    return unsafe inet_pton(AF_INET6, host, &address) == 1
  }

  private static func unbracketed(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
