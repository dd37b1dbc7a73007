import FaceCrop
import SystemPackage

/// The combined contents of a manifest's lines.
struct ManifestContents: Sendable {
  /// The last entry of each input by its location.
  private(set) var entries: [FilePath: ManifestEntry] = [:]
  /// The users' plans for inputs by their locations.
  private(set) var corrections: [FilePath: Correction] = [:]
  /// The latest outputs by their paths relative to the output folder.
  private(set) var made: [FilePath: KnownOutputs.Made] = [:]

  /// The number of lines that have no entry.
  var invalidLines = 0

  mutating func note(_ entry: ManifestEntry, _ locator: InputLocator) {
    var entry = entry
    let location = entry.location(by: locator)
    // A run without plans computes no digest of an unchanged file.
    if entry.content == nil, let former = entries[location], entry.file != nil, entry.file == former.file {
      entry.content = former.content
    }
    entries[location] = entry
    if let correction = Correction(entry) {
      corrections[location] = correction
    } else if !entry.isCorrected, entry.outcome.status != .failed {
      // A later result without a person's plan ends the correction.
      corrections[location] = nil
    }
    for output in entry.outcome.outputs ?? [] {
      guard let digest = output.sha256 else { continue }
      made[output.path] = KnownOutputs.Made(
        sha256: digest, hidesFaces: output.hidesFaces == true, input: entry.name,
        file: KnownFile(location: location, version: entry.file, content: entry.content))
    }
  }
}

/// The files in the output folder that may be overwritten: unchanged outputs of facecrop.
struct KnownOutputs: Sendable {
  /// The latest output of facecrop under a name.
  struct Made: Sendable {
    var sha256: String
    var hidesFaces: Bool
    /// The input as named, and what is known of its file.
    var input: String
    var file: KnownFile
  }

  var made: [FilePath: Made]
  /// Whether all other files are overwritten too.
  var overwrites: Bool
  /// Whether outputs that hide faces stay, because this run would show the faces.
  var keepsHidden = false
  /// The inputs whose outputs stay; nil for none.
  var others: OtherInputs?

  /// The state of an output's name.
  enum Place {
    /// The name is free, or has facecrop's latest output.
    case free
    /// The file has the same bytes.
    case same
    /// The file is foreign, or was changed since facecrop made it.
    case taken(Made?)
    /// The file hides faces, as facecrop made it.
    case hiding(Made)
    /// The file is the latest output of an existing input that the run does not have.
    case ofAnother(Made)
    /// The file is foreign or changed, and may be overwritten.
    case changed
  }

  /// Returns the state of an output's name, by the SHA-256 of the bytes to write. The name is relative to the folder, or
  /// a user's path without one.
  func place(of name: FilePath, in folder: OutputFolder?, digest: String) throws(FileError) -> Place {
    guard
      let status = try folder.map({ folder throws(FileError) in try folder.status(of: name) })
        ?? (try? FileStatus(of: name, followsLinks: false))
    else { return .free }
    // Opening the output refuses anything that is neither a file nor a link.
    if status.isSymbolicLink { return overwrites ? .changed : .taken(made[name]) }
    guard status.isRegular else { return .free }
    let bytes = try? Input.readToEnd(of: folder?.path.pushing(name) ?? name, atMost: .max)
    switch bytes.map({ Hexadecimal.sha256($0) }) {
    case digest?: return .same
    case made[name]?.sha256?:
      guard let made = made[name], !overwrites else { return .free }
      if made.hidesFaces, keepsHidden { return .hiding(made) }
      return others?.have(made, at: name) == true ? .ofAnother(made) : .free
    default: return overwrites ? .changed : .taken(made[name])
    }
  }
}
