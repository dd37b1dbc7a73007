import ArgumentParser
import FaceCrop

/// The size of the output on paper.
struct PrintOptions: ParsableArguments {
  @Option(
    name: .customLong("print"),
    help: ArgumentHelp(
      "Set the size on paper. (\(HelpDefaults.print))", valueName: "wxh"),
    transform: PrintSize.parsed)
  var printSize: PrintSize?

  @Option(help: ArgumentHelp("Set the pixels per inch of the output. (default: \(HelpDefaults.dpi))", valueName: "n"))
  var dpi: Int?

  func validate() throws {
    if let dpi, !(1...65_535).contains(dpi) {
      throw ValidationError("--dpi \(dpi) is out of range (use 1 to 65535)")
    }
  }

  var perInch: Int { dpi ?? PrintSize.usualResolution }

  /// The size in pixels; nil without a size on paper. Throws an error for a size with no or too many pixels.
  var pixels: PixelSize? {
    get throws(ValidationError) { try printSize?.pixels(perInch: perInch) }
  }

  /// The resolution for the output's file in pixels per inch, if set on the command line.
  var resolution: Double? { dpi.map(Double.init) ?? printSize.map { _ in Double(perInch) } }
}
