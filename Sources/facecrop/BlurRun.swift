import ArgumentParser
import FaceCrop
import SystemPackage

/// A run of `blur`, which hides the faces in images one by one. A failed image does not stop the others.
struct BlurRun: Sendable {
  let inputs: [EachInput.Name]
  /// The output of a single input; nil for names beside the inputs.
  let output: FilePath?
  let planOut: FilePath?
  let planIn: FilePath?
  let request: Anonymization
  let formats: FormatOptions
  /// The format by option or name; nil leaves it to each input.
  let format: ImageFormat?
  let look: LookOptions
  let replacing: WriteGate.Replacing
  let json: Bool
  let progress: ProgressChoice

  /// Runs to the end or a signal, and throws the exit status.
  func callAsFunction() async throws {
    let reporter = Reporter(progress)
    let (status, wasInterrupted) = await Interruption.watch { await hideAll(reporter) }
    reporter.finish()
    if wasInterrupted { throw ExitCode(Interruption.exitStatus) }
    if status != 0 { throw ExitCode(status) }
  }

  private func hideAll(_ reporter: Reporter) async -> CInt {
    let sidecars = inputs.compactMap { Sidecar(beside: $0.path)?.path }
    let gate: WriteGate
    do throws(FileError) {
      gate = try WriteGate(
        inputs: (inputs.map(\.path) + [planIn].compactMap { $0 }).compactMap { Input.file($0) } + sidecars)
    } catch {
      reporter.fail(error.file, error.message, kind: error.kind)
      return 1
    }
    let cropper = look.cropper(looksAgain: inputs.count > 1)
    var status: CInt = 0
    CutShortInput.fillIn()
    for input in inputs {
      if Task.isCancelled { break }
      do {
        let own = try await hide(input, cropper, gate, reporter)
        if status == 0 { status = own }
      } catch FaceCropError.cancelled {
        reporter.clearLine()
        reporter.fail(input.text, "interrupted; nothing was written", kind: FaceCropError.cancelled.kind)
        return Interruption.exitStatus
      } catch let error as ValidationError {
        status = fail(reporter, input, input.text, error.message, kind: "usage", 64)
        if inputs.count == 1 { return status }
      } catch let error as FaceCropError {
        status = fail(
          reporter, input, input.text, error.sentence, kind: error.kind, 1, isRetryable: error.mayPass)
      } catch let error as FileError {
        if error.isBrokenPipe { return status }
        status = fail(
          reporter, input, error.file, error.message, kind: error.kind, 1, isRetryable: error.mayPass)
      } catch {
        status = fail(reporter, input, input.text, "\(error)", kind: "internal", 1)
      }
    }
    return status
  }

  private func fail(
    _ reporter: Reporter, _ input: EachInput.Name, _ subject: String, _ message: String, kind: String, _ status: CInt,
    isRetryable: Bool = false
  ) -> CInt {
    reporter.fail(subject, message, kind: kind, isRetryable: isRetryable)
    if json {
      let line = BlurLine(
        input, error: BlurLine.Message(kind: kind, message: message, retryable: isRetryable))
      _ = try? FileDescriptor.standardOutput.writeAll(JSONLines.safeLine(line).utf8)
    }
    return status
  }

  /// Hides the faces in an image, and returns the exit status: 2 if fewer faces were hidden than asked for.
  private func hide(
    _ input: EachInput.Name, _ cropper: FaceCropper, _ gate: WriteGate, _ reporter: Reporter
  ) async throws -> CInt {
    let plan = try planIn.map { path throws(FileError) in try PlanFile.read(path, limits: look.limits) }
    let source = try Input.source(input.path, limits: look.limits)
    let own = try source.format() ?? .jpeg
    let format = format ?? own.usualFormat
    try formats.check(format)
    // Outputs are opened first, to fail before decoding if they cannot be written.
    let path = output ?? OutputName.beside(input.path, suffix: "blur", format: format)
    let file = try Output(path).open(gate, replacing: replacing)
    var planFile: OpenOutput?
    if let planOut { planFile = try PlanFile.open(planOut, gate) }
    let (hiding, read, problem) = await reading(beside: input.path)
    let result = try await cropper.anonymize(
      source, request: hiding, plan: plan, as: formats.hidingFormat(format, of: own)
    ) { reporter.report($0, overall: $0.fraction) }
    try CutShortInput.check()
    try file.commit(result.bytes)
    if path != FilePath(Input.standard) { Sidecar.removeOwn(beside: path, gate) }
    if let planFile = planFile.take() { try planFile.commit(Array(JSONLines.line(result.plan).utf8)) }
    var warnings: [BlurLine.Message] = []
    if formats.ignoresQuality(format) {
      warnings.append(
        BlurLine.Message(
          kind: "quality",
          message: "--quality was ignored, because the output is \(format.name) like the input and always lossless"))
    }
    if let problem { warnings.append(BlurLine.Message(kind: "credits", message: problem)) }
    warnings += result.warnings.filter { !read.repeats(problem, $0) }.map {
      BlurLine.Message(kind: $0.kind, message: plan == nil ? $0.sentence : $0.plannedSentence)
    }
    if let shortfall = result.shortfall {
      warnings.append(BlurLine.Message(kind: shortfall.kind, message: shortfall.sentence))
    }
    for warning in warnings { reporter.warn(input.text, warning.message, kind: warning.kind) }
    try tell(input, result, warnings, path)
    return result.shortfall == nil && hidesAllNumbers(result.plan, isGiven: plan != nil) ? 0 : 2
  }

  /// Returns the request with the metadata in the sidecar of an image, the same as a request for a crop, and the fault of
  /// the sidecar.
  private func reading(beside image: FilePath) async -> (Anonymization, CropRequest, problem: String?) {
    let wanted = CropRequest(output: CropOutput(metadata: request.metadata))
    let (read, problem) = await wanted.reading(
      Sidecar(beside: image, for: wanted), beside: image, within: look.limits.time)
    var hiding = request
    hiding.sidecar = read.output.sidecar
    return (hiding, read, problem)
  }

  private func hidesAllNumbers(_ plan: CropPlan, isGiven: Bool) -> Bool {
    guard !isGiven, case .only(let numbers) = request.faces else { return true }
    return numbers.allSatisfy { $0 <= plan.faces.count }
  }

  /// Prints the result, unless standard output has the image or the plan.
  private func tell(
    _ input: EachInput.Name, _ result: AnonymizedImage, _ warnings: [BlurLine.Message], _ output: FilePath
  ) throws(FileError) {
    let text: String
    if json {
      text = JSONLines.safeLine(BlurLine(input, result, warnings, output))
    } else {
      guard output != FilePath(Input.standard), planOut != FilePath(Input.standard) else { return }
      let count = result.plan.crops.count
      text = "\(DisplayText.text(output.string)): \(count) \(count == 1 ? "face" : "faces") hidden\n"
    }
    try FileError.wrap("standard output") { _ = try FileDescriptor.standardOutput.writeAll(text.utf8) }
  }
}

/// The line that `--json` prints for an image.
private struct BlurLine: Encodable {
  struct Message: Encodable {
    var kind: String
    var message: String
    /// Whether the same image may succeed later; nil for warnings.
    var retryable: Bool?
  }

  /// A face with its number.
  struct Numbered: Encodable {
    var number: Int
    var hidden: Bool
    var face: Face

    private enum CodingKeys: CodingKey {
      case number, hidden
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(number, forKey: .number)
      try container.encode(hidden, forKey: .hidden)
      try face.encode(to: encoder)
    }
  }

  var file: String
  var fileBase64: String?
  var output: String?
  var outputBase64: String?
  var format: String?
  var width: Int?
  var height: Int?
  /// The number of hidden areas.
  var hidden: Int?
  /// The numbers of hidden faces that may be none.
  var doubtful: [Int]?
  /// Whether all other blocks of a JPEG are unchanged.
  var lossless: Bool?
  var faces: [Numbered]?
  var warnings: [Message]?
  var error: Message?

  init(_ input: EachInput.Name, error: Message) {
    (file, fileBase64, self.error) = (input.text, input.base64, error)
  }

  init(_ input: EachInput.Name, _ result: AnonymizedImage, _ warnings: [Message], _ output: FilePath) {
    (file, fileBase64) = (input.text, input.base64)
    (self.output, outputBase64) = (output.string, output.base64)
    (format, width, height) = (result.format.rawValue, result.size.width, result.size.height)
    let plan = result.plan
    hidden = plan.crops.count
    doubtful = result.doubtfulFaces
    lossless = result.keepsBlocks
    let shown = Set(plan.crops.flatMap(\.faces))
    faces = plan.faces.enumerated().map { index, face in
      Numbered(number: index + 1, hidden: shown.contains(index), face: face)
    }
    self.warnings = warnings
  }
}
