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

  // MARK: Edited plans

  /// Returns the clause of a plan with one crop and the faces; nil if it is usable.
  private static func fault(
    _ crop: CropPlan.Crop, of faces: [Face] = [], in size: PixelSize = plan.source
  ) -> String? {
    let plan = CropPlan(source: size, detector: "x", faces: faces, crops: [crop])
    do throws(CropPlan.ValidationError) {
      try plan.check()
      return nil
    } catch {
      return error.clause
    }
  }

  @Test func faultsNameTheCrop() {
    var plan = Self.plan
    plan.crops = [.init(region: .whole, faces: []), .init(region: .whole, faces: [plan.faces.count])]
    func clause() -> String? {
      do throws(CropPlan.ValidationError) {
        try plan.check()
        return nil
      } catch {
        return error.clause
      }
    }
    #expect(clause()?.hasPrefix("crops[1] shows face \(plan.faces.count)") == true)
    plan.crops[1] = .init(region: .whole, faces: [0, 0])
    #expect(clause() == "crops[1] names a face twice")
    plan.crops[1] = .init(region: NormalizedRect(x: 0.9, y: 0, width: 0.2, height: 1), faces: [])
    #expect(clause()?.hasPrefix("crops[1].region lies outside") == true)
    plan.faces.append(Face(box: NormalizedRect(x: 2, y: 0, width: 1, height: 1), score: 1))
    #expect(clause()?.hasPrefix("faces[\(plan.faces.count - 1)] lies outside") == true)
  }

  /// An edit of the region alone leaves a frame or a rotated rectangle behind.
  @Test func anEditOfTheRegionAloneIsAnError() async throws {
    let other = NormalizedRect(x: 0, y: 0, width: 0.3, height: 0.3)
    let turn = CropPlan.Crop.Turn(degrees: 8, rect: NormalizedRect(x: 0.4, y: 0.4, width: 0.3, height: 0.3))
    let held = NormalizedRect(x: 0.35, y: 0.35, width: 0.4, height: 0.4)
    #expect(Self.fault(.init(region: held, turn: turn, faces: [])) == nil)
    let turned = try #require(Self.fault(.init(region: other, turn: turn, faces: [])))
    #expect(turned.hasPrefix("crops[0] shows pixels outside of its region, by its turn"))
    #expect(turned.hasSuffix("(change turn.rect together with region, or remove turn)"))
    // The remedies work.
    #expect(Self.fault(.init(region: other, faces: [])) == nil)
    let inside = CropPlan.Crop.Turn(degrees: 8, rect: NormalizedRect(x: 0.05, y: 0.05, width: 0.15, height: 0.15))
    #expect(Self.fault(.init(region: other, turn: inside, faces: [])) == nil)
    // The region is not at fault if the rotated rectangle leaves the image.
    #expect(Self.fault(.init(region: .whole, turn: turn, faces: [])) == nil)
    let wide = CropPlan.Crop.Turn(degrees: 8, rect: NormalizedRect(x: 0.4, y: 0.4, width: 0.6, height: 0.3))
    let past = try #require(Self.fault(.init(region: .whole, turn: wide, faces: [])))
    #expect(past.hasPrefix("crops[0] shows pixels outside of the image, by its turn (move turn.rect away"))
    // A rotated rectangle whose corners alone are outside.
    let corners = CropPlan.Crop.Turn(degrees: 45, rect: other)
    #expect(Self.fault(.init(region: other, turn: corners, faces: [])) != nil)

    let frame = NormalizedRect(x: -0.2, y: 0.1, width: 0.7, height: 0.8)
    #expect(Self.fault(.init(region: frame.clamped(), frame: frame, faces: [])) == nil)
    let framed = try #require(
      Self.fault(.init(region: NormalizedRect(x: 0, y: 0.1, width: 0.3, height: 0.3), frame: frame, faces: [])))
    #expect(framed.hasSuffix("(change frame together with region, or remove frame)"))
    #expect(Self.fault(.init(region: other, frame: frame, faces: []))?.contains("change frame") == true)
    // A rotated rectangle lies in the frame, and the frame's part in the image is the region.
    let out = CropPlan.Crop.Turn(degrees: 8, rect: NormalizedRect(x: -0.1, y: 0.2, width: 0.5, height: 0.5))
    #expect(Self.fault(.init(region: frame.clamped(), frame: frame, turn: out, faces: [])) == nil)
    #expect(Self.fault(.init(region: frame.clamped(), turn: out, faces: [])) != nil)
    let beside = CropPlan.Crop.Turn(degrees: 8, rect: NormalizedRect(x: 0.3, y: 0.2, width: 0.5, height: 0.5))
    let unframed = try #require(Self.fault(.init(region: frame.clamped(), frame: frame, turn: beside, faces: [])))
    #expect(unframed.contains("outside of its frame, by its turn (change turn.rect together with frame"))
    let part = NormalizedRect(x: 0, y: 0.1, width: 0.2, height: 0.8)
    #expect(Self.fault(.init(region: part, frame: frame, turn: out, faces: [])) != nil)

    // Decoding and rendering check it.
    var edited = Self.plan
    edited.crops = [.init(region: other, turn: turn, faces: [])]
    let json = try JSONEncoder().encode(edited)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(CropPlan.self, from: json) }
  }

  /// Every plan of the planner passes, also with numbers of three decimals, as people write them.
  @Test func plansOfThePlannerAgree() throws {
    var random = SplitMix64(seed: 23)
    func rounded(_ rect: NormalizedRect) -> NormalizedRect {
      func three(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
      return NormalizedRect(x: three(rect.x), y: three(rect.y), width: three(rect.width), height: three(rect.height))
    }
    var (turned, framed) = (0, 0)
    for round in 0..<3_000 {
      let width = Int.random(in: 120...6_000, using: &random)
      let size = PixelSize(width: width, height: .random(in: width / 2...2 * width, using: &random))
      let side = Int.random(in: 10...size.shortSide, using: &random)
      let box = PixelRect(
        x: .random(in: 0...size.width - side, using: &random), y: .random(in: 0...size.height - side, using: &random),
        width: side, height: side)
      let face = LevelingTests.face(box, leaning: .random(in: -59...59, using: &random), in: size)
      let edge = [EdgePolicy.shift, .pad].randomElement(using: &random)!
      let framing = [Framing.avatar, .portrait, .passport, .tight].randomElement(using: &random)!
      let padding = Padding(.random(in: 0...1, using: &random))
      let layout: Composition.Layout =
        switch round % 4 {
        case 0: .faces(padding: padding, aspect: nil)
        case 1: .template(FaceTemplate.all.randomElement(using: &random)!)
        default: .framing(framing, padding: padding, edge: edge)
        }
      guard
        var crop = try? CropPlanner().crops(
          for: [face], in: size, composition: Composition(layout, alignsEyes: round % 3 > 0)
        ).first
      else { continue }
      turned += crop.turn == nil ? 0 : 1
      framed += crop.frame == nil ? 0 : 1
      #expect(Self.fault(crop, of: [face], in: size) == nil, "\(size), \(crop)")
      crop.region = rounded(crop.region).clamped()
      crop.frame = crop.frame.map { rounded($0).union(crop.region) }
      crop.turn = crop.turn.map { .init(degrees: ($0.degrees * 1_000).rounded() / 1_000, rect: rounded($0.rect)) }
      guard crop.turn?.isUsable != false, crop.hasUsableFrame, crop.region.isValid else { continue }
      #expect(Self.fault(crop, of: [face], in: size) == nil, "rounded, \(size), \(crop)")
    }
    #expect(turned > 500 && framed > 300, "\(turned), \(framed)")
  }

  // MARK: Faces of other programs

  private static func face(_ change: (inout Face) -> Void) -> Face {
    func edge(_ place: Double) -> Head.Edge { Head.Edge(position: place, confidence: 0.9) }
    var face = Face(
      box: NormalizedRect(x: 0.4, y: 0.4, width: 0.2, height: 0.2), score: 0.9, landmarks: nil,
      head: Head(crown: edge(0.3), skull: edge(0.32), chin: edge(0.6), left: edge(0.38), right: edge(0.62)),
      sharpness: 0.5)
    change(&face)
    return face
  }

  /// facecrop can measure heads and sharpness itself, so wrong ones of a detector cost no face.
  @Test func aFaceIsKeptWithoutWhatIsWrong() {
    #expect(Self.face { _ in }.cutToImage == Self.face { _ in })
    #expect(Self.face { $0.sharpness = 4 }.cutToImage == Self.face { $0.sharpness = nil })
    #expect(Self.face { $0.head!.left.position = 0.7 }.cutToImage == Self.face { $0.head = nil })
    #expect(Self.face { $0.head!.crown.confidence = 1.5 }.cutToImage == Self.face { $0.head = nil })
    #expect(Self.face { $0.box.x = 0.95 }.cutToImage == nil)
    #expect(Self.face { $0.score = .nan }.cutToImage == nil)
  }

  @Test(arguments: [
    ("x, y, x + width", Self.face { $0.box.x = 0.95 }), (".head is not", Self.face { $0.head!.left.position = 0.7 }),
    (".sharpness must", Self.face { $0.sharpness = 4 }), ("not finite", Self.face { $0.score = .nan }),
  ])
  func theWrongPartOfAFaceIsNamed(part: String, face: Face) {
    let plan = CropPlan(
      source: PixelSize(width: 100, height: 100), detector: "mine", faces: [Self.face { _ in }, face], crops: [])
    let error = #expect(throws: CropPlan.ValidationError.self) { try plan.check() }
    #expect(error?.clause.hasPrefix("faces[1]") == true && error?.clause.contains(part) == true)
  }

  /// A plan says how much of each output lies outside the image, also of rotated ones.
  @Test func plansHaveThePaddedShares() throws {
    let image = PixelSize(width: 200, height: 100)
    let whole = NormalizedRect.whole
    func crop(_ frame: NormalizedRect?, degrees: Double? = nil, _ rect: NormalizedRect? = nil) -> CropPlan.Crop {
      CropPlan.Crop(
        region: whole, frame: frame, turn: degrees.map { .init(degrees: $0, rect: rect ?? whole) }, faces: [])
    }
    let outer = NormalizedRect(x: -1, y: -1, width: 3, height: 3)
    let square = NormalizedRect(x: 0.25, y: 0, width: 0.5, height: 1)
    let cases: [(CropPlan.Crop, Double)] = [
      (crop(nil), 0), (crop(NormalizedRect(x: -1, y: 0, width: 2, height: 1)), 0.5),
      (crop(NormalizedRect(x: -0.5, y: -0.5, width: 2, height: 2)), 0.75), (crop(whole, degrees: 0), 0),
      // The whole image across itself, and an area that is as high as the image, rotated into it by 45 degrees.
      (crop(outer, degrees: 90), 0.5), (crop(outer, degrees: -90), 0.5),
      (crop(outer, degrees: 45, square), 0.0858),
      (crop(outer, degrees: 30, NormalizedRect(x: 2, y: 2, width: 0.5, height: 0.5)), 1),
    ]
    let plan = CropPlan(source: image, detector: "mine", faces: [], crops: cases.map(\.0))
    #expect(plan.paddedShares == cases.map(\.1))
    let padded = CropPlan(source: image, detector: "mine", faces: [], crops: [cases[1].0])
    let text = String(decoding: try JSONEncoder().encode(padded), as: UTF8.self)
    #expect(text.contains("\"padded\":[0.5]"))
    // It follows from the frames.
    let edited = text.replacing("[0.5]", with: "[0.1]")
    #expect(try JSONDecoder().decode(CropPlan.self, from: Data(edited.utf8)).paddedShares == [0.5])
    let plain = CropPlan(source: image, detector: "mine", faces: [], crops: [cases[0].0])
    #expect(try !String(decoding: JSONEncoder().encode(plain), as: UTF8.self).contains("padded"))
  }
}
