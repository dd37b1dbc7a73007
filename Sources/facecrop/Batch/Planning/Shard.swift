import ArgumentParser
import Crypto
import SystemPackage

/// One of several parts of a run's inputs: the same inputs on whatever machine the parts are asked for.
struct Shard: Equatable, Sendable {
  /// Counted from 0.
  var index: Int
  var count: Int

  /// Whether an input is in this part: by the first eight bytes of its place's SHA-256, most significant first, modulo the
  /// number of parts. The place is the same wherever the folder is mounted.
  func has(_ place: FilePath) -> Bool {
    let hash = SHA256.hash(data: place.bytes).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(hash % UInt64(count)) == index
  }

  /// So that parts that run at once in one output folder have a record each.
  var manifestName: String { "manifest-\(index)-of-\(count).ndjson" }
}

extension Shard: ExpressibleByArgument {
  /// `i/n`, with 0 ≤ i < n.
  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1], (1...1_000_000).contains(count),
      (0..<count).contains(index)
    else { return nil }
    self.init(index: index, count: count)
  }
}
