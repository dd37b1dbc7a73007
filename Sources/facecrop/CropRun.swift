import ArgumentParser
import FaceCrop
import Synchronization
import SystemPackage

/// A run of `crop` or `avatar`, which crops and writes one image.
struct CropRun {
  let options: CropOptions
  let defaults: CropDefaults
  /// Whether the crop is cut out of the file without decoding.
  var isLossless = false

  /// Runs to the end or a signal, and throws the exit status.
  func callAsFunction() async throws {
    let reporter = Reporter(options.progress)
    let written = OutputCount()
    let (outcome, wasInterrupted) = await Interruption.watch(lastWords: { sayInterrupted(reporter, written) }) {
      await crop(reporter, written)
    }
    reporter.finish()
    if wasInterrupted { throw ExitCode(Interruption.exitStatus) }
    let status = try outcome.get()
    if status != 0 { throw ExitCode(status) }
  }

  /// Crops and writes, and returns the exit status or the usage error.
  private func crop(_ reporter: Reporter, _ written: OutputCount) async -> Result<CInt, ValidationError> {
    do {
      return .success(try await cropAndWrite(reporter, written))
    } catch let error as ValidationError {
      return .failure(error)
    } catch FaceCropError.cancelled {
      sayInterrupted(reporter, written)
      return .success(Interruption.exitStatus)
    } catch let obstacle as Outcome.Obstacle {
      return fail(reporter, obstacle)
    } catch let error as FaceCropError {
      return fail(reporter, Outcome.Obstacle(error))
    } catch let error as FileError {
      // A reader that closed the pipe has enough.
      if error.isBrokenPipe { return .success(0) }
      let outcome =
        error.kind == "output"
        ? Outcome(error)
        : Outcome(
          .failed(
            error.kind, "the image was not cropped: \(error.file): \(error.message)", isRetryable: error.mayPass))
      return fail(reporter, error.file, error.message, kind: error.kind, outcome)
    } catch {
      return fail(
        reporter, options.inputName, "\(error)", kind: "internal", Outcome(.failed("internal", "\(error)")))
    }
  }

  /// Prints the JSON object on standard output with `--json`.
  private func tell(_ outcome: Outcome) throws(FileError) {
    guard options.json else { return }
    let line = CropLine(file: options.inputName, fileBase64: options.paths.input.base64, outcome: outcome)
    try FileError.wrap("standard output") {
      _ = try FileDescriptor.standardOutput.writeAll(JSONLines.safeLine(line).utf8)
    }
  }

  private func fail(_ reporter: Reporter, _ obstacle: Outcome.Obstacle) -> Result<CInt, ValidationError> {
    fail(
      reporter, options.inputName, obstacle.reason.message, kind: obstacle.reason.kind, Outcome(obstacle),
      status: obstacle.exitStatus)
  }

  /// Reports the error that prevented cropping.
  private func fail(
    _ reporter: Reporter, _ subject: String, _ message: String, kind: String, _ outcome: Outcome, status: CInt = 1
  ) -> Result<CInt, ValidationError> {
    reporter.fail(subject, message, kind: kind, isRetryable: outcome.isRetryable)
    do throws(FileError) {
      try tell(outcome)
    } catch {
      // The JSON object itself may be the failed output.
      if !error.isBrokenPipe, error.file != subject {
        reporter.fail(error.file, error.message, kind: error.kind, isRetryable: error.mayPass)
      }
      return .success(1)
    }
    return .success(status)
  }

  /// The number of complete outputs.
  private final class OutputCount: Sendable {
    let count = Atomic(0)
  }

  private func sayInterrupted(_ reporter: Reporter, _ written: OutputCount) {
    let count = written.count.load(ordering: .relaxed)
    reporter.clearLine()
    reporter.fail(
      options.inputName,
      "interrupted\(count == 0 ? "; nothing was written" : " after writing \(count) of the outputs")",
      kind: FaceCropError.cancelled.kind)
  }

  /// Crops and writes, and returns the exit status: 2 for a plan without crops.
  private func cropAndWrite(_ reporter: Reporter, _ written: OutputCount) async throws -> CInt {
    let paths = options.paths
    let limits = options.look.limits
    let wanted = options.wanted.request(defaults, look: options.look)
    let sidecar = Sidecar(beside: paths.input, for: wanted)
    var (request, problem) = await wanted.reading(sidecar, beside: paths.input, within: limits.time)
    request.output.background = try await options.wanted.encoding.backdrop.read(limits)
    let plan = try paths.planIn.map { try PlanFile.read($0, limits: limits) }
    if let plan, plan.crops.count > 1, options.writesToStandardOutput {
      throw FaceCropError.invalidRequest(
        "the plan has \(plan.crops.count) crops, too many for standard output (name a file with -o)")
    }
    // The input is opened before the outputs only if its content determines their format.
    let encoding = options.wanted.encoding
    let named = try isLossless ? .jpeg : encoding.namedFormat(for: options.output)
    let asked = try named == nil ? Input.source(paths.input, limits: limits) : nil
    let own = try asked?.format() ?? .jpeg
    let format = named ?? own.usualFormat(for: request.search.animation)
    try encoding.check(format)
    let names = OutputNames(
      path: options.writesToStandardOutput
        ? nil
        : paths.output
          ?? OutputName.beside(paths.input, suffix: defaults.suffix, format: format),
      isNumbered: request.search.faces == .each || plan?.isNumbered == true, sizes: options.wanted.size.labels)
    // Outputs are opened first, to fail before decoding if they cannot be written.
    let beside = Sidecar(beside: paths.input)?.path
    let gate = try WriteGate(
      inputs: [paths.source, beside, options.wanted.encoding.backdrop.file].compactMap { $0 })
    let replacing: WriteGate.Replacing = options.clobber ? .images : .nothing
    let replacingSidecars: WriteGate.Replacing = options.clobber ? .sidecars : .nothing
    var opened: OpenOutput? = try names[number: plan?.outputNumbers.first ?? 1, size: 0].open(
      gate, replacing: replacing)
    var planFile: OpenOutput?
    if let planOut = paths.planOut { planFile = try PlanFile.open(planOut, gate) }

    let source = try asked ?? Input.source(paths.input, limits: limits)
    let make = CropMaker(
      cropper: options.look.cropper(looksAgain: false),
      method: options.wanted.method(format, isLossless: isLossless, defaults),
      standard: options.wanted.framing.standard(defaults))
    let bar = OutputProgress(reporter, sizes: max(request.output.sizes.count, 1))
    let clock = PhaseClock()
    var ways: [DecodePath] = []
    var outcome = Outcome(.cropped)
    var hasFace = false
    var misses: [String] = []
    var looking = request
    looking.search = request.search.withoutFailure
    let made = try await make(
      source, looking, plan: plan,
      progress: {
        clock.note($0)
        bar.report($0)
      },
      planned: {
        if plan == nil { try request.search.check($0) }
        // All names are checked first, so that no output is written if a later one exists.
        for (index, number) in $0.outputNumbers.enumerated() {
          for size in 0..<max(request.output.sizes.count, 1) where index + size > 0 {
            _ = try names[number: number, size: size].open(gate, replacing: replacing)
          }
          for size in 0..<max(request.output.sizes.count, 1) {
            guard case .file(let path) = names[number: number, size: size],
              options.wanted.color.sidecar || !options.clobber && Sidecar.isOwn(Sidecar.path(beside: path))
            else { continue }
            _ = try Output.file(Sidecar.path(beside: path)).open(gate, replacing: replacingSidecars)
          }
        }
        bar.begin($0)
      },
      made: { output in
        clock.add(to: \.encode)
        let name = names[number: output.number, size: ways.count % max(request.output.sizes.count, 1)]
        if let file = opened.take() {
          try file.commit(output.bytes)
        } else {
          try name.open(gate, replacing: replacing).commit(output.bytes)
        }
        clock.add(to: \.write)
        ways.append(output.path)
        hasFace = hasFace || !output.faces.isEmpty
        misses += (output.misses ?? []).map(\.message).filter { !misses.contains($0) }
        let path: FilePath = if case .file(let path) = name { path } else { FilePath(Input.standard) }
        if options.wanted.color.sidecar, let xmp = output.xmp {
          try Output.file(Sidecar.path(beside: path)).open(gate, replacing: replacingSidecars).commit(xmp)
        } else if case .file = name {
          Sidecar.removeOwn(beside: path, gate)
        }
        // The digest takes as long as decoding part of the image, so it is computed only on request.
        let isDigested = options.json || options.progress == .json
        let file = Outcome.Output(path, output, digest: isDigested ? Hexadecimal.sha256(output.bytes) : nil)
        outcome.add(file)
        if options.wanted.color.sidecar, let xmp = output.xmp {
          outcome.add(Outcome.Output(sidecar: Sidecar.path(beside: path), xmp))
        }
        reporter.tell(options.inputName, written: file)
        written.count.add(1, ordering: .relaxed)
      })
    reporter.tell(options.inputName, look: made.detectionPath, render: ways)
    if let planFile = planFile.take() { try planFile.commit(Array(JSONLines.line(made.plan).utf8)) }

    if plan != nil, let words = options.wanted.ignoredByPlans() {
      let message =
        "\(words) had no effect, because --plan-in has the faces and the frames (leave out --plan-in to use them)"
      reporter.warn(options.inputName, message, kind: "ignored")
      outcome.warn(message, kind: "ignored")
    }
    if encoding.ignoresQuality(format) {
      let message = "--quality was ignored, because the output is \(format.name) like the input and always lossless"
      reporter.warn(options.inputName, message, kind: "quality")
      outcome.warn(message, kind: "quality")
    }
    if let problem {
      reporter.warn(options.inputName, problem, kind: "credits")
      outcome.warn(problem, kind: "credits")
    }
    for message in misses {
      reporter.warn(options.inputName, message, kind: "rule")
      outcome.warn(message, kind: "rule")
    }
    for warning in made.warnings where !request.repeats(problem, warning) {
      reporter.warn(options.inputName, warning)
      outcome.warn(warning)
    }
    if options.planIn == nil, !hasFace {
      let message = request.search.outcome(of: made.plan)
      // The warnings already mention a possible face.
      if made.plan.possibleFace == nil { reporter.warn(options.inputName, message, kind: FaceCropError.noFace.kind) }
      (outcome.status, outcome.reason) = (.noFace, Outcome.Reason(kind: FaceCropError.noFace.kind, message: message))
    }
    let isEmpty = plan?.crops.isEmpty == true
    if let plan, isEmpty {
      outcome.noteNoCrops(of: plan)
      if let reason = outcome.reason { reporter.warn(options.inputName, reason.message, kind: reason.kind) }
    }
    outcome.describe(made.plan)
    outcome.milliseconds = clock.milliseconds
    try tell(outcome)
    return isEmpty ? 2 : 0
  }
}

/// The object that `--json` prints, like a line of a batch's manifest.
private struct CropLine: Encodable {
  private struct Subject: Encodable {
    var file: String
    var fileBase64: String?
    /// Whether the same image may succeed later; nil if it succeeded.
    var retryable: Bool?
  }

  var file: String
  /// The bytes of a name that is not UTF-8.
  var fileBase64: String?
  var outcome: Outcome

  func encode(to encoder: any Encoder) throws {
    let retryable = outcome.status == .failed ? outcome.isRetryable : nil
    try Subject(file: file, fileBase64: fileBase64, retryable: retryable).encode(to: encoder)
    try outcome.encode(to: encoder)
  }
}
