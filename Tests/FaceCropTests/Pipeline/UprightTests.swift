import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// Images that lie sideways or upside down without saying so.
@Suite struct UprightTests {
  private static func png(_ pixels: Pixels) -> ImageSource { .bytes(PNGBuilder(pixels).encoded()) }

  private static var request: CropRequest {
    CropRequest(
      search: FaceSearch(faces: .prominent, upright: .auto), composition: Composition(.framing(.avatar)))
  }

  /// The output of a lying image equals the upright one's, and so does the output of its plan.
  @Test(arguments: QuarterTurn.allCases)
  func lyingPortraitsComeOutUpright(turn: QuarterTurn) async throws {
    let cropper = FaceCropper()
    // Not square, so that exchanged sides are noticed.
    let portrait = try astronaut().cropped(x: 0, y: 0, width: 440, height: 512)
    let upright = try await cropper.crop(Self.png(portrait), request: Self.request)
    #expect(upright.plan.rotation == .none)
    let lying = Self.png(portrait.turned(orientation: turn.orientation.rawValue))
    let made = try await cropper.crop(lying, request: Self.request)
    #expect(made.plan.rotation == turn.inverse)
    #expect(made.plan.source == PixelSize(width: 440, height: 512))
    #expect(made.crops.map(\.pixels) == upright.crops.map(\.pixels))
    #expect(!made.warnings.contains { $0.kind == "not-turned" })

    let text = try JSONEncoder().encode(made.plan)
    let plan = try JSONDecoder().decode(CropPlan.self, from: text)
    #expect(plan == made.plan)
    #expect(String(decoding: text, as: UTF8.self).contains("\"rotation\"") == (turn != .none))
    #expect(try await cropper.render(plan, from: lying).crops.map(\.pixels) == upright.crops.map(\.pixels))

    var off = Self.request
    off.search.upright = .off
    let asShown = try await cropper.plan(for: lying, search: off.search, composition: off.composition)
    #expect(asShown.rotation == .none)
    let detection = try await cropper.detect(in: lying, search: Self.request.search)
    #expect(detection.rotation == made.plan.rotation && detection.size == made.plan.source)
  }

  /// Positions in a response belong to the rotated image, so the response has the rotation, also from a disk.
  @Test(arguments: QuarterTurn.allCases) func responsesNameTheRotation(turn: QuarterTurn) async throws {
    let lying = try astronaut().cropped(x: 0, y: 0, width: 440, height: 512).turned(
      orientation: turn.orientation.rawValue)
    var options = ImageRequestOptions()
    options.crop = .faces(Self.request)
    var response = try await ImageManager().image(for: .bytes(PNGBuilder(lying).encoded()), options: options)
    #expect(response.plan.rotation == turn.inverse && response.sourceSize == PixelSize(width: 440, height: 512))
    response.warnings = []
    let stored = try #require(StoredResponse.bytes(of: response))
    #expect(StoredResponse.read(stored) == response)
  }

  /// The rotation follows the image's own orientation, also in a lossless crop.
  @Test(arguments: Orientation.allCases)
  func orientationTagsCount(orientation: Orientation) async throws {
    let cropper = FaceCropper()
    let portrait = try astronaut()
    // The pixels that a decoder displays upside down.
    let down = portrait.turned(orientation: Orientation.down.rawValue)
    var stored = down
    for other in Orientation.allCases {
      let candidate = down.turned(orientation: other.rawValue)
      if candidate.turned(orientation: orientation.rawValue) == down { stored = candidate }
    }
    var recipe = JPEGRecipe.baseline444
    recipe.segments = [.exif(EXIFBuilder.tiff(orientation: UInt16(orientation.rawValue)))]
    let jpeg = try recipe.encode(stored)
    let result = try await cropper.crop(.bytes(jpeg), request: Self.request)
    #expect(result.plan.rotation == .half)
    #expect(result.plan.faces.first.map(isAstronaut) == true)
    var search = Self.request.search
    search.upright = .auto
    #expect(try await cropper.detect(in: .bytes(jpeg), search: search).orientation == orientation.rotated(by: .half))

    let cut = try await cropper.cutLosslessly(.bytes(jpeg), request: CropRequest(search: search))
    let file = try #require(cut.crops.first)
    let header = try JPEGHeader(reading: file.bytes.span, job: .forTests())
    #expect(header.orientation == orientation.rotated(by: .half))
    #expect(header.orientation.applied(to: header.size) == file.region.size)
    let again = try await cropper.cutLosslessly(.bytes(jpeg), plan: cut.plan)
    #expect(again.crops.map(\.bytes) == [file.bytes])
    // The cut shows the face upright.
    let shown = try await cropper.detect(in: .bytes(file.bytes), search: search)
    #expect(shown.rotation == .none && shown.faces.count == 1)
  }

  /// Names belong to faces in the image as displayed, and follow its rotation.
  @Test func namedPeopleAreFoundInLyingImages() async throws {
    let box = NormalizedRect(
      x: Double(astronautFace.x) / 512, y: Double(astronautFace.y) / 512, width: Double(astronautFace.width) / 512,
      height: Double(astronautFace.height) / 512)
    // The image is turned clockwise, and so is the region that was drawn on it.
    let drawn = Orientation.right.displayed(box)
    let lying = Self.png(try astronaut().turned(orientation: Orientation.right.rawValue))
    let search = FaceSearch(
      faces: .person("Eileen"), noFace: .fail,
      regions: RegionSources(others: [FaceRegion(name: "Eileen", box: drawn, source: .picasa)]), upright: .auto)
    let detection = try await FaceCropper().detect(in: lying, search: search)
    #expect(detection.rotation == .counterclockwise)
    #expect(detection.faces.map(\.name) == ["Eileen"] && detection.faces[0].score > 0)
    // A sidecar describes the image as stored.
    let packet = RegionPacket.written(detection)
    let written = try RegionReader.read(packet, .forTests()).regions(of: PixelSize(width: 512, height: 512), .up)
    #expect(written.count == 1 && written[0].box.intersectionOverUnion(drawn) > 0.3)
  }

  /// A request of an image manager shows the image rotated, in all sizes, and its cached faces fit the rotation.
  @Test func imageManagersRotate() async throws {
    let manager = ImageManager()
    var options = with(ImageRequestOptions()) {
      $0.crop = .faces(Self.request); $0.deliveryMode = .highQuality
    }
    let asset = ImageAsset.bytes(
      PNGBuilder(try astronaut().turned(orientation: Orientation.left.rawValue)).encoded())
    let upright = ImageAsset.bytes(PNGBuilder(try astronaut()).encoded())
    let size = PixelSize(width: 64, height: 64)
    let wanted = try await manager.image(for: upright, targetSize: size, options: options)
    for _ in 0..<2 {
      let response = try await manager.image(for: asset, targetSize: size, options: options)
      #expect(response.faces == wanted.faces)
      #expect(response.region == wanted.region)
    }
    var off = Self.request
    off.search.upright = .off
    options.crop = .faces(off)
    let asShown = try await manager.image(for: asset, targetSize: size, options: options)
    #expect(asShown.faces != wanted.faces)
  }

  // MARK: The decision

  /// A detector whose score depends on the corner with the white square: upright at the top left.
  private final class CornerDetector: TestDetector {
    let name = "corner"
    let scores: [QuarterTurn: Double]
    let lean, side: Double
    let searches = Mutex(0)

    init(_ scores: [QuarterTurn: Double], lean: Double, side: Double) {
      (self.scores, self.lean, self.side) = (scores, lean, side)
    }

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] {
      guard purpose == .allFaces else { return [] }
      searches.withLock { $0 += 1 }
      func isWhite(_ x: Int, _ y: Int) -> Bool { picture.bytes[y * picture.width + x] > 128 }
      let (right, bottom) = (picture.width - 1, picture.height - 1)
      // The turns that brought the square from the top left to this corner.
      let turn: QuarterTurn =
        isWhite(0, 0) ? .none : isWhite(right, 0) ? .clockwise : isWhite(right, bottom) ? .half : .counterclockwise
      guard let score = scores[turn] else { return [] }
      let box = NormalizedRect(x: 0.3, y: 0.3, width: side, height: side)
      func point(_ x: Double, _ y: Double) -> NormalizedPoint { NormalizedPoint(x: x, y: y) }
      let marks =
        lean == 0
        ? FaceLandmarks(
          rightEye: point(0.4, 0.4), leftEye: point(0.6, 0.4), nose: point(0.5, 0.5), mouthRight: point(0.4, 0.6),
          mouthLeft: point(0.6, 0.6))
        : FaceLandmarks(
          rightEye: point(0.6, 0.4), leftEye: point(0.6, 0.6), nose: point(0.5, 0.5), mouthRight: point(0.4, 0.4),
          mouthLeft: point(0.4, 0.6))
      return [Face(box: box, score: score, landmarks: turn == .none ? marks : nil)]
    }
  }

  private func decided(
    _ scores: [QuarterTurn: Double], lean: Double = 0, side: Double = 0.4
  ) async throws -> (turn: QuarterTurn, warnings: [CropWarning], searches: Int) {
    let samples = (0..<80 * 80).flatMap { place -> [UInt8] in
      Array(repeating: place / 80 < 30 && place % 80 < 30 ? 255 : 0, count: 3)
    }
    let image = Pixels(width: 80, height: 80, channels: 3, samples: samples)
    let detector = CornerDetector(scores, lean: lean, side: side)
    let result = try await FaceCropper(detector: detector).crop(
      Self.png(image), request: CropRequest(search: FaceSearch(upright: .auto)))
    return (
      result.plan.rotation, result.warnings.filter { $0.kind == "not-turned" }, detector.searches.withLock { $0 }
    )
  }

  @Test func confidentUprightFacesEndTheSearch() async throws {
    let sure = try await decided([.none: 0.92, .half: 0.99])
    #expect(sure.turn == .none && sure.searches == 1 && sure.warnings.isEmpty)
    let lying = try await decided([.none: 0.95, .clockwise: 0.9], lean: 90)
    #expect(lying.turn == .clockwise && lying.searches == 4)
  }

  @Test func theHighestScoreDecides() async throws {
    for turn in QuarterTurn.allCases where turn != .none {
      let found = try await decided([.none: 0.7, turn: 0.9])
      #expect(found.turn == turn && found.searches == 4 && found.warnings.isEmpty)
    }
    let upright = try await decided([.none: 0.8, .half: 0.78])
    #expect(upright.turn == .none && upright.warnings.isEmpty)
    let nothing = try await decided([:])
    #expect(nothing.turn == .none && nothing.warnings.isEmpty)
  }

  @Test func doubtfulTurnsAreNotMade() async throws {
    let even = try await decided([.none: 0.885, .half: 0.89])
    #expect(even.turn == .none && even.warnings == [.notTurned(.severalTurns)])
    let others = try await decided([.clockwise: 0.895, .half: 0.89])
    #expect(others.turn == .none && others.warnings == [.notTurned(.severalTurns)])
    // A small face without a person around it needs a higher score.
    let large = try await decided([.half: 0.84])
    #expect(large.turn == .half && large.warnings.isEmpty)
    let low = try await decided([.half: 0.84], side: 0.08)
    #expect(low.turn == .none && low.warnings == [.notTurned(.lowScore(0.84))])
    #expect("\(low.warnings)".contains("0.84"))
  }

  /// An area of a plan would be hidden elsewhere.
  @Test func rotatedPlansHideNothing() async throws {
    let cropper = FaceCropper()
    let lying = Self.png(try astronaut().turned(orientation: Orientation.down.rawValue))
    let plan = try await cropper.plan(for: lying, search: Self.request.search)
    #expect(plan.rotation == .half)
    await #expect(throws: FaceCropError.self) { try await cropper.blur(lying, plan: plan) }
  }
}
