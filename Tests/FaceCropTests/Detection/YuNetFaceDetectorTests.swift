import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct YuNetFaceDetectorTests {
  private static let cropper = FaceCropper(detector: YuNetFaceDetector())

  @Test func findsTheAstronautAtAllOrientations() async throws {
    let upright = try astronaut()
    for orientation in Orientation.allCases {
      let exif = MarkerSegment.exif(EXIFBuilder.tiff(orientation: UInt16(orientation.rawValue)))
      let jpeg = try JPEGRecipe.baseline444.with { $0.segments = [exif] }
        .encode(upright.stored(forOrientation: orientation.rawValue))
      let faces = try await Self.cropper.detect(in: .bytes(jpeg)).faces
      try #require(faces.count == 1)
      #expect(isAstronaut(faces[0]))
      let marks = try #require(faces[0].landmarks)
      // The person's right is the image's left, and a face has its eyes above its nose and its nose above its mouth.
      #expect(marks.rightEye.x < marks.nose.x && marks.nose.x < marks.leftEye.x)
      #expect(marks.mouthRight.x < marks.mouthLeft.x)
      #expect(max(marks.rightEye.y, marks.leftEye.y) < marks.nose.y)
      #expect(marks.nose.y < min(marks.mouthRight.y, marks.mouthLeft.y))
    }
  }

  /// Neighboring cells contribute to a face's box: the best cell alone makes this one 2 % lower.
  @Test func boxesAreMeansOfCells() async throws {
    let faces = try await Self.cropper.detect(in: .file(FilePath(fixturePath("astronaut.jpg")))).faces
    let box = try #require(faces.first?.box)
    #expect(abs(box.height - 0.2175) < 0.001, "\(box)")
  }

  /// From a quarter of a megapixel to fifty, with all kinds of overviews: the same face within 3 % of its size.
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

  /// Every copy of the portrait is found at its position, and nothing else, even if the large pass is skipped.
  @Test func copiesOfThePortraitAreFoundWhereTheyAre() throws {
    let detector = YuNetFaceDetector()
    let portrait = try astronaut()
    // Sides of the copies, with faces a fifth as high: a large one alone, equal ones, large beside small, small alone.
    for sides in [[480], [300, 290], [400, 110], [230, 110], [190], [150, 150]] {
      var picture = Pixels(width: 640, height: 480, color: [90, 90, 90])
      var expected: [NormalizedRect] = []
      var x = 0
      for side in sides {
        picture = picture.covered(by: portrait.resizedBilinear(width: side, height: side), at: (x, 0))
        let scale = Double(side) / 512
        expected.append(
          NormalizedRect(
            x: (Double(x) + Double(astronautFace.x) * scale) / 640, y: Double(astronautFace.y) * scale / 480,
            width: Double(astronautFace.width) * scale / 640, height: Double(astronautFace.height) * scale / 480))
        x += side
      }
      let faces = try detector.found(in: PixelBuffer(picture))
      #expect(faces.count == sides.count, "\(sides)")
      for box in expected {
        #expect(faces.contains { $0.box.intersectionOverUnion(box) > 0.6 }, "\(sides)")
      }
    }
  }

  /// The face covers half of the frame or is cut by its edge, as in many uploads.
  @Test func closeUpsAreFound() throws {
    let detector = YuNetFaceDetector()
    let portrait = try astronaut()
    let face = astronautFace
    for (x, y, side) in [(165, 50, 128), (150, 40, 160), (200, 60, 130), (179, 90, 120), (140, 63, 110)] {
      for size in [120, 200, 640] {
        let picture = portrait.cropped(x: x, y: y, width: side, height: side).resizedBilinear(width: size, height: size)
        let faces = try detector.found(in: PixelBuffer(picture))
        let middle = (
          (Double(face.x - x) + Double(face.width) / 2) / Double(side),
          (Double(face.y - y) + Double(face.height) / 2) / Double(side)
        )
        #expect(faces.count == 1 && faces[0].score > 0.75, "\(x) \(y) \(side) at \(size)")
        #expect(
          faces.allSatisfy { abs($0.box.midX - middle.0) < 0.15 && abs($0.box.midY - middle.1) < 0.15 },
          "\(x) \(y) \(side) at \(size)")
      }
    }
  }

  /// Half the contrast, no color, three stops too dark.
  @Test func littleContrastIsEnough() throws {
    let portrait = try astronaut()
    let expected = try #require(try YuNetFaceDetector().found(in: PixelBuffer(portrait)).first)
    for factor in [0.5, 0.25, 0.12] {
      let dull = Pixels(
        width: portrait.width, height: portrait.height, channels: 3,
        samples: portrait.samples.map { UInt8(10 + Double($0) * factor) })
      let faces = try YuNetFaceDetector().found(in: PixelBuffer(dull))
      #expect(faces.count == 1 && faces[0].box.intersectionOverUnion(expected.box) > 0.8, "\(factor)")
    }
  }

  @Test func picturesOfOneColorHaveNoFace() throws {
    for level: UInt8 in [0, 1, 128, 255] {
      for (width, height) in [(1, 1), (640, 480), (30, 600)] {
        let picture = PixelBuffer(Pixels(width: width, height: height, color: [level, level, level]))
        #expect(try YuNetFaceDetector().found(in: picture).isEmpty)
      }
    }
  }

  @Test func picturesOfAnySizeAreSafe() throws {
    let detector = YuNetFaceDetector()
    for (width, height) in [(1, 1), (1, 640), (640, 1), (31, 32), (33, 640), (640, 24), (639, 479)] {
      let noise = Pixels.noise(width: width, height: height, channels: 3, seed: 2)
      for face in try detector.found(in: PixelBuffer(noise)) {
        #expect(face.isValid && (0...1).contains(face.score))
      }
    }
  }

  /// The network keeps state, and images of several shapes would conflict in it.
  @Test func oneDetectorServesManyTasks() async throws {
    let portrait = try astronaut()
    let pictures = [(512, 512), (350, 400), (430, 300), (270, 270)].map {
      PixelBuffer(portrait.resizedBilinear(width: $0.0, height: $0.1))
    }
    let detector = YuNetFaceDetector()
    let expected = try pictures.map { try detector.found(in: $0) }
    #expect(expected.allSatisfy { $0.count == 1 })
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for task in 0..<40 {
        let index = task % pictures.count
        group.addTask { try detector.found(in: pictures[index]) == expected[index] }
      }
      for try await isSame in group { #expect(isSame) }
    }
  }

  /// FACECROP_SHARED_PICTURES sets how many; `make sanitize-threads` uses 1,000 under ThreadSanitizer.
  @Test func eightTasksShareOneDetector() async throws {
    let count = unsafe getenv("FACECROP_SHARED_PICTURES").flatMap { unsafe Int(String(cString: $0)) } ?? 32
    let portrait = try astronaut()
    let pictures = [(512, 512), (350, 400), (430, 300), (270, 270)].map {
      PixelBuffer(portrait.resizedBilinear(width: $0.0, height: $0.1))
    }
    let detector = YuNetFaceDetector()
    let expected = try pictures.map { try detector.found(in: $0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in stride(from: task, to: count, by: 8) {
            let index = number % pictures.count
            let faces = try detector.found(in: pictures[index])
            #expect(faces == expected[index])
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func memoryThatIsNotKeptMakesNoDifference() throws {
    let picture = PixelBuffer(try astronaut())
    let detectors: [(any FaceDetector, any FaceDetector)] = [
      (HaarFaceDetector(), HaarFaceDetector(keepsModels: false)),
      (YuNetFaceDetector(), YuNetFaceDetector(keepsMemory: false)),
    ]
    for (keeping, dropping) in detectors {
      _ = try dropping.prepare()
      let expected = try keeping.found(in: picture)
      #expect(expected.count == 1)
      for _ in 0..<2 { #expect(try dropping.found(in: picture) == expected) }
    }
  }
}
