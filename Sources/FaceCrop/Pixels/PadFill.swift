/// The filling of a padded crop outside the image.
public enum PadFill: Hashable, Sendable {
  /// One opaque color.
  case color(red: UInt8, green: UInt8, blue: UInt8)
  /// The image's edge pixels, repeated.
  case edge
  /// The image, mirrored at its edge and blurred.
  case blur

  /// Parses a fill as command and server write it: `edge`, `blur`, or a color such as `336699`. Nil for other texts.
  public init?(_ text: String) {
    switch text {
    case "edge": self = .edge
    case "blur": self = .blur
    default:
      guard let color = BackgroundColor(hexadecimal: text) else { return nil }
      self = .color(red: color.red, green: color.green, blue: color.blue)
    }
  }
}
