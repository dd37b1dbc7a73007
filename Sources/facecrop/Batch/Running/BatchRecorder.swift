import FaceCrop
import SystemPackage

/// The one that writes down what became of each picture, in order of completion, and that ends a run that has no room left.
actor BatchRecorder {
  /// So many outputs in a row without room for them end a run.
  static let fullDisksInARow = 5

  private let manifest: Manifest?
  private let plans: PlanLog?
  private let progress: BatchProgress
  private let isDryRun: Bool
  private var fullDisks = 0
  /// Why the run cannot go on.
  private(set) var fault: FileError?

  /// - Parameter manifest: nil prints its lines to standard output.
  init(manifest: Manifest?, plans: PlanLog?, progress: BatchProgress, isDryRun: Bool) {
    self.manifest = manifest
    self.plans = plans
    self.progress = progress
    self.isDryRun = isDryRun
  }

  /// - Parameters:
  ///   - given: the plan that was given.
  ///   - plan: what was decided, or given.
  func record(
    _ input: BatchInput, _ file: FileVersion?, _ outcome: Outcome, options: String, given: ManifestEntry.Given? = nil,
    plan: CropPlan? = nil
  ) async {
    let entry = ManifestEntry(
      input.path, location: input.location, file, outcome, options: options, given: given, isDryRun: isDryRun)
    do throws(FileError) {
      if let plans, let plan { try await plans.append(plan, for: input.path) }
      if let manifest {
        try await manifest.append(entry)
      } else {
        try FileError.wrap("standard output") {
          _ = try FileDescriptor.standardOutput.writeAll(JSONLines.safeLine(entry).utf8)
        }
      }
    } catch {
      if fault == nil { fault = error }
      return
    }
    progress.note(entry)
    // What lies beside pictures and is skipped, and what fails for its own sake, says nothing of the disk.
    if outcome.diskIsFull { fullDisks += 1 } else if outcome.outputs?.isEmpty == false { fullDisks = 0 }
    if fullDisks >= Self.fullDisksInARow, fault == nil {
      fault = FileError(
        entry.name,
        "the disk had no room for the outputs of \(fullDisks) images in a row (free space, then run again)"
      )
    }
  }
}
