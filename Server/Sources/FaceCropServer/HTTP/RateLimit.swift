import HTTPTypes
import Hummingbird
import NIOCore

/// A limit on the requests of each client, by its address.
struct RateLimit: RouterMiddleware {
  private let buckets: TokenBuckets
  private let trustsForwardedFor: Bool

  init(_ settings: Settings) {
    buckets = TokenBuckets(rate: settings.rate, burst: settings.burst)
    trustsForwardedFor = settings.trustForwardedFor
  }

  func handle(
    _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
  ) async throws -> Response {
    try buckets.take(for: context.client(of: request, trustsForwardedFor: trustsForwardedFor))
    return try await next(request, context)
  }
}

extension CallContext {
  /// Returns the client's address, also behind a trusted proxy.
  func client(of request: Request, trustsForwardedFor: Bool) -> String {
    let peer = channel.remoteAddress?.ipAddress ?? "unknown"
    guard trustsForwardedFor, let name = HTTPField.Name("X-Forwarded-For"),
      let last = request.headers[name]?.split(separator: ",").last
    else { return peer }
    return String(last.filter { $0 != " " }.prefix(64))
  }
}
