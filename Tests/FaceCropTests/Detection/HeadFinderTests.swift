import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// Heads in the portrait, compared with hand annotations.
@Suite struct HeadFinderTests {
  private static let networks = ObjectPool(keepsItems: true) { () throws(FaceCropError) in try PersonNetwork() }

  /// The portrait's face box, the top of the hair, and the hair's sides, in pixels.
  private static let (box, crown, left, right) = (
    Frame(x: 180, y: 66, width: 90, height: 110), 16.0, 153.0, 302.0
  )

  private static func head(
    in image: PixelBuffer, _ box: Frame = box, among others: [Frame] = []
  ) throws(FaceCropError) -> Head? {
    func face(_ box: Frame) -> Face { Face(box: box.normalized(in: image.size), score: 1) }
    return try HeadFinder(in: image, by: networks).head(of: face(box), among: others.map(face))
  }

  @Test(arguments: [0.25, 0.5, 1, 1.5])
  func headsAreFound(scale: Double) throws {
    let side = Int(512 * scale)
    let image = PixelBuffer(try astronaut().resizedBilinear(width: side, height: side))
    let head = try #require(try Self.head(in: image, Self.box.scaled(by: scale)))
    let near = 0.06 * Self.box.height
    #expect(abs(head.crown.position * 512 - Self.crown) < near, "\(head.crown)")
    #expect(abs(head.left.position * 512 - Self.left) < 2 * near, "\(head.left)")
    #expect(abs(head.right.position * 512 - Self.right) < 2 * near, "\(head.right)")
    #expect(head.crown.confidence > 0.9)
  }

  /// A crown is uncertain if the background has the color of the hair.
  @Test func hairBeforeItsOwnColorIsUncertain() throws {
    let portrait = PixelBuffer(try astronaut())
    let (hair, rowsAbove): ([UInt8], Int) = ([198, 179, 146], 100)
    var bytes = Array(repeating: hair, count: 512 * rowsAbove).flatMap { $0 } + portrait.bytes
    for (y, x) in (0..<200).flatMap({ y in (0..<512).map { (y, $0) } }) {
      // Everything outside an ellipse around the head gets that color.
      let (across, down) = (Double(x - 226) / 72, Double(y - 95) / 85)
      guard across * across + down * down >= 1 else { continue }
      let index = ((y + rowsAbove) * 512 + x) * 3
      bytes.replaceSubrange(index..<index + 3, with: hair)
    }
    let image = PixelBuffer(size: PixelSize(width: 512, height: 512 + rowsAbove), format: .rgb, bytes: bytes)
    let box = Self.box.moved(x: Self.box.x, y: Self.box.y + Double(rowsAbove))
    let head = try #require(try Self.head(in: image, box))
    #expect(head.crown.confidence < 0.9, "\(head.crown)")
  }

  /// The outline surrounds the face, within the head's edges.
  @Test func outlinesAreAroundFaces() throws {
    let head = try #require(try Self.head(in: PixelBuffer(astronaut())))
    let outline = try #require(head.outline)
    #expect((8...Head.mostPoints).contains(outline.count))
    let (top, bottom) = (outline.map(\.y).min()!, outline.map(\.y).max()!)
    #expect(abs(top - head.crown.position) < 0.01 && bottom <= head.chin.position + 0.01)
    #expect(outline.allSatisfy { (-1e-9...1 + 1e-9).contains($0.x) && (-1e-9...1 + 1e-9).contains($0.y) })
    // It runs up the face's left side and down its right one.
    let face = Self.box.normalized(in: PixelSize(width: 512, height: 512))
    let (left, right) = (outline.prefix(outline.count / 2), outline.suffix(outline.count / 2))
    #expect(left.filter { $0.y > face.y }.allSatisfy { $0.x < face.midX })
    #expect(right.filter { $0.y > face.y }.allSatisfy { $0.x > face.midX })
  }

  @Test(arguments: [20, 40, 60])
  func noHeadIsSeenBeyondTheImage(rows: Int) throws {
    let portrait = PixelBuffer(try astronaut())
    let image = portrait.cropped(to: PixelRect(x: 0, y: rows, width: 512, height: 512 - rows))
    let box = Self.box.moved(x: Self.box.x, y: Self.box.y - Double(rows))
    let head = try #require(try Self.head(in: image, box))
    #expect(head.crown.position >= 0 && head.crown.position * Double(image.height) < 4, "\(head)")
    #expect(head.skull.position >= head.crown.position && head.isValid)
  }

  /// A person above is not part of the head below, if that face is known.
  @Test func othersAreNotTheHead() throws {
    let head = PixelBuffer(try astronaut()).cropped(to: PixelRect(x: 130, y: 0, width: 190, height: 190))
    var bytes: [UInt8] = []
    for y in 0..<380 {
      let start = y % 190 * head.bytesPerRow
      bytes += head.bytes[start..<start + head.bytesPerRow]
    }
    let image = PixelBuffer(size: PixelSize(width: 190, height: 380), format: .rgb, bytes: bytes)
    let upper = Self.box.moved(x: Self.box.x - 130, y: Self.box.y)
    let lower = upper.moved(x: upper.x, y: upper.y + 190)
    let found = try #require(try Self.head(in: image, lower, among: [upper]))
    #expect(found.crown.position * 380 > 190 + Self.crown - 0.3 * Self.box.height, "\(found.crown)")
  }

  /// Without a visible person, an average head is assumed, with no confidence.
  @Test func assumesAnAverageHeadWithoutAPerson() throws {
    let image = PixelBuffer(Pixels(width: 300, height: 300, color: [120, 160, 200]))
    let head = try #require(try Self.head(in: image, Frame(x: 110, y: 110, width: 80, height: 100)))
    #expect(head.crown.confidence < 0.8)
    #expect((0.05...0.35).contains((110 - head.crown.position * 300) / 100))
  }

  @Test func anyImageHasAValidHeadOrNone() throws {
    var random = SplitMix64(seed: 4)
    for _ in 0..<100 {
      let size = PixelSize(width: .random(in: 1...90, using: &random), height: .random(in: 1...90, using: &random))
      let bytes = (0..<size.width * size.height * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
      let image = PixelBuffer(size: size, format: .rgb, bytes: bytes)
      let box = NormalizedRect(
        x: .random(in: 0..<0.9, using: &random), y: .random(in: 0..<0.9, using: &random),
        width: .random(in: 0.01...0.1, using: &random), height: .random(in: 0.01...0.1, using: &random))
      var face = Face(box: box, score: 1)
      face.box.height = .random(in: 0.01...(1 - box.y), using: &random)
      if let head = try HeadFinder(in: image, by: Self.networks).head(of: face, among: []) {
        #expect(head.isValid && head.crown.position >= -1e-9, "\(size), \(face.box): \(head)")
      } else {
        #expect(face.box.height * Double(size.height) < 40, "\(size), \(face.box)")
      }
    }
  }

  @Test func theLargestOfManyHaveHeads() throws {
    let image = PixelBuffer(try astronaut())
    let faces = (0..<FaceDescriber.mostFaces + 8).map { index in
      Face(box: NormalizedRect(x: 0.4, y: 0.4, width: 0.1, height: 0.1 + Double(index) * 0.001), score: 1)
    }
    let describer = FaceDescriber(in: image, by: Self.networks)
    let found = try describer.withHeads(faces, of: Set(faces.indices))
    #expect(found.map { $0.head != nil } == faces.indices.map { $0 >= 8 })
    #expect(found.map(\.box) == faces.map(\.box))
    let few = try describer.withHeads(faces, of: [3, 5])
    #expect(few.indices.filter { few[$0].head != nil } == [3, 5])
    #expect(try describer.withSharpness(faces).count { $0.sharpness != nil } == FaceDescriber.mostFaces)
  }

  @Test func headsSurviveJSON() throws {
    let head = try Self.head(in: PixelBuffer(astronaut()))
    let face = Face(box: NormalizedRect(x: 0.1, y: 0.2, width: 0.3, height: 0.4), score: 0.9, head: head)
    #expect(try JSONDecoder().decode(Face.self, from: JSONEncoder().encode(face)) == face)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(
        Face.self, from: Data(#"{"x":0.1,"y":0.1,"width":0.1,"height":0.1,"score":1,"head":{"crown":1}}"#.utf8))
    }
  }
}
