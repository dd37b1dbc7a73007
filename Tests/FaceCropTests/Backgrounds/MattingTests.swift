import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// Opacity and colors on images whose values are known.
@Suite struct MattingTests {
  /// A dark disk with strands around it, in front of a gradient; a mask that knows only a larger, soft disk.
  private struct Head {
    static let color = [60.0, 40, 30]
    let image: PixelBuffer
    let opacity: [Double]
    /// The distance of each pixel from the middle.
    let distance: [Double]
    let mask: PersonMap
    /// The distances with hair.
    let hair = 80.0..<122

    init(size: PixelSize = PixelSize(width: 300, height: 384)) {
      let (middleX, middleY) = (Double(size.width) / 2, Double(size.height) * 0.52)
      func disk(_ distance: Double, _ radius: Double, _ softness: Double) -> Double {
        min(max((radius - distance) / softness + 0.5, 0), 1)
      }
      var bytes: [UInt8] = []
      var (opacity, distances): ([Double], [Double]) = ([], [])
      for y in 0..<size.height {
        for x in 0..<size.width {
          let (across, down) = (Double(x) + 0.5 - middleX, Double(y) + 0.5 - middleY)
          let distance = hypot(across, down)
          let strand = (atan2(down, across) / (2 * .pi) * 72).rounded()
          let angle = strand * 2 * .pi / 72
          let beside = abs(-across * sin(angle) + down * cos(angle))
          let reach = 100 + Double((Int(strand) + 72) * 7 % 13) * 1.5
          let isStrand = distance < reach && distance > 80
          let alpha = max(disk(distance, 90, 1), isStrand ? min(max(1.2 - beside, 0), 1) : 0)
          let (right, below) = (Double(x) / Double(size.width), Double(y) / Double(size.height))
          let behind = [210 - 60 * below, 220 - 30 * below, 235 - 75 * right]
          for channel in 0..<3 {
            bytes.append(UInt8((Self.color[channel] * alpha + behind[channel] * (1 - alpha)).rounded()))
          }
          opacity.append(alpha)
          distances.append(distance)
        }
      }
      image = PixelBuffer(size: size, format: .rgb, bytes: bytes)
      (self.opacity, distance) = (opacity, distances)
      let grid = size.scaled(toLongSide: 256)
      let scale = Double(size.longSide) / 256
      mask = PersonMap(
        size: grid,
        probabilities: (0..<grid.width * grid.height).map { place in
          let (x, y) = (Double(place % grid.width) + 0.5, Double(place / grid.width) + 0.5)
          return UInt8(255 * disk(hypot(x * scale - middleX, y * scale - middleY), 98, 24))
        })
    }

    func cut() throws -> PixelBuffer { try Cutout(of: mask, in: image, .forTests()).rows(image, from: 0) }
  }

  @Test func strandsOfHairAreFoundThatTheMaskDoesNotKnow() throws {
    let head = Head()
    let cut = try head.cut()
    var (inHair, elsewhere, ofMask) = ((sum: 0.0, count: 0.0), (sum: 0.0, count: 0.0), 0.0)
    let mask = PixelBuffer(size: head.mask.size, format: .gray, bytes: head.mask.probabilities)
      .quicklyResized(to: head.image.size)
    for pixel in head.opacity.indices {
      let error = abs(Double(cut.bytes[4 * pixel + 3]) / 255 - head.opacity[pixel])
      if head.hair.contains(head.distance[pixel]) {
        inHair = (inHair.sum + error, inHair.count + 1)
        ofMask += abs(Double(mask.bytes[pixel]) / 255 - head.opacity[pixel])
      } else {
        elsewhere = (elsewhere.sum + error, elsewhere.count + 1)
      }
    }
    #expect(inHair.sum / inHair.count < 0.035, "\(inHair.sum / inHair.count)")
    #expect(elsewhere.sum / elsewhere.count < 0.002)
    #expect(ofMask > 5 * inHair.sum)
  }

  /// Dark hair has no rim of the old, light background.
  @Test func mixedPixelsGetTheColorOfThePerson() throws {
    let head = Head()
    let cut = try head.cut()
    var (before, after, count) = (0.0, 0.0, 0.0)
    for pixel in head.opacity.indices
    where (0.2...0.9).contains(head.opacity[pixel]) && cut.bytes[4 * pixel + 3] > 30 {
      for channel in 0..<3 {
        before += abs(Double(head.image.bytes[3 * pixel + channel]) - Head.color[channel])
        after += abs(Double(cut.bytes[4 * pixel + channel]) - Head.color[channel])
        count += 1
      }
    }
    #expect(count > 1_000 && before / count > 50 && after / count < 16, "\(before / count) \(after / count)")
  }

  /// Colors of transparent pixels could be restored from the file.
  @Test func transparentPixelsHaveNoColor() throws {
    let cut = try Head().cut()
    let hidden = stride(from: 0, to: cut.bytes.count, by: 4).filter { cut.bytes[$0 + 3] == 0 }
    #expect(hidden.count > 50_000 && hidden.allSatisfy { cut.bytes[$0..<$0 + 3].allSatisfy { $0 == 0 } })
  }

  /// Bands of rows equal the whole.
  @Test func rowsDoNotDependOnTheirBand() throws {
    let head = Head()
    let cutout = try Cutout(of: head.mask, in: head.image, .forTests())
    let whole = cutout.rows(head.image, from: 0)
    for rows in [0..<1, 190..<207, 383..<384] {
      let part = PixelRect(x: 0, y: rows.lowerBound, width: head.image.width, height: rows.count)
      #expect(cutout.rows(head.image.cropped(to: part), from: rows.lowerBound) == whole.cropped(to: part))
    }
  }

  /// A sure mask is kept, and every shape of image has coefficients within the bounds.
  @Test(arguments: [(1, 1), (1, 700), (9_000, 2), (3, 5), (640, 640), (256, 256)])
  func everySizeHasCoefficients(width: Int, height: Int) throws {
    let size = PixelSize(width: width, height: height)
    let small = Cutout.smallSize(of: size)
    #expect(small.width * small.height <= 65_536 && small.longSide <= 4_096 && small.shortSide >= 1)
    let image = PixelBuffer(Pixels.noise(width: width, height: height))
    let grid = size.scaled(toLongSide: 256)
    for level in [UInt8(0), 255] {
      let map = PersonMap(size: grid, probabilities: [UInt8](repeating: level, count: grid.width * grid.height))
      let cut = try Cutout(of: map, in: image, .forTests()).rows(image, from: 0)
      #expect(stride(from: 3, to: cut.bytes.count, by: 4).allSatisfy { cut.bytes[$0] == level })
    }
  }

  /// The blurred background has the colors of the background beside the person.
  @Test func aBlurredBackgroundHasNoPersonInIt() throws {
    let head = Head()
    for strength in [0.005, 0.02, 0.2] {
      let blurred = try Cutout(of: head.mask, in: head.image, .forTests()).blurredBackground(strength: strength)
      for x in stride(from: 0, to: blurred.width, by: 7) {
        for y in stride(from: 0, to: blurred.height, by: 7) {
          let scale = Double(head.image.width) / Double(blurred.width)
          let (across, down) = (Double(x) * scale - 150, Double(y) * scale - 384 * 0.52)
          guard hypot(across, down) > 95 else { continue }
          #expect(blurred.bytes[(y * blurred.width + x) * 3] > 110)
        }
      }
    }
  }
}
