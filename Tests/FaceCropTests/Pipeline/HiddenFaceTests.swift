import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// Heads whose face is not visible, in the portrait with detectors that find no upright face.
@Suite struct HiddenFaceTests {
  private static let networks = ObjectPool(keepsItems: true) { () throws(FaceCropError) in try PersonNetwork() }

  /// The hair's top and the chin, in pixels of the portrait.
  private static let (crown, chin) = (16.0, 176.0)

  /// A detector of the given faces, in images whose upper third has at least a mean level.
  private struct Fixed: TestDetector {
    var name: String { "fixed" }
    var faces: [Face] = []
    var level = 0

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] {
      let upper = picture.bytes.prefix(picture.bytes.count / 3)
      let isBright = upper.reduce(0) { $0 + Int($1) } >= level * upper.count
      return purpose == .allFaces && isBright ? faces : []
    }
  }

  private static func png(_ pixels: Pixels) -> ImageSource { .bytes(PNGBuilder(pixels).encoded()) }

  private static func plan(
    of image: Pixels, faces: [Face] = [], level: Int = 0, _ search: FaceSearch = Preset.avatar.search,
    _ composition: Composition = Preset.avatar.composition
  ) async throws -> CropResult<RenderedCrop> {
    let request = CropRequest(search: search, composition: composition)
    return try await FaceCropper(detector: Fixed(faces: faces, level: level)).crop(png(image), request: request)
  }

  @Test func aPersonsShapeShowsTheHead() throws {
    let image = PixelBuffer(try astronaut())
    let found = try HeadFinder(in: image, by: Self.networks).hiddenFace()
    let face = try #require(found.face)
    let head = Head(assumedFor: face, in: image.size)
    #expect(abs(head.crown.position * 512 - Self.crown) < 16, "\(head.crown)")
    #expect(abs(head.chin.position * 512 - Self.chin) < 32, "\(head.chin)")
    #expect(abs(face.box.midX * 512 - 226) < 16 && found.people > 0.3)
    #expect(face.detectors == ["person"])
  }

  /// Shapes without shoulders, without background beside them, and small ones are no heads.
  @Test func otherShapesAreNoHeads() throws {
    func found(_ width: Int = 200, _ height: Int = 200, _ isPerson: (Double, Double) -> Bool) -> HeadShape? {
      let mask = (0..<width * height).map { place -> UInt8 in
        let (x, y) = (Double(place % width) + 0.5, Double(place / width) + 0.5)
        return isPerson(x, y) ? 255 : 0
      }
      return HeadShape(in: mask, PixelSize(width: width, height: height))
    }
    func isHead(_ x: Double, _ y: Double) -> Bool { abs(x - 100) < 24 && (40..<110).contains(y) }
    func isBody(_ x: Double, _ y: Double) -> Bool { abs(x - 100) < 60 && y > 108 }
    let whole = found { isHead($0, $1) || isBody($0, $1) }
    let box = try #require(whole).box
    #expect(abs(box.midX - 100) < 12 && box.y > 45 && box.y < 65 && (35...70).contains(box.height))
    #expect(found { isHead($0, $1) } == nil)
    #expect(found { isBody($0, $1) } == nil)
    #expect(found { x, y in y > 40 } == nil)
    #expect(found { _, _ in true } == nil && found { _, _ in false } == nil)
    #expect(found(3, 3) { _, _ in true } == nil && found(1, 256) { _, _ in true } == nil)
    // The same shape at a tenth of the size.
    let small = found { x, y in
      let (across, down) = (100 + (x - 100) * 10, 40 + (y - 40) * 10)
      return isHead(across, down) || isBody(across, down)
    }
    #expect(small == nil)
  }

  /// A shape that no close-up confirms is no head: here, the portrait with a plain face.
  @Test func closeUpsConfirmHeads() async throws {
    let portrait = try astronaut()
    var samples = portrait.samples
    for y in 66..<176 {
      for x in 180..<270 {
        for channel in 0..<3 { samples[(y * 512 + x) * 3 + channel] = [184, 154, 128][channel] }
      }
    }
    let image = Pixels(width: 512, height: 512, channels: 3, samples: samples)
    #expect(try HeadFinder(in: PixelBuffer(image), by: Self.networks).hiddenFace().face != nil)
    let made = try await Self.plan(of: image)
    #expect(made.plan.origin == .center)
  }

  /// The head is framed like a face, with a warning. Other policies stay as they are.
  @Test func hiddenFacesAreFramed() async throws {
    let image = try astronaut()
    let made = try await Self.plan(of: image)
    let crop = try #require(made.plan.crops.first)
    #expect(made.plan.origin == .person && made.warnings.contains(.hiddenFace) && crop.faces.isEmpty)
    #expect(crop.region.y * 512 <= Self.crown && crop.region.maxY * 512 > Self.chin && crop.region.width < 0.85)
    #expect(CropWarning.hiddenFace.kind == "person")
    for (policy, origin) in [(NoFacePolicy.center, HeadOrigin.center), (.bestGuess, .center)] {
      let other = try await Self.plan(of: image, FaceSearch(faces: .prominent, noFace: policy))
      #expect(other.plan.origin == origin && other.plan.possibleFace == nil && other.plan.crops[0].region == .whole)
    }
    let skipped = try await Self.plan(of: image, FaceSearch(faces: .prominent, noFace: .skip))
    #expect(skipped.plan.origin == nil && skipped.plan.crops.isEmpty)
    let empty = try await Self.plan(of: Pixels(width: 300, height: 200, color: [90, 120, 60]))
    #expect(empty.plan.origin == .center && empty.plan.possibleFace == nil && empty.warnings.isEmpty)
    // A template needs landmarks.
    let template = try await Self.plan(of: image, Preset.avatar.search, Composition(.template(.arcFace112)))
    #expect(template.plan.crops.isEmpty)
  }

  /// Plans and detections say where the head came from.
  @Test func originsAreWritten() async throws {
    let made = try await Self.plan(of: try astronaut()).plan
    let text = String(decoding: try JSONEncoder().encode(made), as: UTF8.self)
    #expect(text.contains("\"origin\":\"person\""))
    #expect(try JSONDecoder().decode(CropPlan.self, from: Data(text.utf8)) == made)
    let found = try await FaceCropper(detector: Fixed()).detect(
      in: Self.png(try astronaut()), search: FaceSearch(noFace: .person))
    #expect(found.origin == .person && found.chosen == nil && found.possibleFaces.count == 1)
    let face = Face(box: NormalizedRect(x: 0.4, y: 0.2, width: 0.2, height: 0.2), score: 0.9)
    let seen = try await Self.plan(of: try astronaut(), faces: [face])
    #expect(seen.plan.origin == .face && seen.plan.possibleFace == nil)
  }

  /// A face that lies sideways is found where people are, and its head is framed. Only the upright portrait has a mean
  /// level of 145 in its upper third.
  @Test func lyingFacesAreFramed() async throws {
    let portrait = try astronaut().cropped(x: 40, y: 0, width: 384, height: 512)
    let face = Face(
      box: NormalizedRect(x: 140.0 / 384, y: 66.0 / 512, width: 90.0 / 384, height: 110.0 / 512), score: 0.95)
    let lying = portrait.turned(orientation: QuarterTurn.clockwise.orientation.rawValue)
    let made = try await Self.plan(of: lying, faces: [face], level: 145)
    #expect(made.plan.origin == .face && made.plan.rotation == .none && made.plan.faces.isEmpty)
    let crop = try #require(made.plan.crops.first).region
    let middle = QuarterTurn.clockwise.orientation.displayed(face.box)
    #expect(crop.union(middle) == crop && crop.area < 0.6)
  }

  /// Finds no face, and counts its searches for them.
  private final class Counting: TestDetector {
    let name = "counting"
    let searches = Mutex(0)

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] {
      if purpose == .allFaces { searches.withLock { $0 += 1 } }
      return []
    }
  }

  /// An image that shows people from behind is searched once in each turn, also under `--upright auto`.
  @Test(arguments: UprightPolicy.allCases) func eachTurnIsSearchedOnce(upright: UprightPolicy) async throws {
    let portrait = try astronaut().cropped(x: 40, y: 0, width: 384, height: 512)
    let lying = portrait.turned(orientation: QuarterTurn.clockwise.orientation.rawValue)
    let detector = Counting()
    var search = Preset.avatar.search
    search.upright = upright
    let request = CropRequest(search: search, composition: Preset.avatar.composition)
    _ = try await FaceCropper(detector: detector).crop(Self.png(lying), request: request)
    #expect(detector.searches.withLock { $0 } == 4)
  }

  /// Sees a face in upright views only, and counts its searches.
  private final class Looking: ViewDetector {
    let searched = Mutex<[PixelSize]>([])
    let score: Double

    init(score: Double) { self.score = score }

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] {
      searched.withLock { $0.append(picture.size) }
      return []
    }

    func faces(inView view: PixelBuffer, threshold: Double) -> [Face] {
      #expect(view.size.longSide == 192)
      let isUpright = view.height > view.width && score >= threshold
      return isUpright ? [Face(box: NormalizedRect(x: 0.2, y: 0.2, width: 0.2, height: 0.2), score: score)] : []
    }
  }

  /// Another turn of an image without a face is searched only if a small view shows one. The search for the upright
  /// direction looks everywhere.
  @Test(arguments: [(true, 0.35, 2), (true, 0.2, 0), (false, 0.35, 3)])
  func otherTurnsGetAQuickLook(looksFirst: Bool, score: Double, searches: Int) throws {
    let detector = Looking(score: score)
    let search = UprightSearch(
      detector: detector, networks: Self.networks, job: .forTests(), looksFirst: looksFirst)
    let lying = PixelBuffer(Pixels(width: 300, height: 200, color: [90, 120, 60]))
    #expect(try search(lying, []).turn == .none)
    let sizes = detector.searched.withLock { $0 }
    #expect(sizes.count == searches && (!looksFirst || sizes.allSatisfy { $0.height == 300 }))
  }

  /// Sees the same face in all tall views.
  private struct Tying: ReadyFaceDetector {
    let score: Double

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] {
      guard picture.height > picture.width else { return [] }
      return [Face(box: NormalizedRect(x: 0.2, y: 0.1, width: 0.2, height: 0.2), score: score)]
    }
  }

  /// An image in which several turns show a face equally well is not rotated, but the place of a sure face is known.
  @Test(arguments: [0.8, 0.6]) func facesInSeveralTurnsHaveAPlace(score: Double) throws {
    let search = UprightSearch(detector: Tying(score: score), networks: Self.networks, job: .forTests())
    let found = try search(PixelBuffer(Pixels(width: 300, height: 200, color: [90, 120, 60])), [])
    #expect(found.turn == .none && found.obstacle == .severalTurns && found.faces.isEmpty)
    let box = found.lying?.box
    // On its side, below or above the middle.
    let places = [
      NormalizedRect(x: 0.1, y: 0.6, width: 0.2, height: 0.2), NormalizedRect(x: 0.7, y: 0.2, width: 0.2, height: 0.2),
    ]
    #expect(
      score < 0.7
        ? box == nil
        : places.contains { place in box.map { abs($0.x - place.x) + abs($0.y - place.y) < 1e-9 } ?? false })
  }

  /// A tiny face out of focus gives way to a head that is five times as large, and gets a warning without one.
  @Test func blurredFacesGiveWay() async throws {
    var blurred = Face(
      box: NormalizedRect(x: 0.85, y: 0.3, width: 0.03, height: 0.04), score: 0.9, sharpness: 0.1)
    let image = try astronaut()
    let made = try await Self.plan(of: image, faces: [blurred])
    #expect(made.plan.origin == .person && made.plan.chosen == nil && made.plan.faces.count == 1)
    #expect(made.plan.crops[0].region.midX < 0.6)
    // Other selections and policies take the face.
    let union = try await Self.plan(of: image, faces: [blurred], FaceSearch(faces: .union, noFace: .person))
    #expect(union.plan.origin == .face)
    let center = try await Self.plan(of: image, faces: [blurred], FaceSearch(faces: .prominent, noFace: .center))
    #expect(center.plan.crops[0].faces == [0] && center.warnings.contains(.blurredFace))
    #expect(CropWarning.blurredFace.kind == "blurred-face")
    blurred.sharpness = 0.6
    let sharp = try await Self.plan(of: image, faces: [blurred])
    #expect(sharp.plan.origin == .face && !sharp.warnings.contains(.blurredFace))
    // Without a person, nothing precedes it.
    blurred.sharpness = 0.1
    let alone = try await Self.plan(of: Pixels(width: 400, height: 400, color: [90, 120, 60]), faces: [blurred])
    #expect(alone.plan.origin == .face && alone.warnings.contains(.blurredFace))
  }
}
