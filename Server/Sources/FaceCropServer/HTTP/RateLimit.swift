import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// So many requests of each client as its bucket has tokens, which come back at a rate.
struct RateLimit: RouterMiddleware {
  private let rate: Double
  private let burst: Double
  private let trustsForwardedFor: Bool
  private let buckets = Buckets()

  private struct Bucket {
    var tokens: Double
    var time: ContinuousClock.Instant
  }

  private final class Buckets: Sendable {
    let all = Mutex<[String: Bucket]>([:])
  }

  /// Beyond these, those that are full again are forgotten, and then all: a client then has its burst anew.
  private static let mostClients = 100_000

  init(_ settings: Settings) {
    rate = Double(settings.rate)
    burst = Double(settings.burst)
    trustsForwardedFor = settings.trustForwardedFor
  }

  func handle(
    _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
  ) async throws -> Response {
    guard rate == 0 || takesToken(client(of: request, context), at: .now) else { throw ServiceError.tooManyRequests }
    return try await next(request, context)
  }

  private func client(of request: Request, _ context: CallContext) -> String {
    let peer = context.channel.remoteAddress?.ipAddress ?? "unknown"
    guard trustsForwardedFor, let name = HTTPField.Name("X-Forwarded-For"),
      let last = request.headers[name]?.split(separator: ",").last
    else { return peer }
    return String(last.filter { $0 != " " }.prefix(64))
  }

  func takesToken(_ client: String, at now: ContinuousClock.Instant) -> Bool {
    buckets.all.withLock { all in
      if all.count >= Self.mostClients {
        all = all.filter { tokens(of: $0.value, now) < burst }
        if all.count >= Self.mostClients { all = [:] }
      }
      let left = all[client].map { tokens(of: $0, now) } ?? burst
      all[client] = Bucket(tokens: left >= 1 ? left - 1 : left, time: now)
      return left >= 1
    }
  }

  private func tokens(of bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
    min(bucket.tokens + (now - bucket.time) / .seconds(1) * rate, burst)
  }
}
