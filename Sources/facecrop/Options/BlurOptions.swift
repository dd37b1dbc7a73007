import ArgumentParser
import FaceCrop
import SystemPackage

/// The faces to hide, and the way to hide them.
struct BlurOptions: ParsableArguments {
  @Option(.of("faces", .blur), parse: Set<Int>.faceNumbers) var faces: Set<Int>?
  @Option(.of("except"), parse: Set<Int>.faceNumbers) var except: Set<Int>?
  @Option(.of("min-face")) var minFace: FaceHeight?
  @Option(.of("names", .blur)) var names: String?

  func validate() throws {
    if faces != nil && except != nil {
      throw ValidationError("--faces and --except exclude each other (leave one of them out)")
    }
  }

  var selection: HiddenFaces {
    if let faces { return .only(faces) }
    return except.map { .except($0) } ?? .all
  }
}

/// The people to hide, or not to hide, by their names in `--names`.
struct PeopleOptions: ParsableArguments {
  @Option(.of("hide")) var hide: String?
  @Option(.of("show")) var show: String?

  /// The choice as a text; empty without one.
  var text: String { (hide.map { "\nhide \($0)" } ?? "") + (show.map { "\nshow \($0)" } ?? "") }
}

/// The look of hidden areas.
struct BlurLookOptions: ParsableArguments {
  @Option(.of("mode")) var mode = BlurMode.blur
  @Option(.of("image")) var image: String?
  @Option(.of("shape", .blur)) var shape = BlurShape.ellipse
  @Option(.of("margin", .blur)) var margin = BlurRequest.defaultMargin
}

extension BlurRequest {
  /// Returns the request with the image of an option, which the mode `image` needs, read within the limits.
  func reading(_ option: String, _ limits: Limits) async throws -> BlurRequest {
    guard mode == .image else { return self }
    guard let image = GivenOptions.launch.path(of: option) else {
      throw ValidationError("the mode image has no image (add --\(option) mask.png)")
    }
    var request = self
    do throws(FaceCropError) {
      request.image = try await FaceCropper(limits: limits).blurImage(from: Input.source(image, limits: limits))
    } catch {
      // --allow-truncated is for photos.
      let isDamaged = ["truncated", "corrupt"].contains(error.kind)
      let message = isDamaged ? "\(error) (pass another image with --\(option))" : error.sentence
      throw FileError(image.string, message, kind: error.kind)
    }
    return request
  }
}

extension Set<Int> {
  /// Parses a list of face numbers, `2` or `1,3`; throws the fault as a sentence.
  static func faceNumbers(_ argument: String) throws -> Set<Int> {
    var numbers: Set<Int> = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = Int(part), number >= 1 else {
        throw ValidationError("'\(part)' is not the number of a face (write 2, or 1,3)")
      }
      numbers.insert(number)
    }
    return numbers
  }
}
