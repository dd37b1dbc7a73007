/// The filling of a padded crop outside the image.
public enum PadFill: Hashable, Sendable {
  /// One opaque color.
  case color(red: UInt8, green: UInt8, blue: UInt8)
  /// The image's edge pixels, repeated.
  case edge
  /// The image, mirrored at its edge and blurred.
  case blur
}
