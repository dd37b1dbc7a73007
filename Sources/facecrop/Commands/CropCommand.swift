import ArgumentParser
import FaceCrop
import FoundationEssentials
import SystemPackage

struct CropCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crop",
    abstract: "Writes the region of the faces in a picture, at full resolution.",
    discussion: """
      EXAMPLES
        facecrop crop portrait.jpg
            writes portrait-crop.jpg
        facecrop crop group.jpg -o faces.jpg --faces each --padding 0.4
            writes faces-1.jpg, faces-2.jpg, each with a margin of 40 %
        facecrop crop - -o - --aspect 4:5 < upload.jpg > card.jpg
      """)

  @Argument(help: "The picture; - is standard input.", completion: .file())
  var input: String

  @Option(
    name: .shortAndLong,
    help: "The file to write; - is standard output. (default: NAME-crop.EXT beside the input)",
    completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp(
      """
      The faces that the crop is for: all in one region (union), the largest, the most central, each in an output of its \
      own, or the N-th in the order that detect prints.
      """,
      valueName: "which"))
  var faces = FaceSelection.union

  @Option(help: ArgumentHelp("Margin in fractions of the face box: P, or T,R,B,L.", valueName: "p"))
  var padding = Padding()

  @Option(help: ArgumentHelp("Shape of the region, for example 1:1 or 4:5.", valueName: "w:h"))
  var aspect: AspectRatio?

  @Option(
    help: """
      What to do without a face: take the whole picture, its center in the shape asked for (or square), skip it, or \
      fail with status 2.
      """)
  var noFace = NoFacePolicy.whole

  @Option(help: "Format of the output.")
  var format = FormatChoice.jpeg

  @Option(help: ArgumentHelp("JPEG quality, 1 to 100; from 90 on, color is stored at full resolution.", valueName: "q"))
  var quality = 85

  @Option(help: "EXIF data of the output: none, or the input's, made true for the crop and without its thumbnail.")
  var metadata = MetadataPolicy.strip

  @Option(help: ArgumentHelp("Write the plan (faces and regions) as JSON.", valueName: "file"), completion: .file())
  var planOut: String?

  @Option(
    help: ArgumentHelp("Apply a plan that was written before, instead of looking.", valueName: "file"),
    completion: .file())
  var planIn: String?

  @Option(help: "Progress on standard error: a bar, JSON lines, or none; auto is a bar on a terminal.")
  var progress = ProgressChoice.auto

  @OptionGroup var look: LookOptions

  func validate() throws {
    for name in [input, output, planOut, planIn] where name?.isEmpty == true {
      throw ValidationError("A file's name is empty.")
    }
    if let planOut, planOut == output, planOut != Input.standard {
      throw ValidationError("Plan and picture cannot both go to '\(planOut)'.")
    }
    guard (1...100).contains(quality) else { throw ValidationError("The quality must be 1 to 100, not \(quality).") }
    if let output, let name = OutputName.unwritableFormat(of: FilePath(output)) {
      throw ValidationError("This version writes JPEG, and '\(output)' is named like a \(name) file.")
    }
    if writesToStandardOutput {
      if faces == .each { throw ValidationError("Several outputs cannot go to standard output; name a file with -o.") }
      if planOut == Input.standard { throw ValidationError("Plan and picture cannot both go to standard output.") }
      if Console.outputIsTerminal { throw ValidationError("A picture would go to the terminal; name a file with -o.") }
    }
    if input == Input.standard && planIn == Input.standard {
      throw ValidationError("Plan and picture cannot both come from standard input.")
    }
  }

  mutating func run() async throws {
    let command = self
    let reporter = Reporter(progress)
    let (status, wasInterrupted) = await Interruption.watch {
      await command.crop(reporter)
    }
    reporter.finish()
    if wasInterrupted { throw ExitCode(Interruption.exitStatus) }
    if status != 0 { throw ExitCode(status) }
  }

  private var request: CropRequest {
    var request = CropRequest()
    request.faces = faces
    request.padding = padding
    request.aspect = aspect
    request.noFace = noFace
    request.metadata = metadata
    request.allowsDamage = look.allowTruncated
    return request
  }

  private var writesToStandardOutput: Bool { output == Input.standard || (output == nil && input == Input.standard) }
  /// What messages call the input.
  private var inputName: String { input == Input.standard ? "standard input" : input }
  private var inputPath: FilePath? { input == Input.standard ? nil : FilePath(input) }

  /// Crops and writes; returns the exit status.
  private func crop(_ reporter: Reporter) async -> CInt {
    do {
      let plan = try planIn.map { try PlanFile.read($0) }
      if let plan, plan.crops.count > 1, writesToStandardOutput {
        throw FaceCropError.invalidRequest("the plan has \(plan.crops.count) crops, which need a file named with -o")
      }
      let names = OutputNames(
        path: writesToStandardOutput
          ? nil : output.map { FilePath($0) } ?? OutputName.beside(FilePath(input), suffix: "crop"),
        isNumbered: faces == .each || (plan?.crops.count ?? 0) > 1)
      // Outputs that cannot be written are known before anything is decoded.
      var opened: OpenOutput? = try names[0].open(notReplacing: inputPath)
      var planFile: OpenOutput?
      if let planOut { planFile = try Output(planOut).open(notReplacing: inputPath) }

      let source = try Input.source(input, limits: look.limits)
      let cropper = look.cropper
      let report: @Sendable (CropProgress) -> Void = { reporter.report($0) }
      let result: CropResult
      if let plan {
        result = try await cropper.render(plan, from: source, request: request, progress: report)
      } else {
        result = try await cropper.crop(source, request: request, progress: report)
      }
      reporter.tell(inputName, look: result.lookPath, render: result.crops.map(\.path))
      for (index, crop) in result.crops.enumerated() {
        let bytes = try await cropper.encode(crop, as: .jpeg(quality: quality)) { progress in
          reporter.report(progress, part: (index, result.crops.count))
        }
        if let file = opened.take() {
          try file.commit(bytes)
        } else {
          try names[index].open(notReplacing: inputPath).commit(bytes)
        }
      }
      if let planFile = planFile.take() { try planFile.commit(Array(JSONLines.line(result.plan).utf8)) }

      for warning in result.warnings { reporter.warn(inputName, warning) }
      if let outcome = outcomeWithoutFace(result) { reporter.warn(inputName, outcome) }
      return 0
    } catch let error as FaceCropError {
      reporter.fail(inputName, "\(error)", kind: error.kind)
      return error == .noFace ? 2 : 1
    } catch let error as FileError {
      // A reader that went away has had what it wanted.
      if error.isBrokenPipe { return 0 }
      reporter.fail(error.file, error.message, kind: error.kind)
      return 1
    } catch {
      reporter.fail(inputName, "\(error)", kind: "internal")
      return 1
    }
  }

  private func outcomeWithoutFace(_ result: CropResult) -> String? {
    guard planIn == nil, result.crops.allSatisfy({ $0.faces.isEmpty }) else { return nil }
    let lack = result.plan.faces.isEmpty ? "has no face that could be found" : "has no such face"
    return switch noFace {
    case .whole: "\(lack); the whole picture was taken"
    case .center: "\(lack); its center was taken"
    case .skip, .fail: "\(lack); nothing was written"
    }
  }
}
