import TestSupport
import Testing

@testable import FaceCrop

/// A crop gives its face's landmarks in the output: the pixels there are those of the image at the landmarks.
@Suite struct LandmarkPlacesTests {
  private static func face(_ x: Double, _ y: Double) -> Face {
    func point(_ dx: Double, _ dy: Double) -> NormalizedPoint { NormalizedPoint(x: x + dx, y: y + dy) }
    return Face(
      box: NormalizedRect(x: x - 0.1, y: y - 0.1, width: 0.2, height: 0.25), score: 0.9,
      landmarks: FaceLandmarks(
        rightEye: point(-0.05, -0.02), leftEye: point(0.05, 0.02), nose: point(0, 0.03), mouthRight: point(-0.04, 0.08),
        mouthLeft: point(0.04, 0.1)))
  }

  /// Draws an image whose colors encode a pixel's position.
  private static func picture(_ orientation: UInt16) throws -> ImageSource {
    let (width, height) = orientation >= 5 ? (480, 640) : (640, 480)
    let samples = (0..<width * height).flatMap { index -> [UInt8] in
      [UInt8(index % width * 255 / width), UInt8(index / width * 255 / height), 0]
    }
    let pixels = Pixels(width: width, height: height, channels: 3, samples: samples)
    return .bytes(
      try JPEGRecipe.baseline444.with {
        $0.quality = 100
        if orientation != 1 { $0.segments = [.exif(EXIFBuilder.tiff(orientation: orientation))] }
      }.encode(pixels))
  }

  @Test(arguments: [1, 6] as [UInt16], [false, true])
  func pixelsAreThoseOfTheLandmarks(orientation: UInt16, isLevel: Bool) async throws {
    let faces = [Self.face(0.3, 0.4), Self.face(0.7, 0.5)]
    let cropper = FaceCropper(detector: StubDetector(found: faces))
    let picture = try Self.picture(orientation)
    let whole = try await cropper.crop(
      picture, request: CropRequest(search: FaceSearch(faces: .number(9), noFace: .whole))
    ).crops[0]
    var request = CropRequest(search: FaceSearch(faces: .each))
    request.composition = Composition(.framing(.avatar, edge: .pad), alignsEyes: isLevel)
    request.output = CropOutput(sizes: [.longSide(100), .exact(width: 60, height: 90)], allowsUpscaling: true)
    let result = try await cropper.crop(picture, request: request)
    #expect(result.crops.count == 4)
    for crop in result.crops {
      let found = try #require(crop.landmarks(in: result.plan))
      let wanted = try #require(result.plan.faces[crop.faces[0]].landmarks)
      func color(_ crop: RenderedCrop, _ point: NormalizedPoint) -> [UInt8] {
        let x = min(max(Int(point.x * Double(crop.pixels.width)), 0), crop.pixels.width - 1)
        let y = min(max(Int(point.y * Double(crop.pixels.height)), 0), crop.pixels.height - 1)
        let start = y * crop.pixels.bytesPerRow + x * 3
        return Array(crop.pixels.bytes[start..<start + 2])
      }
      for (point, source) in zip(found.points, wanted.points) {
        let (there, here) = (color(whole, source), color(crop, point))
        #expect(zip(there, here).allSatisfy { abs(Int($0) - Int($1)) <= 6 }, "\(there) \(here)")
      }
    }
    // A crop of several faces, or of none, has no landmarks.
    let union = try await cropper.crop(picture)
    #expect(union.crops[0].landmarks(in: union.plan) == nil && whole.landmarks(in: union.plan) == nil)
  }
}
