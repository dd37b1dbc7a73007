/// The background of a crop's output in a plan. It replaces the request's for this output.
///
/// The JSON form is a text: `original`, six hexadecimal digits of a color, `blur:2` with the strength in percent, or
/// `transparent`. The strength is 0.5 to 20 percent. A plan cannot have an image as a background.
public enum PlannedBackground: Hashable, Sendable, Codable {
  /// The image's own background.
  case original
  /// One color, in the colors of the output.
  case color(BackgroundColor)
  /// The image's own background, blurred without the people, with a strength as in ``Background/Fill/blur(_:)``.
  case blur(Double)
  /// Nothing, as in ``Background/Fill/transparent``.
  case transparent

  /// The fill; nil for the image's own background.
  public var fill: Background.Fill? {
    switch self {
    case .original: nil
    case .color(let color): .color(color)
    case .blur(let strength): .blur(strength)
    case .transparent: .transparent
    }
  }

  /// Reads the text of the JSON form, or `white`; nil for other texts.
  public init?(_ text: String) {
    switch Background.Fill(text) {
    case nil where text == "original": self = .original
    case .color(let color)?: self = .color(color)
    case .blur(let strength)?: self = .blur(strength)
    case .transparent?: self = .transparent
    case .image?, nil: return nil
    }
  }

  /// The text of the JSON form.
  public var text: String {
    switch self {
    case .original: return "original"
    case .color(let color): return color.hexadecimal
    case .blur(let strength):
      // Digits beyond these come from the conversion to percent. Without them, a text that is read gives the same number.
      let percent = (strength * 1e10).rounded() / 1e8
      return percent == percent.rounded() ? "blur:\(Int(percent))" : "blur:\(percent)"
    case .transparent: return "transparent"
    }
  }

  var isUsable: Bool {
    guard case .blur(let strength) = self else { return true }
    return Background.Fill.strengths.contains(strength)
  }

  /// Decodes a text. It throws `DecodingError` for unknown texts.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let background = PlannedBackground(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "a background must be original, a color such as ffffff, blur:0.5 to blur:20, or transparent")
    }
    self = background
  }

  public func encode(to encoder: any Encoder) throws {
    try text.encode(to: encoder)
  }
}

extension CropOutput {
  /// Returns the background behind the people of a crop: the plan's, or else ``background``. Nil keeps the image's own.
  public func background(of crop: CropPlan.Crop) -> Background? {
    guard let planned = crop.background else { return background }
    return planned.fill.map {
      Background($0, keepsPeople: background?.keepsPeople ?? false, failsIfUnsure: background?.failsIfUnsure ?? false)
    }
  }

  /// Whether a new background takes the place of the color outside the image, too.
  func replacesFill(of crop: CropPlan.Crop) -> Bool {
    guard case .color = fill, let background = background(of: crop) else { return false }
    if case .blur = background.fill { return false }
    return true
  }

  /// Returns the fill from which a crop's people are cut out. A color tints hair, and networks take it for clothes.
  func fill(of crop: CropPlan.Crop) -> PadFill { replacesFill(of: crop) ? .edge : fill }
}
