import FaceCrop
import SystemPackage

/// The outputs of earlier runs that this run would not write: those of missing inputs, and those with outdated names.
/// The last outputs of an input that failed this time are kept.
struct StaleOutputs {
  /// Those of the recorded size.
  private(set) var outputs: [Outcome.Output] = []
  /// Those that were changed since, so that nothing removes them.
  private(set) var changed: [FilePath] = []
  /// The number of images that stay because their inputs failed this time.
  private(set) var ofFailed = 0
  /// The latest outputs of all inputs ever recorded, by the inputs' locations.
  private var latest: [FilePath: Set<FilePath>] = [:]

  /// Reads all outputs ever written from the manifest. Inputs that are not in `inputs`, the locations of this run's,
  /// are checked on the disk; with `onlyThese`, their outputs are left out. Files in `protected` are no outputs. An input
  /// below one of `all`, the whole run's inputs, is in a folder that could not be read, so it may exist.
  init(
    of manifest: FilePath, _ locator: InputLocator, inputs: Set<FilePath>, folder: OutputFolder,
    protected: Set<FileStatus.Identity>, all: Set<FilePath>, onlyThese: Bool = false
  ) throws {
    var made: [FilePath: Outcome.Output] = [:]
    var order: [FilePath] = []
    var failed: Set<FilePath> = []
    // A name can pass from one image to another.
    var makers: [FilePath: FilePath] = [:]
    try Manifest.read(manifest, isBrief: true) { entry in
      // A manifest may be edited, so names outside the folder are ignored.
      let outputs = (entry.outcome.outputs ?? []).filter { OutputFolder.isInside($0.path) }
      let location = entry.location(by: locator)
      let counts = !onlyThese || inputs.contains(location)
      for output in outputs where counts && output.sha256 != nil && made.updateValue(output, forKey: output.path) == nil
      {
        order.append(output.path)
      }
      if entry.outcome.status == .failed {
        failed.insert(location)
      } else {
        failed.remove(location)
        latest[location] = Set(outputs.map(\.path))
        for output in outputs { makers[output.path] = location }
      }
    }
    ofFailed = failed.intersection(inputs).reduce(0) { count, location in
      count
        + (latest[location] ?? []).count {
          made[$0]?.sidecar != true && makers[$0] == location
            && FileStatus(folder.path.pushing($0))?.isRegular == true
        }
    }
    func mayExist(_ location: FilePath) -> Bool {
      inputs.contains(location) || Self.isBelow(all, location) || !FileStatus.isMissing(locator.path(of: location))
    }
    let current = Set(latest.filter { mayExist($0.key) }.values.joined())
    for output in order.filter({ !current.contains($0) }).compactMap({ made[$0] }) {
      guard let status = FileStatus(folder.path.pushing(output.path)), status.isRegular,
        !protected.contains(status.identity)
      else { continue }
      if status.bytes == output.bytes { outputs.append(output) } else { changed.append(output.path) }
    }
  }

  /// Returns whether a location is below one of the others.
  private static func isBelow(_ others: Set<FilePath>, _ location: FilePath) -> Bool {
    var folder = location
    while folder.removeLastComponent() {
      if others.contains(folder) { return true }
    }
    return false
  }

  /// The names of the outputs after a colon, if they are few.
  var names: String {
    guard outputs.count <= 3 else { return "" }
    return ": " + outputs.map { DisplayText.text($0.path.string) }.joined(separator: ", ")
  }

  /// Takes some outputs out, and returns those that are among them.
  mutating func keep(_ kept: Set<FilePath>) -> [FilePath] {
    let found = outputs.map(\.path).filter(kept.contains) + changed.filter(kept.contains)
    outputs.removeAll { kept.contains($0.path) }
    changed.removeAll(where: kept.contains)
    return found
  }

  /// Takes the outputs of inputs in some folders out, and returns them.
  mutating func keep(ofInputsBelow folders: Set<FilePath>) -> [FilePath] {
    folders.isEmpty ? [] : keep(Set(latest.filter { Self.isBelow(folders, $0.key) }.values.joined()))
  }

  /// Deletes unchanged outputs, and adds the others to the changed ones. Returns the number of deleted files.
  mutating func remove(from folder: OutputFolder) throws(FileError) -> Int {
    var count = 0
    for output in outputs {
      let bytes = try? Input.readToEnd(of: folder.path.pushing(output.path), atMost: .max)
      guard let bytes, ContentHash(of: bytes).hexadecimal == output.sha256 else {
        changed.append(output.path)
        continue
      }
      try folder.remove(output.path)
      count += 1
    }
    return count
  }
}
