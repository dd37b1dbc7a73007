/// An opaque color in 8 bits a channel, in the picture's own color space.
public struct BackgroundColor: Hashable, Sendable {
  public var red: UInt8
  public var green: UInt8
  public var blue: UInt8

  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  public static let white = BackgroundColor(red: 255, green: 255, blue: 255)
}
