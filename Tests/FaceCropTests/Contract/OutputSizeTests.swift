import TestSupport
import Testing

@testable import FaceCrop

@Suite struct OutputSizeTests {
  private static func random(_ random: inout SplitMix64) -> OutputSize {
    func side(_ random: inout SplitMix64) -> Int {
      Bool.random(using: &random) ? .random(in: 1...300, using: &random) : .random(in: 1...65_535, using: &random)
    }
    return switch Int.random(in: 0..<6, using: &random) {
    case 0: .longSide(side(&random))
    case 1: .width(side(&random))
    case 2: .height(side(&random))
    case 3: .fit(PixelSize(width: side(&random), height: side(&random)))
    case 4: .cover(PixelSize(width: side(&random), height: side(&random)))
    default: .exact(width: side(&random), height: side(&random))
    }
  }

  @Test func enlargesOnlyOnRequest() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<20_000 {
      let frame = PixelSize(
        width: .random(in: 1...3_000, using: &random), height: .random(in: 1...3_000, using: &random))
      let size = Self.random(&random)
      let asked = size.pixels(for: frame, allowsUpscaling: true)
      let made = size.pixels(for: frame, allowsUpscaling: false)
      #expect(made.width >= 1 && made.height >= 1 && asked.width >= 1 && asked.height >= 1)
      #expect(made.width <= frame.width && made.height <= frame.height, "\(size) of \(frame): \(made)")
      switch size {
      case .longSide(let side): #expect(asked.longSide == side)
      case .width(let side): #expect(asked.width == side)
      case .height(let side): #expect(asked.height == side)
      case .exact(let width, let height): #expect(asked == PixelSize(width: width, height: height))
      case .fit(let target):
        #expect(asked.width <= target.width && asked.height <= target.height)
        #expect(asked.width == target.width || asked.height == target.height)
      case .cover(let target):
        #expect(asked.width >= target.width && asked.height >= target.height)
        #expect(asked.width == target.width || asked.height == target.height)
      case .filling(let aspect, let side?): #expect(asked == OutputSize.size(aspect, longSide: side))
      case .filling(_, nil): #expect(asked == frame)
      }
      if asked.width <= frame.width && asked.height <= frame.height {
        #expect(made == asked, "\(size) of \(frame): \(made)")
      } else if case .exact(let width, let height) = size {
        // As large as possible in the requested shape.
        let fit = min(Double(frame.width) / Double(width), Double(frame.height) / Double(height))
        #expect(abs(Double(made.width) - max(Double(width) * fit, 1)) <= 0.5 + 1e-6, "\(size) of \(frame): \(made)")
        #expect(abs(Double(made.height) - max(Double(height) * fit, 1)) <= 0.5 + 1e-6, "\(size) of \(frame): \(made)")
      } else {
        #expect(made == frame, "\(size) of \(frame): \(made)")
      }
    }
  }

  @Test func sidesHaveBounds() {
    for side in [0, -1, 65_536, .max, .min] {
      for size in [OutputSize.longSide(side), .width(side), .height(side), .exact(width: side, height: 1)] {
        #expect(!size.isValid)
      }
    }
    for side in [1, 65_535] { #expect(OutputSize.exact(width: side, height: side).isValid) }
    #expect(OutputSize.fit(.maximum).isValid && !OutputSize.cover(PixelSize(width: 5, height: 0)).isValid)
    // A derived side is limited too.
    let line = PixelSize(width: 1_000, height: 1)
    #expect(OutputSize.height(10).pixels(for: line, allowsUpscaling: true) == PixelSize(width: 10_000, height: 10))
    #expect(OutputSize.height(100).pixels(for: line, allowsUpscaling: true) == PixelSize(width: 65_535, height: 100))
    #expect(OutputSize.width(1).pixels(for: line, allowsUpscaling: false) == PixelSize(width: 1, height: 1))
  }

  /// The fewest eighths that leave `times` the largest output.
  @Test(arguments: [2.5, 4]) func scalesLeaveManyTimesTheOutput(times: Double) {
    var random = SplitMix64(seed: 2)
    for _ in 0..<20_000 {
      let frame = PixelSize(
        width: .random(in: 1...3_000, using: &random), height: .random(in: 1...3_000, using: &random))
      let sizes = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        PixelSize(
          width: .random(in: 1...frame.width, using: &random), height: .random(in: 1...frame.height, using: &random))
      }
      func leavesEnough(_ scale: Int) -> Bool {
        sizes.allSatisfy { size in
          let (width, height) = (8 * times * Double(size.width), 8 * times * Double(size.height))
          return Double(frame.width * scale) >= width && Double(frame.height * scale) >= height
        }
      }
      let fewest = (1...8).first(where: leavesEnough) ?? 8
      #expect(RegionRenderer.scale(from: frame, to: sizes, oversampling: times) == fewest, "\(frame) \(sizes)")
    }
  }
}
