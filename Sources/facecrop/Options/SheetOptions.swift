import ArgumentParser
import FaceCrop

/// A sheet of paper, and how prints are laid out on it.
struct SheetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The paper: 10x15cm, a4, letter, or any width and height like 13x18cm. It is turned if more prints fit then.",
      valueName: "size"), transform: Self.paper)
  var paper = PaperSize.photo

  @Option(help: ArgumentHelp("How many prints of each picture. (default: as many as fit)", valueName: "n"))
  var copies: Int?

  @Option(
    help: ArgumentHelp("Between two prints, like 2mm. (default: 2mm)", valueName: "length"), transform: Self.length)
  var gap = 2 / 25.4

  @Option(
    help: ArgumentHelp("White at the paper's edges, at least, like 4mm. (default: 4mm)", valueName: "length"),
    transform: Self.length)
  var margin = 4 / 25.4

  @Flag(inversion: .prefixedNo, help: "Draw thin lines where the prints are to be cut.")
  var cutMarks = true

  func validate() throws {
    if let copies, copies < 1 { throw ValidationError("--copies must be at least 1, not \(copies).") }
  }

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
      throw ValidationError("'\(argument)' is no length; write 2mm, 0.2cm or 0.1in.")
    }
    return length
  }
}
