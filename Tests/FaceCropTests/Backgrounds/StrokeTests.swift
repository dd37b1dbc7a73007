import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// Strokes that correct cut-outs.
@Suite struct StrokeTests {
  private static let size = PixelSize(width: 160, height: 160)

  /// A person with a braid that the networks hardly see, beside a lamp that they take for hair.
  private static let (person, braid, lamp) = (
    PixelRect(x: 50, y: 40, width: 60, height: 120), PixelRect(x: 110, y: 60, width: 25, height: 30),
    PixelRect(x: 20, y: 60, width: 30, height: 30)
  )

  private static func values<Value>(_ others: Value, _ person: Value, _ braid: Value, _ lamp: Value) -> [Value] {
    (0..<size.width * size.height).map { place in
      func isIn(_ rect: PixelRect) -> Bool {
        (rect.x..<rect.x + rect.width).contains(place % size.width)
          && (rect.y..<rect.y + rect.height).contains(place / size.width)
      }
      return isIn(Self.person) ? person : isIn(Self.braid) ? braid : isIn(Self.lamp) ? lamp : others
    }
  }

  private static let image = PixelBuffer(
    size: size, format: .rgb,
    bytes: values([190, 190, 200], [150, 100, 80], [60, 40, 30], [180, 60, 60]).flatMap { $0 })
  private static let map = PersonMap(size: size, probabilities: values(0, 255, 60, 100))

  private static let whole = CropView(frame: Frame(x: 0, y: 0, width: 160, height: 160))

  private static func corrected(
    _ map: PersonMap = map, by strokes: [CutoutStroke], _ view: CropView = whole, of source: PixelSize = size,
    in output: PixelBuffer = image
  ) throws -> PersonMap {
    try StrokeCorrection(strokes: strokes, view: view, source: source, output: output).applied(to: map, .forTests())
  }

  private static func line(_ kind: CutoutStroke.Kind, _ y: Double, _ x: ClosedRange<Double>) -> CutoutStroke {
    CutoutStroke(
      kind, width: 0.05,
      points: [x.lowerBound, x.upperBound].map { NormalizedPoint(x: $0 / 160, y: y / 160) })
  }

  private static func range(_ map: PersonMap, _ x: Range<Int>, _ y: Range<Int>) -> ClosedRange<UInt8> {
    let values = y.flatMap { y in x.map { x in map.probabilities[y * size.width + x] } }
    return values.min()!...values.max()!
  }

  /// A stroke takes the part that it lies in along, up to its edge, and changes nothing behind the edge.
  @Test func strokesSpreadUpToEdges() throws {
    let made = try Self.corrected(by: [Self.line(.keep, 75, 115...130), Self.line(.remove, 75, 25...45)])
    #expect(Self.range(made, 111..<134, 61..<89).lowerBound > 200)
    #expect(Self.range(made, 21..<49, 61..<89).upperBound < 40)
    #expect(Self.range(made, 53..<107, 60..<90) == 255...255)
    for (x, y) in [(138..<160, 0..<160), (0..<17, 0..<160), (112..<160, 0..<57), (0..<48, 93..<160)] {
      #expect(Self.range(made, x, y) == 0...0, "\(x), \(y)")
    }
    #expect(made.confidence == 1 && Self.map.confidence < Background.leastConfidence)
  }

  /// The pixels below a stroke are sure, whatever the networks see. The last stroke counts.
  @Test func strokesHaveTheLastWord() throws {
    let (keep, remove) = (Self.line(.keep, 20, 20...140), Self.line(.remove, 20, 80...80))
    let made = try Self.corrected(by: [keep, remove])
    #expect(Self.range(made, 18..<70, 18..<22) == 255...255 && Self.range(made, 77..<83, 17..<23) == 0...0)
    let other = try Self.corrected(by: [remove, keep])
    #expect(Self.range(other, 18..<142, 18..<22) == 255...255)
    #expect(try Self.corrected(by: []).probabilities == Self.map.probabilities)
  }

  /// Strokes lie where they were drawn in the image: in a part of it, and in a rotated one.
  @Test(arguments: [0.0, 30, -90]) func strokesLieInTheImage(degrees: Double) throws {
    let source = PixelSize(width: 800, height: 400)
    let view = CropView(frame: Frame(x: 500, y: 100, width: 200, height: 200), degrees: degrees)
    let point = NormalizedPoint(x: 0.775, y: 0.375)
    let map = PersonMap(size: Self.size, probabilities: [UInt8](repeating: 0, count: 160 * 160))
    let wall = PixelBuffer(Pixels(width: 160, height: 160, color: [90, 90, 90]))
    // 40 pixels of the image are 32 of the map, and some more follow.
    let made = try Self.corrected(
      map, by: [CutoutStroke(.keep, width: 0.05, points: [point])], view, of: source, in: wall)
    let place = view.place(of: point, in: source)
    let kept = made.probabilities.indices.filter { made.probabilities[$0] > 127 }
    let (x, y) = (kept.map { $0 % 160 }, kept.map { $0 / 160 })
    for (values, middle) in [(x, place.x), (y, place.y)] {
      let (first, last) = (try #require(values.min()), try #require(values.max()))
      #expect(abs(Double(first + last + 1) / 2 - middle * 160) < 1.5 && (30...52).contains(last - first))
    }
  }

  /// A plan can be untrusted: its numbers are no whole ones of the machine, and the work can be cancelled.
  @Test func strokesAreUntrusted() throws {
    let strokes = [
      CutoutStroke(.keep, width: 0.25, points: [NormalizedPoint(x: -1, y: 2), NormalizedPoint(x: 2, y: 0)])
    ]
    let narrow = CropView(frame: Frame(x: 0, y: 0, width: 1e-300, height: 1e-300))
    #expect(try Self.corrected(by: strokes, narrow).probabilities.count == 160 * 160)
    let job = Job(limits: Limits(), cancellation: Cancellation(), progress: nil)
    job.cancellation.cancel()
    let correction = StrokeCorrection(strokes: strokes, view: Self.whole, source: Self.size, output: Self.image)
    #expect(throws: FaceCropError.cancelled) { _ = try correction.applied(to: Self.map, job) }
  }

  // MARK: Plans

  private static func plan(_ strokes: [CutoutStroke]?) -> CropPlan {
    CropPlan(
      source: size, detector: "d", faces: [],
      crops: [CropPlan.Crop(region: .whole, faces: [], background: .transparent, strokes: strokes)])
  }

  @Test func plansHaveStrokes() throws {
    let strokes = [Self.line(.keep, 75, 115...130), Self.line(.remove, 75, 25...45)]
    let json = try JSONEncoder().encode(Self.plan(strokes))
    #expect(try JSONDecoder().decode(CropPlan.self, from: json) == Self.plan(strokes))
    let plain = String(decoding: try JSONEncoder().encode(Self.plan(nil)), as: UTF8.self)
    #expect(!plain.contains("strokes"))
  }

  @Test(arguments: [
    (
      CutoutStroke(.keep, width: 0, points: [NormalizedPoint(x: 0, y: 0)]),
      ".width is out of range (must be 0.0005 to 0.25"
    ),
    (CutoutStroke(.keep, width: .nan, points: [NormalizedPoint(x: 0, y: 0)]), ".width is out of range"),
    (CutoutStroke(.remove, width: 0.1, points: []), ".points is empty (add a point, or remove the stroke)"),
    (
      CutoutStroke(.remove, width: 0.1, points: [NormalizedPoint(x: 0, y: 2.1)]),
      ".points is too far from the image (x and y must be -1 to 2)"
    ),
  ])
  func wrongStrokes(stroke: CutoutStroke, words: String) {
    let error = #expect(throws: CropPlan.ValidationError.self) {
      try Self.plan([Self.line(.keep, 75, 115...130), stroke]).check()
    }
    #expect(error?.clause.hasPrefix("crops[0].strokes[1]\(words)") == true, "\(String(describing: error))")
  }

  @Test func strokesAreBounded() throws {
    func strokes(_ points: Int) -> [CutoutStroke] {
      let half = [NormalizedPoint](repeating: NormalizedPoint(x: 0.5, y: 0.5), count: points / 2)
      return [CutoutStroke.Kind.keep, .remove].map { CutoutStroke($0, width: 0.1, points: half) }
    }
    try Self.plan(strokes(CutoutStroke.mostPoints)).check()
    let error = #expect(throws: CropPlan.ValidationError.self) { try Self.plan(strokes(1_002)).check() }
    #expect(error?.clause == "crops[0].strokes have 1002 points (at most 1000; draw less)")
  }

  /// Strokes correct all sizes of a crop, and also a cut of it in another shape.
  @Test func strokesCorrectAllOutputs() async throws {
    let cropper = FaceCropper()
    let source = ImageSource.bytes(try fixtureBytes("astronaut.jpg"))
    var plan = try await cropper.plan(
      for: source, search: FaceSearch(faces: .largest), composition: Composition(.framing(.portrait)))
    let (region, size) = (plan.crops[0].region, plan.source)
    func place(_ x: Double, _ y: Double) -> NormalizedPoint {
      NormalizedPoint(x: region.x + x * region.width, y: region.y + y * region.height)
    }
    let square = OutputSize.filling(AspectRatio(width: 1, height: 1), longSide: 120)
    let output = CropOutput(sizes: [.height(400), .height(90), square], background: Background(.transparent))
    let before = try await cropper.render(plan, from: source, output: output).crops
    // The face's middle is removed, and a corner is kept.
    let face = plan.faces[plan.crops[0].faces[0]].box
    let middle = NormalizedPoint(x: face.midX, y: face.midY)
    plan.crops[0].strokes = [
      CutoutStroke(.remove, width: 0.08, points: [middle]),
      CutoutStroke(.keep, width: 0.08, points: [place(0.06, 0.06)]),
    ]
    let after = try await cropper.render(plan, from: source, output: output).crops
    func opacity(_ crop: RenderedCrop, _ point: NormalizedPoint) throws -> UInt8 {
      let place = try #require(crop.view).place(of: point, in: size)
      let pixels = Pixels(crop.pixels)
      return pixels[Int(place.x * Double(crop.size.width)), Int(place.y * Double(crop.size.height))][3]
    }
    #expect(before.count == 3 && after.count == 3)
    for (old, new) in zip(before, after) {
      #expect(try opacity(old, middle) == 255 && opacity(new, middle) < 40, "\(new.size)")
      #expect(new.cutoutConfidence == 1)
    }
    for (old, new) in zip(before, after).prefix(2) {
      #expect(try opacity(old, place(0.06, 0.06)) == 0 && opacity(new, place(0.06, 0.06)) > 215, "\(new.size)")
      // The shoulder is far from both.
      #expect(try opacity(old, place(0.4, 0.95)) == opacity(new, place(0.4, 0.95)))
    }
  }
}
