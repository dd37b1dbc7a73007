import ArgumentParser
import FaceCrop

struct SheetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "sheet", "Lay out prints of heads on sheets of paper, with cut marks or names.", usage: "<input> ...",
    examples: """
      facecrop sheet me.jpg
          writes me-sheet.jpg
      facecrop sheet a.jpg b.jpg -o sheet.tiff --paper a4 --dpi 600
      facecrop sheet class.jpg --faces each --names names.csv --paper a4
      """)

  @Argument(help: ArgumentHelp("Image files; - is standard input.", valueName: "input"), completion: .file())
  var inputs: [String]

  @OptionGroup(title: HelpTitle.input) var page: PageOption
  @OptionGroup(title: HelpTitle.output) var destination: FileOptions
  @OptionGroup(title: HelpTitle.paper) var sheet: SheetOptions
  @OptionGroup(title: HelpTitle.faces) var face: FaceOptions
  @OptionGroup(title: HelpTitle.framing) var framing: FramingOptions
  @OptionGroup(title: HelpTitle.encoding) var formats: FormatOptions
  @OptionGroup(title: HelpTitle.plans) var plans: PlanOptions
  @OptionGroup(title: HelpTitle.encoding) var backdrop: BackgroundOptions
  @OptionGroup var look: LookOptions

  struct PlanOptions: ParsableArguments {
    @Option(.of("plan-in", .sheet)) var planIn: String?
  }

  /// Standard output for standard input, like `crop`; nil for a name beside the first input.
  private var output: String? { destination.output ?? (inputs.first == Input.standard ? Input.standard : nil) }

  mutating func validate() throws {
    try backdrop.resolve(for: framing.preset)
    if plans.planIn == nil { try framing.checkFill(.sheet) }
    let format = try format()
    guard [.jpeg, .png, .tiff].contains(format) else {
      throw ValidationError("sheet does not write \(format.name) (use JPEG, PNG or TIFF)")
    }
    try formats.check(format, isNamed: true)
    if backdrop.isTransparent {
      throw ValidationError("paper has no transparency (use --background-fill white)")
    }
    if output == Input.standard {
      if format == .tiff {
        throw ValidationError(
          "TIFF cannot be written to standard output, since its header comes last (name a file with -o)")
      }
      try Output.checkStandard(image: true)
    }
    // With a face for each input, as far as it is known now.
    _ = try pages().layouts(for: inputs.count)
  }

  private func format() throws -> ImageFormat { try formats.named(for: output) ?? .jpeg }

  private func pages() throws -> SheetPages {
    let dpi = sheet.perInch
    return SheetPages(
      measures: SheetLayout.Measures(
        paper: sheet.paper, gap: sheet.gap, margin: sheet.margin, resolution: Double(dpi),
        caption: sheet.hasCaptions ? SheetPages.captionHeight : 0),
      print: try printSize.pixels(perInch: dpi), copies: sheet.copies,
      // Photos with names are looked at, not cut out.
      hasMarks: sheet.cutMarks && !sheet.hasCaptions)
  }

  /// The size of prints: by option, or the document's.
  private var printSize: PrintSize {
    sheet.size ?? framing.document(.sheet).flatMap { PrintSize($0) }
      // Most passport photos have this size (ICAO Doc 9303).
      ?? PrintSize(width: 35 / 25.4, height: 45 / 25.4)
  }

  /// The request without the print size, which the layout determines.
  private var request: CropRequest {
    var output = CropOutput(resolution: sheet.dpi.map(Double.init) ?? sheet.size.map { _ in Double(sheet.perInch) })
    if let fill = framing.pad { output.fill = fill }
    let (preset, defaults) = (framing.preset ?? CropDefaults.sheet.preset, CropDefaults.sheet)
    return CropRequest(
      search: face.search(preset, noFace: defaults.noFace), composition: framing.composition(preset, aspect: nil),
      output: output, allowsDamage: look.allowTruncated)
  }

  mutating func run() async throws {
    let given = GivenOptions.launch
    let format = try format()
    var request = request
    request.output.background = try await backdrop.read(look.limits)
    let first = given.inputs[0].path
    let beside =
      output == Input.standard ? first : OutputName.beside(first, suffix: CropDefaults.sheet.suffix, format: format)
    try await SheetRun(
      page: page.page, background: backdrop.file, output: given.path(of: "output") ?? beside, pages: pages(),
      hasCaptions: sheet.hasCaptions, request: request, format: formats.outputFormat(format), look: look,
      replacesOutputs: destination.clobber)()
  }
}
