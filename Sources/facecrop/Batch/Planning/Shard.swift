import ArgumentParser
import FaceCrop
import FoundationEssentials
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

extension Shard {
  /// Refuses a folder with manifests of another number of shards, or of a run without shards. Inputs would have two.
  func checkManifests(in folder: FilePath) throws(ValidationError) {
    let names = Self.names(in: folder)
    if names.contains(Self.plainManifest) {
      throw ValidationError(
        "\(folder): the folder has the manifest of a run without --shard, so images would have two records (leave out --shard, or choose another folder with -d)"
      )
    }
    let counts = Set(names.compactMap(Self.count(ofManifest:))).subtracting([count]).sorted()
    guard let other = counts.first else { return }
    throw ValidationError(
      "\(folder): the folder has manifests of \(other) shards, and this run is one of \(count), so images would have two records (pass --shard with \(other) shards, or choose another folder with -d)"
    )
  }

  /// Refuses a folder with manifests of shards for a run without shards.
  static func checkNoManifests(in folder: FilePath) throws(ValidationError) {
    guard let count = names(in: folder).compactMap(count(ofManifest:)).min() else { return }
    throw ValidationError(
      "\(folder): the folder has manifests of \(count) shards, so images would have two records (pass --shard with \(count) shards, or choose another folder with -d)"
    )
  }

  /// The name of a manifest without shards.
  static let plainManifest = "manifest.ndjson"

  static func manifests(in folder: FilePath) -> [String] { names(in: folder).filter { count(ofManifest: $0) != nil } }

  private static func names(in folder: FilePath) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
  }

  /// Returns the number of shards in a manifest's name; nil for other names.
  private static func count(ofManifest name: String) -> Int? {
    guard name.hasPrefix("manifest-"), name.hasSuffix(".ndjson") else { return nil }
    let parts = name.dropFirst("manifest-".count).dropLast(".ndjson".count).split(separator: "-")
    guard parts.count == 3, parts[1] == "of", let index = Int(parts[0]), let count = Int(parts[2]) else { return nil }
    return index < count ? count : nil
  }
}
