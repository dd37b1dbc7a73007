/// An opaque color with 8 bits per channel, in the image's own color space.
public struct BackgroundColor: Hashable, Sendable {
  /// The red channel, 0…255.
  public var red: UInt8
  /// The green channel, 0…255.
  public var green: UInt8
  /// The blue channel, 0…255.
  public var blue: UInt8

  /// Creates a color from its channels, 0…255 each.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// White, the default background.
  public static let white = BackgroundColor(red: 255, green: 255, blue: 255)
}
