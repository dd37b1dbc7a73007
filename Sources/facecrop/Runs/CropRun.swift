import FaceCrop
import SystemPackage

/// A run of `crop` or `avatar`, which crops and writes one image.
struct CropRun: Sendable {
  let options: CropOptions
  let defaults: CropDefaults
  /// Whether the crop is cut out of the file without decoding.
  var isLossless = false
  let planIn = GivenOptions.launch.path(of: "plan-in")

  /// Runs to the end or a signal, and throws the exit status.
  func callAsFunction() async throws {
    let (reporter, json) = (Reporter(options.reporting.progress), options.reporting.json)
    let input = Input.Name(text: Input.shown(options.input), path: GivenOptions.launch.inputs[0].path)
    let each = EachInput(
      inputs: [input], limits: options.look.limits, reporter: reporter, json: json, writesFiles: true,
      others: [planIn, options.wanted.encoding.backdrop.file].compactMap { $0 },
      line: { Self.line($0, Outcome($1)) })
    try await each.run { input, state in
      let (outcome, status) = try await crop(input, reporter, state)
      if json { try Output.writeToStandard(Array(Self.line(input, outcome).utf8)) }
      return status
    }
  }

  /// Returns the object that `--json` prints, like a manifest's line, and whether a failed image may succeed later.
  private static func line(_ input: Input.Name, _ outcome: Outcome) -> String {
    let subject: JSONObject = [
      "file": input.text, "fileBase64": input.base64,
      "retryable": outcome.status == .failed ? outcome.isRetryable : nil,
    ]
    return JSONLines.safeLine(subject.with(membersOf: outcome))
  }

  /// Crops and writes, and returns the exit status: 2 for a plan without crops. If nobody named the format, and it
  /// cannot hold the output, it begins again with another one.
  private func crop(
    _ input: Input.Name, _ reporter: Reporter, _ state: EachInput.State, from opened: ImageSource? = nil,
    as other: (format: ImageFormat, warning: CropWarning?)? = nil
  ) async throws -> (Outcome, status: CInt) {
    let limits = options.look.limits
    let wanted = options.wanted.request(defaults, look: options.look)
    let sidecar = Sidecar(beside: input.path, for: wanted)
    var (request, problem) = await wanted.reading(sidecar, beside: input.path, within: limits.time)
    request.output.background = try await options.wanted.encoding.backdrop.read(limits)
    let plan = try planIn.map { try PlanFile.read($0, limits: limits) }
    if let plan, plan.crops.count > 1, options.writesToStandardOutput {
      throw Outcome.Obstacle.failed(
        "invalid", "the plan has \(plan.crops.count) crops, too many for standard output", "name a file with -o")
    }
    // The input is opened before the outputs only if its content determines their format.
    let encoding = options.wanted.encoding
    let named = try isLossless ? .jpeg : encoding.namedFormat(for: options.output)
    let isFree = !isLossless && encoding.formats.isFree(for: options.output)
    let asked = try opened ?? (isFree ? Input.source(input.path, page: options.page.page, limits: limits) : nil)
    let own = try named == nil ? asked?.format() ?? .jpeg : .jpeg
    let format = other?.format ?? named ?? own.usualFormat(for: request.search.animation)
    try encoding.check(format)

    let planFile = try GivenOptions.launch.path(of: "plan-out").map { try PlanFile.open($0, state.gate) }
    var work = PictureWork(
      make: CropMaker(
        cropper: options.look.cropper(looksAgain: false),
        method: options.wanted.method(format, isLossless: isLossless, defaults),
        standard: options.wanted.framing.standard(defaults)),
      request: request, writesSidecars: options.wanted.color.sidecar, sidecarProblem: problem,
      isCorrected: plan != nil, judges: plan != nil,
      digests: options.reporting.json || options.reporting.progress == .json)
    // The outputs are rendered and encoded in turn.
    let overall = OverallProgress(phases: [.overview, .detect, .render, .encode])
    work.report = { reporter.report($0, overall: overall.fraction(after: $0)) }
    let clock = PhaseClock()
    var made = PictureWork.Made(outcome: Outcome(.cropped))
    if plan != nil, let words = GivenOptions.launch.ignoredByPlans() {
      made.outcome.warn(
        Fault(
          "ignored", "\(words) had no effect, because --plan-in has the faces and the frames",
          "leave out \(option: "plan-in") to use them"))
    }
    if encoding.formats.ignoresQuality(format) { made.outcome.warn(.qualityIgnored(by: format)) }
    if let problem { made.outcome.warn(Fault("credits", problem)) }
    if let warning = other?.warning { made.outcome.warn(warning) }
    let beside = OutputName.beside(input.path, suffix: defaults.suffix, format: format)
    let output = options.writesToStandardOutput ? FilePath(Input.standard) : GivenOptions.launch.path(of: "output")
    let names = OutputNames(
      path: output ?? beside, isNumbered: request.search.faces == .each || plan?.isNumbered == true,
      sizes: options.wanted.size.labels)
    let destination = PictureWork.Destination(
      path: { names[$0.number, $1] }, takesSeveralCrops: true, gate: state.gate,
      replacesImages: options.destination.clobber)
    do {
      try await work.crop(
        asked ?? Input.source(input.path, page: options.page.page, limits: limits), plan, destination, clock, &made,
        planned: {
          if plan == nil { try request.search.check($0) }
          overall.expect(outputs: $0.crops.count * work.sizes)
        },
        wrote: {
          reporter.tell(input.text, written: $0)
          state.written.add(1, ordering: .relaxed)
        })
    } catch FaceCropError.formatLimit(let size, _, _)
      where isFree && other == nil && made.outcome.outputs == nil && request.search.animation != .keep
    {
      return try await crop(
        input, reporter, state, from: asked, as: format.holding(size, needing: encoding.neededFeatures))
    }
    let applied = made.plan!
    reporter.tell(input.text, look: made.detectionPath, render: made.paths)
    try planFile?.commit(Array(JSONLines.line(applied).utf8))

    for warning in made.outcome.warningFaults { reporter.warn(input.text, warning) }
    if plan == nil, applied.crops.allSatisfy(\.faces.isEmpty) {
      (made.outcome.status, made.outcome.reason) = (.noFace, request.search.outcome(of: applied))
    }
    // The warnings already mention a possible face.
    if let reason = made.outcome.reason, plan != nil || applied.possibleFace == nil {
      reporter.warn(input.text, reason)
    }
    made.outcome.describe(applied)
    made.outcome.milliseconds = clock.milliseconds
    return (made.outcome, plan?.crops.isEmpty == true ? 2 : 0)
  }
}
