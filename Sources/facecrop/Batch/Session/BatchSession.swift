import ArgumentParser
import FaceCrop
import SystemPackage

/// A run from its options to its exit status. It collects the inputs, plans the outputs, opens the records, crops, and
/// reports.
struct BatchSession {
  let options: BatchOptions
  let stop: StopRequest
  let paths: Paths

  struct Paths {
    let inputs = GivenOptions.launch.inputs.map(\.path)
    let folder = GivenOptions.launch.path(of: "output-dir") ?? ""
    let base = GivenOptions.launch.path(of: "base")
    let list = GivenOptions.launch.path(of: "from-list")
    let names = GivenOptions.launch.path(of: "names")
    let rejects = GivenOptions.launch.path(of: "reject-dir")
    let planOut = GivenOptions.launch.path(of: "plan-out")
    let planIn = GivenOptions.launch.path(of: "plan-in")
    let report = GivenOptions.launch.path(of: "report")
    let remake = GivenOptions.launch.path(of: "remake")
    let manifest: FilePath
    let image = GivenOptions.launch.path(of: "blur-image")
    let background: FilePath?

    /// The files that runs write beside the outputs, wherever they lie.
    var written: [FilePath] { [manifest, report, planOut, planIn].compactMap { $0 } }
    /// Files that are read beside the images.
    var read: [FilePath] { [list, names, planIn, background, image, remake].compactMap { $0 } }

    init(_ options: BatchOptions) {
      manifest =
        GivenOptions.launch.path(of: "manifest") ?? folder.appending(options.shard?.manifestName ?? Shard.plainManifest)
      background = options.wanted.encoding.backdrop.file
    }
  }

  /// Runs the batch, and throws the exit status.
  func callAsFunction() async throws {
    let status = try await run()
    if status != 0 { throw ExitCode(status) }
  }

  private func run() async throws -> CInt {
    var request = options.wanted.request(options.defaults, look: options.look)
    // Names belong to the numbers of faces.
    request.search.findsAllFaces = paths.names != nil
    request.output.background = try await options.wanted.encoding.backdrop.read(options.look.limits)
    let blur = try await options.blur?.reading("blur-image", options.look.limits)
    // Whole images keep metadata by default, so their sidecars count.
    if let blur { request.output.metadata = blur.metadata }
    let frame =
      blur.map { Fingerprint.area(of: $0, people: options.blurring.people.text, page: options.page) }
      ?? Fingerprint.frame(of: request, page: options.page, isSeries: options.series)
    let locator = InputLocator(manifest: paths.manifest)
    let thumbnails = paths.report.map { ReportPage.thumbnailFolder(of: $0) }
    let cropper = options.look.cropper(looksAgain: true)
    if options.manifest == nil, !options.dryRun, options.shard == nil { try Shard.checkNoManifests(in: paths.folder) }
    // An existing manifest is read first. A missing one is created when the run begins.
    let lists = try WriteGate(inputs: paths.read)
    var record = try record(locator, lists)
    let kept = options.resume || options.remake != nil ? record?.contents.series[frame] : nil
    if let kept { request.frame(as: kept) }
    let progress = BatchProgress(
      options.progress, folder: paths.folder, madeTitle: options.blur == nil ? "cropped" : "hidden")
    let plan = try await progress.tell {
      try await makePlan(
        request, blur,
        notIn: (options.dryRun ? [] : [paths.folder, paths.rejects, thumbnails].compactMap { $0 }) + paths.written,
        cropper, locator, earlier: record?.contents ?? ManifestContents(), frame: frame, progress)
    }
    // A shard may be empty, and still has its manifest. Without an input to make again, the report is written.
    if plan.items.isEmpty && options.shard == nil && options.remake == nil {
      warnOfNoInputs()
      return 0
    }
    let gate = try WriteGate(inputs: (options.dryRun ? [] : plan.items.map(\.input.path)) + paths.read)
    var folder: OutputFolder?
    var rejects: OutputFolder?
    var pageFolder: OutputFolder?
    if !options.dryRun {
      folder = try OutputFolder(paths.folder)
      rejects = try paths.rejects.map { (path) throws(FileError) in try OutputFolder(path) }
      try Folders.make(paths.manifest.folder)
      if record == nil { record = try open(locator, gate) }
      if let status = FileStatus(paths.manifest) { gate.note(open: status) }
      if let page = paths.report, let own = thumbnails?.lastComponent {
        try Folders.make(page.folder)
        // A page that would replace a file leaves no folder of thumbnails.
        _ = try ReportPage.open(page, gate)
        pageFolder = try OutputFolder(page.folder)
        try pageFolder?.makeFolder(FilePath(root: nil, [own]))
      }
    }
    let contents = record?.contents ?? ManifestContents()
    let planLog = try paths.planOut.map { try PlanLog.open($0, locator, isNew: options.dryRun, gate: gate) }

    let recorder = BatchRecorder(
      manifest: record?.manifest, plans: planLog?.0, progress: progress,
      former: FormerInputs(contents.entries, but: Set(plan.items.map(\.input.location)), locator))
    var run = BatchRun(
      plan: plan, cropper: cropper, request: request, blur: blur, choices: options, isDryRun: options.dryRun,
      folder: folder,
      memory: SharedMemory(budget: options.admissionBudget),
      fingerprint: blur.map { fingerprint($0) } ?? fingerprint(request), frame: frame, writeGate: gate,
      known: KnownOutputs(
        made: contents.made, overwrites: options.overwrite, keepsHidden: blur == nil,
        others: OtherInputs(
          current: plan.inputs, entries: contents.entries, locator: locator, limits: options.look.limits),
        shown: contents.made.isEmpty ? nil : ShownFacesRecord(paths.manifest, of: contents.made)),
      resumption: Resumption(
        entries: options.resume && !options.dryRun && options.remake == nil ? contents.entries : [:],
        folder: paths.folder, choices: options.resumption, made: contents.made, limits: options.look.limits),
      planned: planLog?.1, rejects: rejects,
      thumbnails: thumbnails.map { ThumbnailFolder(path: $0, parent: pageFolder, cropper: cropper, gate: gate) },
      recorder: recorder, progress: progress, stop: stop)

    stop.finishPictures { progress.isStopping.store(true, ordering: .relaxed) }
    // Photos that are made again were chosen before.
    if let seconds = options.bestOf, options.remake == nil {
      let earlier = options.resume ? contents.entries : [:]
      run = await progress.tell { [run] in await run.rankingShots(within: seconds, earlier) } ?? run
      // Photos that show other people, or that a person corrected, are cropped beside the best one.
      try check(await run.plan.settleCollisions(by: options.onCollision) { _ in nil })
    }
    if options.series {
      run.series = if let kept { kept } else { await progress.tell { [run] in await run.chosenSeries() } }
      if let series = run.series { request.frame(as: series) }
      (run.request, run.fingerprint) = (request, fingerprint(request))
    }
    progress.totals.withLock { $0.begin(inputs: plan.items.count) }
    await progress.tell(during: run.cropBest)
    if let manifest = record?.manifest { try manifest.synchronize() }
    if let page = paths.report, await recorder.fault == nil {
      let report = ReportPage(
        manifest: paths.manifest, locator: locator, folder: paths.folder, page: page, request: request, blur: blur,
        names: plan.names)
      try report.write(gate, current: Set(plan.items.map(\.input.location)))
      if options.remake == nil {
        try ReportRecord.write(
          gate, page: page, manifest: paths.manifest, outputs: paths.folder, options: run.fingerprint)
      }
    } else if paths.report == nil, !options.dryRun,
      let page = ReportRecord.removeOutdated(in: paths.folder, options: run.fingerprint)
    {
      progress.say(
        "facecrop: \(page): warning: the report shows an earlier run with other options (pass --report \(ShellWords.text([page])) to make it again)"
      )
    }
    // Another shard may just be writing into such a folder.
    if options.shard == nil { folder?.removeEmptyFolders() }
    var leftovers = Result<String?, any Error>.success(nil)
    if let folder, !stop.isRequested, !contents.entries.isEmpty, await recorder.fault == nil {
      leftovers = Result { try tidy(folder, plan, locator, progress) }
    }
    progress.end(manifest: options.dryRun ? nil : paths.manifest)
    if let series = run.series {
      let isKept = kept == nil ? "" : ", kept from earlier runs (pass --no-resume to choose them again)"
      progress.say("series    face ratio \(series.faceRatio), eye line \(series.eyeLine)\(isKept)")
      let (all, lacking) = (progress.current.inSeries, progress.current.withoutRoom)
      if lacking > 0 {
        let framing = options.wanted.framing
        let remedy =
          framing.pad == nil
          ? "pass --pad edge to fill the room that the others lack"
          : "\(framing.maxPad == nil ? "" : "raise --max-pad, or ")take or correct the others again"
        progress.say("series    \(all - lacking) of \(all) images have the room for this (\(remedy))")
      }
    }
    if options.json {
      do throws(FileError) {
        try Output.writeToStandard(Array(progress.summary.utf8))
      } catch {
        if !error.isBrokenPipe { throw error }
      }
    }
    if stop.isRequested {
      let list = options.fromList == Input.standard ? ", with the same list on standard input" : ""
      progress.say("To continue: \(ShellWords.text(LaunchArguments.texts))\(list)")
    } else if let sentence = try leftovers.get() {
      progress.say(sentence)
    }

    if let fault = await recorder.fault {
      // A closed pipe is no error.
      if fault.isBrokenPipe { return 0 }
      throw fault
    }
    if stop.isRequested { return Interruption.exitStatus }
    if progress.current[.failed] > 0 { return 1 }
    return request.search.noFace == .fail && progress.current[.noFace] > 0 ? 2 : 0
  }

  /// The manifest, and its contents from earlier runs; no manifest in a dry run, which only reads it.
  private typealias Record = (manifest: LineFile?, contents: ManifestContents)

  /// Opens the record; nil without an earlier run.
  private func record(_ locator: InputLocator, _ gate: WriteGate) throws -> Record? {
    guard let status = FileStatus(paths.manifest), status.bytes > 0 else { return nil }
    guard options.dryRun else { return try open(locator, gate) }
    var contents = ManifestContents()
    if options.outputDir != nil, status.isRegular {
      try FileError.wrap(paths.manifest.string) { try Manifest.read(paths.manifest) { contents.note($0, locator) } }
    }
    return (nil, contents)
  }

  private func open(_ locator: InputLocator, _ gate: WriteGate) throws -> Record {
    let (manifest, contents) = try Manifest.open(paths.manifest, locator, gate: gate)
    if contents.invalidLines > 0 {
      Console.say(
        "facecrop: \(paths.manifest): warning: \(DisplayText.count(contents.invalidLines, "line", "is", "are")) invalid and ignored, also if corrections were in them (restore them from a copy)"
      )
    }
    return (manifest, contents)
  }

  /// Finds outputs that earlier runs left, and removes them if the run may. Names those that were changed by hand.
  /// Returns a sentence about the others; nil for none.
  private func tidy(
    _ folder: OutputFolder, _ plan: BatchPlan, _ locator: InputLocator, _ progress: BatchProgress
  ) throws -> String? {
    let inputs = plan.items.map(\.input)
    var stale = try StaleOutputs(
      of: paths.manifest, locator, inputs: Set(inputs.map(\.location)), folder: folder,
      protected: Set(inputs.compactMap { FileStatus($0.path)?.identity }), all: plan.inputs,
      onlyThese: options.remake != nil)
    for output in stale.keep(plan.keptOutputs) where plan.lostOutputs.contains(output) {
      progress.name(
        paths.folder.pushing(output).string,
        "its frame was corrected by hand, and its image is missing, so it was kept (remove it yourself if you no longer need it)",
        kind: "kept")
    }
    for output in stale.keep(ofInputsBelow: plan.emptyFolders) where options.prune {
      progress.name(
        paths.folder.pushing(output).string,
        "its image was in a named folder that is empty now, so it was kept (mount the folder, or leave it out to remove the output)",
        kind: "kept")
    }
    defer { for output in stale.changed { progress.note(changed: output) } }
    progress.totals.withLock { $0.keptOfFailed = stale.ofFailed }
    guard !stale.outputs.isEmpty else { return nil }
    func sentence(_ count: Int, _ verbs: (one: String, several: String), _ rest: String) -> String {
      "\(DisplayText.count(count, "output")) of earlier runs \(count == 1 ? verbs.one : verbs.several) \(rest)"
    }
    guard options.prune || options.remake != nil else {
      return sentence(
        stale.outputs.count, ("is", "are"),
        "left that this run would not write, because inputs or options changed\(stale.names) (pass --prune to remove)")
    }
    let count = try stale.remove(from: folder)
    return count > 0 ? sentence(count, ("was", "were"), "removed") : nil
  }

  // MARK: Work

  /// Plans the outputs. The files and folders in `written`, which the run writes, are no inputs. `earlier` are the
  /// contents of the manifest, and `frame` is from ``Fingerprint/frame(of:)``.
  private func makePlan(
    _ request: CropRequest, _ blur: BlurRequest?, notIn written: [FilePath], _ cropper: FaceCropper,
    _ locator: InputLocator, earlier: ManifestContents, frame: String, _ progress: BatchProgress
  ) async throws -> BatchPlan {
    try checkInputs()
    let stored = try paths.planIn.map { try PlanLog.read($0, locator, limits: options.look.limits) }
    let list = try self.list(stored, notIn: written, locator, progress)
    if let stored, paths.inputs.isEmpty, paths.list == nil {
      let missing = stored.inputs.count { FileStatus($0) == nil }
      if missing > 0 {
        Console.say(
          "facecrop: \(options.planIn ?? ""): warning: \(DisplayText.count(missing, "image", "is", "are")) missing (relative names belong to the folder in which the list was written; run there)"
        )
      }
    }
    // Before the first message.
    try StandardDescriptors.check(list.inputs.map(\.path))
    try checkBase(of: list)
    if list.skippedFolders > 0 {
      Console.say(
        "facecrop: \(DisplayText.count(list.skippedFolders, "folder", "holds", "hold")) outputs of other runs and \(list.skippedFolders == 1 ? "was" : "were") left out (name such a folder as an input to crop it)"
      )
    }
    // Without any input, the run says that all folders are empty.
    if !list.inputs.isEmpty || list.leftOut > 0 { warnOfEmptyFolders(list.emptyFolders) }
    var inputs = list.inputs
    var people = PeoplesPlans(
      stored, earlier, for: inputs, frame: frame, animation: request.search.animation, limits: options.look.limits)
    if people.others > 0 {
      Console.say(
        "facecrop: \(options.planIn ?? ""): warning: \(DisplayText.count(people.others, "plan", "is", "are")) for other inputs and had no effect (name these inputs, too)"
      )
    }
    let remade = try paths.remake.map { path in
      Set(try read(list: path).split(separator: 0).map { locator.location(of: FilePath(bytes: $0)) })
    }
    if let remade {
      people.takeBack(remade)
    } else if !options.resume {
      people.giveUp(inputs.filter { options.shard?.has($0.place) ?? true })
    }
    let policy = options.overwrite && options.corrections == .fail ? .drop : options.corrections
    people.protect(&inputs, by: policy)
    let (images, time) = (inputs.map(\.path), options.look.limits.time)
    let names = try paths.names.map { try NameList(reading: $0, for: images, within: time) }
    let template = try options.nameTemplate()
    try names?.check(template ?? .standard(isNumbered: false, isSized: false, hasPersons: true))
    for index in inputs.indices where inputs[index].obstacle == nil {
      inputs[index].obstacle = names?.shared[images[index]].map { inputs[index].obstacleByBeginning ?? $0 }
    }
    let facts = try await InputFacts.all(
      of: inputs, for: template, names: names, sizes: max(options.wanted.size.labels.count, 1), by: cropper)
    let (hide, show) = (options.blurring.people.hide, options.blurring.people.show)
    let hidden = try HiddenPeople(hide: hide, show: show, in: options.blurring.blur ? names : nil)
    var plan = BatchPlan(
      inputs,
      naming: BatchPlan.Naming(
        template: template, format: try options.namedFormat(), animation: options.wanted.face.animation,
        sizes: options.wanted.size.labels, isNumbered: options.wanted.faces == .each,
        makesWholeImages: options.blurring.blur,
        noFaceFolder: options.noFaceDir.map { FilePath($0) }, names: hidden == nil || template != nil ? names : nil),
      plans: people.given, corrections: people.corrections, detected: people.detected, facts: facts)
    plan.names = names
    plan.settlePairs(by: options.pairs)
    if let hidden, let blur { plan.hide(hidden, by: blur) }
    if stored != nil, !options.blurring.blur, let words = GivenOptions.launch.ignoredByPlans() {
      plan.noteIgnored(words, request, isLossless: options.cut.lossless)
    }
    // Headers are read from mapped files, which another program may truncate.
    CutShortInput.fillIn()
    if let seconds = options.bestOf { await plan.noteBursts(within: seconds, page: options.page, by: cropper, stop) }
    try check(
      await plan.settleCollisions(by: options.onCollision) { input in
        if let obstacle = input.obstacleByBeginning { return obstacle }
        // A pipe can be read only once, so its header is not read here.
        guard FileStatus(input.path)?.isRegular == true else { return nil }
        do throws(FaceCropError) {
          _ = try await cropper.info(of: .file(input.path).at(options.page))
          return nil
        } catch {
          return input.judged(Outcome.Obstacle(error))
        }
      })
    if !options.overwrite || policy != .drop {
      (plan.keptOutputs, plan.lostOutputs) = (people.keptOutputs, people.lostOutputs)
    }
    if !options.dryRun { people.protectOutputs(&plan, in: paths.folder, overwrites: options.overwrite) }
    try check(plan)
    if let remade { plan.items.removeAll { !remade.contains($0.input.location) } }
    // All of them are cropped.
    if remade != nil { plan.note([]) }
    if stored != nil { warnOfIgnoredOptions(plan) }
    plan.emptyFolders = Set(list.emptyFolders.map { locator.location(of: $0) })
    guard let shard = options.shard else { return plan }
    // No inputs in any shard is an error, because a folder that is not mounted is empty.
    guard !plan.items.isEmpty || list.leftOut > 0 else {
      throw FileError(
        options.inputs.first ?? options.fromList ?? "", "no files to crop were found in any shard (mount the folder)",
        kind: "input")
    }
    if options.manifest == nil, !options.dryRun { try shard.checkManifests(in: paths.folder) }
    plan.items.removeAll { !shard.has($0.input.place) }
    return plan
  }

  private func fingerprint(_ request: some StableKeyed) -> Fingerprint {
    let encoding = options.wanted.encoding
    return Fingerprint(
      version: Release.version, request: request, page: options.page,
      encoding: EncodingKey(
        chosen: encoding.chosenFormat,
        formats: ImageFormat.allCases.filter(\.isWritten).map(encoding.outputFormat),
        background: encoding.matte?.fill, mostBytes: encoding.maxBytes, isLossless: options.cut.lossless,
        writesSidecar: options.wanted.color.sidecar),
      detector: options.look.detector.rawValue, name: (options.name ?? "") + (options.noFaceDir.map { "\0\($0)" } ?? "")
    )
  }
}
