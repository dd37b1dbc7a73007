import ArgumentParser
import SystemPackage

/// The options of `crop` and `avatar`: one image, its outputs, and the crop request.
struct CropOptions: ParsableArguments {
  struct OutputOptions: ParsableArguments {
    @Option(
      name: .shortAndLong,
      help: ArgumentHelp("Write this file. (- is standard output; default: \(HelpDefaults.output))", valueName: "file"),
      completion: .file())
    var output: String?

    @Flag(
      name: .customLong("clobber"), inversion: .prefixedNo,
      help: "Replace an existing output; --no-clobber fails instead.")
    var clobber = true
  }

  struct PlanOptions: ParsableArguments {
    @Option(
      help: ArgumentHelp("Write the plan (faces and crop regions) as JSON.", valueName: "file"), completion: .file())
    var planOut: String?

    @Option(
      help: ArgumentHelp("Apply a plan from --plan-out instead of detecting faces.", valueName: "file"),
      completion: .file())
    var planIn: String?
  }

  struct ReportOptions: ParsableArguments {
    @Flag(help: "Print the result as a JSON object on standard output.")
    var json = false

    @OptionGroup var progress: ProgressOption
  }

  @Argument(help: "Image file; - is standard input.", completion: .file())
  var input: String

  @OptionGroup(title: HelpTitle.output) var destination: OutputOptions
  @OptionGroup var wanted: RequestOptions
  @OptionGroup(title: HelpTitle.plans) var plans: PlanOptions
  @OptionGroup var look: LookOptions
  @OptionGroup(title: HelpTitle.reporting) var reporting: ReportOptions

  var output: String? { destination.output }
  var clobber: Bool { destination.clobber }
  var planOut: String? { plans.planOut }
  var planIn: String? { plans.planIn }
  var json: Bool { reporting.json }
  var progress: ProgressChoice { reporting.progress.progress }

  func validate() throws {
    for name in [input, output, planOut, planIn] where name?.isEmpty == true {
      throw ValidationError("a file name is empty (name a file)")
    }
    if let planOut, planOut == output, planOut != Input.standard {
      throw ValidationError("-o and --plan-out name the same file, '\(planOut)' (choose two files)")
    }
    try Input.checkIsNoURL(input)
    if let output, output.hasSuffix("/") {
      throw ValidationError("-o '\(output)' is a folder (name a file in it)")
    }
    try wanted.check(look)
    if let format = try wanted.encoding.namedFormat(for: output) { try wanted.encoding.check(format, isNamed: true) }
    if writesToStandardOutput {
      if wanted.faces == .each || wanted.size.labels.count > 1 {
        throw ValidationError("standard output takes one output, and several are requested (name a file with -o)")
      }
      if wanted.color.sidecar {
        throw ValidationError(
          "--sidecar needs an output file, and the image goes to standard output (name one with -o)")
      }
      if wanted.noFace == .skip {
        throw ValidationError(
          "--no-face skip would write an empty image to standard output (use --no-face fail, which exits with status 2)"
        )
      }
      if json {
        throw ValidationError("--json and the image both go to standard output (name a file for the image with -o)")
      }
      if planOut == Input.standard {
        throw ValidationError("--plan-out and the image both go to standard output (name a file for one of them)")
      }
      if Console.outputIsTerminal {
        throw ValidationError("standard output is a terminal, which shows no images (name a file with -o)")
      }
    }
    if json && planOut == Input.standard {
      throw ValidationError("--json and --plan-out both go to standard output (name a file for the plan)")
    }
    if input == Input.standard && planIn == Input.standard {
      throw ValidationError("--plan-in and the image both come from standard input (name a file for one of them)")
    }
  }

  /// Refuses options that have no effect with the command's defaults.
  func check(_ defaults: CropDefaults) throws(ValidationError) {
    // A plan may have frames that reach over the edge, but does not contain the fill.
    if planIn == nil { try wanted.checkFill(defaults) }
  }

  var writesToStandardOutput: Bool { output == Input.standard || (output == nil && input == Input.standard) }
  /// The input's name in messages.
  var inputName: String { input == Input.standard ? "standard input" : input }

  /// The files on the command line, with their exact bytes.
  struct Paths {
    var input: FilePath
    var output: FilePath?
    var planOut: FilePath?
    var planIn: FilePath?

    /// The file of the input, which is never replaced; nil if it is no file.
    var source: FilePath? { Input.file(input) }
  }

  var paths: Paths {
    var raw = RawArguments()
    let output = output.map { raw.path($0, of: ["-o", "--output"]) }
    let planOut = planOut.map { raw.path($0, of: ["--plan-out"]) }
    let planIn = planIn.map { raw.path($0, of: ["--plan-in"]) }
    return Paths(input: raw.path(input), output: output, planOut: planOut, planIn: planIn)
  }
}
