internal import Glibc

/// An affine map from one image's pixels to another's.
struct AffineMap: Hashable {
  /// Two rows of three: x' = r₀x + r₁y + r₂, y' = r₃x + r₄y + r₅.
  var rows: [Double]

  /// Creates a map that rotates by `degrees`, counterclockwise as seen (y points down), scales, and moves `center` to
  /// `target`.
  init(degrees: Double, scale: Double, center: (x: Double, y: Double), target: (x: Double, y: Double)) {
    let (c, s) = (cos(degrees * .pi / 180) * scale, sin(degrees * .pi / 180) * scale)
    rows = [c, s, target.x - c * center.x - s * center.y, -s, c, target.y + s * center.x - c * center.y]
  }

  func applied(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    (rows[0] * x + rows[1] * y + rows[2], rows[3] * x + rows[4] * y + rows[5])
  }

  /// Returns the point that maps to (`x`, `y`).
  func inverse(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    let determinant = rows[0] * rows[4] - rows[1] * rows[3]
    let (dx, dy) = (x - rows[2], y - rows[5])
    return ((rows[4] * dx - rows[1] * dy) / determinant, (rows[0] * dy - rows[3] * dx) / determinant)
  }

  /// Creates the rotation, scale and translation that map `source` to `target` with the least squares of distances in
  /// the target. Nil if the points of either side are one point, or if a number is not finite.
  ///
  /// It is the solution of S. Umeyama, "Least-Squares Estimation of Transformation Parameters Between Two Point
  /// Patterns", IEEE PAMI 13 (4), 1991, which never reflects. In the plane, rotation and scale are one complex number:
  /// the covariance of both sides by the variance of the source.
  init?(similarityFrom source: [(x: Double, y: Double)], to target: [(x: Double, y: Double)]) {
    precondition(source.count == target.count && !source.isEmpty)
    func mean(_ points: [(x: Double, y: Double)]) -> (x: Double, y: Double) {
      let count = Double(points.count)
      return (points.reduce(0) { $0 + $1.x } / count, points.reduce(0) { $0 + $1.y } / count)
    }
    let (from, to) = (mean(source), mean(target))
    var (real, imaginary, variance) = (0.0, 0.0, 0.0)
    for (point, image) in zip(source, target) {
      let (x, y, u, v) = (point.x - from.x, point.y - from.y, image.x - to.x, image.y - to.y)
      real += x * u + y * v
      imaginary += x * v - y * u
      variance += x * x + y * y
    }
    let (a, b) = (real / variance, imaginary / variance)
    self.init(rows: [a, -b, to.x - a * from.x + b * from.y, b, a, to.y - b * from.x - a * from.y])
    guard rows.allSatisfy(\.isFinite), scale > 0 else { return nil }
  }

  init(rows: [Double]) { self.rows = rows }

  /// The scale of a map without shear.
  var scale: Double { hypot(rows[0], rows[3]) }

  /// The angle of ``init(degrees:scale:center:target:)`` of a map without shear.
  var degrees: Double { atan2(rows[1], rows[0]) * 180 / .pi }

  /// The inverse map; the map must be invertible.
  var inverted: AffineMap {
    let origin = inverse(0, 0)
    let (right, down) = (inverse(1, 0), inverse(0, 1))
    return AffineMap(rows: [
      right.x - origin.x, down.x - origin.x, origin.x, right.y - origin.y, down.y - origin.y, origin.y,
    ])
  }

  /// This map, and then another.
  func followed(by next: AffineMap) -> AffineMap {
    let (a, b) = (next.rows, rows)
    return AffineMap(rows: [
      a[0] * b[0] + a[1] * b[3], a[0] * b[1] + a[1] * b[4], a[0] * b[2] + a[1] * b[5] + a[2],
      a[3] * b[0] + a[4] * b[3], a[3] * b[1] + a[4] * b[4], a[3] * b[2] + a[4] * b[5] + a[5],
    ])
  }

  /// The same map between positions that count from the centers of the first pixels, for one between positions that
  /// count from their corners.
  var betweenCenters: AffineMap { moved(by: 0.5) }

  func moved(by half: Double) -> AffineMap {
    var rows = rows
    rows[2] += half * (rows[0] + rows[1] - 1)
    rows[5] += half * (rows[3] + rows[4] - 1)
    return AffineMap(rows: rows)
  }
}
