import ArgumentParser
import FaceCrop

struct SheetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sheet",
    abstract: "Lays out prints of heads on a sheet of paper, with marks to cut them by.",
    usage: "facecrop sheet [<options>] <input> ...",
    discussion: """
      Each picture is cropped as avatar does it, by default for a passport: 35x45mm. The sheet is written from the top, so that one of A4 \
      at 600 dpi takes as little memory as one print. It is JPEG, PNG or TIFF, and says its resolution: print it at 100 %.

      EXAMPLES
        facecrop sheet me.jpg -o sheet.jpg
            fills 10x15cm with passport pictures
        facecrop sheet a.jpg b.jpg -o sheet.tiff --paper a4 --dpi 600 --copies 4
        facecrop sheet team/*.jpg -o team.png --paper letter --print 2x2in --preset portrait
      """)

  @Argument(help: ArgumentHelp("The pictures; - is standard input.", valueName: "input"), completion: .file())
  var inputs: [String]

  @Option(
    name: .shortAndLong, help: "The file to write; - is standard output, for JPEG and PNG.", completion: .file())
  var output: String

  @OptionGroup var sheet: SheetOptions

  @OptionGroup var wanted: RequestOptions

  @OptionGroup var look: LookOptions

  /// What a print on a sheet cannot have.
  private static let unfit: [OptionRule<RequestOptions>] = [
    OptionRule("--faces each") { $0.faces == .each },
    OptionRule("--size") { !$0.size.sides.isEmpty },
    OptionRule("--width and --height") { $0.width != nil || $0.height != nil },
    OptionRule("--aspect") { $0.aspect != nil },
    OptionRule("--min-size") { $0.minSize != nil },
    OptionRule("--color as-is") { $0.color != nil && $0.color != .srgb },
    OptionRule("--metadata") { $0.metadata != .strip },
    OptionRule("--gain-map") { $0.gainMap != nil },
    OptionRule("--max-bytes") { $0.encoding.maxBytes != nil },
    OptionRule("--progressive") { $0.encoding.progressive },
    OptionRule("--shape circle") { $0.encoding.shape == .circle },
    OptionRule("--background") { $0.encoding.background != nil },
    OptionRule("--no-face skip") { $0.noFace == .skip },
  ]

  func validate() throws {
    for input in inputs { try Input.checkIsNoURL(input) }
    if output.isEmpty || output.hasSuffix("/") { throw ValidationError("-o names the sheet's file.") }
    if let first = Self.unfit.first(where: { $0.isGiven(wanted) }) {
      throw ValidationError("A sheet's prints have no choice of \(first.words); leave it out.")
    }
    try wanted.check(look)
    try wanted.checkFill(.sheet)
    let format = try format
    guard [.jpeg, .png, .tiff].contains(format) else {
      throw ValidationError("A sheet is written as JPEG, PNG or TIFF, and the output is \(format.name).")
    }
    try wanted.encoding.check(format, isNamed: true)
    if output == Input.standard {
      if format == .tiff { throw ValidationError("A TIFF file's beginning is written last; name a file with -o.") }
      if Console.outputIsTerminal { throw ValidationError("A picture would go to the terminal; name a file with -o.") }
    }
    _ = try layout
  }

  private var format: ImageFormat {
    get throws { try wanted.encoding.namedFormat(for: output) ?? .jpeg }
  }

  private var layout: SheetLayout {
    get throws {
      let dpi = wanted.dpi ?? PrintSize.usualResolution
      let print = try (wanted.printSize ?? .passport).pixels(perInch: dpi)
      let measures = SheetLayout.Measures(
        paper: sheet.paper, gap: sheet.gap, margin: sheet.margin, resolution: Double(dpi))
      do throws(FaceCropError) {
        let room = try SheetLayout(measures, print: print, count: nil).capacity
        let copies = sheet.copies ?? max(room / inputs.count, 1)
        let (count, overflows) = copies.multipliedReportingOverflow(by: inputs.count)
        return try SheetLayout(
          measures, print: print, count: overflows ? .max : count, hasMarks: sheet.cutMarks)
      } catch {
        guard case .invalidRequest(let message) = error else { throw error }
        throw ValidationError(
          "The sheet cannot be: \(message); choose another --paper, --print, --copies, --gap or --margin.")
      }
    }
  }

  mutating func run() async throws {
    var raw = RawArguments()
    let path = raw.path(output, of: ["-o", "--output"])
    try await SheetRun(
      inputs: EachInput.Name.all(inputs, raw), output: path, layout: layout,
      request: wanted.request(.sheet, look: look), format: wanted.encoding.outputFormat(format), look: look)()
  }
}

extension CropDefaults {
  /// Who cuts out prints wants to know where there is no face.
  static let sheet = CropDefaults(faces: .largest, preset: .passport, noFace: .fail, suffix: "sheet")
}

extension PrintSize {
  /// What most passports have (ICAO Doc 9303).
  static let passport = PrintSize(width: 35 / 25.4, height: 45 / 25.4)
}
