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
    for side in [512, 640, 1_000, 1_800, 2_600, 3_900] + (recipe == .baseline420 ? [7_100] : []) {
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
