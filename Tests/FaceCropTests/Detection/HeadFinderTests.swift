import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// Drawn heads, of which it is known where they end.
@Suite struct HeadFinderTests {
  /// A face of 100 × 125 pixels in an ellipse of hair, on a background with stripes.
  private struct Drawing {
    var hairAbove = 0.3
    var hairWide = 0.7
    var hair: [Double] = [60, 40, 30]
    var background: [Double] = [120, 160, 200]
    var stripes = 0.0
    var faceY = 200.0
    let width = 480
    let height = 480
    var box: Frame { Frame(x: Double(width) / 2 - 50, y: faceY, width: 100, height: 125) }

    func picture(seed: UInt64 = 1) -> PixelBuffer {
      var random = SplitMix64(seed: seed)
      var bytes: [UInt8] = []
      let top = box.y - hairAbove * box.height
      let bottom = box.maxY
      for y in 0..<height {
        for x in 0..<width {
          func inside(_ middle: Double, _ top: Double, _ bottom: Double, _ half: Double) -> Bool {
            let (dx, dy) = ((Double(x) - middle) / half, (Double(y) - (top + bottom) / 2) / ((bottom - top) / 2))
            return dx * dx + dy * dy < 1
          }
          var color = background.map { $0 + (x / 12 % 2 == 0 ? stripes : -stripes) }
          if inside(box.midX, top, bottom + 10, hairWide * box.height) { color = hair }
          if inside(box.midX, box.y, bottom, box.width / 2) { color = [225, 180, 150] }
          if Double(y) > bottom + 25, abs(Double(x) - box.midX) < 130 { color = [40, 60, 90] }
          for value in color { bytes.append(UInt8(min(max(value + .random(in: -6...6, using: &random), 0), 255))) }
        }
      }
      return PixelBuffer(size: PixelSize(width: width, height: height), format: .rgb, bytes: bytes)
    }

    func head() -> Head? {
      let picture = picture()
      return HeadFinder(in: picture).head(of: Face(box: box.normalized(in: picture.size), score: 1))
    }

    /// How far above the box's top the crown was found, in heights of the box.
    func crown() throws -> Double {
      let head = try #require(self.head())
      return (box.y - head.crown.place * Double(height)) / box.height
    }
  }

  @Test(arguments: [0.15, 0.25, 0.35, 0.5, 0.65])
  func crownsAreFound(hair: Double) throws {
    var drawing = Drawing(hairAbove: hair)
    #expect(abs(try drawing.crown() - hair) < 0.08, "\(hair)")
    drawing.hair = [230, 220, 150]
    #expect(abs(try drawing.crown() - hair) < 0.08, "\(hair), blond")
    drawing.stripes = 25
    #expect(abs(try drawing.crown() - hair) < 0.08, "\(hair), striped")
  }

  @Test func sidesAreFound() throws {
    for wide in [0.5, 0.6, 0.75] {
      let drawing = Drawing(hairWide: wide)
      let head = try #require(drawing.head())
      let (left, right) = (
        (drawing.box.midX - head.left.place * 480) / drawing.box.height,
        (head.right.place * 480 - drawing.box.midX) / drawing.box.height
      )
      #expect(abs(left - wide) < 0.12 && abs(right - wide) < 0.12, "\(wide): \(left), \(right)")
    }
  }

  @Test func noHeadIsSeenBeyondThePicture() throws {
    for y in [0.0, 5, 20, 30] {
      let drawing = Drawing(hairAbove: 0.4, faceY: y)
      let head = try #require(drawing.head())
      #expect(head.crown.place >= 0 && head.crown.place * 480 < 6, "\(y): \(head)")
      #expect(head.skull.place >= head.crown.place && head.isValid)
    }
  }

  /// Hair of the background's color cannot be seen: most people have some.
  @Test func whatCannotBeSeenIsAssumedAndSaid() throws {
    let drawing = Drawing(hair: [120, 160, 200], background: [120, 160, 200])
    let head = try #require(drawing.head())
    #expect(head.crown.confidence < 0.8)
    #expect((0.05...0.35).contains(try drawing.crown()))
  }

  @Test func anyPictureHasAValidHeadOrNone() throws {
    var random = SplitMix64(seed: 4)
    for _ in 0..<300 {
      let size = PixelSize(width: .random(in: 1...90, using: &random), height: .random(in: 1...90, using: &random))
      let bytes = (0..<size.width * size.height * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
      let picture = PixelBuffer(size: size, format: .rgb, bytes: bytes)
      let box = NormalizedRect(
        x: .random(in: 0..<0.9, using: &random), y: .random(in: 0..<0.9, using: &random),
        width: .random(in: 0.01...0.1, using: &random), height: .random(in: 0.01...0.1, using: &random))
      var face = Face(box: box, score: 1)
      face.box.height = .random(in: 0.01...(1 - box.y), using: &random)
      if let head = HeadFinder(in: picture).head(of: face) {
        #expect(head.isValid && head.crown.place >= -1e-9, "\(size), \(face.box): \(head)")
      } else {
        #expect(face.box.height * Double(size.height) < 40, "\(size), \(face.box)")
      }
    }
  }

  @Test func theLargestOfManyHaveHeads() throws {
    let drawing = Drawing()
    let picture = drawing.picture()
    let faces = (0..<FaceDescriber.mostFaces + 8).map { index in
      Face(
        box: NormalizedRect(x: 0.4, y: 0.4, width: 0.1, height: 0.1 + Double(index) * 0.001), score: 1)
    }
    let found = try FaceDescriber(in: picture).described(faces)
    let few = try FaceDescriber(in: picture).described(faces, atMost: 4)
    #expect(few.count == faces.count && few.count { $0.head != nil } == 4)
    #expect(found.map { $0.head != nil } == faces.indices.map { $0 >= 8 })
    #expect(found.map(\.box) == faces.map(\.box))
  }

  @Test func headsSurviveJSON() throws {
    let face = Face(
      box: NormalizedRect(x: 0.1, y: 0.2, width: 0.3, height: 0.4), score: 0.9, head: Drawing().head())
    #expect(try JSONDecoder().decode(Face.self, from: JSONEncoder().encode(face)) == face)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(
        Face.self, from: Data(#"{"x":0.1,"y":0.1,"width":0.1,"height":0.1,"score":1,"head":{"crown":1}}"#.utf8))
    }
  }
}
