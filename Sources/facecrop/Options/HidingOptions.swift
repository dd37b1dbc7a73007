import ArgumentParser
import FaceCrop

/// The faces to hide, and the way to hide them.
struct HidingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Hide only the faces with these numbers, as detect lists them. (example: 1,3; default: all)", valueName: "list"),
    transform: FaceNumbers.parsed)
  var faces: FaceNumbers?

  @Option(
    help: ArgumentHelp("Hide all faces but those with these numbers. (example: 2)", valueName: "list"),
    transform: FaceNumbers.parsed)
  var except: FaceNumbers?

  @Option(help: ArgumentHelp("Ignore faces below this height. (examples: 80, 5%)", valueName: "height"))
  var minFace: FaceHeight?

  func validate() throws {
    if faces != nil && except != nil {
      throw ValidationError("--faces and --except exclude each other (leave one of them out)")
    }
  }

  var selection: HiddenFaces {
    if let faces { return .only(faces.numbers) }
    return except.map { .except($0.numbers) } ?? .all
  }
}

/// The look of hidden areas.
struct HidingLookOptions: ParsableArguments {
  @Option(help: "Blur the faces, draw them as squares (pixelate), or cover them in black (solid).")
  var mode = HidingMode.blur

  @Option(help: "Hide an ellipse over the head, a box, or the whole head with its hair.")
  var shape = HidingShape.ellipse

  @Option(
    help: ArgumentHelp("Reach over the head by this fraction of the face height. (range: 0 to 2)", valueName: "r"))
  var margin = Anonymization.defaultMargin

  func validate() throws {
    if !(margin >= 0 && margin <= 2) { throw ValidationError("--margin \(margin) is out of range (use 0 to 2)") }
  }
}

/// A list of face numbers: `2` or `1,3`.
struct FaceNumbers {
  var numbers: Set<Int>

  /// Parses a list; throws the fault as a sentence.
  static func parsed(_ argument: String) throws -> FaceNumbers {
    var numbers: Set<Int> = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = Int(part), number >= 1 else {
        throw ValidationError("'\(part)' is not the number of a face (write 2, or 1,3)")
      }
      numbers.insert(number)
    }
    return FaceNumbers(numbers: numbers)
  }
}
