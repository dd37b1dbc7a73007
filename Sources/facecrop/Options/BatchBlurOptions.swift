import ArgumentParser
import FaceCrop

/// The options of `batch` that hide faces in whole images instead of cropping.
struct BatchBlurOptions: ParsableArguments {
  @Flag(.of("blur")) var blur = false
  @Option(.of("blur-mode")) var mode = BlurMode.blur
  @Option(.of("blur-image")) var image: String?
  @Option(.of("blur-shape")) var shape = BlurShape.ellipse
  @Option(.of("blur-margin")) var margin = BlurRequest.defaultMargin
  @OptionGroup var people: PeopleOptions
  @Flag(.of("keep-location", .batch)) var keepLocation = false

  /// Refuses options without an effect.
  func check(_ wanted: RequestOptions) throws(ValidationError) {
    guard blur else { return }
    if wanted.face.faces != nil {
      throw ValidationError("--blur hides all faces of each image (leave out --faces; \(OptionFact.chosenFaces))")
    }
    if keepLocation, let metadata = wanted.color.metadata, metadata != .keep {
      throw ValidationError("--keep-location needs --metadata keep (leave one of them out)")
    }
  }

  /// Returns the request, which is that of `blur`.
  func request(_ wanted: RequestOptions, _ look: LookOptions) -> BlurRequest {
    BlurRequest(
      mode: mode, shape: shape, margin: margin, smallestFace: wanted.face.minFace,
      metadata: wanted.color.metadata ?? .keep, keepsLocation: keepLocation, allowsDamage: look.allowTruncated)
  }
}
