import ArgumentParser
import FaceCrop
import Synchronization
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
    let written = Written()
    let (outcome, wasInterrupted) = await Interruption.watch(lastWords: { sayInterrupted(reporter, written) }) {
      await crop(reporter, written)
    }
    reporter.finish()
    if wasInterrupted { throw ExitCode(Interruption.exitStatus) }
    let status = try outcome.get()
    if status != 0 { throw ExitCode(status) }
  }

  /// Crops and writes; gives the exit status, or what is wrong with the usage.
  private func crop(_ reporter: Reporter, _ written: Written) async -> Result<CInt, ValidationError> {
    do {
      try await cropAndWrite(reporter, written)
      return .success(0)
    } catch let error as ValidationError {
      return .failure(error)
    } catch FaceCropError.cancelled {
      sayInterrupted(reporter, written)
      return .success(Interruption.exitStatus)
    } catch let error as FaceCropError {
      reporter.fail(options.inputName, error.sentence, kind: error.kind)
      tell(Outcome(error))
      return .success(error == .noFace ? 2 : 1)
    } catch let error as FileError {
      // A reader that went away has had what it wanted.
      if error.isBrokenPipe { return .success(0) }
      reporter.fail(error.file, error.message, kind: error.kind)
      tell(Outcome(error))
      return .success(1)
    } catch {
      reporter.fail(options.inputName, "\(error)", kind: "internal")
      tell(Outcome(.failed("internal", "\(error)")))
      return .success(1)
    }
  }

  /// One object on standard output for programs that asked for it.
  private func tell(_ outcome: Outcome) {
    guard options.json else { return }
    Console.write(JSONLines.safeLine(CropLine(file: options.inputName, outcome: outcome)), to: .standardOutput)
  }

  /// Counts the outputs that are complete.
  private final class Written: Sendable {
    let count = Atomic(0)
  }

  private func sayInterrupted(_ reporter: Reporter, _ written: Written) {
    let count = written.count.load(ordering: .relaxed)
    reporter.clearLine()
    reporter.fail(
      options.inputName, "was interrupted\(count == 0 ? "; nothing was written" : " after \(count) of its outputs")",
      kind: FaceCropError.cancelled.kind)
  }

  private func cropAndWrite(_ reporter: Reporter, _ written: Written) async throws {
    let request = options.wanted.request(defaults, look: options.look)
    let paths = options.paths
    let limits = options.look.limits
    let plan = try paths.planIn.map { try PlanFile.read($0, limits: limits) }
    if let plan, plan.crops.count > 1, options.writesToStandardOutput {
      throw FaceCropError.invalidRequest("the plan has \(plan.crops.count) crops, which need a file named with -o")
    }
    // The input is opened before the outputs only where nothing but its content says what they are.
    let encoding = options.wanted.encoding
    let named = try isLossless ? .jpeg : encoding.namedFormat(for: options.output)
    let asked = try named == nil ? Input.source(paths.input, limits: limits) : nil
    let own = try asked?.format() ?? .jpeg
    let format = named ?? (own.isWritten ? own : .jpeg)
    try encoding.check(format)
    let names = OutputNames(
      path: options.writesToStandardOutput
        ? nil
        : paths.output
          ?? OutputName.beside(paths.input, suffix: defaults.suffix, format: format),
      isNumbered: request.search.faces == .each || (plan?.crops.count ?? 0) > 1, sizes: options.wanted.size.sides)
    // Outputs that cannot be written are known before anything is decoded.
    var opened: OpenOutput? = try names[0].open(notReplacing: paths.source)
    var planFile: OpenOutput?
    if let planOut = paths.planOut { planFile = try PlanFile.open(planOut, notReplacing: paths.source) }

    let source = try asked ?? Input.source(paths.input, limits: limits)
    let make = CropMaker(
      cropper: options.look.cropper(looksAgain: false), method: encoding.method(format, isLossless: isLossless),
      limits: limits)
    let bar = OutputProgress(reporter, sizes: max(request.output.sizes.count, 1))
    let clock = PhaseClock()
    var ways: [DecodePath] = []
    var outcome = Outcome(.cropped)
    var hasFace = false
    let made = try await make(
      source, request, plan: plan,
      progress: {
        clock.note($0)
        bar.report($0)
      }, planned: { bar.begin($0) },
      made: { output in
        clock.add(to: \.encode)
        let name = names[ways.count]
        if let file = opened.take() {
          try file.commit(output.bytes)
        } else {
          try name.open(notReplacing: paths.source).commit(output.bytes)
        }
        clock.add(to: \.write)
        ways.append(output.path)
        hasFace = hasFace || !output.faces.isEmpty
        let file = Outcome.Output(name, output)
        outcome.add(file)
        reporter.tell(options.inputName, written: file)
        written.count.add(1, ordering: .relaxed)
      })
    reporter.tell(options.inputName, look: made.lookPath, render: ways)
    if let planFile = planFile.take() { try planFile.commit(Array(JSONLines.line(made.plan).utf8)) }

    if encoding.ignoresQuality(format) {
      let message = "is written as PNG like the input, which is always lossless, whatever --quality says"
      reporter.warn(options.inputName, message, kind: "quality")
      outcome.warn(message)
    }
    for warning in made.warnings {
      reporter.warn(options.inputName, warning)
      outcome.warn(warning)
    }
    if options.planIn == nil, !hasFace {
      let policy = options.wanted.noFace ?? defaults.noFace
      let message = policy.outcome(facesFound: !made.plan.faces.isEmpty)
      reporter.warn(options.inputName, message, kind: FaceCropError.noFace.kind)
      (outcome.status, outcome.reason) = (.noFace, Outcome.Reason(kind: FaceCropError.noFace.kind, message: message))
    }
    outcome.describe(made.plan)
    outcome.milliseconds = clock.milliseconds
    tell(outcome)
  }
}

/// What `--json` prints of a picture: as a line of a batch's manifest.
private struct CropLine: Encodable {
  private struct Subject: Encodable {
    var file: String
  }

  var file: String
  var outcome: Outcome

  func encode(to encoder: any Encoder) throws {
    try Subject(file: file).encode(to: encoder)
    try outcome.encode(to: encoder)
  }
}

extension Outcome.Output {
  fileprivate init(_ name: Output, _ output: CropMaker.Output) {
    let path: FilePath = if case .file(let path) = name { path } else { FilePath(Input.standard) }
    self.init(
      file: path.string, fileBase64: path.base64, width: output.size.width, height: output.size.height,
      bytes: output.bytes.count, sha256: Hexadecimal.sha256(output.bytes))
  }
}
