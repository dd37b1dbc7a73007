import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct HaarFaceDetectorTests {
  @Test func findsTheAstronautAtAllOrientations() async throws {
    let upright = try astronaut()
    for orientation in Orientation.allCases {
      let exif = MarkerSegment.exif(EXIFBuilder.tiff(orientation: UInt16(orientation.rawValue)))
      let jpeg = try JPEGRecipe.baseline444.with { $0.segments = [exif] }
        .encode(upright.stored(forOrientation: orientation.rawValue))
      let detection = try await FaceCropper().detect(in: .bytes(jpeg))
      #expect(detection.orientation == orientation)
      #expect(detection.faces.count == 1)
      #expect(detection.faces.allSatisfy { isAstronaut($0) })
    }
  }

  @Test(arguments: [JPEGRecipe.baseline420, .progressive, .multiscan, .gray])
  func findsTheAstronautInLargePictures(recipe: JPEGRecipe) async throws {
    let jpeg = try recipe.with { $0.quality = 75 }.encode(largePortrait(width: 3_900, height: 3_900))
    let surest = try #require(try await FaceCropper().detect(in: .bytes(jpeg)).faces.first)
    #expect(isAstronaut(surest))
    #expect(surest.score > 0.9 && surest.score < 1)
  }

  @Test func smallFacesAreFound() throws {
    let detector = HaarFaceDetector()
    let portrait = try astronaut().gray
    // The portrait in a corner of a large field: its face is 8 % of the shorter side.
    let small = portrait.resizedBilinear(width: 180, height: 180)
    var field = [UInt8](repeating: 128, count: 640 * 480)
    for y in 0..<180 {
      for x in 0..<180 { field[(y + 40) * 640 + x + 40] = small.samples[y * 180 + x] }
    }
    let picture = PixelBuffer(size: PixelSize(width: 640, height: 480), format: .gray, bytes: field)
    let faces = try detector.found(in: picture)
    #expect(faces.count == 1 && faces[0].box.height * 480 < 0.15 * 480)
  }

  @Test func picturesOfAnySizeAreSafe() throws {
    let detector = HaarFaceDetector()
    for (width, height) in [(1, 1), (1, 640), (640, 1), (19, 19), (20, 20), (21, 640), (640, 24), (23, 57)] {
      let noise = Pixels.noise(width: width, height: height, channels: 1, seed: 2)
      for face in try detector.found(in: PixelBuffer(noise)) {
        #expect(face.box.isValid && (0...1).contains(face.score))
      }
    }
  }

  /// OpenCV's classifier keeps state, and images of several sizes would conflict in it.
  @Test func oneDetectorServesManyTasks() async throws {
    let portrait = try astronaut().gray
    let pictures = [512, 350, 430, 270, 600].map { PixelBuffer(portrait.resizedBilinear(width: $0, height: $0)) }
    let detector = HaarFaceDetector()
    let expected = try pictures.map { try detector.found(in: $0) }
    #expect(expected.allSatisfy { !$0.isEmpty })
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for task in 0..<40 {
        let index = task % pictures.count
        group.addTask { try detector.found(in: pictures[index]) == expected[index] }
      }
      for try await isSame in group { #expect(isSame) }
    }
  }

  @Test func missingModelSaysWhereItWasLookedFor() throws {
    let detector = HaarFaceDetector(modelFolder: "/nowhere")
    #expect(
      throws: FaceCropError.modelMissing(name: "haarcascade_frontalface_alt2.xml", searched: ["/nowhere"])
    ) { _ = try detector.prepare() }
  }

  @Test(arguments: ["", "no xml", "<?xml version=\"1.0\"?><opencv_storage></opencv_storage>", "truncated"])
  func unusableModelIsNamed(content: String) throws {
    let path = FilePath("haarcascade.xml")
    var xml = Array(content.utf8)
    if content == "truncated" {
      xml = Array(try ModelFile.frontalFace.read(folder: nil).bytes.prefix(100_000))
    }
    #expect {
      _ = try Cascade(xml: xml, path: path)
    } throws: { error in
      guard case .modelUnusable(path: "haarcascade.xml", _)? = error as? FaceCropError else { return false }
      return true
    }
  }
}
