import FaceCrop
import Synchronization
import SystemPackage

/// The combined contents of a manifest's lines.
struct ManifestContents: Sendable {
  /// The last entry of each input by its location.
  private(set) var entries: [FilePath: ManifestEntry] = [:]
  /// The users' plans for inputs by their locations.
  private(set) var corrections: [FilePath: Correction] = [:]
  /// The latest outputs by their paths relative to the output folder.
  private(set) var made: [FilePath: KnownOutputs.Made] = [:]

  /// The latest framings of `--series` by the fingerprints of the options that place frames.
  private(set) var series: [String: SeriesFraming] = [:]
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
    if let own = entry.series { series[own.frame] = own }
    if let correction = Correction(entry) {
      corrections[location] = correction
    } else if !entry.isCorrected, entry.outcome.status != .failed, entry.outcome.reason?.kind != Correction.kind {
      // A later result without a person's plan ends the correction.
      corrections[location] = nil
    }
    for output in entry.outcome.outputs ?? [] {
      guard let digest = output.sha256 else { continue }
      made[output.path] = KnownOutputs.Made(
        sha256: digest, hidesFaces: output.hidesFaces == true, input: entry.input,
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
  /// The faces that the outputs show; nil if unknown.
  var shown: ShownFacesRecord?

  /// The state of an output's name.
  enum Place {
    /// The name is free, or has facecrop's latest output.
    case free
    /// The file has the same bytes.
    case same
    /// The file is foreign, or was changed since facecrop made it.
    case taken(Made?)
    /// The file hides faces, as facecrop made it.
    case blur(Made)
    /// The file is the latest output of an existing input that the run does not have.
    case ofAnother(Made)
    /// The file is foreign or changed, and may be overwritten.
    case changed
  }

  /// Returns whether facecrop's latest output under a name exists, and was changed since. Unknown names and missing files
  /// are not changed.
  func isChanged(_ name: FilePath, in folder: OutputFolder?) -> Bool {
    guard let made = made[name], OutputFolder.isInside(name) || folder == nil else { return false }
    let path = folder?.path.pushing(name) ?? name
    guard let status = try? FileStatus(of: path, followsLinks: false) else { return false }
    if status.isSymbolicLink { return true }
    guard status.isRegular, let bytes = try? Input.readToEnd(of: path, atMost: .max) else { return false }
    return ContentHash(of: bytes).hexadecimal != made.sha256
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
    switch bytes.map({ ContentHash(of: $0).hexadecimal }) {
    case digest?: return .same
    case made[name]?.sha256?:
      guard let made = made[name], !overwrites else { return .free }
      if made.hidesFaces, keepsHidden { return .blur(made) }
      return others?.have(made, at: name) == true ? .ofAnother(made) : .free
    default: return overwrites ? .changed : .taken(made[name])
    }
  }
}

/// The part of an image that an output shows, by which the same face is known in a later run.
struct ShownFaces: Sendable {
  /// The face boxes in fractions of the image as displayed, without the rotation of a plan.
  private let boxes: [NormalizedRect]
  private let region: NormalizedRect

  /// Creates the part that a crop shows; nil if the crop has faces that are not in the list.
  init?(_ crop: CropPlan.Crop, of faces: [Face], rotation: QuarterTurn) {
    guard crop.faces.allSatisfy(faces.indices.contains) else { return nil }
    boxes = crop.faces.map { rotation.orientation.stored(faces[$0].box) }
    region = rotation.orientation.stored(crop.region)
  }

  /// Returns whether no face is the same as one of the others. Without faces on a side, the regions decide.
  func isApart(from other: ShownFaces) -> Bool {
    guard !boxes.isEmpty, !other.boxes.isEmpty else { return !Self.areOne(region, other.region) }
    return !boxes.contains { box in other.boxes.contains { Self.areOne(box, $0) } }
  }

  /// Whether each rectangle contains the center of the other one. Detectors place the box of a face in other ways.
  private static func areOne(_ first: NormalizedRect, _ second: NormalizedRect) -> Bool {
    func contains(_ rect: NormalizedRect, _ other: NormalizedRect) -> Bool {
      let (x, y) = (other.x + other.width / 2, other.y + other.height / 2)
      return (rect.x...rect.x + rect.width).contains(x) && (rect.y...rect.y + rect.height).contains(y)
    }
    return contains(first, second) && contains(second, first)
  }
}

/// The record of what earlier outputs show. It is read from the manifest when an output needs it, because a run reads
/// detections of few lines only.
final class ShownFacesRecord: Sendable {
  private let manifest: FilePath
  private let made: [FilePath: KnownOutputs.Made]
  private let shown = Mutex<[FilePath: ShownFaces]?>(nil)

  init(_ manifest: FilePath, of made: [FilePath: KnownOutputs.Made]) {
    (self.manifest, self.made) = (manifest, made)
  }

  /// The part that the latest output under a name shows; nil if unknown. That of a sidecar is its output's.
  subscript(name: FilePath) -> ShownFaces? {
    shown.withLock { shown in
      if shown == nil { shown = read() }
      return shown?[name]
    }
  }

  private func read() -> [FilePath: ShownFaces] {
    var shown: [FilePath: ShownFaces] = [:]
    try? Manifest.read(manifest) { entry in
      let outcome = entry.outcome
      guard let crops = outcome.crops, let faces = outcome.faces else { return }
      var last: ShownFaces?
      for output in outcome.outputs ?? [] {
        if output.sidecar != true {
          last = output.crop.flatMap { crop in
            crops.indices.contains(crop)
              ? ShownFaces(crops[crop], of: faces, rotation: outcome.rotation ?? .none) : nil
          }
        }
        guard let digest = output.sha256, digest == made[output.path]?.sha256 else { continue }
        shown[output.path] = last
      }
    }
    return shown
  }
}
