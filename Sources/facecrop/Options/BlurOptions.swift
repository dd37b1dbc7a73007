import ArgumentParser
import FaceCrop

/// The faces to hide, and the way to hide them.
struct BlurOptions: ParsableArguments {
  @Option(.of("faces", .blur), parse: FaceNumbers.parsed) var faces: FaceNumbers?
  @Option(.of("except"), parse: FaceNumbers.parsed) var except: FaceNumbers?
  @Option(.of("min-face")) var minFace: FaceHeight?

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
struct BlurLookOptions: ParsableArguments {
  @Option(.of("mode")) var mode = BlurMode.blur
  @Option(.of("shape", .blur)) var shape = BlurShape.ellipse
  @Option(.of("margin", .blur)) var margin = BlurRequest.defaultMargin
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
