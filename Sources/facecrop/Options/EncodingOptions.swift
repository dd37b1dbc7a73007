import ArgumentParser
import FaceCrop

/// The encoding of the outputs.
struct EncodingOptions: ParsableArguments {
  @OptionGroup var formats: FormatOptions

  @Option(.of("speed")) var speed: Int?
  @Option(.of("max-bytes"), parse: Quantity.bytes.positive) var maxBytes: Int?
  @Flag(.of("progressive")) var progressive = false
  @Option(.of("shape", .crop)) var shape = ShapeChoice.square
  @Option(.of("matte"), parse: BackgroundColor.parsed) var matte: BackgroundColor?

  /// The default speed.
  static let usualSpeed = 7

  @OptionGroup var backdrop: BackgroundOptions

  /// The format of the option; nil leaves it to the input.
  var chosenFormat: ImageFormat? { formats.chosen(needing: neededFeatures) }

  /// Returns the format by option or extension, which must agree; nil leaves it to the input.
  func namedFormat(for output: String?) throws(ValidationError) -> ImageFormat? {
    try formats.named(for: output, needing: neededFeatures)
  }

  var neededFeatures: ImageFormat.EncoderFeatures {
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

  func outputFormat(_ format: ImageFormat) -> OutputFormat {
    formats.outputFormat(format, speed: speed ?? Self.usualSpeed, isProgressive: progressive)
  }
}

enum ShapeChoice: String, ExpressibleByArgument, CaseIterable {
  case square, circle

  var shape: CropShape { self == .circle ? .circle : .rectangle }
}
