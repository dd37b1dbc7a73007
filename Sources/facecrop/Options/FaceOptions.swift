import ArgumentParser
import FaceCrop

/// The choice of faces, and the result for an image without one.
struct FaceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Choose the faces to crop to. (default: \(HelpDefaults.faces))", valueName: "which"))
  var faces: FaceSelection?

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

  func search(_ defaults: CropDefaults) -> FaceSearch {
    FaceSearch(faces: faces ?? defaults.faces, noFace: noFace ?? defaults.noFace, smallestFace: minFace, order: order)
  }
}
