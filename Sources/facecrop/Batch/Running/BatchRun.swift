import FaceCrop
import SystemPackage

/// A run over all images, several at once, with one outcome for each.
///
/// One task reads files and admits them in order, as jobs and memory allow. A job for each image then crops, writes,
/// and records it. Outputs depend only on the image and the options.
struct BatchRun: Sendable {
  var plan: BatchPlan
  var cropper: FaceCropper
  var request: CropRequest
  /// The request for hidden faces; nil for crops.
  var blur: BlurRequest?
  var choices: BatchOptions
  var isDryRun: Bool

  /// The folder of the outputs; nil in a dry run.
  var folder: OutputFolder?
  var memory: SharedMemory
  var fingerprint: Fingerprint
  /// The fingerprint of the options for frames; see ``Fingerprint/frame(of:)``.
  var frame: String
  var writeGate: WriteGate
  /// The record of facecrop's own outputs.
  var known: KnownOutputs
  var resumption: Resumption
  /// The inputs with a plan in the written list; nil if none is written.
  var planned: Set<FilePath>?
  var rejects: OutputFolder?
  var thumbnails: ThumbnailFolder?

  /// The framing of `--series`; nil for none.
  var series: SeriesFraming?
  /// The measurements of `--best-of` by the locations of inputs.
  var shots: [FilePath: ManifestEntry.Shot] = [:]
  /// Takes the plans of a run that only compares images before the crops; nil in other runs.
  var measure: (@Sendable (BatchPlan.Item, CropPlan) -> Void)?
  /// Takes the location and the status of each input, also of those that an earlier run completed.
  var noteStatus: @Sendable (FilePath, Outcome.Status) -> Void = { _, _ in }

  var recorder: BatchRecorder
  var progress: BatchProgress
  var stop: StopRequest

  private var limits: Limits { choices.look.limits }

  func callAsFunction() async {
    await withTaskGroup(of: Void.self) { group in
      let jobs = choices.jobCount
      var running = 0
      for item in plan.items {
        if await recorder.fault != nil || stop.isRequested { break }
        let sidecar = Sidecar(beside: item.input.path, for: request)
        let picasa = request.search.needsNames ? PicasaFile.path(beside: item.input.path)?.version : nil
        let options = fingerprint.with(
          name: item.outputs.settledName(of: item.input), blur: item.blur, sidecar: sidecar?.version, names: picasa)
        let version = FileVersion(item.input.path)
        if let entry = done(item, version, options) {
          progress.note(entry, wasDoneBefore: true)
          noteStatus(item.input.location, entry.outcome.status)
          // An earlier run may have had no folder for it.
          _ = reject(item.input, entry.outcome)
          continue
        }
        let file: PictureFile
        let weight: Int
        let (wanted, problem) = await request.reading(sidecar, beside: item.input.path, within: limits.time)
        switch await memory.admit(
          by: cropper, wanted, plan: item.plan, method: { _ in choices.method(item, blur) },
          { () throws(Outcome.Obstacle) -> PictureFile.Opened in
            if let obstacle = item.input.obstacle ?? item.input.obstacleByBeginning { throw obstacle }
            return try PictureFile.Opened(item.input.path, page: choices.page, limits: limits)
          })
        {
        case .admitted(let picture, let bytes): (file, weight) = (picture, bytes)
        case .refused(let obstacle, let found):
          let (outcome, bytes) = await refused(item, obstacle)
          await finish(item, found ?? version, outcome, options, bytes: bytes)
          continue
        }
        if running >= jobs {
          await group.next()
          running -= 1
        }
        if await recorder.fault != nil || stop.isRequested {
          memory.release(weight)
          break
        }
        running += 1
        group.addTask {
          await crop(item, file, wanted, options, problem)
          memory.release(weight)
        }
      }
    }
  }

  private func done(_ item: BatchPlan.Item, _ version: FileVersion?, _ options: String) -> ManifestEntry? {
    let plan = item.correction == nil ? item.planID : nil
    guard let entry = resumption.outcome(of: item.input.location, version, options: options, plan: plan) else {
      if let old = resumption.entries[item.input.location], old.file == version, !old.isOfThisRevision {
        progress.totals.withLock { $0.ofOtherRevision += 1 }
      }
      return nil
    }
    guard resumption.isResult(entry, of: item) else { return nil }
    // A missing plan for the list needs a new detection pass.
    if let planned, entry.outcome.faces != nil, !planned.contains(item.input.location) { return nil }
    if let thumbnails, !thumbnails.has(entry, at: item.input.location) { return nil }
    return entry
  }

  // MARK: One image

  /// Returns the outcome of an image that is not cropped. For the report, a new file of a corrected image has the old
  /// frame, a thumbnail, and its bytes.
  private func refused(_ item: BatchPlan.Item, _ obstacle: Outcome.Obstacle) async -> (Outcome, bytes: [UInt8]?) {
    var outcome = Outcome(item.input.judged(obstacle))
    guard outcome.reason?.kind == Correction.kind, let thumbnails, var plan = item.plan,
      let bytes = try? Input.readToEnd(of: item.input.path, atMost: limits.fileBytes),
      let size = try? await cropper.info(of: .bytes(bytes).at(choices.page)).size
    else { return (outcome, nil) }
    plan.source = size
    outcome.describe(plan)
    _ = await thumbnails.make(item.input.location, .bytes(bytes).at(choices.page), PictureWork.Made(outcome: outcome))
    return (outcome, bytes)
  }

  private func crop(
    _ item: BatchPlan.Item, _ file: PictureFile, _ wanted: CropRequest, _ options: String, _ problem: String?
  ) async {
    let work = PictureWork(
      make: CropMaker(
        cropper: cropper, method: choices.method(item, blur),
        standard: choices.wanted.framing.standard(choices.defaults)),
      request: wanted, writesSidecars: choices.wanted.color.sidecar, sidecarProblem: problem, isDryRun: isDryRun,
      keepsFiles: thumbnails != nil, isCorrected: item.plan != nil && !item.isDetected)
    let destination = PictureWork.Destination(
      folder: folder, path: { item.outputs.path($0, size: $1) },
      takesSeveralCrops: item.outputs.template.tellsCropsApart, gate: writeGate, known: known,
      isOwn: { [location = item.input.location] former in
        let content = former.content.map { InputContent.identifier(of: file.bytes, like: $0) }
        return former.isSame(as: KnownFile(location: location, version: file.version, content: content))
      }, isCopy: { [others = known.others] in others?.isCopy($0, of: file.bytes) ?? true },
      location: item.input.location, earlier: known.others?.entries[item.input.location]?.outcome.outputs ?? [])
    var plan = item.plan
    // A new file of a corrected image may have another size. A rejection has no frame, so it takes any shape.
    if item.correction != nil, let old = plan, let size = try? await cropper.info(of: file.source).size {
      let own = old.source
      guard
        old.crops.isEmpty
          || abs(size.width * own.height - size.height * own.width) * 100 < size.width * own.height
      else {
        let ways = "start afresh with --corrections drop, keep the output with --corrections keep, or correct it again"
        let sizes = "\(own.width)×\(own.height), and this one of \(size.width)×\(size.height)"
        let problem = "its corrected frame is for an image of \(sizes) has another shape"
        let fault = Outcome.Obstacle.failed(
          Correction.kind, "\(problem) (its output was kept; \(ways))", isTransient: true)
        return await finish(item, file.version, refused(item, fault).0, options, bytes: file.bytes)
      }
      plan?.source = size
    }
    let made = await work(file.source, stored: plan, to: destination)
    var outcome = made.outcome
    if made.plan != nil, let words = item.ignoredOptions {
      outcome.warn(
        Fault(
          "ignored", "\(words) had no effect, because its plan has other frames",
          "leave out \(option: "plan-in") to use them"))
    }
    if let plan = made.plan, let problem = item.outputs.problemOfNames(plan) {
      outcome.warn(Fault("names", problem))
    }
    if let thumbnails, let problem = await thumbnails.make(item.input.location, file.source, made) {
      outcome.warn(Fault("thumbnail", problem))
    }
    await finish(item, file.version, outcome, options, plan: made.plan, bytes: file.bytes)
  }

  private func finish(
    _ item: BatchPlan.Item, _ version: FileVersion?, _ outcome: Outcome, _ options: String, plan: CropPlan? = nil,
    bytes: [UInt8]?
  ) async {
    if let measure {
      progress.names.add(1, ordering: .relaxed)
      return plan.map { measure(item, $0) } ?? ()
    }
    var outcome = outcome
    if series != nil, item.plan == nil, plan?.meets(request.composition.layout).contains(false) == true {
      let fault = Fault("frame", "the image has no room for the head size and the eye line of the series")
      outcome.warn(fault)
      progress.name(item.input.path.string, fault.message, kind: fault.kind)
    }
    if let problem = reject(item.input, outcome) { outcome.warn(Fault("rejects", problem)) }
    var entry = ManifestEntry(
      item.input.path, location: item.input.location, version, outcome, options: options, isDryRun: isDryRun)
    (entry.series, entry.shot) = (series, shots[item.input.location])
    if let given = item.planID, outcome.reason?.kind != Correction.kind {
      (entry.plan, entry.frame, entry.detected) = (given, frame, item.isDetected ? true : nil)
      if let bytes, (try? await cropper.info(of: .bytes(bytes)))?.isAnimated == true {
        entry.animation = request.search.animation.rawValue
      }
    }
    // A plan belongs to the content of its image. Other inputs need no digest, which takes part of a crop's time.
    if entry.plan != nil || planned != nil || thumbnails != nil { entry.content = bytes.map(InputContent.identifier) }
    noteStatus(item.input.location, outcome.status)
    await recorder.record(entry, of: item.input, plan: plan)
  }

  /// Adds an input that failed or has no face to the folder of rejected ones. Returns the problem as a clause about the
  /// input, and names it; nil for none.
  private func reject(_ input: BatchInput, _ outcome: Outcome) -> String? {
    guard !isDryRun, let rejects, outcome.status == .failed || outcome.status == .noFace,
      let problem = rejects.take(input.path, place: input.place, gate: writeGate)
    else { return nil }
    progress.name(input.path.string, problem, kind: "rejects")
    return problem
  }
}
