import FaceCrop
import SystemPackage

/// The files that were moved or renamed between two runs.
enum MovedFiles {
  /// Pairs locations of equal files with the former locations of these files. Pairs that share the most components at
  /// the end come first, and then the order of their bytes decides.
  static func origins(of locations: [FilePath], among former: [FilePath]) -> [FilePath: FilePath] {
    var origins: [FilePath: FilePath] = [:]
    var locations = sorted(locations)
    var former = sorted(former)
    let deepest = former.map(\.components.count).max() ?? 0
    for length in stride(from: deepest, through: 0, by: -1) where !locations.isEmpty && !former.isEmpty {
      // Reversed, because the last of a list is taken first.
      var free = Dictionary(grouping: former.reversed()) { Array($0.components.suffix(length)) }
      locations.removeAll { location in
        guard let origin = free[Array(location.components.suffix(length))]?.popLast() else { return false }
        origins[location] = origin
        return true
      }
      let left = Set(free.values.joined())
      former.removeAll { !left.contains($0) }
    }
    return origins
  }

  private static func sorted(_ paths: [FilePath]) -> [FilePath] {
    paths.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}

/// The inputs of earlier runs whose files are missing now.
struct FormerInputs: Sendable {
  private var locations: [String: [FilePath]]
  private let entries: [FilePath: ManifestEntry]
  private let locator: InputLocator

  /// Creates a list from a manifest's entries, without the locations in `current`.
  init(_ entries: [FilePath: ManifestEntry], but current: Set<FilePath>, _ locator: InputLocator) {
    self.entries = entries.filter { !current.contains($0.key) && $0.value.content != nil && !$0.value.isMoved }
    self.locator = locator
    locations = Dictionary(grouping: self.entries.keys) { entries[$0]?.content ?? "" }
  }

  /// Returns the entry that ends the record of a missing file. `content` was found at `location`, and recorded there as
  /// `name`. Nil if no file with this content is missing.
  mutating func end(of content: String, at location: FilePath, name: FilePath, isDryRun: Bool) -> ManifestEntry? {
    guard let former = locations[content]?.filter({ FileStatus(locator.path(of: $0)) == nil }),
      let origin = MovedFiles.origins(of: [location], among: former)[location], let entry = entries[origin]
    else { return nil }
    locations[content] = former.filter { $0 != origin }
    return ManifestEntry(
      entry.path, location: origin, nil, Outcome(.skipped(ManifestEntry.moved, "the image is '\(name)' now")),
      options: entry.options, isDryRun: isDryRun)
  }
}
