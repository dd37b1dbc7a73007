import ArgumentParser
import FaceCrop
import SystemPackage

/// One picture cropped and written, as `crop` and `avatar` do it.
struct CropRun {
  let options: CropOptions
  let defaults: CropDefaults

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
      reporter.fail(options.inputName, "\(error)", kind: error.kind)
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
    let request = options.request(defaults)
    let plan = try options.planIn.map { try PlanFile.read($0) }
    if let plan, plan.crops.count > 1, options.writesToStandardOutput {
      throw FaceCropError.invalidRequest("the plan has \(plan.crops.count) crops, which need a file named with -o")
    }
    // The input is opened before the outputs only where nothing but its content says what they are.
    let named = try options.encoding.namedFormat(for: options.output)
    let asked = try named == nil ? Input.source(options.input, limits: options.look.limits) : nil
    let format = try named ?? asked?.format() ?? .jpeg
    try options.encoding.check(format)
    let names = OutputNames(
      path: options.writesToStandardOutput
        ? nil
        : options.output.map { FilePath($0) }
          ?? OutputName.beside(FilePath(options.input), suffix: defaults.suffix, format: format),
      isNumbered: request.faces == .each || (plan?.crops.count ?? 0) > 1, sizes: options.size.sides)
    // Outputs that cannot be written are known before anything is decoded.
    var opened: OpenOutput? = try names[0].open(notReplacing: options.inputPath)
    var planFile: OpenOutput?
    if let planOut = options.planOut { planFile = try Output(planOut).open(notReplacing: options.inputPath) }

    let source = try asked ?? Input.source(options.input, limits: options.look.limits)
    let cropper = options.look.cropper(looksAgain: false)
    let report: @Sendable (CropProgress) -> Void = { reporter.report($0) }
    let result: CropResult
    if let plan {
      result = try await cropper.render(plan, from: source, request: request, progress: report)
    } else {
      result = try await cropper.crop(source, request: request, progress: report)
    }
    reporter.tell(options.inputName, look: result.lookPath, render: result.crops.map(\.path))
    for (index, crop) in result.crops.enumerated() {
      let bytes = try await cropper.encode(
        crop, as: options.encoding.outputFormat(format), background: options.encoding.background?.color ?? .white
      ) { progress in
        reporter.report(progress, part: (index, result.crops.count))
      }
      if let file = opened.take() {
        try file.commit(bytes)
      } else {
        try names[index].open(notReplacing: options.inputPath).commit(bytes)
      }
    }
    if let planFile = planFile.take() { try planFile.commit(Array(JSONLines.line(result.plan).utf8)) }

    for warning in result.warnings { reporter.warn(options.inputName, warning) }
    if let outcome = outcomeWithoutFace(result) { reporter.warn(options.inputName, outcome) }
  }

  private func outcomeWithoutFace(_ result: CropResult) -> String? {
    guard options.planIn == nil, result.crops.allSatisfy({ $0.faces.isEmpty }) else { return nil }
    let lack = result.plan.faces.isEmpty ? "has no face that could be found" : "has no such face"
    return switch options.noFace ?? defaults.noFace {
    case .whole: "\(lack); the whole picture was taken"
    case .center: "\(lack); its center was taken"
    case .attention: "\(lack); what draws the eye was taken"
    case .skip, .fail: "\(lack); nothing was written"
    }
  }
}
