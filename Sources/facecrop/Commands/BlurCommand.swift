import ArgumentParser
import FaceCrop

struct BlurCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "blur", "Hide the faces in images, and keep everything else.", usage: "<input> ...",
    examples: """
      facecrop blur street.jpg
          writes street-blur.jpg; only the blocks with faces change
      facecrop blur party.jpg --except 1 --mode pixelate -o public.jpg
      """)

  @Argument(
    help: ArgumentHelp("Image files, not folders; - is standard input.", valueName: "input"), completion: .file())
  var inputs: [String]

  @OptionGroup(title: HelpTitle.input) var page: PageOption
  @OptionGroup(title: HelpTitle.output) var destination: FileOptions
  @OptionGroup(title: HelpTitle.faces) var faces: BlurOptions
  @OptionGroup(title: HelpTitle.blur) var blur: BlurLookOptions
  @OptionGroup(title: HelpTitle.blur) var people: PeopleOptions
  @OptionGroup(title: HelpTitle.encoding) var formats: FormatOptions
  @OptionGroup(title: HelpTitle.color) var metadata: KeptOptions
  @OptionGroup(title: HelpTitle.plans) var plans: PlanOptions
  @OptionGroup var look: LookOptions
  @OptionGroup(title: HelpTitle.reporting) var reporting: ReportOptions

  struct KeptOptions: ParsableArguments {
    @Option(.of("metadata", .blur)) var metadata = MetadataPolicy.keep
    @Flag(.of("keep-location", .blur)) var keepLocation = false

    func validate() throws {
      if keepLocation && metadata != .keep {
        throw ValidationError("--keep-location needs --metadata keep (leave one of them out)")
      }
    }
  }

  struct PlanOptions: ParsableArguments {
    @Option(.of("plan-out", .blur)) var planOut: String?
    @Option(.of("plan-in", .blur)) var planIn: String?
  }

  struct ReportOptions: ParsableArguments {
    @Flag(.of("json", .blur)) var json = false

    @Option(.of("progress")) var progress = ProgressChoice.auto
  }

  var writesToStandardOutput: Bool {
    destination.output == Input.standard || (destination.output == nil && inputs.contains(Input.standard))
  }

  func validate() throws {
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
    let choices = [plans.planIn != nil, faces.names != nil, faces.selection != .all || faces.minFace != nil]
    if choices.count(where: \.self) > 1 {
      throw ValidationError("--plan-in or --names has the faces (leave out the other, --faces, --except, --min-face)")
    }
    if let format = try formats.named(for: destination.output) { try formats.check(format, isNamed: true) }
    try Output.checkStandard(image: writesToStandardOutput, plan: plans.planOut, json: reporting.json)
  }

  var request: BlurRequest {
    BlurRequest(
      mode: blur.mode, shape: blur.shape, margin: blur.margin, faces: faces.selection,
      smallestFace: faces.minFace, metadata: metadata.metadata, keepsLocation: metadata.keepLocation,
      allowsDamage: look.allowTruncated)
  }
}
