/// What lies outside the picture in a padded crop.
public enum PadFill: Hashable, Sendable {
  /// One color.
  case color(red: UInt8, green: UInt8, blue: UInt8)
  /// The pixels of the picture's edge, repeated.
  case edge
  /// The picture itself, mirrored at its edge and blurred.
  case blur
}
