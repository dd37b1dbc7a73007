internal import Glibc

/// The light of a sample, both 0…1: a `curv` or `para` tag (ICC.1:2022, 10.6 and 10.18).
enum ToneCurve {
  /// A power of the sample.
  case gamma(Double)
  /// The light of evenly spaced samples, where 65,535 is full light.
  case sampled([UInt16])
  /// A function by its type and parameters, starting with g.
  case parametric(type: Int, [Double])

  /// The upper bound of entries, as in Little CMS. Profiles have at most 4,096.
  private static let mostEntries = 32_767
  /// The number of parameters of the types 0 to 4.
  private static let parameterCounts = [1, 3, 4, 5, 7]

  /// Reads a curve; nil if it is invalid.
  init?(_ tags: ICCTags, _ range: Range<Int>) {
    let span = tags.bytes.span
    guard Self.byteCount(span, range) != nil else { return nil }
    if Self.isTable(span, range.lowerBound) {
      let count = span.uint32(at: range.lowerBound + 8) ?? 0
      let entries = (0..<count).compactMap { span.uint16(at: range.lowerBound + 12 + 2 * $0).map { UInt16($0) } }
      switch entries.count {
      case 0: self = .gamma(1)
      // The number has 8 fractional bits.
      case 1: self = .gamma(Double(entries[0]) / 256)
      default: self = .sampled(entries)
      }
    } else {
      let type = span.uint16(at: range.lowerBound + 8) ?? 0
      self = .parametric(
        type: type,
        (0..<Self.parameterCounts[type]).compactMap { tags.fixed(at: range.lowerBound + 12 + 4 * $0) })
    }
    guard isUsual else { return nil }
  }

  /// The type of Monaco's profiles in place of `curv`, which Little CMS reads too.
  private static let monacoCurve = 0x9478_EE00

  private static func isTable(_ span: Span<UInt8>, _ place: Int) -> Bool {
    span.contains("curv", at: place) || span.uint32(at: place) == monacoCurve
  }

  /// Returns the bytes of the curve at the start of a range; nil if it is invalid or incomplete.
  static func byteCount(_ span: Span<UInt8>, _ range: Range<Int>) -> Int? {
    let start = range.lowerBound
    var bytes = 12
    if isTable(span, start) {
      guard range.count >= bytes, let count = span.uint32(at: start + 8), count <= mostEntries else { return nil }
      bytes += 2 * count
      guard bytes <= range.count, isSteady(span, start + 12, count, width: 2) else { return nil }
    } else if span.contains("para", at: start) {
      guard range.count >= bytes, let type = span.uint16(at: start + 8), parameterCounts.indices.contains(type) else {
        return nil
      }
      bytes += 4 * parameterCounts[type]
    } else {
      return nil
    }
    return bytes <= range.count ? bytes : nil
  }

  /// Returns whether big-endian numbers fall by less than their range in total, as those of real curves do. Any other
  /// data, such as an image, fall again and again.
  static func isSteady(_ span: Span<UInt8>, _ start: Int, _ count: Int, width: Int) -> Bool {
    var (falls, last) = (0, 0)
    for index in 0..<count {
      let place = start + index * width
      let number = width == 1 ? Int(span[place]) : Int(span[place]) << 8 | Int(span[place + 1])
      falls += max(last - number, 0)
      last = number
    }
    return falls < 1 << (8 * width)
  }

  /// Whether the numbers are plausible, so that every sample has a finite light.
  private var isUsual: Bool {
    switch self {
    case .gamma(let gamma): (0.01...20).contains(gamma)
    case .sampled: true
    case .parametric(_, let numbers):
      (0.01...20).contains(numbers[0]) && numbers.dropFirst().allSatisfy { abs($0) <= 16 }
    }
  }

  func light(of sample: Double) -> Double {
    switch self {
    case .gamma(let gamma): return pow(sample, gamma)
    case .sampled(let entries):
      let place = sample * Double(entries.count - 1)
      let below = min(Int(place), entries.count - 2)
      let (first, second) = (Double(entries[below]), Double(entries[below + 1]))
      return (first + (second - first) * (place - Double(below))) / 65_535
    case .parametric(let type, let n):
      func power() -> Double { pow(max(n[1] * sample + n[2], 0), n[0]) }
      // The power function starts at -b/a, or applies everywhere if a is 0.
      func isAbove() -> Bool { n[1] == 0 || sample >= -n[2] / n[1] }
      switch type {
      case 0: return pow(sample, n[0])
      case 1: return isAbove() ? power() : 0
      case 2: return isAbove() ? power() + n[3] : n[3]
      case 3: return sample >= n[4] ? power() : n[3] * sample
      default: return sample >= n[4] ? power() + n[5] : n[3] * sample + n[6]
      }
    }
  }

  /// The light of every 8-bit sample.
  var lights: [Double] { (0...255).map { light(of: Double($0) / 255) } }
}
