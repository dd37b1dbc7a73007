import ArgumentParser
import FaceCrop

/// The choice of faces, and the result for an image without one.
struct FaceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Choose the faces to crop to. (default: \(HelpDefaults.faces))", valueName: "which"))
  var faces: FaceSelection?

  @Option(
    help: ArgumentHelp(
      "Crop to the person with this name in the image's metadata. (example: \"Anna Smith\")", valueName: "name"))
  var person: String?

  @Option(
    help: ArgumentHelp("Number faces from left to right by rows, by confidence, or by size.", valueName: "by"))
  var order = FaceOrder.left

  @Option(
    help: ArgumentHelp(
      "Ignore faces below this height. (examples: 80, 5%)", valueName: "height"))
  var minFace: FaceHeight?

  @Option(
    help: ArgumentHelp("Choose the output for an image without a face. (default: \(HelpDefaults.noFace))"))
  var noFace: NoFacePolicy?

  @Option(help: "Rotate an image that lies sideways or upside down until its faces are upright.")
  var upright = UprightPolicy.off

  @Option(
    help: HelpDefaults.isForSheet
      ? "Use the first frame of an animation, or the frame with the sharpest faces."
      : "Use the first frame of an animation, the frame with the sharpest faces, or keep all in GIF or WebP.")
  var animation = AnimationPolicy.first

  func validate() throws {
    guard let person else { return }
    if person.allSatisfy(\.isWhitespace) || person.utf8.count > 1_024 {
      throw ValidationError("--person '\(person.prefix(20))' is no name (use 1 to 1024 bytes)")
    }
    if faces != nil { throw ValidationError("--person already chooses the face (leave out --faces)") }
  }

  /// Returns the search of a preset with the given options. `defaultNoFace` replaces the preset's result without a face.
  func search(_ preset: Preset, noFace defaultNoFace: NoFacePolicy?) -> FaceSearch {
    var search = preset.search
    search.faces = person.map { .person($0) } ?? faces ?? search.faces
    search.noFace = noFace ?? defaultNoFace ?? search.noFace
    (search.smallestFace, search.order, search.upright) = (minFace, order, upright)
    search.animation = animation
    return search
  }
}
