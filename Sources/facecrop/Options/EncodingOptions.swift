import ArgumentParser
import FaceCrop
import SystemPackage

/// How the outputs are encoded.
struct EncodingOptions: ParsableArguments {
  @Option(
    help: """
      Format of the output; auto is the best that --accept allows. (default: by the output's extension; without one, that of a \
      JPEG, PNG or WebP input, and JPEG for others)
      """)
  var format: FormatChoice?

  @Option(
    help: ArgumentHelp(
      """
      For --format auto: what a client takes, as in HTTP's Accept header. AVIF and WebP are given to those who name them.
      """, valueName: "list"))
  var accept: String?

  @Option(
    help: ArgumentHelp(
      """
      Quality of JPEG, WebP and AVIF, 1 to 100, or lossless for WebP; PNG and TIFF are always lossless. (default: 85)
      """,
      valueName: "q"))
  var quality: QualityChoice?

  @Option(
    help: ArgumentHelp(
      "How fast AVIF is encoded: 0, for the smallest files, to 9. (default: \(Self.usualSpeed))", valueName: "n"))
  var speed: Int?

  /// Where nothing is said.
  private static let usualSpeed = 7

  @Option(
    help: ArgumentHelp(
      """
      The most bytes of an output's file: 30K (30,000), 200KiB. Of JPEG, WebP and AVIF the highest quality that fits is taken, up \
      to --quality; a file that does not fit, as a PNG may not, fails.
      """, valueName: "n"))
  var maxBytes: Quantity?

  @Option(
    help: """
      How much color a JPEG or an AVIF stores: of every pixel (444), of one in two (422), of one in four (420); auto is 444 from \
      quality 90 on, else 420.
      """)
  var subsampling = SubsamplingChoice.auto

  @Flag(help: "Write progressive JPEG, which shows itself coarsely first.")
  var progressive = false

  @Option(
    help: "What of the output is opaque: all, or the circle (ellipse) that touches its sides, for all formats but JPEG."
  )
  var shape = ShapeChoice.square

  @Option(
    help: ArgumentHelp(
      "The color behind transparent pixels where the output is JPEG. (default: ffffff)", valueName: "rrggbb"))
  var background: HexColor?

  func validate() throws {
    if case .level(let level)? = quality, !(1...100).contains(level) {
      throw ValidationError("The quality must be 1 to 100, not \(level).")
    }
    if let speed, !(0...9).contains(speed) { throw ValidationError("The speed must be 0 to 9, not \(speed).") }
    if format == .auto, accept == nil {
      throw ValidationError("--format auto needs --accept, which says what may be chosen.")
    }
    if format != .auto, accept != nil { throw ValidationError("--accept is for --format auto.") }
  }

  /// The format by the option; nil where it is left to the input.
  var chosenFormat: ImageFormat? {
    switch format {
    case nil: nil
    case .format(let format): format
    case .auto: .accepted(by: accept ?? "", needing: shape == .circle ? .transparency : [])
    }
  }

  /// The format that the user names, by option or extension, which must agree; nil leaves it to the input.
  func namedFormat(for output: String?) throws(ValidationError) -> ImageFormat? {
    let path = output.flatMap { $0 == Input.standard ? nil : FilePath($0) }
    let named = path.flatMap { OutputName.format(of: $0) }
    if case .unwritten(let name) = named {
      throw ValidationError("'\(path!)' is named like a \(name) file; \(Self.names()) are written.")
    }
    guard case .written(let byName) = named else { return chosenFormat }
    if let format = chosenFormat, format != byName {
      throw ValidationError("--format says \(format.name), and '\(path!)' is named like a \(byName.name) file.")
    }
    return byName
  }

  /// Refuses what a format cannot do.
  ///
  /// - Parameter isNamed: whether the user chose it. Outputs that are PNG because their inputs are may be among others that
  ///   have a quality.
  func check(_ format: ImageFormat, isNamed: Bool = false) throws(ValidationError) {
    let features = format.encoderFeatures
    if shape == .circle && !features.contains(.transparency) {
      throw ValidationError(
        "\(format.name) has no transparency for --shape circle; "
          + "choose \(Self.names(of: .transparency, "or")) by --format or -o.")
    }
    let given: [(String, isGiven: Bool, ImageFormat.EncoderFeatures)] = [
      ("--progressive", progressive, .progressive), ("--subsampling", subsampling != .auto, .subsampling),
      ("--speed", speed != nil, .speed),
    ]
    for (option, isGiven, feature) in given where isGiven && !features.contains(feature) {
      throw ValidationError("\(option) is for \(Self.names(of: feature)), and the output is \(format.name).")
    }
    if quality == .lossless && !features.contains(.losslessQuality) {
      throw ValidationError(
        "--quality lossless is for \(Self.names(of: .losslessQuality)), and the output is \(format.name).")
    }
    if isNamed && ignoresQuality(format) {
      throw ValidationError(
        "--quality is for \(Self.names(of: .quality)), and the output is \(format.name), which is always lossless.")
    }
  }

  /// The formats that are written and can do that, as a sentence has them.
  private static func names(of features: ImageFormat.EncoderFeatures = [], _ conjunction: String = "and") -> String {
    let names = ImageFormat.allCases.filter { $0.isWritten && $0.encoderFeatures.isSuperset(of: features) }.map(\.name)
    guard names.count > 1 else { return names.joined() }
    return names.dropLast().joined(separator: ", ") + " \(conjunction) " + names[names.count - 1]
  }

  func ignoresQuality(_ format: ImageFormat) -> Bool {
    quality != nil && !format.encoderFeatures.contains(.quality)
  }

  func method(_ format: ImageFormat, isLossless: Bool) -> CropMaker.Method {
    guard !isLossless else { return .lossless }
    return .encoded(
      outputFormat(format), background: background?.color ?? .white,
      mostBytes: maxBytes?.value)
  }

  func outputFormat(_ format: ImageFormat) -> OutputFormat {
    switch (format, quality ?? .level(85)) {
    case (.png, _): .png
    case (.tiff, _): .tiff
    case (.avif, .level(let level)):
      .avif(quality: level, subsampling: subsampling.subsampling, speed: speed ?? Self.usualSpeed)
    case (.webp, .level(let level)): .webp(quality: level)
    case (.webp, .lossless): .webpLossless
    case (_, .level(let level)):
      .jpeg(quality: level, subsampling: subsampling.subsampling, isProgressive: progressive)
    case (_, .lossless): .jpeg(quality: 100)
    }
  }
}

enum FormatChoice: Equatable, ExpressibleByArgument {
  case format(ImageFormat)
  case auto

  init?(argument: String) {
    if argument.lowercased() == "auto" {
      self = .auto
    } else if let format = ImageFormat(argument: argument) {
      self = .format(format)
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] { ImageFormat.allValueStrings + ["auto"] }
}

enum QualityChoice: Equatable, ExpressibleByArgument {
  case level(Int)
  case lossless

  init?(argument: String) {
    if argument == "lossless" {
      self = .lossless
    } else if let level = Int(argument) {
      self = .level(level)
    } else {
      return nil
    }
  }
}

enum SubsamplingChoice: String, ExpressibleByArgument, CaseIterable {
  case auto
  case yuv444 = "444"
  case yuv422 = "422"
  case yuv420 = "420"

  var subsampling: ChromaSubsampling {
    switch self {
    case .auto: .automatic
    case .yuv444: .yuv444
    case .yuv422: .yuv422
    case .yuv420: .yuv420
    }
  }
}

enum ShapeChoice: String, ExpressibleByArgument, CaseIterable {
  case square, circle

  var shape: CropShape { self == .circle ? .circle : .rectangle }
}
