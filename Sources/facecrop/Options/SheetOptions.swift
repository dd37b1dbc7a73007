import ArgumentParser
import FaceCrop

/// A sheet of paper, and the layout of prints on it.
struct SheetOptions: ParsableArguments {
  @Option(.of("size", .sheet), parse: PrintSize.parsed) var size: PrintSize?
  @Option(.of("paper"), parse: Self.paper) var paper = PaperSize.photo
  @Option(.of("dpi")) var dpi: Int?
  @Option(.of("copies")) var copies: Int?
  @Option(.of("gap"), parse: Self.length) var gap = 2 / 25.4
  @Option(.of("margin", .sheet), parse: Self.length) var margin = 4 / 25.4
  @Flag(.of("cut-marks")) var cutMarks = true
  @Flag(.of("captions")) var captions = false
  @Option(.of("names", .sheet)) var names: String?

  var perInch: Int { dpi ?? PrintSize.usualResolution }
  var hasCaptions: Bool { captions || names != nil }

  private static func paper(_ argument: String) throws -> PaperSize {
    switch argument.lowercased() {
    case "a4": return .a4
    case "letter": return .letter
    default:
      let size = try PrintSize.parsed(argument)
      return PaperSize(width: size.width, height: size.height)
    }
  }

  private static func length(_ argument: String) throws -> Double {
    guard let length = PrintSize.inches(argument), length >= 0 else {
      throw ValidationError("it is not a length (write 2mm, 0.2cm or 0.1in)")
    }
    return length
  }
}
