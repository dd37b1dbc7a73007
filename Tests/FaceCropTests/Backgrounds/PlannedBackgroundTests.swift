import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// The background of a crop in a plan, which replaces the request's.
@Suite struct PlannedBackgroundTests {
  private static let cropper = FaceCropper()

  private static func plan(_ background: PlannedBackground?) async throws -> CropPlan {
    var plan = try await cropper.plan(
      for: source(), search: FaceSearch(faces: .largest), composition: Composition(.framing(.portrait)))
    plan.crops[0].background = background
    return plan
  }

  private static func source() throws -> ImageSource { .bytes(try fixtureBytes("astronaut.jpg")) }

  private static func pixels(_ plan: CropPlan, _ background: Background?) async throws -> [UInt8] {
    let output = CropOutput(sizes: [.height(200)], background: background)
    return try await cropper.render(plan, from: source(), output: output).crops[0].pixels.bytes
  }

  /// A plan's background gives the pixels that the request's would, and comes first.
  @Test func aPlanHasTheLastWord() async throws {
    let blue = BackgroundColor(red: 10, green: 20, blue: 200)
    let plain = try await Self.plan(nil)
    let (own, white) = (
      try await Self.pixels(plain, nil), try await Self.pixels(plain, Background(.color(.white)))
    )
    let asked = try await Self.pixels(plain, Background(.color(blue)))
    #expect(asked != own && asked != white)
    let planned = try await Self.plan(.color(blue))
    #expect(try await Self.pixels(planned, nil) == asked)
    #expect(try await Self.pixels(planned, Background(.color(.white))) == asked)
    #expect(try await Self.pixels(Self.plan(.original), Background(.color(.white))) == own)
    // The decoded plan is the same.
    let decoded = try JSONDecoder().decode(CropPlan.self, from: JSONEncoder().encode(planned))
    #expect(decoded == planned)
  }

  /// Each crop has its own background.
  @Test func cropsDiffer() async throws {
    var plan = try await Self.plan(.color(.white))
    plan.crops.append(plan.crops[0])
    plan.crops[1].background = nil
    let output = CropOutput(sizes: [.height(100), .filling(AspectRatio(width: 1, height: 1), longSide: 100)])
    let crops = try await Self.cropper.render(plan, from: Self.source(), output: output).crops
    #expect(crops.map { $0.cutoutConfidence != nil } == [true, true, false, false])
  }

  @Test(arguments: [
    "original", "ffffff", "0a14c8", "blur:2", "blur:7", "blur:2.5", "blur:0.5", "blur:20", "transparent",
  ])
  func textsStay(text: String) throws {
    let background = try #require(PlannedBackground(text))
    #expect(background.text == text && PlannedBackground(background.text) == background)
  }

  @Test(arguments: ["blur:99", "blur:0", "", "wall.png", "none", "12345"]) func wrongTexts(text: String) throws {
    let json = """
      {"version":1,"source":{"width":9,"height":9},"detector":"d","faces":[],
       "crops":[{"region":{"x":0,"y":0,"width":1,"height":1},"background":"\(text)"}]}
      """
    #expect(PlannedBackground(text) == nil)
    let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode(CropPlan.self, from: Data(json.utf8)) }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    // The message has the bounds of a blur.
    let percent = [Background.Fill.strengths.lowerBound, Background.Fill.strengths.upperBound].map { 100 * $0 }
    #expect(percent == [0.5, 20] && context.debugDescription.contains("blur:0.5 to blur:20"))
    #expect(PlannedBackground("white") == .color(.white))
  }

  @Test func blursAreBounded() throws {
    let crop = CropPlan.Crop(region: .whole, faces: [], background: .blur(9))
    let plan = CropPlan(source: PixelSize(width: 9, height: 9), detector: "d", faces: [], crops: [crop])
    #expect(throws: CropPlan.ValidationError.self) { try plan.check() }
  }

  @Test func losslessCropsKeepTheirs() async throws {
    let plan = try await Self.plan(.color(.white))
    await #expect(throws: FaceCropError.invalidRequest("a lossless crop cannot have a new background")) {
      try await Self.cropper.cutLosslessly(Self.source(), plan: plan)
    }
  }
}
