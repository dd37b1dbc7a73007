import ArgumentParser
import FaceCrop
import SystemPackage

/// One picture cropped and written, as `crop` and `avatar` do it.
struct CropRun {
  let options: CropOptions
  let defaults: CropDefaults
  /// Cut out of the file, not decoded.
  var isLossless = false

  /// Runs until the end or a signal; throws what the process's status is to be.
  func callAsFunction() async throws {
    let reporter = Reporter(options.progress)
    let (outcome, wasInterrupted) = await Interruption.watch {
      await crop(reporter)
    }
    reporter.finish()
    if wasInterrupted { throw ExitCode(Interruption.exitStatus) }
    let status = try outcome.get()
    if status != 0 { throw ExitCode(status) }
  }

  /// Crops and writes; gives the exit status, or what is wrong with the usage.
  private func crop(_ reporter: Reporter) async -> Result<CInt, ValidationError> {
    do {
      try await cropAndWrite(reporter)
      return .success(0)
    } catch let error as ValidationError {
      return .failure(error)
    } catch let error as FaceCropError {
      reporter.fail(options.inputName, error.sentence, kind: error.kind)
      return .success(error == .noFace ? 2 : 1)
    } catch let error as FileError {
      // A reader that went away has had what it wanted.
      if error.isBrokenPipe { return .success(0) }
      reporter.fail(error.file, error.message, kind: error.kind)
      return .success(1)
    } catch {
      reporter.fail(options.inputName, "\(error)", kind: "internal")
      return .success(1)
    }
  }

  private func cropAndWrite(_ reporter: Reporter) async throws {
    let request = options.wanted.request(defaults, look: options.look)
    let plan = try options.planIn.map { try PlanFile.read($0) }
    if let plan, plan.crops.count > 1, options.writesToStandardOutput {
      throw FaceCropError.invalidRequest("the plan has \(plan.crops.count) crops, which need a file named with -o")
    }
    // The input is opened before the outputs only where nothing but its content says what they are.
    let named = try options.wanted.encoding.namedFormat(for: options.output)
    let asked = try named == nil ? Input.source(options.input, limits: options.look.limits) : nil
    let own = try isLossless ? .jpeg : asked?.format() ?? .jpeg
    let format = named ?? (own.isWritten ? own : .jpeg)
    try options.wanted.encoding.check(format)
    let names = OutputNames(
      path: options.writesToStandardOutput
        ? nil
        : options.output.map { FilePath($0) }
          ?? OutputName.beside(FilePath(options.input), suffix: defaults.suffix, format: format),
      isNumbered: request.faces == .each || (plan?.crops.count ?? 0) > 1, sizes: options.wanted.size.sides)
    // Outputs that cannot be written are known before anything is decoded.
    var opened: OpenOutput? = try names[0].open(notReplacing: options.inputPath)
    var planFile: OpenOutput?
    if let planOut = options.planOut { planFile = try Output(planOut).open(notReplacing: options.inputPath) }

    let source = try asked ?? Input.source(options.input, limits: options.look.limits)
    let made =
      try await isLossless ? cut(source, plan, request, reporter) : render(source, plan, request, format, reporter)
    reporter.tell(options.inputName, look: made.lookPath, render: made.outputs.map(\.path))
    for (index, output) in made.outputs.enumerated() {
      let bytes = try await output.bytes()
      if let file = opened.take() {
        try file.commit(bytes)
      } else {
        try names[index].open(notReplacing: options.inputPath).commit(bytes)
      }
    }
    if let planFile = planFile.take() { try planFile.commit(Array(JSONLines.line(made.plan).utf8)) }

    for warning in made.warnings { reporter.warn(options.inputName, warning) }
    if let outcome = outcomeWithoutFace(made) { reporter.warn(options.inputName, outcome) }
  }

  /// What is to be written, and what is to be said of it.
  private struct Made {
    struct Output {
      var faces: [Int]
      var path: DecodePath
      var bytes: () async throws -> [UInt8]
    }

    var plan: CropPlan
    var warnings: [CropWarning]
    var lookPath: DecodePath?
    var outputs: [Output]
  }

  private func render(
    _ source: ImageSource, _ plan: CropPlan?, _ request: CropRequest, _ format: ImageFormat, _ reporter: Reporter
  ) async throws -> Made {
    let cropper = options.look.cropper(looksAgain: false)
    let report: @Sendable (CropProgress) -> Void = { reporter.report($0) }
    let result =
      if let plan {
        try await cropper.render(plan, from: source, request: request, progress: report)
      } else {
        try await cropper.crop(source, request: request, progress: report)
      }
    let encoding = options.wanted.encoding
    let outputs = result.crops.enumerated().map { index, crop in
      Made.Output(faces: crop.faces, path: crop.path) {
        try await cropper.encode(
          crop, as: encoding.outputFormat(format), background: encoding.background?.color ?? .white
        ) { progress in
          reporter.report(progress, part: (index, result.crops.count))
        }
      }
    }
    return Made(plan: result.plan, warnings: result.warnings, lookPath: result.lookPath, outputs: outputs)
  }

  private func cut(
    _ source: ImageSource, _ plan: CropPlan?, _ request: CropRequest, _ reporter: Reporter
  ) async throws -> Made {
    let cropper = options.look.cropper(looksAgain: false)
    let report: @Sendable (CropProgress) -> Void = { reporter.report($0) }
    let result =
      if let plan {
        try await cropper.renderLosslessly(plan, from: source, request: request, progress: report)
      } else {
        try await cropper.cropLosslessly(source, request: request, progress: report)
      }
    return Made(
      plan: result.plan, warnings: result.warnings, lookPath: result.lookPath,
      outputs: result.crops.map { crop in Made.Output(faces: crop.faces, path: crop.path) { crop.bytes } })
  }

  private func outcomeWithoutFace(_ made: Made) -> String? {
    guard options.planIn == nil, made.outputs.allSatisfy({ $0.faces.isEmpty }) else { return nil }
    return (options.wanted.noFace ?? defaults.noFace).outcome(facesFound: !made.plan.faces.isEmpty)
  }
}
