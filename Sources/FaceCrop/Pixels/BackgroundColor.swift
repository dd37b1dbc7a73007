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

  /// Reads six hexadecimal digits, or three as in CSS, with or without `#`. Nil for other texts.
  public init?(hexadecimal text: String) {
    var digits = text.hasPrefix("#") ? String(text.dropFirst()) : text
    if digits.count == 3 { digits = digits.map { "\($0)\($0)" }.joined() }
    guard digits.count == 6, digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16) else { return nil }
    self.init(red: UInt8(value >> 16), green: UInt8(value >> 8 & 0xFF), blue: UInt8(value & 0xFF))
  }

  /// The six hexadecimal digits.
  var hexadecimal: String { Hexadecimal.text([red, green, blue]) }

  /// White, the default background.
  public static let white = BackgroundColor(red: 255, green: 255, blue: 255)
  // Examples of other colors that authorities name. Hair, skin and white clothes stand out from the first one.
  static let light = BackgroundColor(red: 0xDD, green: 0xDD, blue: 0xDD)
  static let offWhite = BackgroundColor(red: 0xFA, green: 0xF6, blue: 0xEE)
  static let cream = BackgroundColor(red: 0xFF, green: 0xF5, blue: 0xDC)
  static let beige = BackgroundColor(red: 0xEC, green: 0xE0, blue: 0xC8)
  static let lightBrown = BackgroundColor(red: 0xD9, green: 0xC3, blue: 0xA3)
  static let lightGray = BackgroundColor(red: 0xD3, green: 0xD3, blue: 0xD3)
  static let lightBlue = BackgroundColor(red: 0xBF, green: 0xDC, blue: 0xF2)
}
