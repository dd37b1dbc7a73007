import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// Searches for one person that end early, and the same choice in all others.
@Suite struct CertainPersonTests {
  private func face(_ height: Double, x: Double = 0.1, score: Double = 0.9) -> Face {
    Face(box: NormalizedRect(x: x, y: 0.1, width: 0.8 * height, height: height), score: score)
  }

  @Test func aRivalMakesAPersonUncertain() {
    let size = PixelSize(width: 500, height: 500)
    let person = face(0.3)
    #expect(CertainPerson.first(of: [person], in: size) == person)
    #expect(CertainPerson.first(of: [person, face(0.2, x: 0.5, score: 0.99)], in: size) == person)
    // Another box of the same face is no rival.
    #expect(CertainPerson.first(of: [person, face(0.29, x: 0.11, score: 0.4)], in: size) == person)
    for rival in [face(0.26, x: 0.5, score: 0.3), face(0.4, x: 0.5, score: 0.31)] {
      #expect(CertainPerson.first(of: [person, rival], in: size) == nil)
    }
    #expect(CertainPerson.first(of: [face(0.3, score: 0.85)], in: size) == nil)
    #expect(CertainPerson.first(of: [face(0.07)], in: size) == nil)
    #expect(CertainPerson.first(of: [], in: size) == nil)
    // A head that the image cuts may lose against a smaller one.
    let (cut, smaller) = (face(0.3, x: 0), face(0.23, x: 0.5))
    #expect(CertainPerson.first(of: [person, smaller], in: size) == person)
    #expect(
      CertainPerson.first(of: [cut, smaller], in: size) == nil && CertainPerson.first(of: [cut], in: size) == cut)
    #expect(CertainPerson.leastRival(of: [cut]) < CertainPerson.leastRival(of: [person]))
    let least = CertainPerson.leastRival(of: [person, face(0.5, score: 0.8)])
    #expect(least > 0.6 * person.box.area.squareRoot() && least < 0.7 * person.box.area.squareRoot())
  }

  /// Portraits beside each other in a field.
  private func portraits(_ sides: [Int]) throws -> ImageSource {
    let portrait = try astronaut()
    var picture = Pixels(width: 640, height: 480, color: [90, 90, 90])
    var x = 0
    for side in sides {
      picture = picture.covered(by: portrait.resizedBilinear(width: side, height: side), at: (x, 0))
      x += side
    }
    return .bytes(try JPEGRecipe.baseline444.encode(picture))
  }

  /// The person has the same box in all requests, and a list that ends early says so.
  @Test(arguments: [[400, 110], [300, 290], [230, 150, 110]])
  func everyRequestChoosesThePersonOfTheShortSearch(sides: [Int]) async throws {
    let (cropper, source) = (FaceCropper(), try portraits(sides))
    let all = try await cropper.detect(in: source)
    #expect(all.facesAreComplete && all.faces.count == sides.count)
    let person = try #require(all.chosen.map { all.faces[$0].box })
    let composition = Composition(.framing(.avatar))
    for selection in [FaceSelection.prominent, .largest, .union, .number(sides.count)] {
      let plan = try await cropper.plan(
        for: source, search: FaceSearch(faces: selection), composition: composition)
      #expect(plan.chosen.map { plan.faces[$0].box } == person)
      if !selection.takesCertainFace { #expect(plan.facesAreComplete && plan.faces.count == sides.count) }
    }
    let avatar = try await cropper.plan(
      for: source, search: FaceSearch(faces: .prominent), composition: composition)
    #expect(avatar.crops[0].faces == avatar.chosen.map { [$0] })
    // Only the first person is large and alone enough.
    #expect(avatar.facesAreComplete == (sides != [400, 110]))
    let listed = try await cropper.plan(
      for: source, search: FaceSearch(faces: .prominent, findsAllFaces: true), composition: composition)
    #expect(listed.facesAreComplete && listed.faces.map(\.box) == all.faces.map(\.box))
  }

  /// A new background must know everybody, and photos are checked for the number of people.
  @Test func backgroundsAndChecksNeedAllFaces() async throws {
    var request = CropRequest(search: FaceSearch(faces: .prominent))
    #expect(!request.needsAllFaces)
    request.output.background = Background(.color(BackgroundColor(red: 255, green: 255, blue: 255)))
    #expect(request.needsAllFaces && FaceSearch(faces: .prominent, findsAllFaces: true).needsAllFaces)
    let check = try await FaceCropper().check(try portraits([400, 110]))
    #expect(check.findings.first?.value == 2)
  }

  /// A detector that finds one face, and in tiles another one beside it.
  private struct Counting: TestDetector {
    let first: [Face]
    let name = "counting"

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] {
      if picture.width > 4 * picture.height { return first }
      return [Face(box: NormalizedRect(x: 0.4, y: 0.2, width: 0.05, height: 0.6), score: 0.95)]
    }
  }

  /// A long image is searched in tiles for all faces, but not for one person who is already found.
  @Test func onePersonNeedsNoTiles() async throws {
    let image = try JPEGRecipe.baseline420.encode(Pixels(width: 4_000, height: 500, color: [90, 90, 90]))
    let face = Face(box: NormalizedRect(x: 0.05, y: 0.3, width: 0.01, height: 0.1), score: 0.9)
    func faces(_ selection: FaceSelection, first: [Face]) async throws -> CropPlan {
      try await FaceCropper(detector: Counting(first: first)).plan(
        for: .bytes(image), search: FaceSearch(faces: selection))
    }
    let (one, all) = (try await faces(.prominent, first: [face]), try await faces(.union, first: [face]))
    #expect(one.faces.count == 1 && !one.facesAreComplete && all.faces.count > 1 && all.facesAreComplete)
    #expect(all.chosen.map { all.faces[$0].box } == face.box && one.chosen == 0)
    // Without anybody, the tiles decide.
    let (found, others) = (try await faces(.prominent, first: []), try await faces(.union, first: []))
    #expect(found.facesAreComplete && found.chosen != nil && found.chosen == others.chosen)
  }

  @Test func plansKeepThePersonInJSON() throws {
    func decoded(_ plan: CropPlan) throws -> CropPlan {
      try JSONDecoder().decode(CropPlan.self, from: JSONEncoder().encode(plan))
    }
    let plan = CropPlan(
      source: PixelSize(width: 9, height: 9), detector: "", faces: [face(0.3)], chosen: 0, facesAreComplete: false,
      crops: [])
    #expect(try decoded(plan) == plan)
    var other = plan
    other.chosen = 1
    #expect(throws: (any Error).self) { try decoded(other) }
  }
}
