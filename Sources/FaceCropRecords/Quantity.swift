/// What a number with a unit counts. The command and the server share the notation: `40000000`, `40M`, `0.5MP`, `64MiB`.
public enum Quantity: Sendable {
  case bytes, pixels, others

  private static let decimal = [("k", 1_000), ("K", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)]

  private var units: [(name: String, factor: Int)] {
    switch self {
    case .bytes:
      [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40), ("kB", 1_000), ("KB", 1_000),
        ("MB", 1_000_000), ("GB", 1_000_000_000),
      ] + Self.decimal
    case .pixels: [("MP", 1_000_000)] + Self.decimal
    case .others: Self.decimal
    }
  }

  /// Returns the number of a text, above 0; nil for other text.
  public func positive(in text: String) -> Int? { number(in: text).flatMap { $0 > 0 ? $0 : nil } }

  /// Returns the number of a text, 0 or more; nil for other text. Only a number with a unit may have a fraction.
  public func number(in text: String) -> Int? {
    let unit = units.first { text.hasSuffix($0.name) }
    let digits = text.dropLast(unit?.name.count ?? 0)
    if let number = Int(digits) {
      let (product, overflows) = number.multipliedReportingOverflow(by: unit?.factor ?? 1)
      return number >= 0 && !overflows ? product : nil
    }
    // Digits and a point only: a double could also be written as inf or 0x1p9.
    guard let unit, digits.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }), let number = Double(digits) else {
      return nil
    }
    return Int(exactly: (number * Double(unit.factor)).rounded())
  }
}
