internal import Glibc

/// Measurements of the background in a finished photo, by CIE 1976 L*a*b* values divided by 100.
struct BackgroundMeasure: Hashable, Sendable {
  /// The mean color: L*, a* and b*.
  var color: SIMD3<Double>
  /// The mean color difference from the mean color (ΔE*ab), 0 and more.
  var difference: Double
  /// The lightness that a smooth shadow takes from a part of the background, 0 and more. Nil if no part is smooth.
  var shadow: Double?

  /// The lightness of the mean color, 0…1.
  var lightness: Double { color.x / 100 }

  /// Returns the color difference from the nearest one of these colors; nil without any.
  func distance(from tones: [BackgroundColor]) -> Double? {
    tones.map { tone in
      let lost = color - Self.lab(tone.red, tone.green, tone.blue)
      return (lost * lost).sum().squareRoot() / 100
    }.min()
  }

  /// The distance around people that is not measured, since hair is in it, in fractions of the longer side.
  private static let margin = 0.03
  /// The least share of the photo for a background.
  private static let leastShare = 0.03
  /// The least probability of a pixel that may belong to a person.
  private static let suspect = UInt8(40)
  /// The side of the squares that are compared, in pixels of the map.
  private static let side = 8
  /// The largest spread of lightness (without a tenth of the pixels at each end), difference of color, and loss of
  /// lightness in a square with nothing but a shadow. The others show hair, clothes, or an object.
  private static let (largestSpread, largestTint, darkest) = (10.0, 6.0, 45.0)
  /// The steps that find the light on the background, and the lightness below it that is noise.
  private static let (steps, noise) = (20, 1.0)

  /// Measures the background of an upright photo; nil if the network is unsure about the people, or hardly any background
  /// is visible.
  static func of(_ photo: PixelBuffer, around people: PersonMap) -> Self? {
    guard people.confidence >= Background.leastConfidence else { return nil }
    let size = people.size
    let bytes = photo.inColor().quicklyResized(to: size).bytes
    let margin = max(Int(margin * Double(size.longSide)), 1)
    let around = people.probabilities.map { $0 >= suspect }.widened(by: margin, width: size.width)
    let places = around.indices.filter { !around[$0] }
    guard Double(places.count) >= leastShare * size.area else { return nil }
    let colors = places.map { lab(bytes[3 * $0], bytes[3 * $0 + 1], bytes[3 * $0 + 2]) }
    let mean = colors.reduce(SIMD3(), +) / Double(colors.count)
    let difference = colors.reduce(0) { $0 + (($1 - mean) * ($1 - mean)).sum().squareRoot() } / Double(colors.count)
    return Self(color: mean, difference: difference / 100, shadow: shadow(in: colors, of: places, size, mean: mean))
  }

  /// Returns the largest loss of lightness in a square; nil without a plain square. Light that changes evenly across the
  /// photo is no shadow.
  private static func shadow(
    in colors: [SIMD3<Double>], of places: [Int], _ size: PixelSize, mean: SIMD3<Double>
  ) -> Double? {
    let axes = places.map { place in
      let (x, y) = (Double(place % size.width), Double(place / size.width))
      return SIMD3(1, x / Double(size.width) - 0.5, y / Double(size.height) - 0.5)
    }
    // The lightness above a plane through the lit pixels, first the lighter half, by least squares along each axis.
    let middle = colors.map(\.x).sorted()[colors.count / 2]
    var excess = colors.map { $0.x - middle }
    for _ in 0..<steps {
      let lit = excess.indices.filter { excess[$0] > -noise }
      for axis in 0..<3 {
        let square: Double = lit.reduce(0) { $0 + axes[$1][axis] * axes[$1][axis] }
        guard square > 0 else { continue }
        let slope: Double = lit.reduce(0) { $0 + axes[$1][axis] * excess[$1] } / square
        for index in excess.indices { excess[index] -= slope * axes[index][axis] }
      }
    }
    let squares = Dictionary(grouping: places.indices) { index in
      places[index] / size.width / side * size.width + places[index] % size.width / side
    }
    let losses: [Double] = squares.values.compactMap { square in
      guard 2 * square.count >= side * side else { return nil }
      let sorted = square.map { excess[$0] }.sorted()
      let (loss, spread) = (-sorted[sorted.count / 2], sorted[sorted.count * 9 / 10] - sorted[sorted.count / 10])
      let tint = square.reduce(SIMD3()) { $0 + colors[$1] } / Double(square.count) - mean
      let isPlain = spread <= largestSpread && tint.y * tint.y + tint.z * tint.z <= largestTint * largestTint
      return isPlain && loss <= darkest ? max(loss, 0) : nil
    }
    return losses.max().map { $0 / 100 }
  }

  /// Returns L*, a*, b* of a color in sRGB (IEC 61966-2-1), for the white point D65.
  static func lab(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> SIMD3<Double> {
    func root(_ value: Double) -> Double {
      value > 216.0 / 24_389 ? cbrt(value) : (24_389.0 / 27 * value + 16) / 116
    }
    let (r, g, b) = (SRGB.light(red), SRGB.light(green), SRGB.light(blue))
    let x = root((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505)
    let y = root(0.2126 * r + 0.7152 * g + 0.0722 * b)
    let z = root((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)
    return SIMD3(116 * y - 16, 500 * (x - y), 200 * (y - z))
  }
}
