import ArgumentParser
import FaceCrop

struct SheetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sheet",
    abstract: "Lay out prints of heads on a sheet of paper, with cut marks.",
    usage: "facecrop sheet [<options>] <input> ... -o <file>",
    discussion: HelpText.examples(
      """
      facecrop sheet me.jpg -o sheet.jpg
      facecrop sheet a.jpg b.jpg -o sheet.tiff --paper a4 --dpi 600
      """))

  @Argument(help: ArgumentHelp("Image files; - is standard input.", valueName: "input"), completion: .file())
  var inputs: [String]

  @OptionGroup(title: HelpTitle.output) var destination: OutputOptions
  @OptionGroup(title: HelpTitle.paper) var sheet: SheetOptions
  @OptionGroup(title: HelpTitle.print) var printing: PrintOptions
  @OptionGroup(title: HelpTitle.faces) var face: FaceOptions
  @OptionGroup(title: HelpTitle.framing) var framing: FramingOptions
  @OptionGroup(title: HelpTitle.encoding) var formats: FormatOptions
  @OptionGroup var look: LookOptions

  struct OutputOptions: ParsableArguments {
    @Option(
      name: .shortAndLong,
      help: ArgumentHelp("Write this file. (- is standard output, for JPEG and PNG)", valueName: "file"),
      completion: .file())
    var output: String

    @Flag(
      name: .customLong("clobber"), inversion: .prefixedNo,
      help: "Replace an existing output; --no-clobber fails instead.")
    var clobber = true
  }

  private var output: String { destination.output }

  func validate() throws {
    for input in inputs { try Input.checkIsNoURL(input) }
    if output.isEmpty || output.hasSuffix("/") {
      throw ValidationError("-o '\(output)' is not a file name (name the file of the sheet)")
    }
    if face.faces == .each {
      throw ValidationError("--faces each makes several prints of an image, and a sheet has one (use --faces 1)")
    }
    if face.noFace == .skip {
      throw ValidationError("--no-face skip would leave prints blank (use --no-face fail)")
    }
    try framing.check(look)
    try framing.checkFill(.sheet)
    let format = try format
    guard [.jpeg, .png, .tiff].contains(format) else {
      throw ValidationError("sheet does not write \(format.name) (use JPEG, PNG or TIFF)")
    }
    try formats.check(format, isNamed: true)
    if output == Input.standard {
      if format == .tiff {
        throw ValidationError(
          "TIFF cannot be written to standard output, since its header comes last (name a file with -o)")
      }
      if Console.outputIsTerminal {
        throw ValidationError("standard output is a terminal, which shows no images (name a file with -o)")
      }
    }
    _ = try layout
  }

  private var format: ImageFormat {
    get throws { try formats.named(for: output) ?? .jpeg }
  }

  private var layout: SheetLayout {
    get throws {
      let dpi = printing.perInch
      let print = try (printing.printSize ?? .passport).pixels(perInch: dpi)
      let measures = SheetLayout.Measures(
        paper: sheet.paper, gap: sheet.gap, margin: sheet.margin, resolution: Double(dpi))
      do throws(FaceCropError) {
        let room = try SheetLayout(measures, print: print, count: 1, hasMarks: false).capacity
        let copies = sheet.copies ?? max(room / inputs.count, 1)
        let (count, overflows) = copies.multipliedReportingOverflow(by: inputs.count)
        return try SheetLayout(
          measures, print: print, count: overflows ? .max : count, hasMarks: sheet.cutMarks)
      } catch {
        guard case .invalidRequest(let message) = error else { throw error }
        throw ValidationError(
          "sheet cannot be laid out: \(message) (change --paper, --print, --copies, --gap or --margin)")
      }
    }
  }

  /// The request without the print size, which the layout determines.
  private var request: CropRequest {
    var output = CropOutput(resolution: printing.resolution)
    if let fill = framing.fill { output.fill = fill }
    return CropRequest(
      search: face.search(.sheet), composition: framing.composition(.sheet, aspect: nil), output: output,
      allowsDamage: look.allowTruncated)
  }

  mutating func run() async throws {
    var raw = RawArguments()
    let path = raw.path(output, of: ["-o", "--output"])
    try await SheetRun(
      inputs: EachInput.Name.all(inputs, raw), output: path, layout: layout,
      request: request, format: formats.outputFormat(format), look: look,
      replacesOutputs: destination.clobber)()
  }
}

extension CropDefaults {
  /// The defaults of `sheet`. A missing face is an error, because a print without one would be useless.
  static let sheet = CropDefaults(faces: .largest, preset: .passport, noFace: .fail, suffix: "sheet")
}

extension PrintSize {
  /// The size of most passport photos (ICAO Doc 9303).
  static let passport = PrintSize(width: 35 / 25.4, height: 45 / 25.4)
}
