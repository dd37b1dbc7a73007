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
}
