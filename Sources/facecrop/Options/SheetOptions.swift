import ArgumentParser
import FaceCrop

/// A sheet of paper, and the layout of prints on it.
struct SheetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Set the paper size. (examples: a4, letter, 13x18cm; default: 10x15cm)", valueName: "size"),
    transform: Self.paper)
  var paper = PaperSize.photo

  @Option(
    help: ArgumentHelp(
      "Set the number of prints of each face; more than fit take more pages. (default: as many as fit)", valueName: "n")
  )
  var copies: Int?

  @Option(
    help: ArgumentHelp("Set the distance between two prints. (default: 2mm)", valueName: "length"),
    transform: Self.length)
  var gap = 2 / 25.4

  @Option(
    help: ArgumentHelp("Set the smallest white margin of the paper. (default: 4mm)", valueName: "length"),
    transform: Self.length)
  var margin = 4 / 25.4

  @Flag(inversion: .prefixedNo, help: "Draw thin lines that show where to cut.")
  var cutMarks = true

  @Flag(help: "Write the name of its file under each print, and leave out the cut marks.")
  var captions = false

  @Option(
    help: ArgumentHelp(
      "Read the names to write under the prints from a CSV file. (columns: image, name of each face)", valueName: "file"
    ),
    completion: .file())
  var names: String?

  var hasCaptions: Bool { captions || names != nil }

  func validate() throws {
    if names == Input.standard { throw ValidationError("--names cannot be - (name a file)") }
    if let copies, copies < 1 { throw ValidationError("--copies \(copies) is out of range (use 1 or more)") }
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
      throw ValidationError("it is not a length (write 2mm, 0.2cm or 0.1in)")
    }
    return length
  }
}
