import FaceCrop
import SystemPackage

/// The run of `blur`, which hides the faces in images one by one. A failed image does not stop the others.
extension BlurCommand {
  /// The output of a single input; nil for names beside the inputs.
  private var output: FilePath? {
    writesToStandardOutput ? FilePath(Input.standard) : GivenOptions.launch.path(of: "output")
  }
  private var planOut: FilePath? { GivenOptions.launch.path(of: "plan-out") }
  private var planIn: FilePath? { GivenOptions.launch.path(of: "plan-in") }

  /// Runs to the end or a signal, and throws the exit status.
  func run() async throws {
    let reporter = Reporter(reporting.progress)
    let names = GivenOptions.launch.path(of: "names")
    let images = GivenOptions.launch.inputs.map(\.path)
    let list = try names.map { try NameList(reading: $0, for: images, within: look.limits.time) }
    let people = try HiddenPeople(hide: self.people.hide, show: self.people.show, in: list)
    // Each image has a fault of the picture in its own line of JSON.
    let request = Task { [request, limits = look.limits] in try await request.reading("image", limits) }
    let cropper = look.cropper(looksAgain: inputs.count > 1)
    let each = EachInput(
      limits: look.limits, reporter: reporter, json: reporting.json, writesFiles: true,
      others: [planIn, names, GivenOptions.launch.path(of: "image")].compactMap { $0 })
    try await each.run { try await hide($0, by: request, people, cropper, $1.gate, reporter) }
  }

  /// Hides the faces in an image, and returns the exit status: 2 if fewer faces were hidden than asked for.
  private func hide(
    _ input: Input.Name, by request: Task<BlurRequest, any Error>, _ people: HiddenPeople?, _ cropper: FaceCropper,
    _ gate: WriteGate,
    _ reporter: Reporter
  ) async throws -> CInt {
    let request = try await request.value
    let plan = try planIn.map { path throws(FileError) in try PlanFile.read(path, limits: look.limits) }
    let source = try Input.source(input.path, page: page.page, limits: look.limits)
    let own = try source.format() ?? .jpeg
    var (format, warning) = (try formats.named(for: destination.output) ?? own.usualFormat, CropWarning?.none)
    // A header is read only for formats with a narrow limit.
    if formats.isFree(for: output?.string), format == .webp || format == .avif {
      (format, warning) = format.holding(try await cropper.info(of: source).size)
    }
    try formats.check(format)
    // Outputs are opened first, to fail before decoding if they cannot be written.
    let path = output ?? OutputName.beside(input.path, suffix: "blur", format: format)
    let file = try OpenOutput(path, gate, replacing: destination.clobber ? .images : .nothing)
    let planFile = try planOut.map { path throws(FileError) in try PlanFile.open(path, gate) }
    let (all, read, problem) = await reading(request, beside: input.path)
    let blur = try people?.request(all, for: input.path) ?? all
    let result = try await cropper.blur(
      source, request: blur, plan: plan, as: formats.blurFormat(format, of: own)
    ) { reporter.report($0, overall: $0.fraction) }
    try CutShortInput.check()
    try file.commit(result.bytes)
    Sidecar.removeOwn(beside: path, gate)
    try planFile?.commit(Array(JSONLines.line(result.plan).utf8))
    var warnings: [Fault] = formats.ignoresQuality(format) ? [.qualityIgnored(by: format)] : []
    if let warning { warnings.append(Fault(warning)) }
    if let problem { warnings.append(Fault("credits", problem)) }
    warnings += result.warnings.filter { !read.repeats(problem, $0) }
      .map { plan == nil ? Fault($0) : Fault(planned: $0) }
    if let shortfall = result.shortfall { warnings.append(Fault(shortfall)) }
    for warning in warnings { reporter.warn(input.text, warning) }
    try tell(input, result, warnings, path)
    let lacksFace = faces.faces != nil && result.warnings.contains { $0.kind == CropWarning.missingFaces([]).kind }
    return result.shortfall == nil && !lacksFace ? 0 : 2
  }

  /// Returns the request with the metadata in the sidecar of an image, the same as a request for a crop, and the fault of
  /// the sidecar.
  private func reading(_ blur: BlurRequest, beside image: FilePath) async -> (BlurRequest, CropRequest, String?) {
    let wanted = CropRequest(output: CropOutput(metadata: blur.metadata))
    let (read, problem) = await wanted.reading(
      Sidecar(beside: image, for: wanted), beside: image, within: look.limits.time)
    var blur = blur
    blur.sidecar = read.output.sidecar
    return (blur, read, problem)
  }

  /// Prints the result, unless standard output has the image or the plan.
  private func tell(
    _ input: Input.Name, _ result: BlurredImage, _ warnings: [Fault], _ output: FilePath
  ) throws(FileError) {
    let text: String
    if reporting.json {
      text = JSONLines.safeLine(JSONObject(input, result, warnings, output))
    } else {
      guard output != FilePath(Input.standard), planOut != FilePath(Input.standard) else { return }
      text = "\(DisplayText.text(output.string)): \(DisplayText.count(result.plan.crops.count, "face")) hidden\n"
    }
    try Output.writeToStandard(Array(text.utf8))
  }
}

extension JSONObject {
  /// Creates the line that `--json` prints for an image.
  fileprivate init(
    _ input: Input.Name, _ result: BlurredImage, _ warnings: [Fault], _ output: FilePath
  ) {
    let plan = result.plan
    let hidden = Set(plan.crops.flatMap(\.faces))
    let faces = plan.faces.enumerated().map { index, face in
      (["number": index + 1, "hidden": hidden.contains(index)] as JSONObject).with(membersOf: face)
    }
    self = [
      "file": input.text, "fileBase64": input.base64, "output": output.string, "outputBase64": output.base64,
      "format": result.format.rawValue, "width": result.size.width, "height": result.size.height,
      // The number of hidden areas, and the numbers of hidden faces that may be none.
      "hidden": plan.crops.count, "doubtful": result.doubtfulFaces,
      // Whether all other blocks of a JPEG are unchanged.
      "lossless": result.keepsBlocks, "faces": faces, "warnings": warnings,
    ]
  }
}
