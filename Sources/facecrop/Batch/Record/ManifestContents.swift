import FaceCrop
import SystemPackage

/// What a manifest's lines say together.
struct ManifestContents: Sendable {
  /// The last entry of each input, by its location.
  private(set) var entries: [FilePath: ManifestEntry] = [:]
  /// The plans that were given for inputs, by their locations.
  private(set) var corrections: [FilePath: Correction] = [:]
  /// Outputs as facecrop wrote them last, by their paths below the output folder.
  private(set) var made: [FilePath: Outcome.Output] = [:]

  mutating func note(_ entry: ManifestEntry, _ locator: InputLocator) {
    let location = entry.location(by: locator)
    entries[location] = entry
    if let correction = Correction(entry) {
      corrections[location] = correction
    } else if entry.plan == nil, entry.outcome.status != .failed {
      // Made anew without any.
      corrections[location] = nil
    }
    for output in entry.outcome.outputs ?? [] where output.sha256 != nil { made[output.path] = output }
  }
}

/// Which files in the output folder may be replaced: those that facecrop wrote, to the byte.
struct KnownOutputs: Sendable {
  /// Outputs as facecrop wrote them last.
  var made: [FilePath: Outcome.Output]
  /// Whether all others are replaced, too.
  var overwrites: Bool

  /// What is in an output's place.
  enum Place {
    /// Nothing, or what facecrop wrote last.
    case free
    /// The same bytes.
    case same
    /// A file of somebody else's, or one that was changed.
    case taken
  }

  /// - Parameters:
  ///   - name: below the folder.
  ///   - digest: SHA-256 of the bytes that are to be written.
  func place(of name: FilePath, in folder: OutputFolder, digest: String) throws(FileError) -> Place {
    guard !overwrites, let status = try folder.status(of: name) else { return .free }
    // What is neither a file nor a link, the output's own opening refuses.
    if status.isSymbolicLink { return .taken }
    guard status.isRegular else { return .free }
    let bytes = try? Input.readToEnd(of: folder.path.pushing(name), atMost: .max)
    switch bytes.map({ Hexadecimal.sha256($0) }) {
    case digest?: return .same
    case made[name]?.sha256?: return .free
    default: return .taken
    }
  }
}
