import ArgumentParser
import FaceCrop

/// The choice of faces, and the result for an image without one.
struct FaceOptions: ParsableArguments {
  @Option(.of("faces", .crop)) var faces: FaceSelection?
  @Option(.of("order")) var order = FaceOrder.left
  @Option(.of("min-face")) var minFace: FaceHeight?
  @Option(.of("max-faces")) var maxFaces: Int?
  @Option(.of("no-face")) var noFace: NoFacePolicy?
  @Option(.of("upright")) var upright = UprightPolicy.off
  @Option(.of("animation")) var animation = AnimationPolicy.first

  /// Returns the search of a preset with the given options. `defaultNoFace` replaces the preset's result without a face.
  func search(_ preset: Preset, noFace defaultNoFace: NoFacePolicy?) -> FaceSearch {
    var search = preset.search
    search.faces = faces ?? search.faces
    search.noFace = noFace ?? defaultNoFace ?? search.noFace
    (search.smallestFace, search.order, search.upright) = (minFace, order, upright)
    (search.mostFaces, search.animation) = (maxFaces, animation)
    return search
  }
}
