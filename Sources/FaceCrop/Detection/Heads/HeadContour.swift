internal import Glibc

/// The line around a head and its hair, from one side below the ear over the crown to the other.
///
/// It is a distance for each of a fan of rays from between the eyes, the ones that together score most: what is inside has the
/// head's colors, what is outside the background's, the picture has an edge there, and neighbors differ little. Dynamic programming
/// finds the best of all lines exactly (S. Birchfield, "Elliptical head tracking using intensity gradients and color histograms",
/// CVPR 1998, has the two cues; A. Amini et al., "Using dynamic programming for solving variational problems in vision", PAMI 1990, the
/// search). The colors are learned from the picture itself: first by where heads are, then by the line found.
///
/// All numbers were fitted to 124 heads that were read by eye.
struct HeadContour {
  /// From the box's top upward to the contour's highest place, in heights of the box.
  private(set) var crown: Double
  /// From the box's middle to the contour's places farthest left, negative, and right, in heights of the box.
  private(set) var (left, right): (Double, Double)

  private static let (rays, steps) = (56, 52)
  private static let (nearest, farthest) = (0.3, 1.55)
  /// Degrees above the horizontal, at which the fan begins and ends.
  private static let (first, last) = (-25.0, 205.0)
  /// From the box's top down to the rays' origin.
  private static let origin = 0.42
  /// The most steps, and the cost of each, by which neighbors differ.
  private static let (mostSlope, slopeCost) = (4, Float(0.25))
  /// Weight of an edge, and the difference in color that is a full one.
  private static let (edgeWeight, fullEdge) = (Float(2), Float(0.18))
  /// How much the line found is believed, and not where heads are, when colors are learned from it.
  private static let belief = Float(0.6)

  init(in patch: HeadPatch) {
    let samples = Samples(of: patch)
    // The colors, first by where heads are, then by the line that these give.
    let first = samples.line(ColorModel(bins: samples.bins, inside: Self.fan.expected, area: Self.fan.areas))
    let inside = Self.fan.expected.indices.map { index in
      let isInside: Float = index % Self.steps < first[index / Self.steps] ? 1 : 0
      return Self.belief * isInside + (1 - Self.belief) * Self.fan.expected[index]
    }
    let line = samples.line(ColorModel(bins: samples.bins, inside: inside, area: Self.fan.areas))
    (crown, left, right) = (-.infinity, .infinity, -.infinity)
    for (ray, step) in line.enumerated() {
      // Between the last sample inside and the first one outside.
      let end = Self.distance(Double(step) - 0.5) * Self.fan.directions[ray]
      (crown, left, right) = (max(crown, end.y - Self.origin), min(left, end.x), max(right, end.x))
    }
  }

  private static func distance(_ step: Double) -> Double {
    nearest + step * (farthest - nearest) / Double(steps - 1)
  }

  /// What does not depend on the picture.
  private struct Fan: Sendable {
    /// Right and up.
    var directions: [SIMD2<Double>] = []
    /// Of each sample, ray after ray, from the middle of the box's top, to the right and down.
    var places: [SIMD2<Double>] = []
    /// How likely a sample lies in a head, 0…1, and how much that counts beside colors.
    var expected: [Float] = []
    var expectation: [Float] = []
    /// How much of the patch a sample stands for.
    var areas: [Float] = []
  }

  private static let fan: Fan = {
    var fan = Fan()
    let middle = (nearest + farthest) / 2
    for ray in 0..<rays {
      let angle = (first + (last - first) * Double(ray) / Double(rays - 1)) * .pi / 180
      let direction = SIMD2(cos(angle), sin(angle))
      fan.directions.append(direction)
      // An ellipse that most heads have.
      let radius = 1 / (direction / SIMD2(0.62, 0.67) * (direction / SIMD2(0.62, 0.67))).sum().squareRoot()
      for step in 0..<steps {
        let distance = distance(Double(step))
        fan.places.append(SIMD2(distance * direction.x, origin - distance * direction.y))
        fan.expected.append(Float(1 / (1 + exp((distance - radius) / 0.06))))
        fan.expectation.append(Float(0.5 * min(max((radius - distance) / 0.15, -3), 3)))
        fan.areas.append(Float(distance / middle))
      }
    }
    return fan
  }()

  /// The picture along the rays.
  private struct Samples {
    /// Of each sample; nil outside of the picture.
    let bins: [Int?]
    /// How much of an edge lies before each sample, 0…1 times its weight.
    private let edges: [Float]

    init(of patch: HeadPatch) {
      let colors = fan.places.map { patch.color($0.x, $0.y) }
      bins = colors.map { $0.map(ColorModel.bin) }
      edges = colors.indices.map { index in
        guard index % steps > 0, let color = colors[index], let before = colors[index - 1] else { return 0 }
        let difference = color - before
        return edgeWeight * min((difference * difference).sum().squareRoot() / fullEdge, 1)
      }
    }

    /// For each ray the step before which the best line passes.
    func line(_ model: ColorModel) -> [Int] {
      // Of each sample, what a line scores that passes before it.
      var scores = edges
      for start in stride(from: 0, to: scores.count, by: steps) {
        var sum: Float = 0
        for index in start..<start + steps {
          scores[index] += sum * 8 / Float(steps)
          // No head reaches out of the picture.
          sum += (bins[index].map { model.likelihoods[$0] + fan.expectation[index] } ?? -8) * fan.areas[index]
        }
        // What lies outside counts against it: the same for all of a ray.
        for index in start..<start + steps { scores[index] -= sum * 4 / Float(steps) }
      }
      return bestLine(scores)
    }
  }

  /// For each ray the step before which the best line passes, by what it scores at each.
  private static func bestLine(_ scores: [Float]) -> [Int] {
    // Behind either end there is nothing to come from.
    let margin = [Float](repeating: -.infinity, count: mostSlope)
    var best = margin + scores[..<steps] + margin
    var next = best
    var moves = [Int8](repeating: 0, count: scores.count)
    for start in stride(from: steps, to: scores.count, by: steps) {
      for step in 0..<steps {
        var (score, move) = (-Float.infinity, 0)
        for other in -mostSlope...mostSlope {
          let others = best[step + mostSlope + other] - slopeCost * Float(abs(other))
          if others > score { (score, move) = (others, other) }
        }
        moves[start + step] = Int8(truncatingIfNeeded: move)
        next[mostSlope + step] = score + scores[start + step]
      }
      swap(&best, &next)
    }
    var line = [Int](repeating: 0, count: rays)
    line[rays - 1] = best.indices.max { best[$0] < best[$1] }! - mostSlope
    for ray in stride(from: rays - 1, to: 0, by: -1) {
      line[ray - 1] = line[ray] + Int(moves[ray * steps + line[ray]])
    }
    return line
  }
}
