import Foundation
import Glibc

/// Valid host names (RFC 952 and 1123): ASCII letters, digits, dots and hyphens, or a literal address. Systems
/// interpret other characters differently, zeros among them, so the contacted host could differ from the checked one.
enum HostName {
  /// Returns the host in lower case, or nil if it is missing or invalid.
  static func of(_ url: URL) -> String? {
    guard let host = url.host(percentEncoded: false), host == unbracketed(url.host(percentEncoded: true) ?? "") else {
      return nil
    }
    return isValid(host) ? host.lowercased() : nil
  }

  /// Returns host and port, as a request names them; nil if the host is missing or invalid.
  static func authority(of url: URL) -> String? {
    of(url).map { ($0.contains(":") ? "[\($0)]" : $0) + (url.port.map { ":\($0)" } ?? "") }
  }

  /// Returns the URL with exactly the checked host, without user, password and fragment; nil without a valid host.
  static func checked(_ url: URL) -> URL? {
    guard let host = of(url), let authority = authority(of: url), let scheme = url.scheme?.lowercased() else {
      return nil
    }
    let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
    let checked = URL(string: "\(scheme)://\(authority)\(url.path(percentEncoded: true))\(query)")
    return checked.flatMap { of($0) == host ? $0 : nil }
  }

  static func isValid(_ host: String) -> Bool {
    guard !host.isEmpty, host.utf8.count <= 253 else { return false }
    if host.utf8.allSatisfy({ $0.isPlain(or: ".-") }) { return true }
    guard host.utf8.allSatisfy({ $0.isPlain(or: ".-:") }) else { return false }
    var address = in6_addr()
    return unsafe inet_pton(AF_INET6, host, &address) == 1
  }

  /// Returns whether a name or an address can only mean this machine.
  static func isLoopback(_ host: String) -> Bool {
    let host = unbracketed(host).lowercased()
    if host == "localhost" || host == "::1" || host == "::ffff:127.0.0.1" { return true }
    var address = in_addr()
    return unsafe inet_pton(AF_INET, host, &address) == 1 && host.hasPrefix("127.")
  }

  private static func unbracketed(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }
}
