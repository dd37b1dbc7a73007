import FoundationEssentials
import TestSupport
import Testing

@testable import FaceCrop

/// Faces to hide, the shapes of hidden areas, and their pixels.
@Suite struct BlurTests {
  private static let faces = [
    Face(box: NormalizedRect(x: 0.2, y: 0.2, width: 0.15, height: 0.25), score: 0.9),
    Face(box: NormalizedRect(x: 0.6, y: 0.4, width: 0.15, height: 0.25), score: 0.5),
  ]

  private func cropper(_ faces: [Face] = faces) -> FaceCropper {
    FaceCropper(detector: StubDetector(found: faces), limits: with(Limits()) { $0.tiles = 1 })
  }

  private static func png() -> [UInt8] {
    PNGBuilder(.testPattern(width: 200, height: 160, channels: 3, seed: 3)).encoded()
  }

  private func pixels(_ bytes: [UInt8]) async throws -> PixelBuffer {
    let result = try await cropper([]).crop(.bytes(bytes), request: CropRequest(search: FaceSearch(noFace: .whole)))
    return result.crops[0].pixels
  }

  // MARK: Selection

  @Test func numbersSelectFaces() async throws {
    let source = ImageSource.bytes(Self.png())
    func hidden(_ faces: HiddenFaces) async throws -> [Int?] {
      try await cropper().blurPlan(for: source, request: BlurRequest(faces: faces)).crops.map(\.number)
    }
    #expect(try await hidden(.all) == [1, 2])
    #expect(try await hidden(.only([2])) == [2])
    #expect(try await hidden(.except([2])) == [1])
    #expect(try await hidden(.only([])) == [])
  }

  /// The numbers of people go from left to right, and neither scores nor doubtful faces change them.
  @Test func peopleAreCountedFromTheLeft() throws {
    func face(_ x: Double, _ score: Double) -> Face {
      Face(box: NormalizedRect(x: x, y: 0.4, width: 0.1, height: 0.15), score: score)
    }
    var detection = Detection(
      size: PixelSize(width: 200, height: 160), orientation: .up, detector: "stub",
      faces: [face(0.7, 0.9), face(0.2, 0.8), face(0.05, 0.5)], warnings: [], path: .index)
    detection.firstFaces = 2
    func hidden(_ faces: HiddenFaces, people: Int? = 2, least: FaceHeight? = nil) throws -> [Int?] {
      try CropPlan(blur: BlurRequest(faces: faces, smallestFace: least, people: people), of: detection)
        .crops.map(\.number)
    }
    #expect(try hidden(.only([1])) == [2] && hidden(.only([2])) == [1])
    // The doubtful face is nobody's, and so it is hidden with the others.
    #expect(try hidden(.except([1])) == [1, 3] && hidden(.all) == [1, 2, 3])
    #expect(try hidden(.only([1]), people: nil) == [1])
    #expect(try hidden(.only([1]), least: .fraction(0.5)) == [2])
    for (faces, people) in [(HiddenFaces.only([1]), 3), (.except([1]), 3), (.only([1]), 1), (.only([3]), 2)] {
      #expect(throws: FaceCropError.self) { try hidden(faces, people: people) }
    }
  }

  /// Low scores and unknown numbers are reported.
  @Test func doubtsAreReported() async throws {
    let result = try await cropper().blur(
      .bytes(Self.png()), request: BlurRequest(faces: .except([7])))
    #expect(result.doubtfulFaces == [2])
    #expect(result.warnings.contains(.doubtfulFaces([2])) && result.warnings.contains(.missingFaces([7])))
  }

  /// Faces that stay visible are reported with the reason, and only named faces count one by one.
  @Test(
    arguments: [
      (BlurRequest(), nil), (BlurRequest(faces: .only([2])), nil), (BlurRequest(faces: .only([1, 7])), nil),
      (BlurRequest(faces: .only([7])), .noNumber), (BlurRequest(faces: .except([1, 2])), .allExcepted),
      (BlurRequest(faces: .except([1, 2]), smallestFace: .pixels(1)), .allSmaller),
      (BlurRequest(smallestFace: .fraction(0.9)), .allSmaller),
      (BlurRequest(faces: .only([1]), smallestFace: .fraction(0.9)), .smaller([1])),
      (BlurRequest(faces: .only([2, 1]), smallestFace: .fraction(0.9)), .smaller([1, 2])),
    ] as [(BlurRequest, BlurShortfall?)])
  func visibleFacesAreReported(request: BlurRequest, shortfall: BlurShortfall?) async throws {
    let source = ImageSource.bytes(Self.png())
    #expect(try await cropper().blur(source, request: request).shortfall == shortfall)
    #expect(try await cropper([]).blur(source, request: request).shortfall == .noFace)
    var plan = try await cropper().blurPlan(for: source)
    #expect(try await cropper().blur(source, request: request, plan: plan).shortfall == nil)
    plan.crops = []
    #expect(try await cropper().blur(source, request: request, plan: plan).shortfall == .emptyPlan)
  }

  /// One of two named faces is too small, although another one is hidden.
  @Test func aNamedSmallFaceIsReported() async throws {
    let small = Face(box: NormalizedRect(x: 0.8, y: 0.8, width: 0.05, height: 0.08), score: 0.9)
    func shortfall(_ faces: HiddenFaces) async throws -> BlurShortfall? {
      try await cropper(Self.faces + [small]).blur(
        .bytes(Self.png()), request: BlurRequest(faces: faces, smallestFace: .fraction(0.1))
      ).shortfall
    }
    let plan = try await cropper(Self.faces + [small]).blurPlan(for: .bytes(Self.png()))
    let number = try #require(plan.faces.firstIndex { $0.box.height < 0.1 }) + 1
    #expect(try await shortfall(.only([1, 2, 3])) == .smaller([number]))
    #expect(try await shortfall(.only([number])) == .smaller([number]))
    #expect(try await shortfall(.all) == nil)
  }

  @Test func smallFacesCanBeIgnored() async throws {
    let small = Face(box: NormalizedRect(x: 0.8, y: 0.8, width: 0.05, height: 0.08), score: 0.9)
    let plan = try await cropper(Self.faces + [small]).blurPlan(
      for: .bytes(Self.png()), request: BlurRequest(smallestFace: .fraction(0.1)))
    #expect(plan.faces.count == 3 && plan.crops.count == 2)
  }

  @Test func wrongNumbersAreRefused() async throws {
    for request in [
      BlurRequest(margin: -0.1), BlurRequest(margin: .nan), BlurRequest(margin: 2.1),
      BlurRequest(faces: .only([0])), BlurRequest(smallestFace: .pixels(0)),
    ] {
      let error = await #expect(throws: FaceCropError.self) {
        try await cropper().blur(.bytes(Self.png()), request: request)
      }
      #expect(error?.kind == "invalid")
    }
  }

  // MARK: Plans

  /// A stored plan hides the same areas without a search, and an added crop without a face is a rectangle.
  @Test func plansApplyAgain() async throws {
    let source = ImageSource.bytes(Self.png())
    let first = try await cropper().blur(source)
    let stored = try JSONDecoder().decode(CropPlan.self, from: JSONEncoder().encode(first.plan))
    let again = try await cropper([]).blur(source, plan: stored)
    let isSame = first.bytes == again.bytes
    #expect(isSame && again.detectionPath == nil)
    // A person may look at the result of a plan only.
    #expect(again.warnings == first.warnings && again.warnings.contains(.doubtfulFaces([2])))

    var edited = stored
    edited.crops.removeLast()
    let one = try await cropper([]).blur(source, request: BlurRequest(faces: .only([7])), plan: edited)
    #expect(one.warnings == [])
    let added = NormalizedRect(x: 0.125, y: 0.5, width: 0.25, height: 0.25)
    edited.crops = [CropPlan.Crop(region: added, faces: [])]
    let result = try await cropper([]).blur(source, request: BlurRequest(mode: .solid), plan: edited)
    #expect(result.warnings == [])
    let (before, after) = (try await pixels(Self.png()), try await pixels(result.bytes))
    let rect = PixelRect(covering: added, in: before.size)
    for y in 0..<before.height {
      for x in 0..<before.width {
        let isInside = x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height
        let place = (y * before.width + x) * 3
        let wanted = isInside ? [0, 0, 0] : Array(before.bytes[place..<place + 3])
        guard Array(after.bytes[place..<place + 3]) == wanted else {
          Issue.record("a wrong pixel at \(x), \(y)")
          return
        }
      }
    }
  }

  /// A JPEG file keeps its blocks, and so has no final pass that would look at the plan.
  @Test(arguments: [false, true]) func plansOfOtherImagesAreRefused(keepsBlocks: Bool) async throws {
    let plan = CropPlan(source: PixelSize(width: 10, height: 10), detector: "stub", faces: [], crops: [])
    let image = try keepsBlocks ? JPEGRecipe().encode(.testPattern(width: 200, height: 160, channels: 3)) : Self.png()
    let error = await #expect(throws: FaceCropError.self) {
      try await cropper().blur(.bytes(image), plan: plan)
    }
    #expect(error?.kind == "plan-mismatch")
  }

  // MARK: Shapes and pixels

  /// The ellipse covers the face box's inscribed part and the skull, and grows with the margin.
  @Test(arguments: [BlurShape.ellipse, .box, .head]) func areasCoverTheFace(shape: BlurShape) {
    let size = PixelSize(width: 400, height: 400)
    let face = Face(box: NormalizedRect(x: 0.4, y: 0.4, width: 0.15, height: 0.2), score: 0.9)
    func area(_ margin: Double) -> HiddenArea {
      let crop = CropPlan.Crop(blurring: 0, of: [face], in: size, margin: margin)
      let plan = CropPlan(source: size, detector: "stub", faces: [face], crops: [crop])
      return HiddenArea(crop, of: plan, by: BlurRequest(shape: shape, margin: margin), orientation: .up)
    }
    let (tight, wide) = (area(0), area(0.5))
    func width(_ area: HiddenArea, at y: Double) -> Double {
      var length = 0.0
      area.forEachSpan(at: y) { length += $0.upperBound - $0.lowerBound }
      return length
    }
    // The eyes, the nose and the mouth.
    for y in [185.0, 200, 220] { #expect(width(tight, at: y) >= 60) }
    for y in stride(from: 120.0, to: 300, by: 7) { #expect(width(wide, at: y) >= width(tight, at: y)) }
    #expect(tight.bounds.maxY > 240 && wide.bounds.maxY > 280)
  }

  /// A face that the image's edge cuts keeps its whole ellipse.
  @Test func areasReachOutOfTheImage() {
    let size = PixelSize(width: 400, height: 400)
    let face = Face(box: NormalizedRect(x: 0, y: 0, width: 0.15, height: 0.2), score: 0.9)
    let crop = CropPlan.Crop(blurring: 0, of: [face], in: size, margin: 0.1)
    #expect(crop.region.isValid && (crop.frame?.x ?? 0) < 0)
    let plan = CropPlan(source: size, detector: "stub", faces: [face], crops: [crop])
    let area = HiddenArea(crop, of: plan, by: BlurRequest(margin: 0.1), orientation: .up)
    #expect(abs(area.bounds.width - (crop.frame?.width ?? 0) * 400) < 1e-6)
  }

  /// Details inside a cell do not reach the output: two images with the same means give the same pixels.
  @Test(arguments: [BlurMode.blur, .pixelate]) func onlyMeansRemain(mode: BlurMode) throws {
    let size = PixelSize(width: 160, height: 160)
    func picture(_ swing: Int) -> PixelBuffer {
      var bytes: [UInt8] = []
      for y in 0..<size.height {
        for x in 0..<size.width { bytes.append(UInt8(128 + ((x + y) % 2 == 0 ? swing : -swing))) }
      }
      return PixelBuffer(size: size, format: .gray, bytes: bytes)
    }
    let area = HiddenArea([[.init(x: 0, y: 0), .init(x: 160, y: 0), .init(x: 160, y: 160), .init(x: 0, y: 160)]])
    var (flat, sharp) = (picture(0), picture(100))
    try flat.hide([area], by: mode, .forTests())
    try sharp.hide([area], by: mode, .forTests())
    let isSame = flat == sharp
    #expect(isSame)
    let isHidden = flat != picture(0)
    #expect(isHidden)
  }

  /// The strength follows the face's size: the number of cells along an area is fixed.
  @Test(arguments: [35, 70, 700]) func strengthFollowsTheSize(side: Int) {
    let length = Double(side)
    let area = HiddenArea([[.init(x: 0, y: 0), .init(x: length, y: 0), .init(x: length, y: length)]])
    #expect(abs(area.cell(for: .blur) - length / 2.5) < 1e-9)
    #expect(abs(area.cell(for: .pixelate) - length / 4) < 1e-9)
  }

  /// A face of black pixels can lie in alpha alone. Where alpha is one value, it shows nothing, and stays.
  @Test(arguments: [BlurMode.blur, .pixelate, .solid]) func alphaIsHidden(mode: BlurMode) throws {
    let size = PixelSize(width: 160, height: 160)
    func picture(_ swing: Int) -> PixelBuffer {
      let pixels = (0..<size.width * size.height).flatMap { place -> [UInt8] in
        let isUp = (place % size.width + place / size.width) % 2 == 0
        return [0, 0, 0, UInt8(128 + (isUp ? swing : -swing))]
      }
      return PixelBuffer(size: size, format: .rgba, bytes: pixels)
    }
    // A rest of the image stays.
    let area = HiddenArea([[.init(x: 0, y: 0), .init(x: 160, y: 0), .init(x: 160, y: 128), .init(x: 0, y: 128)]])
    var (low, high) = (picture(20), picture(100))
    try low.hide([area], by: mode, .forTests())
    try high.hide([area], by: mode, .forTests())
    let hidden = 4 * 160 * 128
    #expect(low.bytes[..<hidden] == high.bytes[..<hidden])
    #expect(low.bytes[hidden...] == picture(20).bytes[hidden...])
    if mode == .solid { #expect(low.bytes[3] == 255) }
    var flat = picture(0)
    try flat.hide([area], by: mode, .forTests())
    #expect(stride(from: 3, to: flat.bytes.count, by: 4).allSatisfy { flat.bytes[$0] == 128 })
  }

  /// Every output with alpha hides the face in it, and outputs without alpha do not show it.
  @Test(arguments: [OutputFormat.png, .webpLossless, .tiff, .avif(quality: 90), .jpeg(quality: 90)])
  func facesInAlphaAreHidden(format: OutputFormat) async throws {
    guard format.imageFormat.isWritten else { return }
    let face = try astronaut()
    var samples: [UInt8] = []
    for place in stride(from: 1, to: face.samples.count, by: 3) { samples += [0, 0, 0, 255 - face.samples[place]] }
    let black = Pixels(width: face.width, height: face.height, channels: 4, samples: samples)
    let source = ImageSource.bytes(PNGBuilder(black).encoded())
    #expect(try await FaceCropper().detect(in: source).faces.contains(where: isAstronaut))
    let plan = try await FaceCropper().blurPlan(for: .bytes(fixtureBytes("astronaut.jpg")))
    let hidden = try await FaceCropper().blur(source, plan: plan, as: format)
    let found = try await FaceCropper().detect(in: .bytes(hidden.bytes)).faces
    #expect(!found.contains(where: isAstronaut))
  }

  @Test func alphaStays() throws {
    var picture = PixelBuffer(
      size: PixelSize(width: 20, height: 20), format: .rgba, bytes: [UInt8](repeating: 77, count: 1_600))
    let area = HiddenArea([[.init(x: 0, y: 0), .init(x: 20, y: 0), .init(x: 20, y: 20), .init(x: 0, y: 20)]])
    try picture.hide([area], by: .solid, .forTests())
    #expect(Array(picture.bytes[..<4]) == [0, 0, 0, 77])
  }

  /// A transparent pixel can hold the color of a face, and so can one that is nearly transparent.
  @Test(arguments: [(0, true), (1, true), (8, true), (9, false), (255, false)] as [(UInt8, Bool)])
  func transparentColorsAreCleared(alpha: UInt8, isCleared: Bool) throws {
    var picture = PixelBuffer(size: PixelSize(width: 1, height: 1), format: .rgba, bytes: [90, 80, 70, alpha])
    try picture.hide([], by: .blur, .forTests())
    #expect(picture.bytes == (isCleared ? [0, 0, 0, alpha] : [90, 80, 70, alpha]))
  }

  // MARK: Formats

  @Test func otherFormatsAreEncodedAgain() async throws {
    let png = try await cropper().blur(.bytes(Self.png()))
    #expect(png.format == .png && !png.keepsBlocks && png.size == PixelSize(width: 200, height: 160))
    let webp = try await cropper().blur(.bytes(Self.png()), as: .webp(quality: 80))
    #expect(webp.format == .webp)
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 200, height: 160, channels: 3, seed: 3))
    let again = try await cropper().blur(.bytes(jpeg), as: .jpeg(quality: 60))
    #expect(again.format == .jpeg && !again.keepsBlocks && again.bytes.count < jpeg.count)
  }

  /// The faces of the search come after those of `detect`, which keep their numbers.
  @Test func detectedFacesKeepTheirNumbers() async throws {
    let source = ImageSource.bytes(try fixtureBytes("astronaut.jpg"))
    let found = try await FaceCropper().detect(in: source)
    let plan = try await FaceCropper().blurPlan(for: source)
    #expect(found.faces.count == 1 && plan.faces.first?.box == found.faces[0].box)
    #expect(isAstronaut(plan.faces[0]) && plan.crops.first?.number == 1)
  }

  /// A portrait that lies sideways or upside down has the hidden area of the upright one, rotated like the image.
  @Test(arguments: QuarterTurn.allCases) func lyingFacesAreHidden(turn: QuarterTurn) async throws {
    let portrait = try astronaut().cropped(x: 0, y: 0, width: 440, height: 512)
    func areas(_ pixels: Pixels) async throws -> [NormalizedRect] {
      let plan = try await FaceCropper().blurPlan(for: .bytes(PNGBuilder(pixels).encoded()))
      return plan.crops.filter { plan.faces[$0.faces[0]].score > 0.9 }.map { $0.frame ?? $0.region }
    }
    let upright = try await areas(portrait)
    let lying = try await areas(portrait.turned(orientation: turn.orientation.rawValue))
    #expect(upright.count == 1)
    let size = PixelSize(width: 1000, height: 1000)
    let (wanted, found) = (
      turn.inverse.orientation.stored(upright[0]).frame(in: size), lying.map { $0.frame(in: size) }
    )
    // The head's network finds the skull of the upright face only.
    #expect(
      found.contains { area in
        zip([area.x, area.y, area.maxX, area.maxY], [wanted.x, wanted.y, wanted.maxX, wanted.maxY])
          .allSatisfy { abs($0 - $1) < 40 }
      }, "\(found) instead of \(wanted)")
  }

  /// Every turn of a face gives the same ellipse, and a face that leans by less than half a quarter is upright.
  @Test(arguments: QuarterTurn.allCases) func areasFollowTheEyes(turn: QuarterTurn) {
    let size = PixelSize(width: 400, height: 300)
    var face = Face(box: NormalizedRect(x: 0.3, y: 0.25, width: 0.15, height: 0.3), score: 0.9)
    face.landmarks = FaceLandmarks(
      rightEye: NormalizedPoint(x: 0.33, y: 0.36), leftEye: NormalizedPoint(x: 0.42, y: 0.35),
      nose: NormalizedPoint(x: 0.375, y: 0.42), mouthRight: NormalizedPoint(x: 0.34, y: 0.48),
      mouthLeft: NormalizedPoint(x: 0.41, y: 0.48))
    let lying = face.before(turn)
    let stored = turn.orientation.applied(to: size)
    #expect(lying.uprightTurn(in: stored) == turn)
    let (upright, turned) = (
      CropPlan.Crop(blurring: 0, of: [face], in: size, margin: 0.1),
      CropPlan.Crop(blurring: 0, of: [lying], in: stored, margin: 0.1)
    )
    let back = turn.inverse.orientation.stored(turned.frame ?? turned.region)
    let wanted = upright.frame ?? upright.region
    for (one, other) in zip([back.x, back.y, back.maxX, back.maxY], [wanted.x, wanted.y, wanted.maxX, wanted.maxY]) {
      #expect(abs(one - other) < 1e-9)
    }
  }

  /// The portrait's hidden face is no face for the detectors.
  @Test(arguments: [BlurMode.blur, .pixelate, .solid]) func hiddenFacesAreNotFound(mode: BlurMode) async throws {
    let source = ImageSource.bytes(try fixtureBytes("astronaut.jpg"))
    let hidden = try await FaceCropper().blur(source, request: BlurRequest(mode: mode))
    let found = try await FaceCropper().detect(in: .bytes(hidden.bytes))
    #expect(!found.faces.contains(where: isAstronaut))
  }

  #if HEIF
    /// A thumbnail may show another image. What is hidden or checked is the image itself.
    @Test func aForeignThumbnailHidesNothing() async throws {
      func file(_ thumbnail: Pixels?) throws -> [UInt8] {
        var builder = HEIFBuilder()
        builder.primary = builder.add(try CodedItem(try astronaut().resizedBilinear(width: 1024, height: 1024)))
        if let thumbnail {
          builder.references.append(("thmb", builder.add(try CodedItem(thumbnail)), [builder.primary]))
        }
        return builder.encoded()
      }
      let gray = Pixels(width: 512, height: 512, color: [128, 128, 128])
      let (plain, foreign) = (ImageSource.bytes(try file(nil)), ImageSource.bytes(try file(gray)))
      // The thumbnail is one that crops use.
      #expect(try await FaceCropper().detect(in: foreign).faces.isEmpty)
      let plan = try await FaceCropper().blurPlan(for: foreign)
      #expect(plan.faces == (try await FaceCropper().blurPlan(for: plain).faces))
      #expect(plan.faces.contains(where: isAstronaut))
      #expect(try await FaceCropper().check(foreign).findings == FaceCropper().check(plain).findings)
    }
  #endif
}
