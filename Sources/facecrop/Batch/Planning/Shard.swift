import ArgumentParser
import FaceCrop
import SystemPackage

/// One part of a run's inputs. Every machine computes the same parts.
struct Shard: Equatable, Sendable {
  /// The number of the part, from 0.
  var index: Int
  var count: Int

  /// Returns whether an input is in this part: the first eight bytes of its place's SHA-256, as a big-endian number,
  /// modulo the number of parts. The place is independent of the mount point.
  func has(_ place: FilePath) -> Bool {
    let hash = ContentHash(of: place.bytes).bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(hash % UInt64(count)) == index
  }

  /// The name of the shard's own manifest, so that shards can run at once in one output folder.
  var manifestName: String { "manifest-\(index)-of-\(count).ndjson" }
}

extension Shard: ExpressibleByArgument {
  /// Parses `i/n` with 0 ≤ i < n.
  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1], (1...1_000_000).contains(count),
      (0..<count).contains(index)
    else { return nil }
    self.init(index: index, count: count)
  }
}
