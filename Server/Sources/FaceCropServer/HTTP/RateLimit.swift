import Glibc
import HTTPTypes
import Hummingbird
import NIOCore

/// A limit on the requests of each client, by its address.
extension TokenBuckets: RouterMiddleware {
  func handle(
    _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
  ) async throws -> Response {
    try take(for: context.client)
    return try await next(request, context)
  }
}

extension CallContext {
  /// Returns the client's address, also behind a trusted proxy.
  func address(of request: Request, trustsForwardedFor: Bool) -> String {
    let peer = channel.remoteAddress?.ipAddress ?? "unknown"
    guard trustsForwardedFor, let name = HTTPField.Name("X-Forwarded-For"),
      let last = request.headers[name]?.split(separator: ",").last
    else { return peer }
    return ClientName.withoutPort(String(last.filter { $0 != " " }.prefix(64)))
  }
}

/// The name of a client in limits.
enum ClientName {
  /// Returns an address without the port that some proxies add to it, as in `192.0.2.1:80` or `[2001:db8::1]:80`.
  static func withoutPort(_ address: String) -> String {
    if address.hasPrefix("[") { return String(address.dropFirst().prefix { $0 != "]" }) }
    return address.count { $0 == ":" } == 1 ? String(address.prefix { $0 != ":" }) : address
  }

  /// Returns the first 64 bits of an IPv6 address, since one client has all addresses with these bits, or the address
  /// itself. An IPv4 address in an IPv6 one has the name of the IPv4 address.
  static func of(_ address: String) -> String {
    let mapped = "::ffff:"
    if address.hasPrefix(mapped), address.contains(".") { return String(address.dropFirst(mapped.count)) }
    var parsed = in6_addr()
    guard unsafe inet_pton(AF_INET6, address, &parsed) == 1 else { return address }
    return unsafe withUnsafeBytes(of: parsed) { unsafe Hexadecimal.text($0.prefix(8)) }
  }
}
