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
    var folder: FilePath
    /// Whether folders between this one and the outputs are made.
    var makesFolders: Bool
    /// Below the folder, by crop and size, both counted from 0.
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
    /// The outputs, in their order, if they are kept.
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
    if let plan = made.plan {
      made.outcome.width = plan.source.width
      made.outcome.height = plan.source.height
      made.outcome.detector = plan.detector
      made.outcome.faces = plan.faces
      made.outcome.regions = plan.crops.map(\.region)
    }
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
    if looking.noFace == .fail { looking.noFace = .skip }
    var first: CropMaker.Result?
    if let stored {
      made.plan = stored
    } else if isDryRun || request.faces == .each {
      made.plan = try await make.plan(for: source, looking, progress: report)
    } else {
      let result = try await make(source, looking, progress: report)
      clock.add(to: \.render)
      made.plan = result.plan
      first = result
    }
    let plan = made.plan!
    if plan.crops.count > 1 && !destination.takesSeveralCrops {
      throw Outcome.Obstacle.failed(
        "invalid", "has \(plan.crops.count) crops, and its outputs have one name; put {index} into --name")
    }
    judge(plan, isStored: stored != nil, &made.outcome)
    if isDryRun {
      made.outcome.outputs = plan.crops.indices.flatMap { crop in
        (0..<max(request.sizes.count, 1)).map { size in
          let path = destination.path(crop, size)
          return Outcome.Output(file: path.string, fileBase64: path.base64)
        }
      }
      return
    }

    for part in parts(of: plan) {
      let result: CropMaker.Result
      if let whole = first.take() {
        result = whole
      } else {
        var partial = plan
        partial.crops = Array(plan.crops[part])
        result = try await make(source, looking, plan: partial, progress: report)
        clock.add(to: \.render)
      }
      for warning in result.warnings { made.outcome.warn("\(warning)") }
      let sizes = max(request.sizes.count, 1)
      for (index, output) in result.outputs.enumerated() {
        let file = try await output.bytes(report)
        clock.add(to: \.encode)
        let place = (crop: part.lowerBound + index / sizes, size: index % sizes)
        if let named = opened.take() {
          try named.commit(file)
        } else {
          try open(place.crop, place.size, input, destination).commit(file)
        }
        let path = destination.path(place.crop, place.size)
        made.outcome.add(
          Outcome.Output(
            file: path.string, fileBase64: path.base64, width: output.size.width, height: output.size.height,
            bytes: file.count, sha256: Hexadecimal.sha256(file)))
        if keepsFiles { made.files.append((file, output.size)) }
        clock.add(to: \.write)
      }
    }
  }

  private func judge(_ plan: CropPlan, isStored: Bool, _ outcome: inout Outcome) {
    if isStored {
      guard plan.crops.isEmpty else { return }
      outcome.status = .noFace
      outcome.reason = Outcome.Reason(kind: "no-face", message: "has no crop in its plan; nothing was written")
    } else if plan.crops.allSatisfy(\.faces.isEmpty) {
      outcome.status = .noFace
      outcome.reason = Outcome.Reason(
        kind: "no-face", message: request.noFace.outcome(facesFound: !plan.faces.isEmpty))
    }
  }

  /// Crops that are rendered together: all, unless they are together larger than the picture, which is what its memory was
  /// estimated for.
  private func parts(of plan: CropPlan) -> [Range<Int>] {
    let area = plan.crops.reduce(0) { $0 + $1.region.area }
    if plan.crops.isEmpty { return [] }
    if plan.crops.count == 1 || area <= 1 { return [0..<plan.crops.count] }
    return plan.crops.indices.map { $0..<$0 + 1 }
  }

  private func open(
    _ crop: Int, _ size: Int, _ input: FilePath, _ destination: Destination
  ) throws -> OutputFile {
    let path = destination.path(crop, size)
    guard (path.lastComponent.map { FilePath(root: nil, [$0]).bytes.count } ?? 0) <= 255 else {
      throw Outcome.Obstacle.failed(
        "name", "has no output: its name would be longer than the 255 bytes of a file's; choose others by --name")
    }
    let full = destination.folder.pushing(path)
    if destination.makesFolders { try Folders.make(full.folder) }
    if let there = FileStatus(full), destination.protected.contains(there.identity) {
      throw FileError(full.string, "is an input, which is never written to; choose another name or folder")
    }
    return try OutputFile(full, notReplacing: input)
  }
}
