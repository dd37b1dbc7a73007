import Synchronization

/// A bucket of tokens for each name, refilled at a fixed rate. Each request takes one token, or is refused.
final class TokenBuckets: Sendable {
  /// Tokens a second; 0 for no limit.
  private let rate: Double
  /// Tokens of a full bucket.
  private let burst: Double
  private let buckets = Mutex<[String: Bucket]>([:])

  private typealias Bucket = (tokens: Double, time: ContinuousClock.Instant)

  /// Upper bound of the names. Beyond it, full buckets are dropped, then all; a dropped bucket starts full again.
  private static let mostNames = 100_000

  init(rate: Int, burst: Int) {
    self.rate = Double(rate)
    self.burst = Double(burst)
  }

  /// Takes a token, or throws ``ServiceError/tooManyRequests``.
  func take(for name: String, at now: ContinuousClock.Instant = .now) throws(ServiceError) {
    guard rate > 0 else { return }
    let hasTaken = buckets.withLock { all in
      if all.count >= Self.mostNames {
        all = all.filter { tokens(of: $0.value, now) < burst }
        if all.count >= Self.mostNames { all = [:] }
      }
      let left = all[name].map { tokens(of: $0, now) } ?? burst
      all[name] = (left >= 1 ? left - 1 : left, now)
      return left >= 1
    }
    guard hasTaken else { throw .tooManyRequests }
  }

  private func tokens(of bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
    min(bucket.tokens + (now - bucket.time) / .seconds(1) * rate, burst)
  }
}
