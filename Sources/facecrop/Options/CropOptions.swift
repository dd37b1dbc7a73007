import ArgumentParser

/// The file of an output, for commands with few of them.
struct FileOptions: ParsableArguments {
  @Option(.of("output")) var output: String?
  @Flag(.of("clobber")) var clobber = true
}

extension Output {
  /// Refuses two uses of standard output, and an image on a terminal.
  static func checkStandard(image: Bool, plan: String? = nil, json: Bool = false) throws(ValidationError) {
    let users = [image ? "the image" : nil, plan == Input.standard ? "--plan-out" : nil, json ? "--json" : nil]
      .compactMap { $0 }
    if users.count > 1 {
      throw ValidationError("\(users[0]) and \(users[1]) both go to standard output (name a file for one of them)")
    }
    if image && Console.outputIsTerminal {
      throw ValidationError("standard output is a terminal, which shows no images (name a file with -o)")
    }
  }
}

/// The options of `crop` and `avatar`: one image, its outputs, and the crop request.
struct CropOptions: ParsableArguments {
  struct PlanOptions: ParsableArguments {
    @Option(.of("plan-out")) var planOut: String?
    @Option(.of("plan-in")) var planIn: String?
  }

  struct ReportOptions: ParsableArguments {
    @Flag(.of("json")) var json = false
    @Option(.of("progress")) var progress = ProgressChoice.auto
  }

  @Argument(help: "Image file; - is standard input.", completion: .file())
  var input: String

  @OptionGroup(title: HelpTitle.input) var page: PageOption
  @OptionGroup(title: HelpTitle.output) var destination: FileOptions
  @OptionGroup var wanted: RequestOptions
  @OptionGroup(title: HelpTitle.plans) var plans: PlanOptions
  @OptionGroup var look: LookOptions
  @OptionGroup(title: HelpTitle.reporting) var reporting: ReportOptions

  var output: String? { destination.output }

  mutating func validate() throws {
    try wanted.resolveBackground()
    let (planOut, planIn) = (plans.planOut, plans.planIn)
    if let planOut, planOut == output, planOut != Input.standard {
      throw ValidationError("-o and --plan-out name the same file, '\(planOut)' (choose two files)")
    }
    if let format = try wanted.encoding.namedFormat(for: output) { try wanted.encoding.check(format, isNamed: true) }
    try Output.checkStandard(image: writesToStandardOutput, plan: planOut, json: reporting.json)
    if writesToStandardOutput {
      if wanted.faces == .each || wanted.size.labels.count > 1 {
        throw ValidationError("standard output takes one output, and several are requested (name a file with -o)")
      }
      if wanted.color.sidecar {
        throw ValidationError(
          "--sidecar needs an output file, and the image goes to standard output (name one with -o)")
      }
      if wanted.face.noFace == .skip {
        throw ValidationError(
          "--no-face skip would write an empty image to standard output (use --no-face fail, which exits with status 2)"
        )
      }
    }
    if input == Input.standard && planIn == Input.standard {
      throw ValidationError("--plan-in and the image both come from standard input (name a file for one of them)")
    }
  }

  /// Refuses options that have no effect with the command's defaults.
  func check(_ defaults: CropDefaults) throws(ValidationError) {
    // A plan may have frames that reach over the edge, but does not contain the fill.
    if plans.planIn == nil { try wanted.checkFill(defaults) }
  }

  var writesToStandardOutput: Bool { output == Input.standard || (output == nil && input == Input.standard) }
}
