import CResampling
import TestSupport
import Testing

@testable import FaceCrop

/// The loops of every instruction set, compared with plain sums.
@Suite struct ResamplingLoopsTests {
  private static var sets: [Int] { Array((0...).lazy.prefix { unsafe fcresampling_loops($0) != nil }) }

  private static func loops(_ set: Int) -> FCResamplingLoops { unsafe fcresampling_loops(set)!.pointee }

  private struct Case {
    var rows: [[UInt8]]
    var weights: [Float]
    let channels: Int

    init(pixels: Int, rows: Int, channels: Int, random: inout SplitMix64) {
      self.channels = channels
      self.rows = (0..<rows).map { _ in (0..<pixels * channels).map { _ in UInt8.random(in: 0...255, using: &random) } }
      weights = (0..<rows).map { _ in Float.random(in: -0.2...0.8, using: &random) }
    }

    /// Returns a sample; alpha weights colors.
    func sample(_ row: Int, _ index: Int) -> Double {
      let sample = Double(rows[row][index])
      guard channels == 4, index % 4 != 3 else { return sample }
      return sample * Double(rows[row][index / 4 * 4 + 3]) / 255
    }
  }

  @Test func setsAreNamed() {
    let names = Self.sets.map { unsafe String(cString: Self.loops($0).name) }
    #expect(!names.isEmpty && Set(names).count == names.count)
    #if arch(x86_64)
      #expect(names.last == "sse2")
    #endif
  }

  @Test(arguments: [1, 3, 4])
  func rowsAreWeighedAndAdded(channels: Int) {
    var random = SplitMix64(seed: 5)
    for pixels in [1, 2, 3, 7, 8, 16, 33, 100] {
      for rows in [1, 2, 7, 13] {
        let trial = Case(pixels: pixels, rows: rows, channels: channels, random: &random)
        let samples = pixels * channels
        for set in Self.sets {
          for isSum in [false, true] {
            // The value after the end stays.
            var sum = [Float](repeating: 9, count: samples + 1)
            blend(trial, by: set, isSum: isSum, into: &sum)
            for index in 0..<samples {
              let expected = (0..<rows).reduce(isSum ? 9 : 0) {
                $0 + Double(trial.weights[$1]) * trial.sample($1, index)
              }
              #expect(abs(Double(sum[index]) - expected) < 0.01)
            }
            #expect(sum[samples] == 9)
          }
        }
      }
    }
  }

  private func blend(_ trial: Case, by set: Int, isSum: Bool, into sum: inout [Float]) {
    let (joined, samples) = (trial.rows.flatMap { $0 }, trial.rows[0].count)
    unsafe joined.withUnsafeBufferPointer { joined in
      let pointers = unsafe (0..<trial.rows.count).map { unsafe joined.baseAddress! + $0 * samples }
      unsafe pointers.withUnsafeBufferPointer { pointers in
        unsafe Self.loops(set).blend(
          pointers.baseAddress!, trial.weights, trial.rows.count, samples, trial.channels, isSum, &sum)
      }
    }
  }

  @Test(arguments: [1, 3, 4])
  func pixelsAreWeighedAndAdded(channels: Int) {
    var random = SplitMix64(seed: 6)
    let pixels = 8 / channels
    for (places, vectors) in [(1, 1), (5, 1), (9, 2), (40, 7)] {
      let length = places * channels + vectors * 8 + 5
      let lines = (0..<Int(FCRESAMPLING_ROWS) * length).map { _ in Float.random(in: 0...255, using: &random) }
      let starts = (0..<places).map { UInt32($0 * channels) }
      var weights = [Float](repeating: 0, count: places * vectors * 8)
      for stretch in 0..<places * vectors {
        for pixel in 0..<pixels {
          let weight = Float.random(in: -0.2...0.8, using: &random)
          for channel in 0..<channels { weights[stretch * 8 + pixel * channels + channel] = weight }
        }
      }
      for (set, rows) in Self.sets.flatMap({ set in (1...Int(FCRESAMPLING_ROWS)).map { (set, $0) } }) {
        let outLength = places * channels + 3
        var out = [Float](repeating: 0, count: rows * outLength)
        unsafe Self.loops(set).combine(
          rows, lines, length, starts, weights, vectors, places, channels, &out, outLength)
        for (row, place) in (0..<rows).flatMap({ row in (0..<places).map { (row, $0) } }) {
          for channel in 0..<channels {
            var expected = 0.0
            for vector in 0..<vectors {
              for pixel in 0..<pixels {
                let sample = lines[row * length + place * channels + (vector * pixels + pixel) * channels + channel]
                expected += Double(weights[(place * vectors + vector) * 8 + pixel * channels]) * Double(sample)
              }
            }
            #expect(abs(Double(out[row * outLength + place * channels + channel]) - expected) < 0.01)
          }
        }
      }
    }
  }

  @Test func samplesAreRoundedAndStayBytes() {
    let samples: [Float] =
      [-1e9, -3, -0.5, 0, 0.49, 0.5, 1.5, 2.49, 254.4, 254.5, 255, 255.4, 300, 1e9] + [Float](repeating: 7.6, count: 23)
    let expected: [UInt8] = [0, 0, 0, 0, 0, 1, 2, 2, 254, 255, 255, 255, 255, 255] + [UInt8](repeating: 8, count: 23)
    for set in Self.sets {
      var out = [UInt8](repeating: 1, count: samples.count)
      unsafe Self.loops(set).round(samples, samples.count, &out)
      #expect(out == expected)
    }
  }

  /// Enlargements in whole numbers: 4 bits of a row's sums are lost, and 16 of the products of two rows.
  @Test(arguments: [1, 3])
  func neighborsAreInterpolated(channels: Int) {
    var random = SplitMix64(seed: 8)
    for columns in [1, 2, 5, 40] {
      let row = (0..<(columns + 2) * channels + Int(FCRESAMPLING_LANES)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let starts = (0..<columns).map { UInt32($0 * channels) }
      let firsts = (0..<columns).map { _ in Int32.random(in: 0...2_048, using: &random) }
      for set in Self.sets {
        var out = [Int16](repeating: 0, count: columns * channels + 1)
        unsafe Self.loops(set).interpolate(row, starts, firsts.flatMap { [$0, 2_048 - $0] }, columns, channels, &out)
        let expected = (0..<columns * channels).map { index in
          let first = firsts[index / channels]
          return Int16((Int32(row[index]) * first + Int32(row[index + channels]) * (2_048 - first)) >> 4)
        }
        #expect(Array(out.dropLast()) == expected)
        var samples = [UInt8](repeating: 9, count: expected.count)
        let other = expected.map { 32_640 - $0 }
        unsafe Self.loops(set).between(expected, other, 700, 1_348, expected.count - 1, &samples)
        let sums = zip(expected, other).map { ((Int32($0) * 700) >> 16) + ((Int32($1) * 1_348) >> 16) }
        // The sample after the end stays.
        #expect(samples == sums.dropLast().map { UInt8(($0 + 2) >> 2) } + [9])
      }
    }
  }

  /// Squares of 2 to 4 pixels, and incomplete ones at the end, which count the last pixel again.
  @Test func meansAreThoseOfTheirSquares() {
    var random = SplitMix64(seed: 7)
    for set in Self.sets {
      for channels in [1, 3] {
        for factor in 2...4 {
          for pixels in [1, 2, 3, 5, 8, 16, 17, 100, 101, 102, 103] {
            let kind = Case(pixels: pixels, rows: factor, channels: channels, random: &random)
            // Includes the brightest and darkest, which give the largest sums and exact halves.
            let rows = pixels == 8 ? kind.rows.map { $0.map { $0 < 128 ? 254 : 255 } } : kind.rows
            let places = (pixels + factor - 1) / factor
            var sums = [UInt16](repeating: 0, count: 4 * (pixels + 4))
            var out = [UInt8](repeating: 1, count: places * channels + 1)
            let joined = rows.flatMap { $0 }
            unsafe joined.withUnsafeBufferPointer { joined in
              let pointers = unsafe (0..<factor).map { unsafe joined.baseAddress! + $0 * pixels * channels }
              unsafe pointers.withUnsafeBufferPointer { pointers in
                unsafe Self.loops(set).mean(pointers.baseAddress!, factor, pixels, channels, &sums, &out)
              }
            }
            for index in 0..<places * channels {
              let sum = rows.map { row in
                (0..<factor).map {
                  Int(row[min(index / channels * factor + $0, pixels - 1) * channels + index % channels])
                }
                .reduce(0, +)
              }.reduce(0, +)
              #expect(Int(out[index]) == (sum + factor * factor / 2) / (factor * factor))
            }
            #expect(out.last == 1, "nothing is written behind them")
          }
        }
      }
    }
  }
}
