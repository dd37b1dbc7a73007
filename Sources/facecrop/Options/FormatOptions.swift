import ArgumentParser
import FaceCrop
import SystemPackage

/// The format and quality of the outputs, for all commands that write images.
struct FormatOptions: ParsableArguments {
  @Option(.of("format")) var format: FormatChoice?
  @Option(.of("accept")) var accept: String?
  @Option(.of("quality"), parse: QualityChoice.parsed) var quality: QualityChoice?
  @Option(.of("subsampling")) var subsampling = SubsamplingChoice.auto

  func validate() throws {
    if format == .auto, accept == nil {
      throw ValidationError("--format auto needs the client's media types (add --accept image/webp)")
    }
  }

  /// Returns the format of the option; nil leaves it to the input. An automatic choice needs `features`.
  func chosen(needing features: ImageFormat.EncoderFeatures = []) -> ImageFormat? {
    switch format {
    case nil: nil
    case .format(let format): format
    case .auto: .accepted(by: accept ?? "", needing: features)
    }
  }

  /// Returns the format by option or extension, which must agree; nil leaves it to the input. An automatic choice needs
  /// `features`.
  func named(
    for output: String?, needing features: ImageFormat.EncoderFeatures = []
  ) throws(ValidationError) -> ImageFormat? {
    let path = output.flatMap { $0 == Input.standard ? nil : FilePath($0) }
    let named = path.flatMap { OutputName.format(of: $0) }
    if case .unwritten(let name) = named {
      throw ValidationError(
        "'\(path!)' has the extension of \(name), which facecrop does not write (use \(Self.names(conjunction: "or")))")
    }
    guard case .written(let byName) = named else {
      if let path, format == nil, let meant = path.extension.flatMap(OutputName.misspelled) {
        throw ValidationError(
          "'\(path)' has an extension of no image format (did you mean .\(meant)? otherwise add --format)")
      }
      return chosen(needing: features)
    }
    if let format = chosen(needing: features), format != byName {
      throw ValidationError(
        "'\(path!)' has the extension of \(byName.name), and --format is \(format.name) (change one of them)")
    }
    return byName
  }

  /// Returns whether nobody named the format of an output, so that another one may follow.
  func isFree(for output: String?) -> Bool {
    guard format == nil || format == .auto else { return false }
    if case .written? = output.flatMap({ OutputName.format(of: FilePath($0)) }) { return false }
    return true
  }

  /// Refuses options that the format does not support. Without `isNamed` the user did not choose the format. Outputs
  /// that follow a PNG input can then be among others with a quality.
  func check(_ format: ImageFormat, isNamed: Bool = false) throws(ValidationError) {
    try Self.check([("--subsampling", subsampling != .auto, .subsampling)], format)
    try Self.check([("--quality lossless", quality == .lossless, .losslessQuality)], format)
    if isNamed && ignoresQuality(format) {
      throw ValidationError(
        "--quality does not work with \(format.name), which \(format == .gif ? "has none" : "is always lossless") "
          + "(leave it out, or write \(Self.names(of: .quality, conjunction: "or")))")
    }
  }

  /// Refuses options that need a feature that the format lacks.
  static func check(
    _ options: [(name: String, isGiven: Bool, feature: ImageFormat.EncoderFeatures)], _ format: ImageFormat
  ) throws(ValidationError) {
    for option in options where option.isGiven && !format.encoderFeatures.contains(option.feature) {
      throw ValidationError(
        "\(option.name) does not work with \(format.name) "
          + "(leave it out, or write \(names(of: option.feature, conjunction: "or")))")
    }
  }

  /// Returns the written formats with the features, as text.
  private static func names(of features: ImageFormat.EncoderFeatures = [], conjunction: String) -> String {
    let names = ImageFormat.allCases.filter { $0.isWritten && $0.encoderFeatures.isSuperset(of: features) }.map(\.name)
    guard names.count > 1 else { return names.joined() }
    return names.dropLast().joined(separator: ", ") + " \(conjunction) " + names[names.count - 1]
  }

  /// Returns the format for an image whose faces are hidden; nil keeps the blocks of a JPEG file without hidden faces.
  func blurFormat(_ format: ImageFormat, of own: ImageFormat) -> OutputFormat? {
    let isKept = own == .jpeg && format == .jpeg && quality == nil && subsampling == .auto
    return isKept ? nil : outputFormat(format, speed: EncodingOptions.usualSpeed)
  }

  func ignoresQuality(_ format: ImageFormat) -> Bool {
    quality != nil && !format.encoderFeatures.contains(.quality)
  }

  /// Returns the output format. `speed` is only for AVIF, `isProgressive` only for JPEG.
  func outputFormat(_ format: ImageFormat, speed: Int = 0, isProgressive: Bool = false) -> OutputFormat {
    switch (format, quality ?? .level(OutputFormat.usualQuality)) {
    case (.png, _): .png
    case (.tiff, _): .tiff
    case (.gif, _): .gif
    case (.avif, .level(let level)): .avif(quality: level, subsampling: subsampling.subsampling, speed: speed)
    case (.webp, .level(let level)): .webp(quality: level)
    case (.webp, .lossless): .webpLossless
    // A new format that facecrop writes needs a case of its own.
    case (.jpeg, .level(let level)), (.heic, .level(let level)), (.jxl, .level(let level)), (.raw, .level(let level)):
      .jpeg(quality: level, subsampling: subsampling.subsampling, isProgressive: isProgressive)
    // No format but WebP has the quality, which is an error before.
    case (.jpeg, .lossless), (.avif, .lossless), (.heic, .lossless), (.jxl, .lossless), (.raw, .lossless):
      .jpeg(quality: 100)
    }
  }
}

enum FormatChoice: Equatable, ExpressibleByArgument {
  case format(ImageFormat)
  case auto

  init?(argument: String) {
    // File extensions such as jpg are accepted too.
    let name = argument.lowercased()
    let format = ImageFormat.allCases.first {
      $0.isWritten && ($0.rawValue == name || $0.fileExtensions.contains(name))
    }
    guard format != nil || name == "auto" else { return nil }
    self = format.map { .format($0) } ?? .auto
  }

  static var allValueStrings: [String] { OptionFact.of("format").choices }
}

enum QualityChoice: Equatable {
  case level(Int)
  case lossless

  static func parsed(_ argument: String) -> QualityChoice? {
    argument == "lossless" ? .lossless : Int(argument).map(QualityChoice.level)
  }
}

enum SubsamplingChoice: String, ExpressibleByArgument, CaseIterable {
  case auto
  case yuv444 = "444"
  case yuv422 = "422"
  case yuv420 = "420"

  /// The library's value, in which colons separate the digits.
  var subsampling: ChromaSubsampling {
    ChromaSubsampling(rawValue: rawValue.map(String.init).joined(separator: ":")) ?? .automatic
  }
}
