import Testing

@testable import FaceCrop

@Suite struct CropPlannerTests {
  private static func face(_ x: Double, _ y: Double, _ width: Double, _ height: Double, score: Double = 0.9) -> Face {
    Face(box: NormalizedRect(x: x, y: y, width: width, height: height), score: score)
  }

  private let picture = PixelSize(width: 1_000, height: 500)
  private let faces = [
    face(0.70, 0.40, 0.10, 0.20), face(0.46, 0.40, 0.05, 0.10), face(0.10, 0.20, 0.06, 0.12),
  ]

  private func regions(
    _ faces: [Face], _ change: (inout CropRequest) -> Void = { _ in }
  ) throws(FaceCropError) -> [CropPlan.Crop] {
    var request = CropRequest()
    change(&request)
    return try CropPlanner().crops(for: faces, in: picture, search: request.search, composition: request.composition)
  }

  private func pixels(_ crop: CropPlan.Crop) -> PixelRect {
    PixelRect(covering: crop.region, in: picture)
  }

  /// A person's region between pixels keeps its shape, and others stay as they are.
  @Test(arguments: [
    (PixelRect(x: 100, y: 38, width: 168, height: 168), (0.3, 0.8, 0.0, 0.0), true),
    (PixelRect(x: 100, y: 38, width: 168, height: 168), (0.3, 0.8, 0.4, -0.3), true),
    (PixelRect(x: 831, y: 331, width: 168, height: 168), (0.9, 0.9, 0.0, 0.0), true),
    (PixelRect(x: 100, y: 38, width: 168, height: 168), (0, 0, 0, 0), false),
    (PixelRect(x: 100, y: 38, width: 168, height: 190), (0.3, 0.8, 0.0, 0.0), false),
  ])
  func regionsBetweenPixelsKeepTheirShape(
    rect: PixelRect, moved: (x: Double, y: Double, width: Double, height: Double), isChanged: Bool
  ) {
    let region = Frame(
      x: Double(rect.x) + moved.x, y: Double(rect.y) + moved.y, width: Double(rect.width) + moved.width,
      height: Double(rect.height) + moved.height
    ).normalized(in: picture)
    let plan = CropPlan(
      source: picture, rotation: .none, animationFrame: 0, detector: "", faces: [], possibleFace: nil,
      crops: [CropPlan.Crop(region: region, faces: [])])
    let made = plan.inWholePixels(of: .square)
    #expect((made != plan) == isChanged)
    if isChanged {
      let pixels = pixels(made.crops[0])
      #expect(pixels.size == rect.size)
      #expect(abs(Double(pixels.x) - Double(rect.x) - moved.x) <= 1)
      #expect(abs(Double(pixels.y) - Double(rect.y) - moved.y) <= 1)
    }
    #expect(plan.inWholePixels(of: nil) == plan)
  }

  /// The crop is the largest region with the shape, with the heads as close to its middle as the edges allow.
  @Test(arguments: [
    (AspectRatio(width: 1, height: 1), [0], PixelRect(x: 500, y: 0, width: 500, height: 500)),
    (AspectRatio(width: 1, height: 1), [1], PixelRect(x: 235, y: 0, width: 500, height: 500)),
    (AspectRatio(width: 1, height: 1), [2], PixelRect(x: 0, y: 0, width: 500, height: 500)),
    (AspectRatio(width: 1, height: 2), [1], PixelRect(x: 360, y: 0, width: 250, height: 500)),
    (AspectRatio(width: 4, height: 1), [0], PixelRect(x: 0, y: 125, width: 1_000, height: 250)),
    (AspectRatio(width: 4, height: 1), [2], PixelRect(x: 0, y: 5, width: 1_000, height: 250)),
    // Both do not fit, from 100 to 800. The larger one is shown whole, and neither is cut.
    (AspectRatio(width: 1, height: 1), [0, 2], PixelRect(x: 500, y: 0, width: 500, height: 500)),
    // Two of three fit, from 460 to 800; the third would be closer to the common middle.
    (AspectRatio(width: 1, height: 1), [0, 1, 2], PixelRect(x: 380, y: 0, width: 500, height: 500)),
    // The largest does not fit: its middle counts, although a smaller one would fit.
    (AspectRatio(width: 1, height: 10), [0, 1, 2], PixelRect(x: 725, y: 0, width: 50, height: 500)),
    (nil, [0], PixelRect(x: 0, y: 0, width: 1_000, height: 500)),
  ])
  func fillsTheImage(aspect: AspectRatio?, chosen: [Int], region: PixelRect) throws {
    let crops = try regions(chosen.map { faces[$0] }) {
      $0.composition = Composition(.fill(aspect))
    }
    #expect(crops.map(pixels) == [region])
    let seen = chosen.indices.filter { index in
      let middle = Int(faces[chosen[index]].box.midX * 1_000)
      return (region.x...region.x + region.width).contains(middle)
    }
    #expect(crops.map(\.faces) == [seen])
  }

  /// Sizes with shapes of their own take the same regions, from one plan.
  @Test func fillingSizesTakeTheLargestRegions() throws {
    let shapes = [AspectRatio(width: 16, height: 9), .square, AspectRatio(width: 9, height: 16)]
    let whole = try regions(faces) { $0.composition = Composition(.fill()) }
    let plan = CropPlan(source: picture, detector: "stub", faces: faces, crops: whole)
    let sizes: [OutputSize] = shapes.flatMap { [.filling($0, longSide: 160), .filling($0, longSide: nil)] }
    let parts = plan.parts(for: sizes)
    #expect(parts.count == 3 && parts.allSatisfy { $0.sizes.count == 2 && $0.index == 0 })
    #expect(parts.map(\.crop.faces) == [[0, 1, 2], [0, 1], [0]])
    for (part, shape) in zip(parts, shapes) {
      let alone = try regions(faces) { $0.composition = Composition(.fill(shape)) }
      #expect(pixels(part.crop) == pixels(alone[0]))
    }
    // Without a face, the region is centered on the crop's.
    let right = CropPlan.Crop(region: NormalizedRect(x: 0.8, y: 0, width: 0.2, height: 1), faces: [])
    let empty = CropPlan(source: picture, detector: "stub", faces: [], crops: [right])
    #expect(
      empty.parts(for: [.filling(.square, longSide: nil)]).map { pixels($0.crop) }
        == [PixelRect(x: 500, y: 0, width: 500, height: 500)])
    let wide = AspectRatio(width: 1_200, height: 630)
    let size = PixelSize(width: 2_001, height: 1_050)
    #expect(
      OutputSize.filling(wide, longSide: 1_200).pixels(for: size, allowsUpscaling: false)
        == PixelSize(width: 1_200, height: 630))
    #expect(OutputSize.filling(wide, longSide: nil).pixels(for: size, allowsUpscaling: false) == size)
    #expect(!OutputSize.filling(AspectRatio(width: .nan, height: 1), longSide: nil).isValid)
    #expect(!OutputSize.filling(.square, longSide: 0).isValid && OutputSize.filling(.square, longSide: nil).isValid)
  }

  /// Hair belongs to a head.
  @Test func fillsTheImageAroundHeads() throws {
    var face = faces[1]
    func edge(_ place: Double) -> Head.Edge { Head.Edge(position: place, confidence: 1) }
    face.head = Head(crown: edge(0.1), skull: edge(0.2), chin: edge(0.5), left: edge(0.3), right: edge(0.5))
    let crop = try #require(
      try regions([face]) {
        $0.composition = Composition(.fill(AspectRatio(width: 4, height: 1)))
      }.first)
    // There is room for a beard.
    #expect(pixels(crop) == PixelRect(x: 0, y: 28, width: 1_000, height: 250))
    // The back of the head, which only the outline shows, belongs to it.
    face.head?.outline = [(0.28, 0.5), (0.201, 0.3), (0.4, 0.1), (0.5, 0.5)].map { NormalizedPoint(x: $0, y: $1) }
    let whole = try regions([face]) { $0.composition = Composition(.fill(.square)) }
    #expect(whole.map(pixels) == [PixelRect(x: 105, y: 0, width: 500, height: 500)])
  }

  /// If two heads do not fit with their hair, their faces do.
  @Test func fillsTheImageAroundFacesWhereHeadsAreTooWide() throws {
    let pair = [(0.2, 0.15...0.36), (0.5, 0.48...0.72)].map { x, head in
      var face = Self.face(x, 0.3, 0.15, 0.3)
      func edge(_ place: Double) -> Head.Edge { Head.Edge(position: place, confidence: 1) }
      face.head = Head(
        crown: edge(0.2), skull: edge(0.2), chin: edge(0.6), left: edge(head.lowerBound), right: edge(head.upperBound))
      return face
    }
    // Heads from 150 to 720, faces from 200 to 650.
    let crop = try #require(
      try regions(pair) {
        $0.composition = Composition(.fill(.square))
      }.first)
    #expect(pixels(crop) == PixelRect(x: 175, y: 0, width: 500, height: 500))
  }

  @Test func unionHoldsAllAndNothingMore() throws {
    let crops = try regions(faces)
    #expect(crops.map(\.faces) == [[0, 1, 2]])
    // Not from the image's corner: a union must start at the first box.
    #expect(pixels(crops[0]) == PixelRect(x: 100, y: 100, width: 700, height: 200))
  }

  @Test func selections() throws {
    #expect(try regions(faces) { $0.search.faces = .largest }.map(\.faces) == [[0]])
    #expect(try regions(faces) { $0.search.faces = .central }.map(\.faces) == [[1]])
    #expect(
      try regions(faces) { ($0.search.faces, $0.search.order) = (.each, .confidence) }.map(\.faces) == [[0], [1], [2]])
    #expect(try regions(faces) { ($0.search.faces, $0.search.order) = (.number(3), .confidence) }.map(\.faces) == [[2]])
  }

  /// The central face does not depend on the others' side.
  @Test func centralIsTheNearestToTheCenter() throws {
    let centers = [(0.2, 0.5), (0.5, 0.2), (0.8, 0.5), (0.5, 0.8), (0.55, 0.55)]
    let around = centers.map { Self.face($0 - 0.05, $1 - 0.05, 0.1, 0.1) }
    #expect(try regions(around) { $0.search.faces = .central }.map(\.faces) == [[4]])
  }

  /// A face with a low score is chosen only without another one.
  @Test func prominentIsSure() throws {
    func selected(_ scores: [Double]) throws -> [[Int]] {
      try regions(
        scores.enumerated().map { place, score in
          Self.face(0.2 * Double(place), 0.1, 0.05 * Double(place + 1), 0.1 * Double(place + 1), score: score)
        }
      ) { $0.search.faces = .prominent }.map(\.faces)
    }
    #expect(try selected([0.95, 0.9, 0.74]) == [[1]])
    #expect(try selected([0.95, 0.9, 0.8]) == [[2]])
    // A much less certain one counts 0.65 of its size.
    #expect(try selected([0.95, 0.93, 0.76]) == [[1]])
    #expect(try selected([0.95, 0.76, 0.76]) == [[2]])
    #expect(try selected([0.74, 0.73, 0.7]) == [[2]])
  }

  /// A face out of focus counts less beside a sharp one, down to 0.65 of its size; among nearly equal faces the central
  /// one wins. The size alone decides for the largest.
  @Test func prominentIsSharpAndCentral() throws {
    func selected(
      _ faces: [(side: Double, sharpness: Double?, x: Double)], by selection: FaceSelection = .prominent
    ) throws -> [[Int]] {
      try regions(
        faces.map { face in
          var made = Self.face(face.x, 0.4, face.side, face.side, score: 0.9)
          made.sharpness = face.sharpness
          return made
        }
      ) { $0.search.faces = selection }.map(\.faces)
    }
    #expect(try selected([(0.2, 0.2, 0.1), (0.15, 0.6, 0.6)]) == [[1]])
    #expect(try selected([(0.2, 0.26, 0.1), (0.15, 0.6, 0.6)]) == [[1]])
    #expect(try selected([(0.2, 0.35, 0.1), (0.15, 0.6, 0.6)]) == [[1]])
    #expect(try selected([(0.2, 0.38, 0.1), (0.15, 0.6, 0.6)]) == [[0]])
    #expect(try selected([(0.2, 0.2, 0.1), (0.15, 0.6, 0.6)], by: .largest) == [[0]])
    #expect(try selected([(0.2, 0.2, 0.1), (0.12, 0.6, 0.6)]) == [[0]])
    #expect(try selected([(0.2, nil, 0.1), (0.15, nil, 0.6)]) == [[0]])
    #expect(try selected([(0.2, 0.5, 0.1), (0.1997, 0.5, 0.45)]) == [[1]])
    #expect(try selected([(0.2, 0.5, 0.1), (0.198, 0.5, 0.45)]) == [[0]])
  }

  /// A head that the image cuts, and one seen from the side, count less. The size alone decides for the largest.
  @Test func prominentIsWholeAndFrontal() throws {
    func selected(_ faces: [Face], by selection: FaceSelection = .prominent) throws -> [[Int]] {
      try regions(faces) { $0.search.faces = selection }.map(\.faces)
    }
    let whole = Self.face(0.5, 0.4, 0.16, 0.18, score: 0.9)
    #expect(try selected([Self.face(0.1, 0.4, 0.16, 0.2, score: 0.9), whole]) == [[0]])
    for (x, y) in [(0.0, 0.4), (0.84, 0.4), (0.1, 0.0), (0.1, 0.8)] {
      let cut = Self.face(x, y, 0.16, 0.2, score: 0.9)
      #expect(try selected([cut, whole]) == [[1]], "\(x), \(y)")
      #expect(try selected([cut, whole], by: .largest) == [[0]])
    }
    // Someone in the background does not win against a close-up.
    #expect(try selected([Self.face(0, 0, 0.5, 1, score: 0.9), Self.face(0.6, 0.3, 0.3, 0.35, score: 0.9)]) == [[0]])
    func turned(nose: Double) -> Face {
      func point(_ x: Double, _ y: Double) -> NormalizedPoint { NormalizedPoint(x: 0.1 + x * 0.16, y: 0.4 + y * 0.2) }
      var face = Self.face(0.1, 0.4, 0.16, 0.2, score: 0.9)
      face.landmarks = FaceLandmarks(
        rightEye: point(0.3, 0.4), leftEye: point(0.7, 0.4), nose: point(nose, 0.6), mouthRight: point(0.35, 0.8),
        mouthLeft: point(0.65, 0.8))
      return face
    }
    #expect(try selected([turned(nose: 0.6), whole]) == [[0]] && selected([turned(nose: 0.9), whole]) == [[1]])
  }

  @Test func equalFacesGiveTheSurer() throws {
    let twins = [Self.face(0.1, 0.4, 0.1, 0.2, score: 0.9), Self.face(0.8, 0.4, 0.1, 0.2, score: 0.8)]
    #expect(try regions(twins) { $0.search.faces = .largest }.map(\.faces) == [[0]])
    #expect(try regions(twins) { $0.search.faces = .central }.map(\.faces) == [[0]])
  }

  @Test func paddingIsPerSideAndStopsAtTheBorder() throws {
    let crop = try regions(faces) { request in
      request.search.faces = .largest
      request.composition.layout.padding = Padding(top: 0.5, right: 1, bottom: 0.25, left: 0)
    }[0]
    #expect(pixels(crop) == PixelRect(x: 700, y: 150, width: 200, height: 175))
    let clipped = try regions(faces) { request in
      request.search.faces = .largest
      request.composition.layout.padding = Padding(5)
    }[0]
    #expect(pixels(clipped) == PixelRect(x: 200, y: 0, width: 800, height: 500))
  }

  @Test func aspectGrowsThenShiftsThenShrinks() throws {
    let grown = try regions(faces) { request in
      request.search.faces = .central
      request.composition.layout.aspect = AspectRatio(width: 2, height: 1)
    }[0]
    #expect(pixels(grown) == PixelRect(x: 435, y: 200, width: 100, height: 50))
    let shifted = try regions([Self.face(0, 0, 0.02, 0.2)]) { $0.composition.layout.aspect = .square }[0]
    #expect(pixels(shifted) == PixelRect(x: 0, y: 0, width: 100, height: 100))
    let shrunk = try regions(faces) { $0.composition.layout.aspect = .square }[0]
    #expect(pixels(shrunk) == PixelRect(x: 380, y: 0, width: 500, height: 500))
  }

  /// In every layout with a shape, the region holds the faces that fit together, and names those that it shows.
  @Test func facesThatDoNotFitAreLeftOut() throws {
    for layout in [
      Composition.Layout.fill(.square), .faces(aspect: .square), .heads(aspect: .square), .framing(.avatar),
    ] {
      let crop = try regions(faces) { $0.composition = Composition(layout) }[0]
      let region = pixels(crop)
      #expect(crop.faces == [0, 1], "\(layout)")
      #expect(region == PixelRect(x: 380, y: 0, width: 500, height: 500), "\(layout)")
    }
    // A frame that may reach out of the image has room for all.
    let padded = try regions(faces) { $0.composition = Composition(.framing(.avatar, edge: .pad)) }[0]
    #expect(padded.faces == [0, 1, 2] && padded.frame != nil)
    // One that is cut counts where its middle is seen.
    let cut = [Self.face(0.301, 0.2, 0.2, 0.4), Self.face(0.68, 0.2, 0.2, 0.4), Self.face(0.27, 0.7, 0.042, 0.1)]
    let crop = try regions(cut) { $0.composition = Composition(.fill(AspectRatio(width: 6, height: 5))) }[0]
    #expect(pixels(crop) == PixelRect(x: 290, y: 0, width: 600, height: 500) && crop.faces == [0, 1, 2])
  }

  /// Faces that fit lie in the region, even if their heads were found elsewhere.
  @Test func facesLieInTheFilledRegion() throws {
    var face = Self.face(0.30, 0.4, 0.1, 0.2)
    func edge(_ place: Double) -> Head.Edge { Head.Edge(position: place, confidence: 1) }
    face.head = Head(crown: edge(0.3), skull: edge(0.3), chin: edge(0.6), left: edge(0.1), right: edge(0.2))
    let crop = try regions([face]) { $0.composition = Composition(.fill(AspectRatio(width: 1, height: 2))) }[0]
    #expect(pixels(crop) == PixelRect(x: 225, y: 0, width: 250, height: 500))
  }

  @Test func regionsAreInsideHaveTheAspectAndHoldTheFace() throws {
    var random = SplitMix64(seed: 3)
    for _ in 0..<5_000 {
      let size = PixelSize(
        width: .random(in: 1...3_000, using: &random), height: .random(in: 1...3_000, using: &random))
      let box = random.rect(in: size)
      var request = CropRequest()
      request.composition.layout.padding = Padding(Double.random(in: 0...2, using: &random))
      let ratio = Double.random(in: 0.3...3, using: &random)
      request.composition.layout.aspect = Bool.random(using: &random) ? AspectRatio(width: ratio, height: 1) : nil
      let face = Face(box: box.normalized(in: size), score: 1)
      let region = try CropPlanner().crops(
        for: [face], in: size, search: request.search, composition: request.composition)[0].region
      #expect(region.isValid)
      let pixels = PixelRect(covering: region, in: size)
      if request.composition.layout.aspect == nil
        || (Double(box.width) / ratio <= Double(size.height) && Double(box.height) * ratio <= Double(size.width))
      {
        #expect(pixels.x <= box.x && pixels.x + pixels.width >= box.x + box.width, "\(size) \(box) \(pixels)")
        #expect(pixels.y <= box.y && pixels.y + pixels.height >= box.y + box.height, "\(size) \(box) \(pixels)")
      }
      if request.composition.layout.aspect != nil, pixels.width > 1, pixels.height > 1 {
        // Both sides are rounded to whole pixels.
        #expect(abs(Double(pixels.width) - Double(pixels.height) * ratio) <= 0.5 + 0.5 * ratio + 1e-6)
      }
    }
  }

  @Test func withoutAFace() throws {
    #expect(try regions([]) == [CropPlan.Crop(region: .whole, faces: [])])
    #expect(try regions(faces) { $0.search.faces = .number(4) } == [CropPlan.Crop(region: .whole, faces: [])])
    let square = try regions([]) { $0.search.noFace = .center }[0]
    #expect(pixels(square) == PixelRect(x: 250, y: 0, width: 500, height: 500))
    let wide = try regions([]) { request in
      request.search.noFace = .center
      request.composition.layout.aspect = AspectRatio(width: 4, height: 1)
    }[0]
    #expect(pixels(wide) == PixelRect(x: 0, y: 125, width: 1_000, height: 250))
    #expect(try regions([]) { $0.search.noFace = .skip }.isEmpty)
    #expect(throws: FaceCropError.noFace) { try regions([]) { $0.search.noFace = .fail } }
  }

  @Test func impossibleRequestsAreRefused() {
    let changes: [(inout CropRequest) -> Void] = [
      { $0.composition.layout.padding = Padding(-0.1) }, { $0.composition.layout.padding = Padding(.nan) },
      { $0.composition.layout.padding = Padding(.infinity) },
      { $0.composition.layout.aspect = AspectRatio(width: 0, height: 1) },
      { $0.composition.layout.aspect = AspectRatio(width: 1, height: .infinity) },
      { $0.composition.layout.aspect = AspectRatio(width: -1, height: -1) }, { $0.search.faces = .number(0) },
    ]
    for change in changes {
      #expect { try regions(faces, change) } throws: { ($0 as? FaceCropError)?.kind == "invalid" }
    }
  }

  /// Absurd requests never trap.
  @Test func hugeNumbersDoNotTrap() throws {
    let extremes = [
      Padding(Double.greatestFiniteMagnitude), Padding(1e300), Padding(0),
    ]
    for padding in extremes {
      for ratio in [1e-300, 1e300, 1] {
        let crop = try regions(faces) { request in
          request.composition.layout.padding = padding
          request.composition.layout.aspect = AspectRatio(width: ratio, height: 1)
        }[0]
        #expect(crop.region.isValid)
      }
    }
  }
}
