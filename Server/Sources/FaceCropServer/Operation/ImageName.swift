/// Names of images in the log.
enum ImageName {
  /// Returns a name without the secrets that a URL may have: the user, the password, and the values of the query.
  static func withoutSecrets(_ name: String) -> String {
    guard let authority = name.firstRange(of: "://")?.upperBound else { return name }
    let end = name[authority...].firstIndex { "/?#".contains($0) } ?? name.endIndex
    let host = name[authority..<end].lastIndex(of: "@").map { name.index(after: $0) } ?? authority
    let query = name[end...].firstIndex { "?#".contains($0) } ?? name.endIndex
    let parts = name[query...].dropFirst().split(separator: "&").map { part in
      part.firstIndex(of: "=").map { "\(part[..<$0])=…" } ?? "…"
    }
    return "\(name[..<authority])\(name[host..<query])\(name[query...].prefix(1))\(parts.joined(separator: "&"))"
  }

  /// Does the same for the path of a thumbor URL, which may be escaped.
  static func withoutSecrets(path: String) -> String {
    let name = PercentCoding.decoded(path) ?? path
    return name.contains("://") ? withoutSecrets(name) : path
  }
}
