import Glibc
import TestSupport
import Testing

@testable import FaceCrop

/// The similarity of two sets of points.
@Suite struct SimilarityTests {
  private static let face: [(x: Double, y: Double)] = [(38, 52), (73, 51), (56, 72), (41, 92), (71, 93)]

  /// A known rotation, scale and translation is found exactly.
  @Test func knownMapsAreRecovered() throws {
    var random = SplitMix64(seed: 7)
    for _ in 0..<500 {
      let degrees = Double.random(in: -180...180, using: &random)
      let scale = exp(Double.random(in: -5...5, using: &random))
      let known = AffineMap(
        degrees: degrees, scale: scale,
        center: (.random(in: -500...500, using: &random), .random(in: -500...500, using: &random)),
        target: (.random(in: -500...500, using: &random), .random(in: -500...500, using: &random)))
      let images = Self.face.map { known.applied($0.x, $0.y) }
      let found = try #require(AffineMap(similarityFrom: Self.face, to: images))
      for (number, other) in zip(found.rows, known.rows) { #expect(abs(number - other) < 1e-9 * max(scale * 1e3, 1)) }
      #expect(abs(found.scale / scale - 1) < 1e-12)
      #expect(abs((found.degrees - degrees).remainder(dividingBy: 360)) < 1e-9)
      let (x, y) = found.inverted.applied(images[2].x, images[2].y)
      #expect(abs(x - Self.face[2].x) + abs(y - Self.face[2].y) < 1e-8)
    }
  }

  /// No other similarity is nearer, and a mirrored target gives a rotation, never a reflection.
  @Test func theLeastSquaresAreLeast() throws {
    var random = SplitMix64(seed: 8)
    func error(_ map: AffineMap, _ target: [(x: Double, y: Double)]) -> Double {
      zip(Self.face, target).reduce(0) { sum, pair in
        let (x, y) = map.applied(pair.0.x, pair.0.y)
        return sum + (x - pair.1.x) * (x - pair.1.x) + (y - pair.1.y) * (y - pair.1.y)
      }
    }
    for round in 0..<200 {
      let target = Self.face.map { point in
        let noise = (Double.random(in: -9...9, using: &random), Double.random(in: -9...9, using: &random))
        return (x: (round.isMultiple(of: 2) ? point.x : 112 - point.x) + noise.0, y: point.y + noise.1)
      }
      let found = try #require(AffineMap(similarityFrom: Self.face, to: target))
      #expect(found.rows[0] * found.rows[4] - found.rows[1] * found.rows[3] > 0)
      #expect(found.rows[0] == found.rows[4] && found.rows[1] == -found.rows[3])
      let least = error(found, target)
      for (index, step) in [(0, 0.01), (0, -0.01), (1, 0.01), (1, -0.01), (2, 0.1), (2, -0.1), (5, 0.1), (5, -0.1)] {
        var other = found
        other.rows[index] += step
        if index == 0 { other.rows[4] += step }
        if index == 1 { other.rows[3] -= step }
        #expect(error(other, target) > least)
      }
    }
  }

  @Test func pointsThatAreOneGiveNone() {
    let one = [(x: Double, y: Double)](repeating: (5, 5), count: 5)
    #expect(AffineMap(similarityFrom: one, to: Self.face) == nil)
    #expect(AffineMap(similarityFrom: Self.face, to: one) == nil)
    for number in [Double.nan, .infinity] {
      var points = Self.face
      points[3].y = number
      #expect(AffineMap(similarityFrom: points, to: Self.face) == nil)
      #expect(AffineMap(similarityFrom: Self.face, to: points) == nil)
    }
  }

  /// A position of a pixel's center and the position of its corner differ by half a pixel on both sides.
  @Test func centersAndCorners() {
    let map = AffineMap(degrees: 30, scale: 0.4, center: (10, 20), target: (3, 4))
    let (x, y) = map.betweenCenters.applied(7, 9)
    let (u, v) = map.applied(7.5, 9.5)
    #expect(abs(x - u + 0.5) < 1e-12 && abs(y - v + 0.5) < 1e-12)
    for (one, other) in zip(map.betweenCenters.betweenCorners.rows, map.rows) { #expect(abs(one - other) < 1e-12) }
  }
}
