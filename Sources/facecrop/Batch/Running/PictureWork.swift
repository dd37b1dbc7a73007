import FaceCrop
import SystemPackage

/// Crops one picture and writes its outputs, as a run or a worker's request wants it.
struct PictureWork: Sendable {
  var make: CropMaker
  var request: CropRequest
  /// Whether the kept metadata are written beside the outputs, too.
  var writesSidecars = false
  /// Nothing is written; the outcome says what would be.
  var isDryRun = false
  /// Whether the outputs' bytes are wanted once more; see ``Made/files``.
  var keepsFiles = false

  /// Where the outputs go.
  struct Destination: Sendable {
    /// Nil where the names are paths as a user gave them, or where nothing is written.
    var folder: OutputFolder?
    /// The path below the folder, by the crop's number, counted from 1, and the size, counted from 0.
    var path: @Sendable (_ number: Int, _ size: Int, _ hasFace: Bool) -> FilePath
    /// Whether more than one crop has a name of its own.
    var takesSeveralCrops: Bool
    /// Knows the files that must stay.
    var gate: WriteGate
    /// Which outputs are facecrop's own; nil replaces all that the gate lets be replaced.
    var known: KnownOutputs?
  }

  struct Made: Sendable {
    var outcome: Outcome
    /// Nil when the look failed.
    var plan: CropPlan?
    /// The first outputs, as many as a report shows, if they are kept.
    var files: [(bytes: [UInt8], size: PixelSize)] = []
  }

  /// - Parameter stored: a plan to apply instead of looking.
  func callAsFunction(_ bytes: [UInt8], stored: CropPlan?, to destination: Destination) async -> Made {
    let clock = PhaseClock()
    var made = Made(outcome: Outcome(.cropped))
    do {
      try await crop(.bytes(bytes), stored, destination, clock, &made)
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
    _ source: ImageSource, _ stored: CropPlan?, _ destination: Destination, _ clock: PhaseClock, _ made: inout Made
  ) async throws {
    // An output that cannot be written is known before anything is decoded.
    let first = destination.path(stored?.outputNumbers.first ?? 1, 0, true)
    var opened: OutputFile? = try isDryRun ? nil : open(first, destination)
    let report: @Sendable (CropProgress) -> Void = { clock.note($0) }

    // Without a face the run goes on whatever the policy says; what is known of the picture is wanted in its record.
    var looking = request
    looking.search = request.search.withoutFailure
    if isDryRun {
      let plan = try await stored == nil ? make.plan(for: source, looking, progress: report) : stored!
      try accept(plan, isStored: stored != nil, destination, &made)
      made.outcome.outputs = plan.outputNumbers.flatMap { number in
        (0..<max(request.output.sizes.count, 1)).map { size in
          let path = destination.path(number, size, made.outcome.status == .cropped)
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
        let size = count % max(request.output.sizes.count, 1)
        count += 1
        let path = destination.path(output.number, size, made.outcome.status == .cropped)
        let digest = Hexadecimal.sha256(output.bytes)
        var file = Outcome.Output(path, output, digest: digest)
        switch try place(of: path, digest: digest, destination) {
        case .same: break
        case .taken: file = Outcome.Output(file: file.file, fileBase64: file.fileBase64, kept: true, crop: file.crop)
        case .free:
          if path == first, let file = opened.take() {
            try file.commit(output.bytes)
          } else {
            try open(path, destination).commit(output.bytes)
          }
        }
        made.outcome.add(file)
        if writesSidecars, let xmp = output.xmp {
          made.outcome.add(try write(xmp, to: Sidecar.path(beside: path), destination))
        }
        for rule in output.misses ?? [] { made.outcome.warn(rule.message) }
        if keepsFiles, made.files.count < ThumbnailFolder.outputs { made.files.append((output.bytes, output.size)) }
        clock.add(to: \.write)
      })
    for warning in result.warnings { made.outcome.warn(warning) }
  }

  private func place(
    of path: FilePath, digest: String, _ destination: Destination
  ) throws(FileError) -> KnownOutputs.Place {
    guard let folder = destination.folder, let known = destination.known else { return .free }
    return try known.place(of: path, in: folder, digest: digest)
  }

  private func write(_ xmp: [UInt8], to path: FilePath, _ destination: Destination) throws -> Outcome.Output {
    var file = Outcome.Output(sidecar: path, xmp)
    switch try place(of: path, digest: file.sha256!, destination) {
    case .same: break
    case .taken: file = Outcome.Output(file: file.file, fileBase64: file.fileBase64, sidecar: true, kept: true)
    case .free: try open(path, destination).commit(xmp)
    }
    return file
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

  private func open(_ path: FilePath, _ destination: Destination) throws -> OutputFile {
    guard (path.lastComponent.map { FilePath(root: nil, [$0]).bytes.count } ?? 0) <= 255 else {
      throw Outcome.Obstacle.failed(
        "name", "the output's name would be longer than 255 bytes (choose other names with --name)")
    }
    guard let folder = destination.folder else {
      return try OutputFile(path, gate: destination.gate, mayBeStream: false)
    }
    return try folder.file(path, gate: destination.gate)
  }
}
