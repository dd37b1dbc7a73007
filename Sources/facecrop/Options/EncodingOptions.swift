import ArgumentParser
import FaceCrop

/// The encoding of the outputs.
struct EncodingOptions: ParsableArguments {
  @OptionGroup var formats: FormatOptions

  @Option(
    help: ArgumentHelp(
      "Set the AVIF speed; 0 makes the smallest files. (range: 0 to 9; default: \(Self.usualSpeed))", valueName: "n"))
  var speed: Int?

  /// The default speed.
  static let usualSpeed = 7

  @Option(help: ArgumentHelp("Limit the size of the output file. (examples: 30K, 200KiB; K is 1,000)", valueName: "n"))
  var maxBytes: ByteCount?

  @Flag(help: "Write progressive JPEG, which loads from coarse to fine.")
  var progressive = false

  @Option(help: "Keep the whole output, or a circle of it with a transparent outside.")
  var shape = ShapeChoice.square

  @Option(
    help: ArgumentHelp("Set the color behind transparent pixels in JPEG. (default: ffffff)", valueName: "rrggbb"))
  var background: HexColor?

  @OptionGroup var backdrop: BackgroundOptions

  func validate() throws {
    if let speed, !(0...9).contains(speed) { throw ValidationError("--speed \(speed) is out of range (use 0 to 9)") }
  }

  /// The format of the option; nil leaves it to the input.
  var chosenFormat: ImageFormat? { formats.chosen(needing: neededFeatures) }

  /// Returns the format by option or extension, which must agree; nil leaves it to the input.
  func namedFormat(for output: String?) throws(ValidationError) -> ImageFormat? {
    try formats.named(for: output, needing: neededFeatures)
  }

  private var neededFeatures: ImageFormat.EncoderFeatures {
    shape == .circle || backdrop.isTransparent ? .transparency : []
  }

  /// Refuses options that the format does not support. Without `isNamed` the user did not choose the format. Outputs
  /// that follow a PNG input can then be among others with a quality.
  func check(_ format: ImageFormat, isNamed: Bool = false) throws(ValidationError) {
    try FormatOptions.check(
      [
        ("--shape circle", shape == .circle, .transparency),
        ("--background-fill transparent", backdrop.isTransparent, .transparency),
        ("--progressive", progressive, .progressive),
        ("--speed", speed != nil, .speed),
      ], format)
    try formats.check(format, isNamed: isNamed)
  }

  func ignoresQuality(_ format: ImageFormat) -> Bool { formats.ignoresQuality(format) }

  /// Returns the encoding. `mostBytes` counts without --max-bytes.
  func method(_ format: ImageFormat, isLossless: Bool, mostBytes: Int? = nil) -> CropMaker.Method {
    guard !isLossless else { return .lossless }
    return .encoded(
      outputFormat(format), background: background?.color ?? .white,
      mostBytes: maxBytes?.value ?? mostBytes)
  }

  func outputFormat(_ format: ImageFormat) -> OutputFormat {
    formats.outputFormat(format, speed: speed ?? Self.usualSpeed, isProgressive: progressive)
  }
}

enum ShapeChoice: String, ExpressibleByArgument, CaseIterable {
  case square, circle

  var shape: CropShape { self == .circle ? .circle : .rectangle }
}
