import FoundationEssentials
import Testing

@testable import FaceCrop

@Suite struct CropPlanTests {
  private static let json = """
    {"version":1,"source":{"width":400,"height":300},"detector":"haar",
    "faces":[{"x":0.25,"y":0.125,"width":0.5,"height":0.25,"score":0.75}],
    "crops":[{"region":{"x":0.25,"y":0,"width":0.5,"height":0.5},"faces":[0]}]}
    """

  private static let plan = CropPlan(
    source: PixelSize(width: 400, height: 300), detector: "haar",
    faces: [Face(box: NormalizedRect(x: 0.25, y: 0.125, width: 0.5, height: 0.25), score: 0.75)],
    crops: [CropPlan.Crop(region: NormalizedRect(x: 0.25, y: 0, width: 0.5, height: 0.5), faces: [0])])

  private func decode(_ json: String) throws -> CropPlan {
    try JSONDecoder().decode(CropPlan.self, from: Data(json.utf8))
  }

  @Test func readsTheDocumentedShape() throws {
    #expect(try decode(Self.json) == Self.plan)
  }

  @Test func survivesTheRoundTripToTheLastBit() throws {
    var random = SplitMix64(seed: 9)
    for _ in 0..<500 {
      let size = PixelSize(
        width: .random(in: 1...9_000, using: &random), height: .random(in: 1...9_000, using: &random))
      let rects = (0..<3).map { _ in random.rect(in: size).normalized(in: size) }
      let plan = CropPlan(
        source: size, detector: "x", faces: rects.map { Face(box: $0, score: .random(in: 0...1, using: &random)) },
        crops: rects.indices.map { CropPlan.Crop(region: rects[$0], faces: [$0]) })
      let decoded = try JSONDecoder().decode(CropPlan.self, from: JSONEncoder().encode(plan))
      #expect(decoded == plan)
    }
  }

  @Test(arguments: [
    (#""version":1"#, #""version":2"#), (#""width":400"#, #""width":0"#), (#""faces":[0]"#, #""faces":[1]"#),
    (#""faces":[0]"#, #""faces":[-1]"#), (#""y":0,"width":0.5"#, #""y":0.9,"width":0.5"#),
    (#""score":0.75"#, #""score":"high""#), (#""detector":"haar","#, ""),
    (#""x":0.25,"y":0.125"#, #""x":1e400,"y":0.125"#),
  ])
  func refusesWhatCannotBeApplied(original: String, replacement: String) {
    #expect(Self.json.contains(original))
    #expect(throws: DecodingError.self) {
      try decode(Self.json.replacing(original, with: replacement))
    }
  }
}
