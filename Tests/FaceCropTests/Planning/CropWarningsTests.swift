import Testing

@testable import FaceCrop

/// Warnings about a plan's frames.
@Suite struct CropWarningsTests {
  private let picture = PixelSize(width: 1_000, height: 1_000)

  private static func face(
    _ x: Double, _ y: Double, _ side: Double, score: Double = 0.9, crown: Double? = nil
  ) -> Face {
    var face = Face(box: NormalizedRect(x: x, y: y, width: side, height: side), score: score)
    if let crown {
      func edge(_ place: Double) -> Head.Edge { Head.Edge(position: place, confidence: 0.94) }
      face.head = Head(
        crown: edge(crown), skull: edge(max(crown, y - 0.2 * side)), chin: edge(y + side), left: edge(x - 0.1 * side),
        right: edge(x + 1.1 * side))
    }
    return face
  }

  private func warnings(
    _ faces: [Face], _ selection: FaceSelection = .number(1), framing: Framing? = .avatar
  ) throws -> [CropWarning] {
    let (search, composition) = (FaceSearch(faces: selection), Composition(framing.map { .framing($0) } ?? .faces()))
    let crops = try CropPlanner().crops(for: faces, in: picture, search: search, composition: composition)
    return CropPlan(source: picture, detector: "", faces: faces, crops: crops).warnings(search, composition)
  }

  @Test func noWarningIfTheFrameFits() throws {
    for framing in [Framing.avatar, .portrait, .passport, .tight] {
      #expect(try warnings([Self.face(0.45, 0.45, 0.1, crown: 0.42)], framing: framing).isEmpty)
    }
    #expect(try warnings([Self.face(0, 0, 0.5, crown: 0)], framing: nil).isEmpty)
  }

  @Test func hairThatThePictureCutsIsNamed() throws {
    let cut = [CropWarning.frame(.crownCut(byImageEdge: true))]
    #expect(try warnings([Self.face(0.4, 0.02, 0.15, crown: 0)]) == cut)
    #expect(try warnings([Self.face(0.4, 0.05, 0.15, crown: 0.02)]).isEmpty)
    // Hair that was not measured may or may not be there.
    #expect(try !warnings([Self.face(0.4, 0, 0.15)]).contains(cut[0]))
    #expect(cut[0].kind == "frame" && "\(cut[0])".contains("crown"))
  }

  @Test func headsBesideTheMiddleAreNamed() throws {
    #expect(
      try warnings([Self.face(0, 0.4, 0.2, crown: 0.36)]).contains(.frame(.offCenter(byImageEdge: true))))
    #expect(
      try !warnings([Self.face(0.2, 0.4, 0.2, crown: 0.36)]).contains(.frame(.offCenter(byImageEdge: true))))
  }

  /// Heads of 1.15 times the requested size, and of its inverse, make a series uneven.
  @Test func headsOfAnotherSizeAreNamed() throws {
    func sizes(_ warnings: [CropWarning]) -> [Double] {
      warnings.compactMap { if case .frame(.headSize(let size)) = $0 { size } else { nil } }
    }
    let filling = sizes(try warnings([Self.face(0.1, 0.15, 0.8, crown: 0.02)]))
    #expect(filling.count == 1 && filling[0] > 1.5)
    #expect(try sizes(warnings([Self.face(0.25, 0.25, 0.5, crown: 0.12)])).isEmpty)
    // A head of 192 pixels fills 0.5535 of an avatar of 347 pixels.
    let face = Self.face(0.4, 0.4, 0.16, crown: 0.36)
    let cases: [(Double, Double?)] = [(347, nil), (304, nil), (300, 1.16), (200, 1.73), (396, nil), (404, 0.86)]
    for (side, size) in cases {
      let shown = NormalizedRect(
        x: 0.48 - side / 2_000, y: 0.47 - side * 0.46 / 1_000, width: side / 1_000, height: side / 1_000)
      let plan = CropPlan(source: picture, detector: "", faces: [face], crops: [.init(region: shown, faces: [0])])
      let found = sizes(plan.warnings(FaceSearch(), Composition(.framing(.avatar))))
      #expect(found == [size].compactMap(\.self), "\(side)")
      // A margin that was asked for makes no head too small.
      let padded = plan.warnings(FaceSearch(), Composition(.framing(.avatar, padding: Padding(0.3))))
      #expect(sizes(padded).allSatisfy { $0 > 1 }, "\(side)")
    }
  }

  /// In a wide image, a square cannot hold people who stand far apart.
  @Test func facesBesideTheFrameAreCounted() throws {
    let faces = [0.02, 0.45, 0.88].map { Self.face($0, 0.4, 0.1, crown: 0.36) }
    let plan = CropPlan(
      source: PixelSize(width: 1_600, height: 800), detector: "", faces: faces,
      crops: [.init(region: NormalizedRect(x: 0.25, y: 0, width: 0.5, height: 1), faces: [0, 1, 2])])
    let composition = Composition(.framing(.avatar))
    #expect(plan.warnings(FaceSearch(faces: .union), composition).contains(.frame(.facesCut(2))))
    var whole = plan
    whole.crops = [.init(region: .whole, faces: [0, 1, 2])]
    #expect(!whole.warnings(FaceSearch(faces: .union), composition).contains { "\($0)".contains("of the faces") })
    #expect(try !warnings([faces[1]]).contains { "\($0)".contains("of the faces") })
  }

  /// Each layout and each shape of an output counts the faces that it cuts or leaves out.
  @Test func facesOutsideOfAShapeAreCounted() throws {
    let faces = [0.02, 0.45, 0.88].map { Self.face($0, 0.4, 0.1, crown: 0.36) }
    let (image, search) = (PixelSize(width: 1_600, height: 800), FaceSearch(faces: .union))
    func counted(_ layout: Composition.Layout, _ sizes: [OutputSize] = [], of faces: [Face]) throws -> [CropWarning] {
      let composition = Composition(layout)
      let crops = try CropPlanner().crops(for: faces, in: image, search: search, composition: composition)
      return CropPlan(source: image, detector: "", faces: faces, crops: crops)
        .warnings(search, composition, sizes: sizes)
    }
    let wide = AspectRatio(width: 2, height: 1)
    for layout in [Composition.Layout.fill(.square), .heads(aspect: .square), .faces(aspect: .square)] {
      #expect(try counted(layout, of: faces) == [.frame(.facesCut(2))])
      #expect(try counted(layout, of: [faces[1]]).isEmpty)
    }
    #expect(try counted(.framing(.avatar), of: faces).contains(.frame(.facesCut(2))))
    #expect(try counted(.fill(wide), of: faces).isEmpty)
    // The plan shows all, and one of the outputs does not.
    let shapes = [OutputSize.filling(wide, longSide: 100), .filling(.square, longSide: 100)]
    #expect(try counted(.fill(), shapes, of: faces) == [.frame(.facesCut(2))])
    #expect(try counted(.fill(), [shapes[0]], of: faces).isEmpty)
    // A single face that no region of the shape holds.
    #expect(
      try counted(.fill(AspectRatio(width: 1, height: 20)), of: [faces[1]]) == [.frame(.facesCut(1))])
  }

  @Test func aPlanWithAFrameThatCutsTheChinSaysSo() {
    let plan = CropPlan(
      source: picture, detector: "", faces: [Self.face(0.4, 0.4, 0.2, crown: 0.36)],
      crops: [.init(region: NormalizedRect(x: 0.3, y: 0.3, width: 0.4, height: 0.25), faces: [0])])
    #expect(
      plan.warnings(FaceSearch(), Composition(.framing(.avatar))).contains(.frame(.chinCut(byImageEdge: false))))
  }

  @Test func nearlyEqualFacesAreCounted() throws {
    let faces = [
      Self.face(0.1, 0.4, 0.1), Self.face(0.4, 0.4, 0.085), Self.face(0.7, 0.4, 0.079),
      Self.face(0.7, 0.7, 0.1, score: 0.7),
    ]
    #expect(try warnings(faces, .prominent).filter { $0.kind == "several-faces" } == [.severalFaces(2)])
    // There is no warning if the caller chose a face, or there is only one.
    #expect(try warnings(faces, .number(1)).isEmpty)
    #expect(try warnings([faces[0], faces[2]], .largest).isEmpty)
  }
}
