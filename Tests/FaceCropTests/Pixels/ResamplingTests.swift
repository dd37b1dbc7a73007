import Glibc
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct ResamplingTests {
  private func resampled(
    _ picture: Pixels, horizontal: Range<Double>? = nil, vertical: Range<Double>? = nil, width: Int, height: Int,
    filter: Resampling.Filter = .standard
  ) -> Pixels {
    Pixels(
      PixelBuffer(picture).resampled(
        horizontal: horizontal ?? 0..<Double(picture.width), vertical: vertical ?? 0..<Double(picture.height),
        to: PixelSize(width: width, height: height), filter: filter))
  }

  @Test(arguments: [1, 3])
  func ownSizeIsTheSamePicture(channels: Int) {
    for (width, height) in [(1, 1), (1, 9), (13, 1), (31, 17)] {
      let picture = Pixels.noise(width: width, height: height, channels: channels)
      #expect(resampled(picture, width: width, height: height) == picture)
    }
  }

  /// Whole columns and rows at their own size are a cut, although they pass through the filter.
  @Test(arguments: [1, 3])
  func wholeSpansAtTheirSizeAreACut(channels: Int) {
    let picture = Pixels.noise(width: 40, height: 30, channels: channels)
    for (x, y, width, height) in [(3, 5, 20, 10), (0, 0, 1, 1), (39, 29, 1, 1), (0, 7, 40, 2)] {
      let cut = resampled(
        picture, horizontal: Double(x)..<Double(x + width), vertical: Double(y)..<Double(y + height), width: width,
        height: height)
      #expect(cut == picture.cropped(x: x, y: y, width: width, height: height))
    }
  }

  @Test func onePlainColorStays() {
    var random = SplitMix64(seed: 1)
    for round in 0..<200 {
      let color = (0..<(round % 2 == 0 ? 3 : 1)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let trial = Trial(&random)
      let picture = Pixels(width: trial.width, height: trial.height, color: color)
      let output = resampled(
        picture, horizontal: trial.horizontal, vertical: trial.vertical, width: trial.output.width,
        height: trial.output.height)
      #expect(output == Pixels(width: trial.output.width, height: trial.output.height, color: color), "\(trial)")
    }
  }

  private struct Trial {
    var width, height: Int
    var horizontal, vertical: Range<Double>
    var output: PixelSize

    init(_ random: inout SplitMix64) {
      func axis(_ random: inout SplitMix64) -> (Int, Range<Double>, Int) {
        let input = Int.random(in: 1...50, using: &random)
        let places = [0, Double(input)] + (0..<2).map { _ in Double.random(in: 0...Double(input), using: &random) }
        let ends = places.shuffled(using: &random).prefix(2).sorted()
        let span = ends[1] - ends[0] > 0.01 ? ends[0]..<ends[1] : 0..<Double(input)
        let length = span.upperBound - span.lowerBound
        let most = Bool.random(using: &random) ? max(length / 2, 1) : 60
        return (input, span, Int.random(in: 1...Int(most), using: &random))
      }
      let outputWidth, outputHeight: Int
      (width, horizontal, outputWidth) = axis(&random)
      (height, vertical, outputHeight) = axis(&random)
      output = PixelSize(width: outputWidth, height: outputHeight)
    }
  }

  /// The result equals the filters' definitions, for spans that begin and end inside pixels.
  @Test func equalsTheDefinition() {
    var random = SplitMix64(seed: 2)
    for round in 0..<600 {
      let trial = Trial(&random)
      let picture = Pixels.noise(
        width: trial.width, height: trial.height, channels: round % 3 == 0 ? 3 : 1, seed: UInt64(round))
      let output = resampled(
        picture, horizontal: trial.horizontal, vertical: trial.vertical, width: trial.output.width,
        height: trial.output.height)
      let expected = referenceResize(
        picture, horizontal: trial.horizontal, vertical: trial.vertical, width: trial.output.width,
        height: trial.output.height)
      #expect(output.maximumDifference(from: expected) <= 1, "\(trial)")
      #expect(output.meanDifference(from: expected) <= 0.01, "\(trial)")
    }
  }

  /// Rows may come in bands of any height, and again from the start.
  @Test func rowsMayComeInBandsAndAnew() {
    var random = SplitMix64(seed: 3)
    for round in 0..<200 {
      let trial = Trial(&random)
      let picture = PixelBuffer(
        Pixels.noise(width: trial.width, height: trial.height, channels: round % 2 == 0 ? 3 : 1, seed: UInt64(round)))
      var resampler = RowResampler(
        horizontal: trial.horizontal, vertical: trial.vertical, of: picture.size, format: picture.format,
        to: trial.output)
      func add(_ rows: Int, of bytes: [UInt8]) {
        var first = 0
        while first < rows {
          let count = min(Int.random(in: 1...9, using: &random), rows - first)
          let band = Array(bytes[(first * picture.bytesPerRow)..<((first + count) * picture.bytesPerRow)])
          resampler.take(band.span, count: count)
          first += count
        }
      }
      add(Int.random(in: 0...picture.height, using: &random), of: picture.bytes.map { 255 - $0 })
      resampler.restart()
      add(picture.height, of: picture.bytes)
      let whole = picture.resampled(horizontal: trial.horizontal, vertical: trial.vertical, to: trial.output)
      #expect(resampler.picture == whole, "\(trial)")
    }
  }

  /// Rings of all frequencies up to the finest. Frequencies that the window does not remove return as other rings.
  @Test(arguments: [1_100, 800, 500, 400, 300, 200, 100, 60, 30])
  func ringsAreTheWindows(side: Int) {
    let rings = Pixels.rings(side: 1_200)
    let output = resampled(rings, width: side, height: side)
    #expect(output.meanDifference(from: referenceLanczos(rings, width: side, height: side)) <= 0.8)
  }

  @Test(arguments: [2, 3, 4, 5, 7, 16])
  func wholeRatiosAreThePlainMean(ratio: Int) {
    let (width, height) = (9, 6)
    for channels in [1, 3] {
      let picture = Pixels.noise(width: width * ratio, height: height * ratio, channels: channels)
      let output = resampled(picture, width: width, height: height, filter: .average)
      var wrong = 0
      for y in 0..<height {
        for x in 0..<width {
          for channel in 0..<channels {
            var sum = 0
            for row in y * ratio..<(y + 1) * ratio {
              for column in x * ratio..<(x + 1) * ratio {
                sum += Int(picture.samples[(row * picture.width + column) * channels + channel])
              }
            }
            let mean = (2 * sum + ratio * ratio) / (2 * ratio * ratio)
            let isHalf = (2 * sum) % (2 * ratio * ratio) == ratio * ratio
            let actual = Int(output[x, y][channel])
            // Weights that are not powers of two round halves either way.
            if actual != mean && !(isHalf && actual == mean - 1) { wrong += 1 }
          }
        }
      }
      #expect(wrong == 0)
    }
  }

  /// The average of a sum is the sum of the averages.
  @Test func areaAverageIsLinear() {
    let first = Pixels.noise(width: 60, height: 45, channels: 3, seed: 1)
    let second = Pixels.noise(width: 60, height: 45, channels: 3, seed: 2)
    func half(_ picture: Pixels) -> Pixels {
      Pixels(width: 60, height: 45, channels: 3, samples: picture.samples.map { $0 / 2 })
    }
    let sum = Pixels(
      width: 60, height: 45, channels: 3,
      samples: zip(half(first).samples, half(second).samples).map { $0 + $1 })
    for (width, height) in [(30, 20), (17, 11), (7, 4), (1, 1)] {
      let parts = [first, second].map { resampled(half($0), width: width, height: height, filter: .average) }
      let added = Pixels(
        width: width, height: height, channels: 3, samples: zip(parts[0].samples, parts[1].samples).map { $0 + $1 })
      // Three roundings.
      let whole = resampled(sum, width: width, height: height, filter: .average)
      #expect(whole.maximumDifference(from: added) <= 1)
    }
  }

  /// A gradient stays a gradient at any size, with its middle in the middle.
  @Test(arguments: [8, 21, 50, 64, 100, 128, 200, 640])
  func gradientsKeepTheirPlace(width: Int) {
    let samples = (0..<128).map { UInt8($0 * 2) }
    let gradient = Pixels(width: 128, height: 1, channels: 1, samples: samples)
    let output = resampled(gradient, width: width, height: 1)
    let margin = max(3 * width / 128, 3) + 1
    for x in margin..<max(width - margin, margin) {
      let place = (Double(x) + 0.5) * 128 / Double(width) - 0.5
      #expect(abs(Double(output[x, 0][0]) - 2 * place) <= 1.5, "\(x)")
    }
  }

  @Test func enlargingKeepsWhatWasThere() {
    // Three times the size: each third sample is at an input's position.
    let picture = Pixels.noise(width: 20, height: 15, channels: 3)
    let output = resampled(picture, width: 60, height: 45)
    var differences = 0
    for y in 0..<15 {
      for x in 0..<20 where output[3 * x + 1, 3 * y + 1] != picture[x, y] { differences += 1 }
    }
    #expect(differences == 0)
  }

  @Test func singlePixels() {
    let pixel = Pixels(width: 1, height: 1, color: [10, 200, 30])
    #expect(resampled(pixel, width: 7, height: 5) == Pixels(width: 7, height: 5, color: [10, 200, 30]))
    #expect(
      resampled(pixel, horizontal: 0.25..<0.5, vertical: 0..<0.125, width: 1, height: 1)
        == Pixels(width: 1, height: 1, color: [10, 200, 30]))
    let row = Pixels(width: 4, height: 1, channels: 1, samples: [0, 100, 100, 200])
    #expect(resampled(row, width: 1, height: 1, filter: .average).samples == [100])
    #expect(
      resampled(row, horizontal: 0..<2.0, vertical: 0..<1.0, width: 1, height: 1, filter: .average).samples == [50])
    #expect(
      resampled(row, horizontal: 0.5..<3, vertical: 0..<1.0, width: 1, height: 1, filter: .average).samples == [80])
  }
}

extension Pixels {
  /// Draws rings that get finer outward, up to one black and one white pixel at the middle of each edge.
  fileprivate static func rings(side: Int) -> Pixels {
    let middle = Double(side - 1) / 2
    let samples = (0..<side * side).map { place -> UInt8 in
      let (x, y) = (Double(place % side) - middle, Double(place / side) - middle)
      return UInt8((127.5 + 127.5 * cos(.pi * (x * x + y * y) / Double(side))).rounded())
    }
    return Pixels(width: side, height: side, channels: 1, samples: samples)
  }
}
