import FaceCrop

/// The recorder of results in order of completion. It ends a run when the disk is full.
actor BatchRecorder {
  /// The number of successive images without disk space that ends a run.
  static let fullDisksInARow = 5

  private let manifest: LineFile?
  private let plans: PlanLog?
  private let progress: BatchProgress
  private var former: FormerInputs?
  private var fullDisks = 0
  /// Whether the reader of standard output closed it. A run with a list of plans continues, so that the list is complete.
  private var isUnread = false
  /// The reason why the run cannot continue.
  private(set) var fault: FileError?

  /// Creates a recorder; without a manifest, its lines go to standard output. `former` are the inputs of earlier runs
  /// that may have been moved.
  init(manifest: LineFile?, plans: PlanLog?, progress: BatchProgress, former: FormerInputs? = nil) {
    self.former = former
    self.manifest = manifest
    self.plans = plans
    self.progress = progress
  }

  /// Records the result of an input. `plan` is the one from detection or the user.
  func record(_ entry: ManifestEntry, of input: BatchInput, plan: CropPlan? = nil) async {
    let outcome = entry.outcome
    do throws(FileError) {
      if let plans, let plan {
        let content = entry.content.map { InputContent(identifier: $0, bytes: entry.file?.bytes) }
        try plans.append(plan, for: input.path, content, isCorrected: entry.isCorrected)
      }
      if let manifest {
        try manifest.append(JSONLines.safeLine(entry))
        // A correction made under the new name then counts when the image returns to its old one.
        let known = KnownFile(location: input.location, version: entry.file, content: entry.content)
        if let end = former?.end(of: known, name: input.path) { try manifest.append(JSONLines.safeLine(end)) }
      } else if !isUnread {
        try writeToStandard(entry)
      }
    } catch {
      if fault == nil { fault = error }
      return
    }
    progress.note(entry)
    // Skipped files and other failures do not show whether the disk is full.
    let isFull = outcome.obstacle?.file?.isFullDisk == true
    if isFull { fullDisks += 1 } else if outcome.outputs?.isEmpty == false { fullDisks = 0 }
    if fullDisks >= Self.fullDisksInARow, fault == nil {
      fault = FileError(
        entry.input, "the disk had no room for the outputs of \(fullDisks) images in a row (free space, then run again)"
      )
    }
  }

  private func writeToStandard(_ entry: ManifestEntry) throws(FileError) {
    do throws(FileError) {
      try Output.writeToStandard(Array(JSONLines.safeLine(entry).utf8))
    } catch {
      guard error.isBrokenPipe, plans != nil else { throw error }
      isUnread = true
    }
  }
}
