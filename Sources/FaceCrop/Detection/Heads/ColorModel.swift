internal import Glibc

/// How much likelier a color is inside a head than around it, learned from samples of which each is inside by some part.
struct ColorModel {
  /// Of each bin: the logarithm of the ratio, −2…2; 0 where no sample is.
  private(set) var likelihoods = [Float](repeating: 0, count: count)

  /// Bins of an axis, and of all three.
  private static let (bins, count) = (14, 14 * 14 * 14)
  /// A Gaussian of half a bin along each axis, so that colors are not missing for a little.
  private static let (kept, given) = (Float(0.787), Float(0.1065))
  /// How often every color is thought to have been seen.
  private static let floor = Float(5e-4)
  private static let most = Float(2)

  /// The bin of a color, whose parts are about 0…1.
  static func bin(_ color: SIMD3<Float>) -> Int {
    let part = (color * Float(bins)).clamped(lowerBound: SIMD3(), upperBound: SIMD3(repeating: Float(bins - 1)))
    return (Int(part.x) * bins + Int(part.y)) * bins + Int(part.z)
  }

  /// - Parameters:
  ///   - bins: of the samples; nil outside of the picture.
  ///   - inside: by which part each is inside, 0…1.
  ///   - area: how much each counts.
  init(bins: [Int?], inside: [Float], area: [Float]) {
    // Both at once: inside a head, and around it.
    var counts = [SIMD2<Float>](repeating: SIMD2(), count: Self.count)
    var sum = SIMD2<Float>(repeating: 1e-9)
    for (index, bin) in bins.enumerated() {
      guard let bin else { continue }
      let count = SIMD2(inside[index], 1 - inside[index]) * area[index]
      counts[bin] += count
      sum += count
    }
    Self.spread(&counts)
    var isKnown = [Bool](repeating: false, count: Self.count)
    for case let bin? in bins where !isKnown[bin] {
      isKnown[bin] = true
      let share = counts[bin] / sum + Self.floor
      likelihoods[bin] = min(max(logf(share.x / share.y), -Self.most), Self.most)
    }
  }

  private static func spread(_ counts: inout [SIMD2<Float>]) {
    var before = counts
    for stride in [1, bins, bins * bins] {
      // Every run of bins along the axis; at its ends the edge counts for what would be outside.
      for index in 0..<count { counts[index] = kept * before[index] }
      for block in Swift.stride(from: 0, to: count, by: stride * bins) {
        for index in block..<block + stride { counts[index] += given * before[index] }
        for index in block..<block + stride * (bins - 1) {
          counts[index] += given * before[index + stride]
          counts[index + stride] += given * before[index]
        }
        for index in block + stride * (bins - 1)..<block + stride * bins { counts[index] += given * before[index] }
      }
      before = counts
    }
  }
}
