import ArgumentParser
import FoundationEssentials
import SystemPackage

extension Shard {
  /// Refuses a folder with manifests of another number of shards. An input would belong to different shards, and have
  /// two records.
  func checkManifests(in folder: FilePath) throws(ValidationError) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
    let counts = Set(names.compactMap(Self.count(ofManifest:))).subtracting([count]).sorted()
    guard let other = counts.first else { return }
    throw ValidationError(
      "\(folder): the folder has manifests of \(other) shards, and this run is one of \(count), so images would have two records (pass --shard with \(other) shards, or choose another folder with -d)"
    )
  }

  /// Returns the number of shards in a manifest's name; nil for other names.
  private static func count(ofManifest name: String) -> Int? {
    guard name.hasPrefix("manifest-"), name.hasSuffix(".ndjson") else { return nil }
    let parts = name.dropFirst("manifest-".count).dropLast(".ndjson".count).split(separator: "-")
    guard parts.count == 3, parts[1] == "of", let index = Int(parts[0]), let count = Int(parts[2]) else { return nil }
    return index < count ? count : nil
  }
}
