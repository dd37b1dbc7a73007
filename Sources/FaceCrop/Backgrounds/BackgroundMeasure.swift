internal import Glibc

/// Measurements of the background in a finished photo, by CIE 1976 L*a*b* values divided by 100.
struct BackgroundMeasure: Hashable, Sendable {
  /// The mean lightness, 0…1.
  var lightness: Double
  /// The mean color difference from the mean color (ΔE*ab), 0 and more.
  var difference: Double
  /// The lightness that the background loses beside the head, on the darker side. Nil if too little is visible there, or
  /// elsewhere.
  var shadow: Double?

  init(lightness: Double, difference: Double, shadow: Double?) {
    (self.lightness, self.difference, self.shadow) = (lightness, difference, shadow)
  }

  /// The distance around people that is not measured, since hair is in it, in fractions of the longer side.
  private static let margin = 0.03
  /// The distance around people in which shadows are expected, in heights of the face.
  private static let reach = 0.3
  /// The least shares of the photo for a background, and for a part of it.
  private static let (leastShare, leastPart) = (0.03, 0.005)
  /// The least probability of a pixel that may belong to a person.
  private static let suspect = UInt8(40)

  /// Measures the background of an upright photo; nil if the network is unsure about the people, or hardly any background
  /// is visible.
  init?(around people: PersonMap, face: NormalizedRect, in photo: PixelBuffer) {
    guard people.confidence >= Background.leastConfidence else { return nil }
    let size = people.size
    let image = photo.inColor().quicklyResized(to: size)
    let person = people.probabilities.map { $0 >= Self.suspect }
    let margin = max(Int(Self.margin * Double(size.longSide)), 1)
    let around = person.widened(by: margin, width: size.width)
    let near = person.widened(
      by: margin + max(Int(Self.reach * face.height * Double(size.height)), 1), width: size.width)
    let middle = Int(face.midX * Double(size.width))
    var (all, left, right, far) = (Mean(), Mean(), Mean(), Mean())
    var colors: [SIMD3<Double>] = []
    for place in around.indices where !around[place] {
      let start = 3 * place
      let color = Self.lab(image.bytes[start], image.bytes[start + 1], image.bytes[start + 2])
      colors.append(color)
      all.add(color)
      if !near[place] {
        far.add(color)
      } else if place % size.width < middle {
        left.add(color)
      } else {
        right.add(color)
      }
    }
    guard Double(all.count) >= Self.leastShare * size.area else { return nil }
    let mean = all.mean
    lightness = mean.x / 100
    difference = colors.reduce(0) { $0 + (($1 - mean) * ($1 - mean)).sum().squareRoot() } / Double(all.count) / 100
    let least = Self.leastPart * size.area
    let sides = [left, right].filter { Double($0.count) >= least }
    if !sides.isEmpty, Double(far.count) >= least {
      shadow = max(far.mean.x - (sides.map(\.mean.x).min() ?? 0), 0) / 100
    }
  }

  private struct Mean {
    var sum = SIMD3<Double>()
    var count = 0
    var mean: SIMD3<Double> { sum / Double(max(count, 1)) }

    mutating func add(_ color: SIMD3<Double>) {
      sum += color
      count += 1
    }
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
