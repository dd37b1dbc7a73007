import Foundation

/// Images of hosts that the operator allows.
struct WebOrigin: Sendable {
  let settings: Settings
  let fetcher: Fetcher

  func find(_ source: String) throws(ServiceError) -> Origins.ResolvedImage {
    guard let named = URL(string: source), named.user == nil, named.password == nil,
      let url = HostName.checked(named)
    else {
      throw .invalidQuery("the image's URL is invalid, or has a user name or an invalid host")
    }
    let (hosts, allowsPrivate) = (settings.hosts.map { $0.lowercased() }, settings.allowPrivateAddresses)
    guard Self.isAllowed(url, by: hosts) else {
      throw .forbidden("this server fetches no images from that host (see the setting hosts)")
    }
    return Origins.ResolvedImage(version: "url:\(url.absoluteString)", isCertain: false) {
      [fetcher] (lease) async throws(ServiceError) in
      try await fetcher.bytes(
        of: url, allowsPrivate: allowsPrivate, isAllowed: { Self.isAllowed($0, by: hosts) }, lease)
    }
  }

  /// Returns whether an entry of the setting is `host`, `host:port`, `*.host` or `*.host:port`.
  static func isEntry(_ entry: String) -> Bool {
    let parts = entry.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count < 2 || (Int(parts[1]).map { (1...65_535).contains($0) } ?? false) else { return false }
    let name = parts[0].hasPrefix("*.") ? String(parts[0].dropFirst(2)) : parts[0]
    return HostName.isValid(name) && !name.hasPrefix(".") && !name.contains("..")
  }

  /// Returns whether a pattern allows the URL: `host`, `host:port`, `*.host`. Default ports match without a port.
  static func isAllowed(_ url: URL, by hosts: [String]) -> Bool {
    guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme), let host = HostName.of(url) else {
      return false
    }
    let usual = scheme == "http" ? 80 : 443
    let port = url.port ?? usual
    return hosts.contains { entry in
      let parts = entry.split(separator: ":", maxSplits: 1).map(String.init)
      guard port == (parts.count > 1 ? Int(parts[1]) : usual) else { return false }
      return parts[0].hasPrefix("*.") ? host.hasSuffix(parts[0].dropFirst(1)) : host == parts[0]
    }
  }
}
