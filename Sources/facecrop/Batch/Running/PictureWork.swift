import FaceCrop
import SystemPackage

/// The work on one image of a run or a worker: cropping and writing its outputs.
struct PictureWork: Sendable {
  var make: CropMaker
  var request: CropRequest
  /// Whether the kept metadata are written beside the outputs, too.
  var writesSidecars = false
  /// The fault of the sidecar beside the image; nil for none.
  var sidecarProblem: String?
  /// Whether nothing is written, and the outcome only lists the outputs.
  var isDryRun = false
  /// Whether to return the outputs' bytes; see ``Made/files``.
  var keepsFiles = false
  /// Whether a person has made or corrected the stored plan, and so knows its areas.
  var isCorrected = false
  /// Whether the outcome tells that no face was found.
  var judges = true
  /// Whether the outcome has the SHA-256 of each output, which takes as long as decoding part of the image.
  var digests = true
  var report: @Sendable (CropProgress) -> Void = { _ in }

  struct Destination: Sendable {
    /// The output folder; nil if the names are a user's paths, or nothing is written.
    var folder: OutputFolder?
    /// The path of an output relative to the folder. `size` is an index from 0.
    var path: @Sendable (_ crop: CropPlace, _ size: Int) -> FilePath
    /// Whether several crops have distinct names.
    var takesSeveralCrops: Bool
    var gate: WriteGate
    /// The record of facecrop's own outputs; nil overwrites all files that the gate allows.
    var known: KnownOutputs?
    /// Whether outputs replace images, and sidecars that facecrop wrote, wherever a user's paths lead, also to standard
    /// output; nil for a record's outputs.
    var replacesImages: Bool?
    /// Returns whether the input is the file of an earlier run that made an output.
    var isOwn: @Sendable (KnownFile) -> Bool = { _ in true }
    /// Returns whether the input is a copy of another one.
    var isCopy: @Sendable (KnownFile) -> Bool = { _ in true }
    /// The input's location; nil if it has none.
    var location: FilePath? = nil
    /// The outputs of the image in the record.
    var earlier: [Outcome.Output] = []
  }

  struct Made: Sendable {
    var outcome: Outcome
    /// The plan; nil if the detection pass failed.
    var plan: CropPlan?
    /// The method of the detection pass; nil without one. And those of the outputs.
    var detectionPath: DecodePath?
    var paths: [DecodePath] = []
    /// The first outputs for a report, if requested.
    var files: [(bytes: [UInt8], size: PixelSize)] = []
  }

  /// Crops and writes; applies a stored plan without a detection pass. An error becomes the outcome.
  func callAsFunction(_ source: ImageSource, stored: CropPlan?, to destination: Destination) async -> Made {
    let clock = PhaseClock()
    var made = Made(outcome: Outcome(.cropped))
    do {
      try await crop(source, stored, destination, clock, &made)
    } catch {
      let outputs = made.outcome.outputs
      made.outcome = Outcome(error)
      made.outcome.outputs = outputs
    }
    if let sidecarProblem { made.outcome.warn(Fault("credits", sidecarProblem)) }
    made.outcome.milliseconds = clock.milliseconds
    if let plan = made.plan { made.outcome.describe(plan) }
    return made
  }

  /// Crops and writes, and adds the plan, the outputs, and the warnings to `made`. It calls `planned` before the final
  /// pass, and `wrote` after each output.
  func crop(
    _ input: @autoclosure () throws -> ImageSource, _ stored: CropPlan?, _ destination: Destination,
    _ clock: PhaseClock, _ made: inout Made,
    planned: (CropPlan) throws -> Void = { _ in }, wrote: (Outcome.Output) -> Void = { _ in }
  ) async throws {
    // The first output is opened before the input is read, to fail early.
    let isWhole = make.method.makesWholeImages
    let first = destination.path(isWhole ? CropPlace() : stored?.places(hasFace: true).first ?? CropPlace(face: 1), 0)
    var opened: OpenOutput? = try isDryRun ? nil : open(first, destination)
    let report: @Sendable (CropProgress) -> Void = {
      clock.note($0)
      self.report($0)
    }

    let source = try input()
    // The policy `fail` must not end the work before the record has the image's data.
    var looking = request
    looking.search = request.search.withoutFailure
    if isDryRun {
      let plan = try await stored == nil ? make.plan(for: source, looking, progress: report) : stored!
      try accept(plan, isStored: stored != nil, destination, &made)
      let places = isWhole ? [CropPlace()] : plan.places(hasFace: made.outcome.status == .cropped)
      made.outcome.outputs = places.flatMap { paths(of: $0, destination) }
        .map { Outcome.Output(file: $0.string, fileBase64: $0.base64) }
      return
    }

    var count = 0
    var crops: [CropPlace]?
    let result = try await make(
      source, looking, plan: stored, progress: report,
      planned: { plan in
        try planned(plan)
        try accept(plan, isStored: stored != nil, destination, &made)
        try checkNames(of: plan, but: first, destination)
      },
      made: { output, misses in
        clock.add(to: \.encode)
        try CutShortInput.check()
        let size = count % sizes
        count += 1
        crops = crops ?? made.plan!.places(hasFace: made.outcome.status == .cropped)
        let path = destination.path(isWhole ? CropPlace() : crops![output.crop], size)
        let digest = digests ? ContentHash(of: output.bytes).hexadecimal : nil
        var file = Outcome.Output(path, output, of: isWhole ? nil : made.plan, digest: digest)
        file.missedRules = misses?.map(\.name)
        if isWhole, made.plan?.crops.isEmpty == false { file.hidesFaces = true }
        try store(output.bytes, &file, destination) {
          try path == first ? opened.take() ?? open(path, destination) : open(path, destination)
        }
        made.outcome.add(file)
        if writesSidecars, file.hidesFaces != true, let xmp = output.xmp.map(Sidecar.sealed) {
          var sidecar = Outcome.Output(sidecar: Sidecar.path(beside: path), xmp)
          try store(xmp, &sidecar, destination) { [path = sidecar.path] in try open(path, destination, isSidecar: true)
          }
          made.outcome.add(sidecar)
        } else if file.kept != true,
          destination.known?.isChanged(Sidecar.path(beside: path), in: destination.folder) != true
        {
          Sidecar.removeOwn(beside: destination.folder?.path.pushing(path) ?? path, destination.gate)
        }
        for rule in misses ?? [] { made.outcome.warn(rule.fault) }
        made.paths.append(output.path)
        if keepsFiles, made.files.count < ThumbnailFolder.outputs {
          made.files.append((output.bytes, output.size))
        }
        clock.add(to: \.write)
        wrote(file)
      })
    made.detectionPath = result.detectionPath
    try CutShortInput.check()
    for warning in result.warnings where !request.repeats(sidecarProblem, warning) {
      if isWhole, case .doubtfulFaces(let numbers) = warning {
        if !isCorrected { made.outcome.warn(Self.doubt(numbers)) }
      } else {
        made.outcome.warn(warning)
      }
    }
    if stored != nil, !isWhole { noteLeft(destination, &made.outcome) }
  }

  /// The warning about hidden faces that may be none. A batch has no option for the faces of one image.
  static func doubt(_ numbers: [Int]) -> Fault {
    let warning = CropWarning.doubtfulFaces(numbers)
    let (them, some) = numbers.count == 1 ? ("it", "it") : ("them", "some")
    return Fault(
      warning.kind, "\(warning)", "check \(them), or click \(some) in the page of \(option: "report") to show \(them)")
  }

  /// Notes the earlier outputs that the plan no longer has, and that were changed by hand, so that they stay.
  private func noteLeft(_ destination: Destination, _ outcome: inout Outcome) {
    guard let known = destination.known else { return }
    let written = Set((outcome.outputs ?? []).map(\.path))
    for output in destination.earlier where !written.contains(output.path) {
      guard known.made[output.path]?.file.location == destination.location,
        known.isChanged(output.path, in: destination.folder)
      else { continue }
      outcome.add(
        Outcome.Output(
          file: output.file, fileBase64: output.fileBase64, sidecar: output.sidecar, kept: true, left: true))
    }
  }

  /// Returns the state of an output's name. Throws if a changed output of another image has it, because the record must
  /// not show one person under the name of another. Throws, too, if it is the output of an image outside the run.
  private func place(of path: FilePath, digest: String?, _ destination: Destination) throws -> KnownOutputs.Place {
    guard let known = destination.known, let digest else { return .free }
    let place = try known.place(of: path, in: destination.folder, digest: digest)
    let fault: String
    switch place {
    case .blur(let made) where !destination.isOwn(made.file):
      fault =
        "hides the faces of '\(made.input)', and was kept (choose another folder with -d, or pass --overwrite to replace it)"
    case .ofAnother(let made) where !destination.isCopy(made.file):
      fault =
        "is that of '\(made.input)', and was kept (keep subfolders with --base, choose another folder with -d, or pass --overwrite to replace it)"
    case .taken(let made?) where !destination.isOwn(made.file):
      let origin = made.file.location == destination.location ? "an earlier file of this name" : "'\(made.input)'"
      fault =
        "was made of \(origin) and changed by hand, and was kept (rename that output, or pass --overwrite to replace it)"
    default: return place
    }
    throw Self.taken(path, fault)
  }

  private static func taken(_ output: FilePath, _ fault: String) -> Outcome.Obstacle {
    .failed("taken", "the output '\(output)' \(fault)", isTransient: true)
  }

  /// Writes an output, unless its name has a file that stays, and notes which in its record.
  private func store(
    _ bytes: [UInt8], _ file: inout Outcome.Output, _ destination: Destination, open: () throws -> OpenOutput
  ) throws {
    let place = try place(of: file.path, digest: file.sha256, destination)
    switch place {
    case .same: break
    case .taken, .blur:
      file = Outcome.Output(
        file: file.file, fileBase64: file.fileBase64, sidecar: file.sidecar, kept: true, crop: file.crop)
      if case .blur = place, file.sidecar != true { file.hidesFaces = true }
    case .free, .ofAnother, .changed:
      if case .changed = place { file.replaced = true }
      try open().commit(bytes)
    }
  }

  /// Accepts or refuses the plan before the final pass.
  private func accept(
    _ plan: CropPlan, isStored: Bool, _ destination: Destination, _ made: inout Made
  ) throws(Outcome.Obstacle) {
    made.plan = plan
    if case .blur(let blur, _) = make.method {
      if let shortfall = blur.shortfall(of: plan, isGiven: isStored) {
        made.outcome.note(shortfall, of: plan)
      }
      return
    }
    if plan.crops.count > 1 && !destination.takesSeveralCrops {
      throw .failed(
        "invalid", "\(plan.crops.count) crops would have the same output name", "put {index} into \(option: "name")")
    }
    if judges, isCorrected {
      if plan.crops.isEmpty { made.outcome.noteNoCrops(of: plan, writes: !isDryRun) }
    } else if judges, plan.crops.allSatisfy(\.faces.isEmpty) {
      made.outcome.status = .noFace
      made.outcome.reason = request.search.outcome(of: plan, isStored: isStored, writes: !isDryRun)
    }
    if !isDryRun { try checkFaces(of: plan, hasFace: made.outcome.status == .cropped, destination) }
  }

  /// Checks all names of a user's outputs, so that none is written if a file with a later name may not be replaced.
  private func checkNames(of plan: CropPlan, but first: FilePath, _ destination: Destination) throws {
    guard let replacesImages = destination.replacesImages else { return }
    for path in plan.places(hasFace: true).flatMap({ paths(of: $0, destination) }) {
      if path != first { _ = try open(path, destination) }
      let sidecar = Sidecar.path(beside: path)
      if writesSidecars || !replacesImages && Sidecar.isOwn(sidecar) {
        _ = try open(sidecar, destination, isSidecar: true)
      }
    }
  }

  /// Throws if the name of an output has a file that shows another face of the image and was changed by hand. The file
  /// stays, and must not stand for this face. Nothing was written yet.
  private func checkFaces(
    of plan: CropPlan, hasFace: Bool, _ destination: Destination
  ) throws(Outcome.Obstacle) {
    guard let known = destination.known, let record = known.shown, !known.overwrites else { return }
    for (crop, place) in zip(plan.crops, plan.places(hasFace: hasFace)) {
      guard let wanted = ShownFaces(crop, of: plan.faces, rotation: plan.rotation) else { continue }
      let paths = paths(of: place, destination).flatMap { writesSidecars ? [$0, Sidecar.path(beside: $0)] : [$0] }
      for path in paths {
        guard known.isChanged(path, in: destination.folder), let shown = record[path], wanted.isApart(from: shown),
          let former = known.made[path], destination.isOwn(former.file)
        else { continue }
        throw Self.taken(
          path,
          "shows another face of this image, was changed by hand, and was kept (rename that output and run again, or pass --overwrite to replace it)"
        )
      }
    }
  }

  /// The number of outputs of each crop.
  var sizes: Int { max(request.output.sizes.count, 1) }

  /// Returns the names of a crop's outputs.
  private func paths(of crop: CropPlace, _ destination: Destination) -> [FilePath] {
    (0..<sizes).map { destination.path(crop, $0) }
  }

  private func open(_ path: FilePath, _ destination: Destination, isSidecar: Bool = false) throws -> OpenOutput {
    if let replacesImages = destination.replacesImages {
      let replacing: WriteGate.Replacing = !replacesImages ? .nothing : isSidecar ? .sidecars : .images
      return try OpenOutput(path, destination.gate, replacing: replacing)
    }
    guard (path.lastComponent.map { FilePath(root: nil, [$0]).bytes.count } ?? 0) <= 255 else {
      throw Outcome.Obstacle.failed(
        "name", "the output's name would be longer than 255 bytes", "choose other names with \(option: "name")")
    }
    guard let folder = destination.folder else {
      return OpenOutput(try OutputFile(path, gate: destination.gate, mayBeStream: false))
    }
    return OpenOutput(try folder.file(path, gate: destination.gate))
  }
}
