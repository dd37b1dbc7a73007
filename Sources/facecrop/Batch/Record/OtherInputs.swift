import FaceCrop
import SystemPackage

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
