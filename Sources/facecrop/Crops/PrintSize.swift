import ArgumentParser
import FaceCrop

/// A size on paper: `35x45mm`, `3.5x4.5cm`, `2x2in`.
struct PrintSize {
  var width: Double
  var height: Double

  /// The default resolution in pixels per inch, as print shops and passport offices expect.
  static let usualResolution = 300

  private static let units = [("mm", 25.4), ("cm", 2.54), ("in", 1.0)]

  /// Returns whether a text ends with a unit.
  static func hasUnit(_ text: String) -> Bool { units.contains { text.hasSuffix($0.0) } }

  /// Parses a size; throws the fault as a sentence.
  static func parsed(_ argument: String) throws -> PrintSize {
    guard let (unit, perInch) = units.first(where: { argument.hasSuffix($0.0) }) else {
      throw ValidationError("the unit is not mm, cm or in (write 35x45mm, 3.5x4.5cm or 2x2in)")
    }
    let sides = argument.dropLast(unit.count).split(separator: "x", omittingEmptySubsequences: false).map {
      Double($0) ?? 0
    }
    guard sides.count == 2, sides.allSatisfy({ $0.isFinite && $0 > 0 }) else {
      throw ValidationError("it is not a width and a height (write 35x45mm)")
    }
    return PrintSize(width: sides[0] / perInch, height: sides[1] / perInch)
  }

  /// Parses a length with a unit: `2mm`.
  static func inches(_ argument: String) -> Double? {
    guard let (unit, perInch) = units.first(where: { argument.hasSuffix($0.0) }),
      let length = Double(argument.dropLast(unit.count)), length.isFinite
    else { return nil }
    return length / perInch
  }

  /// Returns the size in pixels; throws a sentence if no output can have it.
  func pixels(perInch: Int) throws(ValidationError) -> PixelSize {
    let sides = [width, height].map { ($0 * Double(perInch)).rounded() }
    guard sides.allSatisfy({ (1...Double(OutputSize.largestSide)).contains($0) }) else {
      throw ValidationError(
        "--size has a side outside of 1 to \(OutputSize.largestSide) pixels at \(perInch) dpi (change --size or --dpi)"
      )
    }
    return PixelSize(width: Int(sides[0]), height: Int(sides[1]))
  }
}

extension PrintSize {
  /// Returns the size of a document's photo; nil for one without a size on paper.
  init?(_ document: PhotoDocument) {
    guard let width = document.width, let height = document.height else { return nil }
    self.init(width: width / 25.4, height: height / 25.4)
  }
}
