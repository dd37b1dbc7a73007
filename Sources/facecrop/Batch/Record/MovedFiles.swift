import FaceCrop
import SystemPackage

/// An input of a run, by which another run knows it again.
struct KnownFile: Sendable {
  var location: FilePath
  /// The size and time; nil if unknown.
  var version: FileVersion?
  /// The identifier of the content; nil if unknown.
  var content: String?

  /// Returns whether both are one image, as far as is known. One location is no proof: cameras give names again.
  func isSame(as other: KnownFile) -> Bool {
    if version != nil && version == other.version { return true }
    if let content, let own = other.content,
      InputContent.isOfImageData(content) == InputContent.isOfImageData(own)
    {
      return content == own
    }
    // A copy has another time.
    return version?.bytes == other.version?.bytes && location.lastComponent == other.location.lastComponent
  }
}

/// The files that were moved or renamed between two runs.
enum MovedFiles {
  /// Pairs files with their former locations. Files with the same time come first, because moving keeps it, and then
  /// those that share the most components at the end. The order of bytes decides the rest. A former file of unknown
  /// content must have the same size, and the same time or name.
  static func origins(of files: [KnownFile], among former: [KnownFile]) -> [FilePath: FilePath] {
    let read = Dictionary(grouping: former.filter { $0.content != nil }) { $0.content! }
    let unread = Dictionary(grouping: former.filter { $0.content == nil && $0.version != nil }) { $0.version!.bytes }
    var origins: [FilePath: FilePath] = [:]
    for (content, files) in Dictionary(grouping: files.filter { $0.content != nil }, by: { $0.content! }) {
      let bytes = files.lazy.compactMap(\.version?.bytes).first
      var pairing = Pairing(files, read[content] ?? [], bytes.flatMap { unread[$0] } ?? [])
      origins.merge(pairing.origins()) { first, _ in first }
    }
    return origins
  }

  /// The pairing of files with one content.
  private struct Pairing {
    private var files: [KnownFile]
    private var read: [KnownFile]
    private var unread: [KnownFile]
    private var found: [FilePath: FilePath] = [:]

    init(_ files: [KnownFile], _ read: [KnownFile], _ unread: [KnownFile]) {
      func sorted(_ files: [KnownFile]) -> [KnownFile] {
        files.sorted { $0.location.bytes.lexicographicallyPrecedes($1.location.bytes) }
      }
      (self.files, self.read, self.unread) = (sorted(files), sorted(read), sorted(unread))
    }

    mutating func origins() -> [FilePath: FilePath] {
      let deepest = (read + unread).map(\.location.components.count).max() ?? 0
      for isOfOneTime in [true, false] {
        for length in stride(from: deepest, through: 0, by: -1) where !files.isEmpty {
          pair(\.read, length, isOfOneTime)
          if isOfOneTime || length > 0 { pair(\.unread, length, isOfOneTime) }
        }
      }
      return found
    }

    /// Pairs the files whose last components are equal.
    private mutating func pair(_ former: WritableKeyPath<Self, [KnownFile]>, _ length: Int, _ isOfOneTime: Bool) {
      struct Key: Hashable {
        var end: [FilePath.Component]
        var version: FileVersion?
      }
      func key(_ file: KnownFile) -> Key {
        Key(end: Array(file.location.components.suffix(length)), version: isOfOneTime ? file.version : nil)
      }
      // Reversed, because the last of a list is taken first.
      var free = Dictionary(
        grouping: self[keyPath: former].reversed().filter { !isOfOneTime || $0.version != nil }, by: key)
      guard !free.isEmpty else { return }
      files.removeAll { file in
        guard let origin = free[key(file)]?.popLast() else { return false }
        found[file.location] = origin.location
        return true
      }
      let used = Set(found.values)
      self[keyPath: former].removeAll { used.contains($0.location) }
    }
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

  /// Returns the entry that ends the record of a missing file. `file` was found with its content, and recorded as
  /// `name`. Nil if no file with this content is missing.
  mutating func end(of file: KnownFile, name: FilePath) -> ManifestEntry? {
    guard let content = file.content,
      let former = locations[content]?.filter({ FileStatus.isMissing(locator.path(of: $0)) }),
      let origin = MovedFiles.origins(
        of: [file], among: former.map { KnownFile(location: $0, version: entries[$0]?.file, content: content) })[
          file.location],
      let entry = entries[origin]
    else { return nil }
    locations[content] = former.filter { $0 != origin }
    return ManifestEntry(
      entry.path, location: origin, nil, Outcome(.skipped(ManifestEntry.moved, "the image is '\(name)' now")),
      options: entry.options, isDryRun: false)
  }
}

/// The inputs of earlier runs that this run does not have. Their outputs are not this run's to replace.
struct OtherInputs: Sendable {
  /// The locations of this run's inputs, those of other shards included.
  var current: Set<FilePath>
  /// The last entries of all inputs by their locations.
  var entries: [FilePath: ManifestEntry]
  var locator: InputLocator
  var limits: Limits

  /// Returns whether an output is the latest one of an existing input that this run does not have.
  func have(_ made: KnownOutputs.Made, at output: FilePath) -> Bool {
    let location = made.file.location
    guard !current.contains(location), let entry = entries[location], !entry.isMoved else { return false }
    // The outputs of an input that failed since are those before.
    guard entry.outcome.status == .failed || entry.outcome.outputs?.contains(where: { $0.path == output }) == true
    else { return false }
    return !FileStatus.isMissing(locator.path(of: location))
  }

  /// Returns whether the file of an input is an image with these bytes.
  func isCopy(_ former: KnownFile, of bytes: [UInt8]) -> Bool {
    let path = locator.path(of: former.location)
    guard let own = try? Input.readToEnd(of: path, atMost: limits.fileBytes) else { return false }
    return InputContent.identifier(of: own) == InputContent.identifier(of: bytes)
  }
}
