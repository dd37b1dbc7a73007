import FaceCrop
import SystemPackage

/// Crops one picture and writes its outputs, as a run or a worker's request wants it.
struct PictureWork: Sendable {
  var make: CropMaker
  var request: CropRequest
  /// Nothing is written; the outcome says what would be.
  var isDryRun = false
  /// Whether the outputs' bytes are wanted once more; see ``Made/files``.
  var keepsFiles = false

  /// Where the outputs go.
  struct Destination: Sendable {
    /// Nil where the names are paths as a user gave them, or where nothing is written.
    var folder: OutputFolder?
    /// The path below the folder, by crop and size, both counted from 0.
    var path: @Sendable (_ crop: Int, _ size: Int) -> FilePath
    /// Whether more than one crop has a name of its own.
    var takesSeveralCrops: Bool
    /// Files that must not be replaced: the inputs.
    var protected: Set<FileStatus.Identity>
  }

  struct Made: Sendable {
    var outcome: Outcome
    /// Nil when the look failed.
    var plan: CropPlan?
    /// The first outputs, as many as a report shows, if they are kept.
    var files: [(bytes: [UInt8], size: PixelSize)] = []
  }

  /// - Parameters:
  ///   - input: where the bytes are from; never written to.
  ///   - stored: a plan to apply instead of looking.
  func callAsFunction(
    _ bytes: [UInt8], of input: FilePath, stored: CropPlan?, to destination: Destination
  ) async -> Made {
    let clock = PhaseClock()
    var made = Made(outcome: Outcome(.cropped))
    do {
      try await crop(.bytes(bytes), input, stored, destination, clock, &made)
    } catch {
      let outputs = made.outcome.outputs
      made.outcome =
        switch error {
        case let error as FaceCropError: Outcome(error)
        case let error as FileError: Outcome(error)
        case let error as Outcome.Obstacle: Outcome(error)
        default: Outcome(.failed("internal", "\(error)"))
        }
      made.outcome.outputs = outputs
    }
    made.outcome.milliseconds = clock.milliseconds
    if let plan = made.plan { made.outcome.describe(plan) }
    return made
  }

  private func crop(
    _ source: ImageSource, _ input: FilePath, _ stored: CropPlan?, _ destination: Destination, _ clock: PhaseClock,
    _ made: inout Made
  ) async throws {
    // An output that cannot be written is known before anything is decoded.
    var opened: OutputFile? = try isDryRun ? nil : open(0, 0, input, destination)
    let report: @Sendable (CropProgress) -> Void = { clock.note($0) }

    // Without a face the run goes on whatever the policy says; what is known of the picture is wanted in its record.
    var looking = request
    looking.search = request.search.withoutFailure
    if isDryRun {
      let plan = try await stored == nil ? make.plan(for: source, looking, progress: report) : stored!
      try accept(plan, isStored: stored != nil, destination, &made)
      made.outcome.outputs = plan.crops.indices.flatMap { crop in
        (0..<max(request.output.sizes.count, 1)).map { size in
          let path = destination.path(crop, size)
          return Outcome.Output(file: path.string, fileBase64: path.base64)
        }
      }
      return
    }

    var count = 0
    let result = try await make(
      source, looking, plan: stored, progress: report,
      planned: { plan in try accept(plan, isStored: stored != nil, destination, &made) },
      made: { output in
        clock.add(to: \.encode)
        let place = (crop: output.crop, size: count % max(request.output.sizes.count, 1))
        count += 1
        if let named = opened.take() {
          try named.commit(output.bytes)
        } else {
          try open(place.crop, place.size, input, destination).commit(output.bytes)
        }
        let path = destination.path(place.crop, place.size)
        made.outcome.add(
          Outcome.Output(
            file: path.string, fileBase64: path.base64, width: output.size.width, height: output.size.height,
            bytes: output.bytes.count, sha256: Hexadecimal.sha256(output.bytes)))
        if keepsFiles, made.files.count < ThumbnailFolder.outputs { made.files.append((output.bytes, output.size)) }
        clock.add(to: \.write)
      })
    for warning in result.warnings { made.outcome.warn(warning) }
  }

  /// Takes the plan or refuses it, before anything is decoded at full quality.
  private func accept(
    _ plan: CropPlan, isStored: Bool, _ destination: Destination, _ made: inout Made
  ) throws(Outcome.Obstacle) {
    made.plan = plan
    if plan.crops.count > 1 && !destination.takesSeveralCrops {
      throw .failed(
        "invalid", "\(plan.crops.count) crops would have the same output name (put {index} into --name)")
    }
    judge(plan, isStored: isStored, &made.outcome)
  }

  private func judge(_ plan: CropPlan, isStored: Bool, _ outcome: inout Outcome) {
    if isStored {
      guard plan.crops.isEmpty else { return }
      outcome.status = .noFace
      outcome.reason = Outcome.Reason(kind: "no-face", message: "the plan has no crops; nothing was written")
    } else if plan.crops.allSatisfy(\.faces.isEmpty) {
      outcome.status = .noFace
      outcome.reason = Outcome.Reason(
        kind: "no-face", message: request.search.outcome(of: plan))
    }
  }

  private func open(
    _ crop: Int, _ size: Int, _ input: FilePath, _ destination: Destination
  ) throws -> OutputFile {
    let path = destination.path(crop, size)
    guard (path.lastComponent.map { FilePath(root: nil, [$0]).bytes.count } ?? 0) <= 255 else {
      throw Outcome.Obstacle.failed(
        "name", "the output's name would be longer than 255 bytes (choose other names with --name)")
    }
    guard let folder = destination.folder else { return try OutputFile(path, notReplacing: input, mayBeStream: false) }
    return try folder.file(path, notReplacing: input, protected: destination.protected)
  }
}
