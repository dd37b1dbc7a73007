/// A check for data that are coded as text, such as base64 or hexadecimal digits, because they can be an image.
enum CodedText {
  /// The characters that are judged together. 96 bytes in base64 are far less than any image.
  private static let length = 128

  /// Returns whether a text has many letters and digits in a row, white space aside, that change their kind at every
  /// second place: lower case, upper case, digits, others of base64. Words and numbers rarely do.
  static func isFound(in text: some Sequence<UInt16>) -> Bool {
    var (count, changes, last) = (0, 0, Kind.lower)
    for character in text {
      guard let kind = Kind(character) else {
        // White space can wrap lines of coded data.
        if ![0x09, 0x0A, 0x0D, 0x20].contains(character) { (count, changes) = (0, 0) }
        continue
      }
      count += 1
      if kind != last { changes += 1 }
      last = kind
      if count == length {
        if changes >= length / 2 { return true }
        (count, changes) = (0, 0)
      }
    }
    return false
  }

  private enum Kind {
    case lower, upper, digit, other

    init?(_ character: UInt16) {
      switch character {
      case 0x61...0x7A: self = .lower
      case 0x41...0x5A: self = .upper
      case 0x30...0x39: self = .digit
      // + - / = _
      case 0x2B, 0x2D, 0x2F, 0x3D, 0x5F: self = .other
      default: return nil
      }
    }
  }
}
