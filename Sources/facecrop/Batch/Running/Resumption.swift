import FaceCrop
import SystemPackage

/// The results of an earlier run that this run can keep.
struct Resumption: Sendable {
  /// The manifest's entries by their inputs' locations; empty if nothing is resumed.
  var entries: [FilePath: ManifestEntry]
  var folder: FilePath
  var choices: BatchOptions.ResumeOptions
  /// The latest outputs by their paths relative to the output folder.
  var made: [FilePath: KnownOutputs.Made] = [:]
  /// The limits of this run. An input that exceeded a lower one is retried.
  var limits = Limits()

  /// Returns the earlier result of an input if it is up to date: file and options are unchanged, and its outputs exist.
  /// A changed output is kept, and marked in the entry. Without `plan`, the identifier of the current plan, the outputs
  /// of an earlier plan are kept, because a user made that correction.
  func outcome(of location: FilePath, _ file: FileVersion?, options: String, plan: String?) -> ManifestEntry? {
    guard var entry = entries[location], entry.file == file, entry.options == options, entry.dryRun != true else {
      return nil
    }
    if let plan, entry.plan != plan { return nil }
    if entry.outcome.status == .failed {
      let isRetried =
        choices.retry || entry.transient == true || entry.hadOtherPlan || entry.limit?.isRaised(in: limits) == true
      return isRetried ? nil : entry
    }
    var outputs = entry.outcome.outputs ?? []
    for index in outputs.indices {
      guard let isAsMade = isAsMade(outputs[index]) else { return nil }
      if !isAsMade {
        if choices.overwrite { return nil }
        outputs[index].kept = true
      }
    }
    if !outputs.isEmpty { entry.outcome.outputs = outputs }
    return entry
  }

  /// The kinds of reasons of skipped inputs that lie in the images, not in other inputs or the command line.
  private static let lastingReasons: Set = ["no-picture", "rejected"]

  /// Returns whether an input's earlier result is also that of this run's item, apart from file and options. Its outputs
  /// must be where this run would write them, and no other image may have replaced them.
  func isResult(_ entry: ManifestEntry, of item: BatchPlan.Item) -> Bool {
    let outcome = entry.outcome
    if let obstacle = item.input.obstacle {
      return !obstacle.isTransient && outcome.status == obstacle.status && outcome.reason == obstacle.reason
    }
    switch outcome.status {
    case .failed: return true
    case .skipped: return Self.lastingReasons.contains(outcome.reason?.kind ?? "")
    case .cropped, .noFace:
      let outputs = outcome.outputs ?? []
      return item.outputs.fits(outputs.filter { $0.left != true }, hasFace: outcome.status == .cropped)
        && outputs.allSatisfy { $0.sha256 == nil || made[$0.path]?.sha256 == $0.sha256 }
    }
  }

  /// Returns whether an output is unchanged; nil if it is missing.
  private func isAsMade(_ output: Outcome.Output) -> Bool? {
    let path = folder.pushing(output.path)
    guard let status = try? FileStatus(of: path, followsLinks: false), status.isRegular || status.isSymbolicLink else {
      return nil
    }
    guard status.isRegular, status.bytes == output.bytes else { return false }
    guard choices.verify else { return true }
    return (try? Input.readToEnd(of: path, atMost: .max)).map { ContentHash(of: $0).hexadecimal } == output.sha256
  }
}
