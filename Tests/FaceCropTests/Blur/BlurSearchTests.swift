import TestSupport
import Testing

@testable import FaceCrop

/// The search that misses few faces: at the edge, rotated, in crowds, in the dark, and behind alpha.
@Suite struct BlurSearchTests {
  private func plan(_ pixels: Pixels, limits: Limits = Limits()) async throws -> CropPlan {
    try await FaceCropper(limits: limits).blurPlan(for: .bytes(PNGBuilder(pixels).encoded()))
  }

  /// Of a face at the upper edge, a third is visible: mouth and chin.
  @Test func facesCutByTheEdgeAreHidden() async throws {
    let top = astronautFace.y + astronautFace.height * 2 / 3
    let portrait = try astronaut().cropped(x: 0, y: top, width: 512, height: 512 - top)
    let plan = try await plan(portrait)
    let visible = NormalizedRect(
      x: Double(astronautFace.x) / 512, y: 0, width: Double(astronautFace.width) / 512,
      height: Double(astronautFace.y + astronautFace.height - top) / Double(512 - top))
    #expect(plan.faces.contains { $0.box.intersectionOverUnion(visible) > 0.4 && $0.box.isValid }, "\(plan.faces)")
  }

  /// A view turns the image upright, and the face's box and eyes back.
  @Test(arguments: [40, 135, 180, -135, -90, 90, -40]) func rotatedFacesAreFound(degrees: Double) throws {
    let upright = PixelBuffer(try astronaut())
    let center = NormalizedPoint(x: 224.0 / 512, y: 119.0 / 512)
    let size = PixelSize(width: 512, height: 512)
    let image = TurnedView(
      of: TurnedView.Source(upright, side: 512), around: center, degrees: -degrees, size: size
    ).pixels
    let detector = try #require(YuNetFaceDetector().prepare() as? any ViewDetector)
    let wanted = NormalizedRect(x: 0.4, y: 0.4, width: 0.2, height: 0.2)
    let faces = try BlurViews(detector, job: .forTests(), in: image).faces()
    let found = faces.contains { face in
      let lean = abs((face.lean(in: size) ?? 0) - degrees)
      return face.box.intersectionOverUnion(wanted) > 0.5 && min(lean, 360 - lean) < 20 && face.score > 0.8
    }
    #expect(found, "\(faces)")
  }

  /// A view of the image at its own size is the image, and its border is mirrored.
  @Test func viewsAreMirrored() {
    let image = PixelBuffer(.noise(width: 9, height: 7))
    let center = NormalizedPoint(x: 0.5, y: 0.5)
    let source = TurnedView.Source(image, side: 9)
    #expect(TurnedView(of: source, around: center, degrees: 0, size: image.size).pixels == image)
    let wide = TurnedView(of: source, around: center, degrees: 0, size: PixelSize(width: 49, height: 7)).pixels
    for x in 0..<49 {
      let place = ((x - 20) % 18 + 18) % 18
      let wanted = min(place, 17 - place)
      #expect(wide.bytes[3 * x] == image.bytes[3 * wanted])
    }
    let face = Face(box: NormalizedRect(x: 0.1, y: 0.2, width: 0.3, height: 0.4), score: 1)
    let view = TurnedView(of: source, around: center, degrees: 180, size: image.size)
    let box = view.face(face).box
    #expect(abs(box.x - 0.6) < 1e-9 && abs(box.y - 0.4) < 1e-9)
    #expect(abs(box.width - 0.3) < 1e-9 && abs(box.height - 0.4) < 1e-9)
  }

  /// In a crowd, faces of 10 pixels are hidden in an image of 900 × 700.
  @Test func smallFacesOfCrowdsAreHidden() async throws {
    var image = Pixels(width: 900, height: 700, color: [110, 110, 110])
    let head = PixelBuffer(try astronaut().cropped(x: 60, y: 20, width: 340, height: 400))
    let (near, far) = (
      Pixels(head.quicklyResized(to: PixelSize(width: 102, height: 120))),
      Pixels(head.quicklyResized(to: PixelSize(width: 31, height: 36)))
    )
    for column in 0..<5 { image = image.covered(by: near, at: (40 + column * 150, 40)) }
    for place in 0..<24 { image = image.covered(by: far, at: (30 + place % 6 * 130, 330 + place / 6 * 80)) }
    let plan = try await plan(image)
    let (large, small) = (plan.faces.count { $0.box.height > 0.03 }, plan.faces.count { $0.box.height < 0.03 })
    #expect(large == 5 && small > 16, "\(large) and \(small)")
  }

  /// Finds one face in each view, in its middle.
  private struct Close: ViewDetector {
    let score: Double

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] { [] }

    func faces(inView picture: PixelBuffer, threshold: Double) -> [Face] {
      let middle = NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
      return score < threshold ? [] : [Face(box: middle, score: score)]
    }
  }

  /// Close-ups decide about doubtful faces only: the mean of both scores is at least 0.35.
  @Test(arguments: [(0.3, true), (0.15, false), (0, false)])
  func doubtfulFacesNeedACloseUp(score: Double, isShown: Bool) throws {
    let box = NormalizedRect(x: 0.3, y: 0.3, width: 0.2, height: 0.2)
    let (doubtful, sure) = (Face(box: box, score: 0.5), Face(box: box, score: BlurSearch.sure))
    let views = BlurViews(Close(score: score), job: .forTests(), in: PixelBuffer(try astronaut()))
    #expect(try views.withoutUnseen([doubtful, sure]) == (isShown ? [doubtful, sure] : [sure]))
  }

  /// The area of a doubtful face contains the boxes of all its candidates, that of another face only its own.
  @Test(arguments: [(0.5, true), (BlurSearch.sure, false)])
  func doubtfulFacesHaveTheAreaOfAllCandidates(score: Double, grows: Bool) {
    let box = NormalizedRect(x: 0.3, y: 0.3, width: 0.2, height: 0.2)
    let beside = NormalizedRect(x: 0.35, y: 0.3, width: 0.2, height: 0.2)
    let candidates = [Face(box: beside, score: 0.49), Face(box: box, score: score)]
    let size = PixelSize(width: 400, height: 400)
    let faces = BlurSearch.faces([], joinedBy: candidates, in: size)
    #expect(faces.map(\.box) == [grows ? box.union(beside) : box])
    // The faces of the detection pass keep their boxes, so that all commands show the same ones.
    let found = [Face(box: box, score: score)]
    #expect(BlurSearch.faces(found, joinedBy: candidates, in: size) == found)
  }

  @Test func darkImagesAreLightened() {
    func image(_ level: UInt8) -> PixelBuffer {
      PixelBuffer(size: PixelSize(width: 2, height: 1), format: .rgb, bytes: [0, level, level, level, 0, 4])
    }
    #expect(image(20).withoutShadows().bytes == [0, 71, 71, 71, 0, 32])
    #expect(image(120).withoutShadows() == image(120))
  }

  /// A lying face that an edge cuts, beside one that shows which way is up.
  @Test(arguments: [QuarterTurn.clockwise, .half, .counterclockwise])
  func lyingFacesAtTheEdgeAreHidden(turn: QuarterTurn) async throws {
    let portrait = try astronaut().cropped(x: 60, y: 0, width: 280, height: 512)
    let top = astronautFace.y + astronautFace.height * 2 / 3
    let cut = portrait.cropped(x: 0, y: top, width: 280, height: 512 - top)
    let image = Pixels(width: 560, height: 512, color: [90, 90, 90])
      .covered(by: portrait, at: (0, 0)).covered(by: cut, at: (280, 0))
    let found = try await plan(image.turned(orientation: turn.orientation.rawValue)).faces
    let visible = NormalizedRect(
      x: Double(280 + astronautFace.x - 60) / 560, y: 0, width: Double(astronautFace.width) / 560,
      height: Double(astronautFace.y + astronautFace.height - top) / 512)
    let wanted = turn.inverse.orientation.stored(visible)
    #expect(found.contains { $0.box.intersectionOverUnion(wanted) > 0.4 }, "\(found)")
  }

  /// A small lying face in an image without tiles.
  @Test func smallLyingFacesAreHidden() async throws {
    let portrait = try astronaut()
    let image = Pixels(width: 640, height: 480, color: [90, 90, 90])
      .covered(by: portrait.resizedBilinear(width: 400, height: 400), at: (0, 0))
      .covered(by: portrait.resizedBilinear(width: 110, height: 110), at: (400, 0))
    let found = try await plan(
      image.turned(orientation: QuarterTurn.clockwise.orientation.rawValue), limits: with(Limits()) { $0.tiles = 1 }
    ).faces
    let scale = 110 / 512.0
    let face = NormalizedRect(
      x: (400 + Double(astronautFace.x) * scale) / 640, y: Double(astronautFace.y) * scale / 480,
      width: Double(astronautFace.width) * scale / 640, height: Double(astronautFace.height) * scale / 480)
    let wanted = QuarterTurn.clockwise.inverse.orientation.stored(face)
    #expect(found.contains { $0.box.intersectionOverUnion(wanted) > 0.3 }, "\(found)")
  }

  // MARK: Alpha

  /// The ways in which a face hides behind alpha.
  enum Behind: CaseIterable {
    /// Opacity 1 of 255, which leaves no color.
    case opacity
    /// White pixels whose alpha is the face.
    case alpha
    /// Squares of high and low opacity and of dark and bright colors, whose product is the face.
    case product
  }

  private func portrait(_ behind: Behind) throws -> Pixels {
    let portrait = try astronaut()
    var random = SplitMix64(seed: 5)
    let isOpaque = (0..<22 * 22).map { _ in random.next() % 2 == 0 }
    let samples = stride(from: 0, to: portrait.samples.count, by: 3).flatMap { place -> [UInt8] in
      let color = Array(portrait.samples[place..<place + 3])
      switch behind {
      case .opacity: return color + [1]
      case .alpha: return [255, 255, 255, color[1]]
      case .product:
        let (x, y) = (place / 3 % 512, place / 3 / 512)
        let alpha = isOpaque[y / 24 * 22 + x / 24] ? 255 : 32
        return color.map { UInt8(Int($0) / 8 * 255 / alpha) } + [UInt8(alpha)]
      }
    }
    return Pixels(width: 512, height: 512, channels: 4, samples: samples)
  }

  /// Programs that ignore or flatten alpha otherwise would show the face. `tiles` is 1 for no search in tiles.
  @Test(arguments: Behind.allCases, [1, 8]) func facesBehindAlphaAreHidden(behind: Behind, tiles: Int) async throws {
    let plan = try await plan(try portrait(behind), limits: with(Limits()) { $0.tiles = tiles })
    #expect(plan.faces.contains(where: isAstronaut), "\(plan.faces)")
  }

  /// An opaque image is searched once.
  @Test func opaqueAlphaCostsNothing() throws {
    let opaque = PixelBuffer(try astronaut()).withAlpha()
    #expect(!opaque.isTransparent)
    var pixels = opaque
    pixels.bytes[4 * 77 + 3] = 254
    #expect(pixels.isTransparent)
  }
}
