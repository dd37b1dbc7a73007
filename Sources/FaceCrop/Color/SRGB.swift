internal import Glibc

/// sRGB (IEC 61966-2-1) relative to the profile connection space, whose white is D50.
enum SRGB {
  /// The white of profiles (ICC.1:2022, 7.2.16).
  static let white = [0.9642, 1, 0.8249]

  /// The matrix from XYZ to linear sRGB. The primaries are ITU-R BT.709's, and their white D65 is adapted to D50 with
  /// Bradford's matrix (ICC.1:2022, annex E).
  static let fromXYZ: Matrix3 = {
    let primaries = Matrix3(columns: [[0.64, 0.33], [0.3, 0.6], [0.15, 0.06]].map(xyz))
    let day = xyz([0.3127, 0.329])
    let lights = primaries * Matrix3(diagonal: primaries.inverse * day)
    let cones = Matrix3(rows: [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
    let ratios = zip(cones * white, cones * day).map { $0 / $1 }
    return (cones.inverse * Matrix3(diagonal: ratios) * cones * lights).inverse
  }()

  /// Returns the XYZ of a chromaticity at luminance 1.
  private static func xyz(_ xy: [Double]) -> [Double] { [xy[0] / xy[1], 1, (1 - xy[0] - xy[1]) / xy[1]] }

  /// The steps of light in the table. Each level has at least one, and five or more near black, where levels are
  /// closest.
  static let steps = 1 << 14

  /// Returns the light of a level, 0…1.
  static func light(_ level: UInt8) -> Double {
    let sample = Double(level) / 255
    return sample <= 0.04045 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4)
  }

  /// The level of each step of light, from 0 to 1.
  static let levels: [UInt8] = (0...steps).map { step in
    let light = Double(step) / Double(steps)
    return UInt8((255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)).rounded())
  }
}

struct Matrix3 {
  var rows: [[Double]]

  init(rows: [[Double]]) {
    self.rows = rows
  }

  init(columns: [[Double]]) {
    rows = (0..<3).map { row in columns.map { $0[row] } }
  }

  init(diagonal: [Double]) {
    rows = (0..<3).map { row in (0..<3).map { $0 == row ? diagonal[row] : 0 } }
  }

  static func * (matrix: Matrix3, vector: [Double]) -> [Double] {
    matrix.rows.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
  }

  static func * (one: Matrix3, other: Matrix3) -> Matrix3 {
    Matrix3(columns: (0..<3).map { column in one * other.rows.map { $0[column] } })
  }

  /// The inverse by the adjugate; the matrix must be invertible.
  var inverse: Matrix3 {
    func minor(_ row: Int, _ column: Int) -> Double {
      let (r, s, c, d) = ((row + 1) % 3, (row + 2) % 3, (column + 1) % 3, (column + 2) % 3)
      return rows[r][c] * rows[s][d] - rows[r][d] * rows[s][c]
    }
    let determinant = (0..<3).reduce(0) { $0 + rows[0][$1] * minor(0, $1) }
    return Matrix3(rows: (0..<3).map { row in (0..<3).map { minor($0, row) / determinant } })
  }
}
