import ArgumentParser
import FaceCrop
import SystemPackage

struct BlurCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blur",
    abstract: "Hide the faces in images, and keep everything else.",
    usage: "facecrop blur [<options>] <input> ...",
    discussion: HelpText.examples(
      """
      facecrop blur street.jpg
          writes street-blur.jpg; only the blocks with faces change
      facecrop blur party.jpg --except 1 --mode pixelate -o public.jpg
      """))

  @Argument(
    help: ArgumentHelp("Image files, not folders; - is standard input.", valueName: "input"), completion: .file())
  var inputs: [String]

  @OptionGroup(title: HelpTitle.output) var destination: OutputOptions
  @OptionGroup(title: HelpTitle.faces) var faces: HidingOptions
  @OptionGroup(title: HelpTitle.hiding) var hiding: HidingLookOptions
  @OptionGroup(title: HelpTitle.encoding) var formats: FormatOptions
  @OptionGroup(title: HelpTitle.color) var metadata: KeptOptions
  @OptionGroup(title: HelpTitle.plans) var plans: PlanOptions
  @OptionGroup var look: LookOptions
  @OptionGroup(title: HelpTitle.reporting) var reporting: ReportOptions

  struct OutputOptions: ParsableArguments {
    @Option(
      name: .shortAndLong,
      help: ArgumentHelp(
        "Write this file. (- is standard output; default: NAME-blur.EXT beside the input, or - for standard input)",
        valueName: "file"),
      completion: .file())
    var output: String?

    @Flag(
      name: .customLong("clobber"), inversion: .prefixedNo,
      help: "Replace an existing output; --no-clobber fails instead.")
    var clobber = true
  }

  struct KeptOptions: ParsableArguments {
    @Option(help: "Choose the metadata that the output keeps.")
    var metadata = MetadataPolicy.keep

    @Flag(help: "Keep the GPS position.")
    var keepLocation = false

    func validate() throws {
      if keepLocation && metadata != .keep {
        throw ValidationError("--keep-location needs --metadata keep (leave one of them out)")
      }
    }
  }

  struct PlanOptions: ParsableArguments {
    @Option(
      help: ArgumentHelp("Write the plan (faces and hidden areas) as JSON.", valueName: "file"), completion: .file())
    var planOut: String?

    @Option(
      help: ArgumentHelp("Hide the areas of this plan, without a search for faces.", valueName: "file"),
      completion: .file())
    var planIn: String?
  }

  struct ReportOptions: ParsableArguments {
    @Flag(help: "Print a JSON object per image on standard output.")
    var json = false

    @OptionGroup var progress: ProgressOption
  }

  private var writesToStandardOutput: Bool {
    destination.output == Input.standard || (destination.output == nil && inputs.contains(Input.standard))
  }

  func validate() throws {
    for input in inputs { try Input.checkIsNoURL(input) }
    for name in [destination.output, plans.planOut, plans.planIn] where name?.isEmpty == true {
      throw ValidationError("a file name is empty (name a file)")
    }
    if let output = destination.output, output.hasSuffix("/") {
      throw ValidationError("-o '\(output)' is a folder (name a file in it)")
    }
    let single: [(name: String, isGiven: Bool)] = [
      ("-o", destination.output != nil), ("--plan-out", plans.planOut != nil), ("--plan-in", plans.planIn != nil),
      ("-", inputs.contains(Input.standard)),
    ]
    if inputs.count > 1, let option = single.first(where: { $0.isGiven }) {
      throw ValidationError("\(option.name) takes one image, and \(inputs.count) are named (name one image)")
    }
    if let planOut = plans.planOut, planOut == destination.output, planOut != Input.standard {
      throw ValidationError("-o and --plan-out name the same file, '\(planOut)' (choose two files)")
    }
    if plans.planIn == Input.standard, inputs.contains(Input.standard) {
      throw ValidationError("--plan-in and the image both come from standard input (name a file for one of them)")
    }
    if plans.planIn != nil, faces.selection != .all || faces.minFace != nil {
      throw ValidationError("--plan-in has the faces (leave out --faces, --except and --min-face)")
    }
    if let format = try formats.named(for: destination.output) { try formats.check(format, isNamed: true) }
    try checkStandardOutput()
  }

  private func checkStandardOutput() throws {
    let users: [(name: String, isGiven: Bool)] = [
      ("the image", writesToStandardOutput), ("--plan-out", plans.planOut == Input.standard),
      ("--json", reporting.json),
    ]
    let given = users.filter { $0.isGiven }.map { $0.name }
    if given.count > 1 {
      throw ValidationError(
        "\(given[0]) and \(given[1]) both go to standard output (name a file for one of them)")
    }
    if writesToStandardOutput && Console.outputIsTerminal {
      throw ValidationError("standard output is a terminal, which shows no images (name a file with -o)")
    }
  }

  private var request: Anonymization {
    Anonymization(
      mode: hiding.mode, shape: hiding.shape, margin: hiding.margin, faces: faces.selection,
      smallestFace: faces.minFace, metadata: metadata.metadata, keepsLocation: metadata.keepLocation,
      allowsDamage: look.allowTruncated)
  }

  mutating func run() async throws {
    var raw = RawArguments()
    let output = destination.output.map { raw.path($0, of: ["-o", "--output"]) }
    let planOut = plans.planOut.map { raw.path($0, of: ["--plan-out"]) }
    let planIn = plans.planIn.map { raw.path($0, of: ["--plan-in"]) }
    try await BlurRun(
      inputs: EachInput.Name.all(inputs, raw),
      output: writesToStandardOutput ? FilePath(Input.standard) : output, planOut: planOut, planIn: planIn,
      request: request, formats: formats, format: try formats.named(for: destination.output), look: look,
      replacing: destination.clobber ? .images : .nothing, json: reporting.json,
      progress: reporting.progress.progress)()
  }
}
