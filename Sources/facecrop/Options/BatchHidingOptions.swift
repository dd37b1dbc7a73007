import ArgumentParser
import FaceCrop

/// The options of `batch` that hide faces in whole images instead of cropping. The other options for an image are in
/// ``unfit`` or ``fit``.
struct BatchHidingOptions: ParsableArguments {
  @Flag(help: "Hide the faces in whole images instead of cropping.")
  var blur = false

  @Option(
    name: .customLong("blur-mode"),
    help: "Blur the faces, draw them as squares (pixelate), or cover them in black (solid).")
  var mode = HidingMode.blur

  @Option(
    name: .customLong("blur-shape"), help: "Hide an ellipse over the head, a box, or the whole head with its hair.")
  var shape = HidingShape.ellipse

  @Option(
    name: .customLong("blur-margin"),
    help: ArgumentHelp("Reach over the head by this fraction of the face height. (range: 0 to 2)", valueName: "r"))
  var margin = Anonymization.defaultMargin

  @Flag(help: "Keep the GPS position in images with hidden faces.")
  var keepLocation = false

  /// Refuses options without an effect.
  func check(_ wanted: RequestOptions, _ cut: LosslessOption) throws(ValidationError) {
    guard blur else {
      guard let option = Self.own.first(where: { $0.isGiven(self) }) else { return }
      throw ValidationError("\(option.words) works with --blur only (add --blur, or leave it out)")
    }
    if !(margin >= 0 && margin <= 2) { throw ValidationError("--blur-margin \(margin) is out of range (use 0 to 2)") }
    if cut.lossless {
      throw ValidationError("--blur keeps all other blocks of a JPEG file anyway (leave out --lossless)")
    }
    if wanted.face.faces != nil {
      throw ValidationError("--blur hides all faces of each image (leave out --faces; \(Self.chosenFaces))")
    }
    if let option = Self.unfit.first(where: { $0.isGiven(wanted) }) {
      throw ValidationError("--blur keeps whole images as they are (leave out \(option.words))")
    }
    if keepLocation, let metadata = wanted.color.metadata, metadata != .keep {
      throw ValidationError("--keep-location needs --metadata keep (leave one of them out)")
    }
  }

  /// The ways to hide only some faces, as a remedy.
  static let chosenFaces =
    "to choose faces, use facecrop blur --faces or --except for single files, or click them in the page of batch --blur --report"

  /// The options that need `--blur`.
  static let own: [OptionRule<BatchHidingOptions>] = [
    OptionRule("--blur-mode") { $0.mode != .blur },
    OptionRule("--blur-shape") { $0.shape != .ellipse },
    OptionRule("--blur-margin") { $0.margin != Anonymization.defaultMargin },
    OptionRule("--keep-location") { $0.keepLocation },
  ]

  /// The options for crops.
  static let unfit: [OptionRule<RequestOptions>] =
    LosslessOption.unfit.filter { !encoding.contains($0.words) } + [
      OptionRule("--faces") { $0.face.faces != nil },
      OptionRule("--person") { $0.face.person != nil },
      OptionRule("--order") { $0.face.order != .left },
      OptionRule("--no-face") { $0.face.noFace != nil },
      OptionRule("--upright") { $0.face.upright != .off },
      OptionRule("--preset") { $0.framing.preset != nil },
      OptionRule("--face-ratio") { $0.framing.faceRatio != nil },
      OptionRule("--padding") { $0.framing.padding != nil },
      OptionRule("--aspect and --fill") { $0.size.aspect != nil || $0.size.fill != nil },
      OptionRule("--color") { $0.color.color != nil },
      OptionRule("--sidecar") { $0.color.sidecar },
      OptionRule("--gain-map") { $0.color.gainMap != nil },
    ]
  /// The options for crops that whole images have, too.
  private static let encoding: Set = ["--quality", "--subsampling", "--color srgb"]
  /// The other options for an image. `--lossless` is refused, too.
  static let fit: Set = [
    "--min-face", "--format", "--accept", "--quality", "--subsampling", "--metadata", "--lossless",
    "--detector", "--allow-truncated", "--max-pixels", "--max-file-size", "--max-side", "--timeout",
  ]

  /// Returns the request, which is that of `blur`.
  func request(_ wanted: RequestOptions, _ look: LookOptions) -> Anonymization {
    Anonymization(
      mode: mode, shape: shape, margin: margin, smallestFace: wanted.face.minFace,
      metadata: wanted.color.metadata ?? .keep, keepsLocation: keepLocation, allowsDamage: look.allowTruncated)
  }
}
