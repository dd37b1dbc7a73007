import Testing

@testable import FaceCrop

@Suite struct TilePlanTests {
  private func face(_ height: Double, at index: Int = 0, in image: PixelSize) -> Face {
    let width = 0.8 * height * Double(image.height) / Double(image.width)
    return Face(box: NormalizedRect(x: Double(index) * 1.5 * width, y: 0.3, width: width, height: height), score: 0.9)
  }

  @Test func portraitsPayNothing() {
    for size in [PixelSize(width: 6_000, height: 4_000), PixelSize(width: 400, height: 600)] {
      #expect(TilePlan(for: size, faces: [], most: 8) == nil)
      #expect(TilePlan(for: size, faces: [face(0.3, in: size)], most: 8) == nil)
      // Two small faces are no group, and bystanders do not make one of a portrait.
      #expect(TilePlan(for: size, faces: (0..<2).map { face(0.04, at: $0, in: size) }, most: 8) == nil)
      #expect(TilePlan(for: size, faces: [face(0.4, in: size), face(0.3, at: 1, in: size)], most: 8) == nil)
    }
  }

  /// Expects that the tiles of a plan cover the image, overlap, and respect the allowed number and the detectors' size.
  private func expectCovered(_ plan: TilePlan, _ image: PixelSize, most: Int) {
    #expect((2...most).contains(plan.tiles.count))
    #expect(plan.size.width <= image.width && plan.size.height <= image.height)
    for tile in plan.tiles {
      #expect(tile.size.longSide <= 640 && tile.x >= 0 && tile.y >= 0)
      #expect(tile.x + tile.width <= plan.size.width && tile.y + tile.height <= plan.size.height)
    }
    for y in stride(from: 0, to: plan.size.height, by: 7) {
      for x in stride(from: 0, to: plan.size.width, by: 7) {
        #expect(plan.tiles.contains { (0..<$0.width).contains(x - $0.x) && (0..<$0.height).contains(y - $0.y) })
      }
    }
  }

  @Test(arguments: [2, 4, 8, 12])
  func groupsAreSearchedInTiles(most: Int) throws {
    for size in [
      PixelSize(width: 6_000, height: 4_000), PixelSize(width: 3_000, height: 4_000),
      PixelSize(width: 700, height: 500),
    ] {
      for height in [0.01, 0.03, 0.05] {
        let faces = (0..<20).map { face(height, at: $0, in: size) }
        guard let plan = TilePlan(for: size, faces: faces, most: most) else { continue }
        expectCovered(plan, size, most: most)
      }
    }
    let size = PixelSize(width: 6_000, height: 4_000)
    let plan = TilePlan(for: size, faces: (0..<20).map { face(0.045, at: $0, in: size) }, most: most)
    expectCovered(try #require(plan), size, most: most)
  }

  @Test(arguments: [(5_000, 1_000), (700, 7_000), (16_000, 1_000), (800, 12_800), (30_000, 100), (640, 200)])
  func longImagesAreSearchedInTiles(width: Int, height: Int) throws {
    let size = PixelSize(width: width, height: height)
    if size.longSide > 640 {
      expectCovered(try #require(TilePlan(for: size, faces: [], most: 8)), size, most: 8)
    } else {
      #expect(TilePlan(for: size, faces: [], most: 8) == nil)
    }
    #expect(TilePlan(for: size, faces: [], most: 1) == nil)
    // A large face in it shows that the pass over the whole image was fine enough.
    #expect(
      TilePlan(for: size, faces: [face(0.5 * Double(size.shortSide) / Double(size.height), in: size)], most: 8) == nil)
  }
}
