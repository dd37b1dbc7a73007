import ArgumentParser
import SystemPackage

/// What `crop` and `avatar` have in common: one picture, its outputs, and what is wanted of it.
struct CropOptions: ParsableArguments {
  @Argument(help: "The picture; - is standard input.", completion: .file())
  var input: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      """
      The file to write; - is standard output. Several outputs are told apart by -1, -2 for faces and -512, -256 for \
      sizes. (default: \(HelpDefaults.output) beside the input, or standard output for standard input)
      """),
    completion: .file())
  var output: String?

  @OptionGroup var wanted: RequestOptions

  @Option(help: ArgumentHelp("Write the plan (faces and regions) as JSON.", valueName: "file"), completion: .file())
  var planOut: String?

  @Option(
    help: ArgumentHelp("Apply a plan that was written before, instead of looking.", valueName: "file"),
    completion: .file())
  var planIn: String?

  @Flag(
    help:
      "Print what became of the picture on standard output, as a JSON object: outputs, faces, warnings, times, or the error."
  )
  var json = false

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
    try Input.checkIsNoURL(input)
    if let output, output.hasSuffix("/") { throw ValidationError("'\(output)' is a folder; name a file in it.") }
    try wanted.check(look)
    if let format = try wanted.encoding.namedFormat(for: output) { try wanted.encoding.check(format, isNamed: true) }
    if writesToStandardOutput {
      if wanted.faces == .each || wanted.size.sides.count > 1 {
        throw ValidationError("Several outputs cannot go to standard output; name a file with -o.")
      }
      if wanted.noFace == .skip {
        throw ValidationError(
          "Without a face --no-face skip would write an empty picture to standard output; choose fail, whose status is 2."
        )
      }
      if json { throw ValidationError("--json takes standard output; name a file for the picture with -o.") }
      if planOut == Input.standard { throw ValidationError("Plan and picture cannot both go to standard output.") }
      if Console.outputIsTerminal { throw ValidationError("A picture would go to the terminal; name a file with -o.") }
    }
    if json && planOut == Input.standard {
      throw ValidationError("--json takes standard output; name a file for the plan.")
    }
    if input == Input.standard && planIn == Input.standard {
      throw ValidationError("Plan and picture cannot both come from standard input.")
    }
  }

  /// Refuses what has no effect with the command's defaults.
  func check(_ defaults: CropDefaults) throws(ValidationError) {
    // A plan may have frames that reach over the edge, and does not say what fills them.
    if planIn == nil { try wanted.checkFill(defaults) }
  }

  var writesToStandardOutput: Bool { output == Input.standard || (output == nil && input == Input.standard) }
  /// What messages call the input.
  var inputName: String { input == Input.standard ? "standard input" : input }

  /// The files that the command line names, to the byte.
  struct Paths {
    var input: FilePath
    var output: FilePath?
    var planOut: FilePath?
    var planIn: FilePath?

    /// Never to be replaced; nil where that is no file.
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
