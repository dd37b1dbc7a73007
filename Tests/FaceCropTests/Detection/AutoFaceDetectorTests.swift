import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct AutoFaceDetectorTests {
  @Test func saysWhoFoundIt() async throws {
    let detector = AutoFaceDetector()
    let jpeg = try JPEGRecipe.baseline444.encode(astronaut())
    let detection = try await FaceCropper(detector: detector).detect(in: .bytes(jpeg))
    try #require(detection.faces.count == 1)
    #expect(isAstronaut(detection.faces[0]))
    #expect(detection.faces[0].detectors == ["haar", "yunet"])
    #expect(detection.faces[0].landmarks != nil)
    #expect(detection.warnings.isEmpty && detection.detector == "auto")
    // Two witnesses are surer than one.
    let alone = try await FaceCropper(detector: YuNetFaceDetector()).detect(in: .bytes(jpeg)).faces
    #expect(alone[0].box == detection.faces[0].box && alone[0].score < detection.faces[0].score)
    #expect(detection.faces[0].score <= 1)
  }

  @Test func modelsThatAreNotKeptAreLoadedAnew() throws {
    let picture = PixelBuffer(try astronaut())
    let detectors: [(any FaceDetector, any FaceDetector)] = [
      (AutoFaceDetector(), AutoFaceDetector(keepsModels: false)),
      (HaarFaceDetector(), HaarFaceDetector(keepsModels: false)),
      (YuNetFaceDetector(), YuNetFaceDetector(keepsModels: false)),
    ]
    for (keeping, dropping) in detectors {
      try dropping.prepare()
      let expected = try keeping.faces(in: picture)
      #expect(expected.count == 1)
      for _ in 0..<2 { #expect(try dropping.faces(in: picture) == expected) }
    }
  }

  /// What YuNet finds is found, whatever the cascades say.
  @Test func findsAllThatTheNetworkFinds() throws {
    let portrait = try astronaut()
    for side in [200, 333, 512] {
      let picture = PixelBuffer(portrait.resizedBilinear(width: side, height: side))
      let network = try YuNetFaceDetector().faces(in: picture)
      let both = try AutoFaceDetector().faces(in: picture)
      #expect(network.allSatisfy { face in both.contains { $0.box == face.box } }, "\(side)")
    }
  }

  /// What was not looked at, and the cascades that are not asked, would not have changed which face is the largest.
  @Test func largestFaceIsThatOfAll() throws {
    let portrait = try astronaut()
    let detector = AutoFaceDetector()
    for (width, height) in [(512, 512), (333, 200), (120, 120), (64, 64), (40, 48)] {
      // Beside a smaller copy of itself.
      var samples = [UInt8](repeating: 90, count: width * 2 * height * 3)
      for (x, scale) in [(0, 1), (width, 2)] {
        let copy = portrait.resizedBilinear(width: width / scale, height: height / scale)
        for y in 0..<copy.height {
          let (from, to) = (y * copy.width * 3, (y * width * 2 + x) * 3)
          samples.replaceSubrange(to..<to + copy.width * 3, with: copy.samples[from..<from + copy.width * 3])
        }
      }
      let picture = PixelBuffer(Pixels(width: width * 2, height: height, channels: 3, samples: samples))
      func chosen(_ faces: [Face]) -> [NormalizedRect] {
        let sorted = faces.sorted(by: Face.precedes)
        return FaceSelection.largest.groups(of: sorted).flatMap { $0.map { sorted[$0].box } }
      }
      let (alone, ofAll) = (chosen(try detector.largestFaces(in: picture)), chosen(try detector.faces(in: picture)))
      #expect(alone.count == ofAll.count, "\(width)")
      #expect(zip(alone, ofAll).allSatisfy { $0.intersectionOverUnion($1) > 0.93 }, "\(width)")
    }
  }

  @Test func withoutTheNetworkHaarGoesOnAlone() async throws {
    let folder = FilePath("/tmp/facecrop-haar-\(getpid())")
    guard unsafe mkdir(folder.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
    let models = [ModelFile.frontalFace, .frontalFaceStumps, .profileFace, .eyes]
    for model in models {
      let file = try FileDescriptor.open(
        folder.appending(model.name), .writeOnly, options: .create, permissions: .ownerReadWrite)
      try file.closeAfter { _ = try file.writeAll(try model.read(folder: nil).bytes) }
    }
    defer {
      for model in models { unsafe unlink(folder.appending(model.name).string) }
      unsafe rmdir(folder.string)
    }
    let alone = AutoFaceDetector(modelFolder: folder)
    // Before it is prepared, too.
    #expect(alone.smallestOverview == HaarFaceDetector().smallestOverview)
    #expect(AutoFaceDetector().smallestOverview == YuNetFaceDetector().smallestOverview)
    let jpeg = try JPEGRecipe.baseline444.encode(astronaut())
    let detection = try await FaceCropper(detector: alone).detect(in: .bytes(jpeg))
    let haar = try await FaceCropper(detector: HaarFaceDetector()).detect(in: .bytes(jpeg))
    #expect(detection.warnings == [.networkMissing(name: ModelFile.yuNet.name)])
    #expect(detection.faces.count == 1 && detection.faces[0].detectors == ["haar"])
    #expect(haar.faces.count == 1 && isAstronaut(haar.faces[0]))
    // The same but for luma computed from color.
    #expect(abs(detection.faces[0].box.x - haar.faces[0].box.x) < 0.02)
  }

  /// FACECROP_SHARED_PICTURES says how many; `make sanitize-threads` asks for 1,000 under ThreadSanitizer.
  @Test func eightTasksShareOneDetector() async throws {
    let count = unsafe getenv("FACECROP_SHARED_PICTURES").flatMap { unsafe Int(String(cString: $0)) } ?? 32
    let portrait = try astronaut()
    let pictures = [(512, 512), (350, 400), (430, 300), (270, 270)].map {
      PixelBuffer(portrait.resizedBilinear(width: $0.0, height: $0.1))
    }
    let detector = AutoFaceDetector()
    try detector.prepare()
    let expected = try pictures.map { try detector.faces(in: $0) }
    #expect(expected.allSatisfy { $0.count == 1 })
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in stride(from: task, to: count, by: 8) {
            let index = number % pictures.count
            try detector.prepare()
            #expect(try detector.faces(in: pictures[index]) == expected[index])
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
