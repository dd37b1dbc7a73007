import Testing

@testable import FaceCrop

/// One head size and one eye line for all photos of a series.
@Suite struct SeriesMeasuresTests {
  private static let portrait = Composition.Layout.framing(.portrait)
  /// A photo with room around the head, and one whose upper edge is near.
  private static let (roomy, tight) = (box(top: 400), box(top: 100))

  private static func box(top: Int) -> PixelRect { PixelRect(x: 400, y: top, width: 200, height: 200) }

  /// Returns the plan of a photo with one face in it.
  private func plan(
    _ box: PixelRect, leaning degrees: Double = 0, width: Int = 1_000, height: Int = 1_000,
    _ layout: Composition.Layout = portrait
  ) throws -> CropPlan {
    let size = PixelSize(width: width, height: height)
    let face = LevelingTests.face(box, leaning: degrees, in: size)
    let composition = Composition(layout, alignsEyes: degrees != 0)
    let search = FaceSearch(faces: .largest)
    return CropPlan(
      source: size, detector: "", faces: [face],
      crops: try CropPlanner().crops(for: [face], in: size, search: search, composition: composition))
  }

  private func framing(_ boxes: [PixelRect], _ layout: Composition.Layout = portrait) throws -> Framing {
    var measures = SeriesMeasures(layout)
    for box in boxes { measures.add(try plan(box, layout)) }
    return try #require(measures.framing)
  }

  @Test func aSeriesWithRoomHasThePresetsMeasures() throws {
    for boxes in [[], [Self.roomy], Array(repeating: Self.roomy, count: 19) + [Self.tight]] {
      let chosen = try framing(boxes)
      #expect(chosen.faceRatio == 0.32 && chosen.eyeLine == 0.38, "\(boxes.count)")
    }
    #expect(try plan(Self.roomy).meets(Self.portrait) == [true])
    #expect(try plan(Self.tight).meets(Self.portrait) == [false])
  }

  /// With two of twenty photos without room, 95 % meet only a framing that at least one of the two meets.
  @Test func ninetyFivePercentOfTheHeadsMeetTheFraming() throws {
    let boxes = Array(repeating: Self.roomy, count: 18) + [Self.tight, Self.tight]
    var chosen = try framing(boxes)
    // A higher eye line costs less than larger heads.
    #expect(chosen.eyeLine == 0.32 && (0.35...0.38).contains(chosen.faceRatio), "\(chosen)")
    #expect(chosen.aspect == Framing.portrait.aspect)
    chosen.headroom = 0
    let places = try [Self.roomy, Self.tight].map { box in
      let made = try plan(box, .framing(chosen))
      #expect(made.meets(.framing(chosen)) == [true])
      let (frame, face) = (made.crops[0].region.frame(in: made.source), made.faces[0].box.frame(in: made.source))
      return (size: face.height / frame.height, eyes: (face.y - frame.y) / frame.height)
    }
    #expect(abs(places[0].size - places[1].size) < 0.003 && abs(places[0].eyes - places[1].eyes) < 0.003, "\(places)")
  }

  /// If nothing suits 95 %, most photos still look even.
  @Test func mostHeadsCountIfNoFramingSuitsAll() throws {
    let chosen = try framing([Self.roomy, Self.roomy, Self.box(top: 0)])
    #expect(chosen.faceRatio == 0.32 && chosen.eyeLine == 0.38)
  }

  @Test func aFilledAreaIsRoom() throws {
    let boxes = [Self.roomy, Self.tight]
    #expect(try framing(boxes, .framing(.portrait, edge: .pad)).faceRatio == 0.32)
    var limited = Framing.portrait
    limited.largestPaddedShare = 0.02
    let chosen = try framing(boxes, .framing(limited, edge: .pad))
    #expect(chosen.faceRatio > 0.32 || chosen.eyeLine < 0.38)
    for box in boxes { #expect(try plan(box).meets(.framing(chosen, edge: .pad)) == [true]) }
  }

  /// The corners of a rotated frame need room, too.
  @Test func rotatedFramesNeedMoreRoom() throws {
    let box = PixelRect(x: 190, y: 230, width: 200, height: 200)
    #expect(try plan(box, width: 580, height: 720).meets(Self.portrait) == [true])
    let rotated = try plan(box, leaning: 20, width: 580, height: 720)
    #expect(rotated.crops[0].turn != nil && rotated.meets(Self.portrait) == [false])
  }

  @Test func layoutsWithoutAFramingHaveNoSeries() throws {
    #expect(SeriesMeasures(.heads()).framing == nil)
    #expect(try plan(Self.roomy).meets(.heads()).isEmpty)
  }
}
