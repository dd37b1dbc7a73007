/// A color that authorities name for backgrounds, as the six hexadecimal digits of an example.
enum BackgroundTone: String {
  /// Any light color. Hair, skin and white clothes stand out from this one.
  case light = "dddddd"
  case white = "ffffff"
  case offWhite = "faf6ee"
  case cream = "fff5dc"
  case beige = "ece0c8"
  case lightBrown = "d9c3a3"
  case lightGray = "d3d3d3"
  case lightBlue = "bfdcf2"

  var color: BackgroundColor { BackgroundColor(hexadecimal: rawValue) ?? .white }
}
