import Glibc
import TestSupport
import Testing

@testable import FaceCrop

/// Profiles from code points (ITU-T H.273), compared with the standards' numbers.
@Suite struct CodedColorsTests {
  struct Primaries: CustomTestStringConvertible {
    var code: Int
    /// CIE x and y of red, green, blue and white.
    var xy: [(x: Double, y: Double)]
    var testDescription: String { "\(code)" }
  }

  private static let d65 = (x: 0.3127, y: 0.3290)

  /// ITU-T H.273, table 2.
  static let primaries = [
    Primaries(code: 1, xy: [(0.640, 0.330), (0.300, 0.600), (0.150, 0.060), d65]),
    Primaries(code: 4, xy: [(0.67, 0.33), (0.21, 0.71), (0.14, 0.08), (0.310, 0.316)]),
    Primaries(code: 5, xy: [(0.64, 0.33), (0.29, 0.60), (0.15, 0.06), d65]),
    Primaries(code: 6, xy: [(0.630, 0.340), (0.310, 0.595), (0.155, 0.070), d65]),
    Primaries(code: 7, xy: [(0.630, 0.340), (0.310, 0.595), (0.155, 0.070), d65]),
    Primaries(code: 9, xy: [(0.708, 0.292), (0.170, 0.797), (0.131, 0.046), d65]),
    Primaries(code: 11, xy: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060), (0.314, 0.351)]),
    Primaries(code: 12, xy: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060), d65]),
  ]

  private static func model(_ primaries: Int, _ transfer: Int) throws -> (curve: ToneCurve, colorants: [[Double]]) {
    let profile = try ICCProfile.coded(primaries: primaries, transfer: transfer) ?? []
    guard case .matrix(let curves, let colorants)? = ICCModel(profile, for: .rgb) else {
      throw FixtureError("\(primaries), \(transfer) is no profile of a matrix")
    }
    return (curves[0], colorants)
  }

  /// Under D50, to which Bradford's matrix adapts the white point (ICC.1:2022, annex E).
  @Test(arguments: primaries) func colorantsAreTheStandards(primaries: Primaries) throws {
    typealias Matrix = [[Double]]
    func product(_ matrix: Matrix, _ vector: [Double]) -> [Double] {
      matrix.map { zip($0, vector).reduce(0) { $0 + $1.0 * $1.1 } }
    }
    func inverse(_ m: Matrix) -> Matrix {
      func minor(_ row: Int, _ column: Int) -> Double {
        let rows = (0..<3).filter { $0 != row }
        let columns = (0..<3).filter { $0 != column }
        let sign: Double = (row + column) % 2 == 0 ? 1 : -1
        return sign
          * (m[rows[0]][columns[0]] * m[rows[1]][columns[1]] - m[rows[0]][columns[1]] * m[rows[1]][columns[0]])
      }
      let determinant = (0..<3).reduce(0) { $0 + m[0][$1] * minor(0, $1) }
      return (0..<3).map { row in (0..<3).map { minor($0, row) / determinant } }
    }
    let lights = primaries.xy.map { [$0.x / $0.y, 1, (1 - $0.x - $0.y) / $0.y] }
    let columns = (0..<3).map { row in (0..<3).map { lights[$0][row] } }
    let shares = product(inverse(columns), lights[3])
    let bradford = [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]]
    let from = product(bradford, lights[3])
    let to = product(bradford, [0.9642, 1, 0.8249])
    let found = try Self.model(primaries.code, 8).colorants
    for light in 0..<3 {
      let cones = product(bradford, lights[light].map { $0 * shares[light] })
      let seen = product(inverse(bradford), (0..<3).map { cones[$0] * to[$0] / from[$0] })
      for axis in 0..<3 { #expect(abs(found[light][axis] - seen[axis]) < 0.001, "light \(light)") }
    }
  }

  /// ITU-R BT.2408-7, table 1: light in cd/m², and its signals in whole percent. White is 203.
  @Test(arguments: [(16, [38, 56, 57, 58]), (18, [38, 71, 73, 75])]) func wideRangesAreTheStandards(
    transfer: Int, percents: [Int]
  ) throws {
    let curve = try Self.model(9, transfer).curve
    // Linear up to a half, then rolled off.
    func shown(_ light: Double) -> Double { light <= 0.5 ? light : 0.5 + 0.5 * (1 - exp(1 - 2 * light)) }
    for (light, percent) in zip([26, 162, 179, 203], percents) {
      let (low, high) = (
        curve.light(of: Double(percent) / 100 - 0.0055), curve.light(of: Double(percent) / 100 + 0.0055)
      )
      #expect((low...high).contains(shown(Double(light) / 203)), "\(light) cd/m²")
    }
    #expect(curve.light(of: 0) == 0)
    #expect(abs(curve.light(of: 1) - shown((transfer == 16 ? 10_000 : 1_000) / 203)) < 0.001)
  }

  @Test func cameraAndDisplayCurvesAreTheStandards() throws {
    for code in [1, 6, 14, 15] {
      let curve = try Self.model(9, code).curve
      // ITU-R BT.709-6, 1.2: the signal of a light.
      for light in [0.01, 0.018, 0.1, 0.18, 0.5, 0.9] {
        let signal = light < 0.018 ? 4.5 * light : 1.099 * pow(light, 0.45) - 0.099
        #expect(abs(curve.light(of: signal) - light) < 0.001)
      }
    }
    for (code, gamma) in [(4, 2.2), (5, 2.8), (8, 1)] {
      let curve = try Self.model(9, code).curve
      for signal in [0.1, 0.5, 0.8] { #expect(abs(curve.light(of: signal) - pow(signal, gamma)) < 0.002) }
    }
    // IEC 61966-2-1.
    for code in [2, 13] {
      let curve = try Self.model(9, code).curve
      #expect(abs(curve.light(of: 0.02) - 0.02 / 12.92) < 1e-4)
      #expect(abs(curve.light(of: 0.5) - pow((0.5 + 0.055) / 1.055, 2.4)) < 1e-4)
    }
  }

  @Test func sRGBAndUnknownColorsHaveNoProfile() throws {
    for (primaries, transfer) in [(1, 13), (2, 2), (1, 2), (2, 13)] {
      #expect(try ICCProfile.coded(primaries: primaries, transfer: transfer) == [])
    }
    for (primaries, transfer) in [(3, 8), (22, 8), (9, 17), (9, 99), (-1, 8), (.max, .max)] {
      #expect(try ICCProfile.coded(primaries: primaries, transfer: transfer) == nil)
    }
  }
}
