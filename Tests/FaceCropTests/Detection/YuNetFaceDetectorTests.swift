import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct YuNetFaceDetectorTests {
  private static let cropper = FaceCropper(detector: YuNetFaceDetector())

  @Test func findsTheAstronautAtAllOrientations() async throws {
    let upright = try astronaut()
    for orientation in Orientation.allCases {
      let exif = MarkerSegment.app(1, EXIFBuilder.payload(orientation: UInt16(orientation.rawValue)))
      let jpeg = try JPEGRecipe.baseline444.with { $0.segments = [exif] }
        .encode(upright.stored(forOrientation: orientation.rawValue))
      let faces = try await Self.cropper.detect(in: .bytes(jpeg)).faces
      try #require(faces.count == 1)
      #expect(isAstronaut(faces[0]))
      let marks = try #require(faces[0].landmarks)
      // The person's right is the picture's left, and a face has its eyes above its nose above its mouth.
      #expect(marks.rightEye.x < marks.nose.x && marks.nose.x < marks.leftEye.x)
      #expect(marks.mouthRight.x < marks.mouthLeft.x)
      #expect(max(marks.rightEye.y, marks.leftEye.y) < marks.nose.y)
      #expect(marks.nose.y < min(marks.mouthRight.y, marks.mouthLeft.y))
    }
  }

  /// From a quarter of a megapixel to fifty, through all kinds of overviews: the same face within 3 % of its size.
  @Test(arguments: [JPEGRecipe.baseline420, .progressive, .gray])
  func sizeDoesNotMatter(recipe: JPEGRecipe) async throws {
    var faces: [Face] = []
    for side in [512, 640, 1_000, 1_800, 2_600, 3_264, 3_900] + (recipe == .baseline420 ? [7_100] : []) {
      let jpeg = try recipe.encode(largePortrait(width: side, height: side))
      let found = try await Self.cropper.detect(in: .bytes(jpeg)).faces
      faces.append(try #require(found.first))
      #expect(isAstronaut(faces.last!))
    }
    for face in faces {
      let tolerance = 0.03 * faces[0].box.height
      #expect(abs(face.box.x - faces[0].box.x) < tolerance && abs(face.box.y - faces[0].box.y) < tolerance)
      #expect(abs(face.box.maxX - faces[0].box.maxX) < tolerance && abs(face.box.maxY - faces[0].box.maxY) < tolerance)
    }
  }

  /// A face that is looked at alone has the box and the landmarks of a look at everything.
  @Test func theLargestFaceAloneIsThatOfAll() throws {
    let detector = YuNetFaceDetector()
    let portrait = try astronaut()
    var random = SplitMix64(seed: 7)
    var pictures = [(160, 200), (400, 260)].map { (width, height) in
      // Nothing but the face, and a little around it.
      let face = astronautFace
      return portrait.cropped(
        x: face.x - face.width / 4, y: face.y - face.height / 4, width: face.width * 3 / 2, height: face.height * 3 / 2
      ).resizedBilinear(width: width, height: height * 4 / 3)
    }
    for (width, height) in [(640, 480), (480, 640), (500, 375), (600, 260), (200, 300)] {
      for part in [0.5, 0.7, 0.8, 1] {
        let side = Int(part * Double(min(width, height)))
        let place = (
          Int.random(in: 0...width - side, using: &random), Int.random(in: 0...height - side, using: &random)
        )
        pictures.append(
          field(of: portrait.resizedBilinear(width: side, height: side), at: place, width: width, height: height))
      }
    }
    for picture in pictures.map({ PixelBuffer($0) }) {
      let all = try #require(try detector.faces(in: picture).max { $0.box.area < $1.box.area })
      let faces = try detector.largestFaces(in: picture)
      let face = try #require(faces.max { $0.box.area < $1.box.area })
      #expect(try detector.largestFaces(in: picture) == faces)
      #expect(face.score >= 0.8 && face.box.intersectionOverUnion(all.box) > 0.93, "\(picture.size) \(all.box)")
      let (marks, others) = (try #require(face.landmarks).points, try #require(all.landmarks).points)
      #expect(
        zip(marks, others).allSatisfy {
          abs($0.x - $1.x) < 0.1 * all.box.width && abs($0.y - $1.y) < 0.1 * all.box.height
        })
    }
  }

  /// Of two that are nearly as large, and where there is none, a look at everything decides.
  @Test func withoutAFaceThatStandsOutAllAreFound() throws {
    let detector = YuNetFaceDetector()
    let portrait = try astronaut()
    for scales in [(240, 230), (100, 100), (40, 40)] {
      let (first, second) = (
        portrait.resizedBilinear(width: scales.0, height: scales.0),
        portrait.resizedBilinear(width: scales.1, height: scales.1)
      )
      var picture = field(of: first, at: (10, 20), width: 640, height: 480)
      picture = field(of: second, at: (330, 60), on: picture)
      let buffer = PixelBuffer(picture)
      #expect(try detector.largestFaces(in: buffer) == detector.faces(in: buffer), "\(scales)")
    }
    for (width, height) in [(640, 480), (31, 32), (1, 640)] {
      let noise = PixelBuffer(Pixels.noise(width: width, height: height, channels: 3, seed: 2))
      #expect(try detector.largestFaces(in: noise) == detector.faces(in: noise))
    }
  }

  private func field(of copy: Pixels, at place: (x: Int, y: Int), width: Int, height: Int) -> Pixels {
    field(of: copy, at: place, on: Pixels(width: width, height: height, color: [90, 90, 90]))
  }

  private func field(of copy: Pixels, at place: (x: Int, y: Int), on picture: Pixels) -> Pixels {
    var samples = picture.samples
    let columns = min(copy.width, picture.width - place.x) * 3
    for y in 0..<min(copy.height, picture.height - place.y) {
      let to = ((y + place.y) * picture.width + place.x) * 3
      samples.replaceSubrange(to..<to + columns, with: copy.samples[y * copy.width * 3..<y * copy.width * 3 + columns])
    }
    return Pixels(width: picture.width, height: picture.height, channels: 3, samples: samples)
  }

  @Test func picturesOfAnySizeAreSafe() throws {
    let detector = YuNetFaceDetector()
    for (width, height) in [(1, 1), (1, 640), (640, 1), (31, 32), (33, 640), (640, 24), (639, 479)] {
      let noise = Pixels.noise(width: width, height: height, channels: 3, seed: 2)
      for face in try detector.faces(in: PixelBuffer(noise)) {
        #expect(face.isValid && (0...1).contains(face.score))
      }
    }
  }

  /// The network keeps state, of which pictures of several shapes would get in each other's way.
  @Test func oneDetectorServesManyTasks() async throws {
    let portrait = try astronaut()
    let pictures = [(512, 512), (350, 400), (430, 300), (270, 270)].map {
      PixelBuffer(portrait.resizedBilinear(width: $0.0, height: $0.1))
    }
    let detector = YuNetFaceDetector()
    let expected = try pictures.map { try detector.faces(in: $0) }
    #expect(expected.allSatisfy { $0.count == 1 })
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for task in 0..<40 {
        let index = task % pictures.count
        group.addTask { try detector.faces(in: pictures[index]) == expected[index] }
      }
      for try await isSame in group { #expect(isSame) }
    }
  }

  @Test func missingNetworkSaysWhereItWasLookedFor() throws {
    let detector = YuNetFaceDetector(modelFolder: "/nowhere")
    #expect(throws: FaceCropError.modelMissing(name: "face_detection_yunet_2023mar.onnx", searched: ["/nowhere"])) {
      try detector.prepare()
    }
  }
}
