import ArgumentParser
import FaceCrop

/// The position of the head in the output, and the fill outside the image.
struct FramingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Show the head (avatar), head and shoulders (portrait), a passport photo, a photo for a country's document (passport:us), the face (tight), a platform's shape around the people (social-facebook), or no more than the heads (crop). (default: \(HelpDefaults.preset))"
    ))
  var preset: Preset?

  @Option(
    help: ArgumentHelp(
      "Set the face height as a fraction of the output height. (default: the preset's)", valueName: "r"))
  var faceRatio: Double?

  @Option(
    help: ArgumentHelp(
      "Add a margin, as a fraction of the face box. (examples: 0.4; 0.4,0.3,0.2,0.3 for top,right,bottom,left; default: none, and whole heads with the preset crop)",
      valueName: "p"))
  var padding: Padding?

  @Flag(help: "Rotate the output until the eyes are level.")
  var align = false

  @Option(help: "Fill the area outside the image with edge pixels or a blurred copy.")
  var pad: PadChoice?

  @Option(help: ArgumentHelp("Fill the area outside the image with a color. (example: ffffff)", valueName: "rrggbb"))
  var padColor: HexColor?

  func validate() throws {
    if let faceRatio, !(faceRatio > 0 && faceRatio <= 1) {
      throw ValidationError("--face-ratio \(faceRatio) is out of range (use a number above 0, at most 1)")
    }
    if pad != nil && padColor != nil {
      throw ValidationError("--pad and --pad-color exclude each other (leave one of them out)")
    }
  }

  /// Refuses options that place a head, together with the largest region.
  func check(_ size: SizeOptions) throws(ValidationError) {
    guard size.fills || preset?.social != nil else { return }
    let asked = size.fill != nil ? "--fill" : size.fills ? "--fill-sizes" : "--preset \(preset!.social!.rawValue)"
    let others: [(String, Bool)] = [
      ("--preset", size.fills && preset != nil && preset != .crop), ("--face-ratio", faceRatio != nil),
      ("--padding", padding != nil), ("--align", align), ("--pad", pad != nil), ("--pad-color", padColor != nil),
    ]
    if let other = others.first(where: \.1)?.0 {
      throw ValidationError(
        "\(asked) takes the largest region, which leaves no choice to \(other) (leave out one of them)")
    }
  }

  /// Refuses a detector that cannot find the eyes to align.
  func check(_ look: LookOptions) throws(ValidationError) {
    if align && look.detector == .haar {
      throw ValidationError("--align needs the eyes, which --detector haar does not find (use --detector yunet)")
    }
  }

  /// Refuses a fill without a preset that places the head, because only such frames reach over the image's edge.
  func checkFill(_ defaults: CropDefaults) throws(ValidationError) {
    if pad != nil || padColor != nil, framing(preset ?? defaults.preset) == nil {
      throw ValidationError(
        "\(pad != nil ? "--pad" : "--pad-color") needs a preset that places the head (add --preset avatar)")
    }
  }

  /// Returns the rules that outputs must keep; nil for none.
  func standard(_ defaults: CropDefaults) -> PhotoStandard? {
    (preset ?? defaults.preset).standard
  }

  /// The document whose authority sets the size of outputs; nil for none.
  func document(_ defaults: CropDefaults) -> PhotoDocument? { standard(defaults)?.document }

  private func framing(_ preset: Preset) -> Framing? {
    var framing = preset.framing
    if let faceRatio {
      framing = framing ?? .avatar
      framing?.faceRatio = faceRatio
      // A ratio that is asked for counts more than a standard's.
      framing?.standard = nil
    }
    return framing
  }

  /// Returns the composition of a preset with the given options.
  func composition(_ preset: Preset, aspect: AspectRatio?) -> Composition {
    var layout =
      if let framing = framing(preset) {
        Composition.Layout.framing(framing, padding: padding ?? Padding(), edge: fill == nil ? .shift : .pad)
      } else if let padding {
        Composition.Layout.faces(padding: padding)
      } else {
        Composition.Layout.heads()
      }
    if let aspect { layout.aspect = aspect }
    return Composition(layout, alignsEyes: align)
  }

  /// The fill; nil for the default.
  var fill: PadFill? { padColor?.fill ?? pad?.fill }
}
