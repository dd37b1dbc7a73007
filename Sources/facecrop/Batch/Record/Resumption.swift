import FaceCrop
import SystemPackage

/// What of a run's inputs an earlier run has done.
struct Resumption: Sendable {
  /// The manifest's entries by their inputs' locations; empty where nothing is to be resumed.
  var entries: [FilePath: ManifestEntry]
  /// Where the outputs are.
  var folder: FilePath
  /// Whether all that failed is tried again, and not only what failed for the machine's sake.
  var retriesFailed: Bool
  /// Whether the outputs' bytes are compared with the manifest, and not only their sizes.
  var verifies: Bool
  /// Whether outputs that were changed are made again.
  var overwrites = false

  /// What became of an input, if it need not be worked on again: its file and what is asked for are as they were, and its
  /// outputs still there. An output that was changed meanwhile is somebody's work, and kept: its entry says so.
  ///
  /// - Parameters:
  ///   - location: the input's.
  ///   - plan: what the plan is known by that is given now. Without one, what was made by an earlier one stays: somebody has put
  ///     that picture right by hand.
  func outcome(of location: FilePath, _ file: FileVersion?, options: String, plan: String?) -> ManifestEntry? {
    guard var entry = entries[location], entry.file == file, entry.options == options, !entry.isDryRun else {
      return nil
    }
    if let plan, entry.plan != plan { return nil }
    if entry.outcome.status == .failed { return retriesFailed || entry.isTransient ? nil : entry }
    var outputs = entry.outcome.outputs ?? []
    for index in outputs.indices {
      guard let isAsMade = isAsMade(outputs[index]) else { return nil }
      if !isAsMade {
        if overwrites { return nil }
        outputs[index].kept = true
      }
    }
    if !outputs.isEmpty { entry.outcome.outputs = outputs }
    return entry
  }

  /// Nil where there is none.
  private func isAsMade(_ output: Outcome.Output) -> Bool? {
    let path = folder.pushing(output.path)
    guard let status = try? FileStatus(of: path, followsLinks: false), status.isRegular || status.isSymbolicLink else {
      return nil
    }
    guard status.isRegular, status.bytes == output.bytes else { return false }
    guard verifies else { return true }
    return (try? Input.readToEnd(of: path, atMost: .max)).map { Hexadecimal.sha256($0) } == output.sha256
  }
}
