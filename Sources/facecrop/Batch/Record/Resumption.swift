import FaceCrop
import SystemPackage

/// What of a run's inputs an earlier run has done.
struct Resumption: Sendable {
  /// The manifest's entries; empty where nothing is to be resumed.
  var entries: Manifest.Entries
  /// Where the outputs are.
  var folder: FilePath
  /// Whether all that failed is tried again, and not only what failed for the machine's sake.
  var retriesFailed: Bool
  /// Whether the outputs' bytes are compared with the manifest, and not only their sizes.
  var verifies: Bool

  /// What became of an input, if it need not be worked on again: its file and what is asked for are as they were, and its
  /// outputs still there.
  ///
  /// - Parameter plan: what the plan is known by that is given now. Without one, what was made by an earlier one stays: somebody has put
  ///   that picture right by hand.
  func outcome(of input: FilePath, _ file: FileVersion?, options: String, plan: String?) -> ManifestEntry? {
    guard let entry = entries[input], entry.file == file, entry.options == options, !entry.isDryRun else {
      return nil
    }
    if let plan, entry.plan != plan { return nil }
    if entry.outcome.status == .failed { return retriesFailed || entry.isTransient ? nil : entry }
    return (entry.outcome.outputs ?? []).allSatisfy(isThere) ? entry : nil
  }

  private func isThere(_ output: Outcome.Output) -> Bool {
    let path = folder.pushing(output.path)
    guard let status = FileStatus(path), status.isRegular, status.bytes == output.bytes else { return false }
    guard verifies else { return true }
    return (try? Input.readToEnd(of: path)).map { Hexadecimal.sha256($0) } == output.sha256
  }
}
