import TestSupport
import Testing

@testable import FaceCrop

@Suite struct ICCProfileTests {
  private static let profile = ICCBuilder.profile(.displayP3, padding: 150_000)

  private func header(_ segments: [MarkerSegment], _ recipe: JPEGRecipe = .baseline420) throws -> JPEGHeader {
    let picture = Pixels.testPattern(width: 40, height: 30, channels: recipe.channels, seed: 1)
    let jpeg = try recipe.with { $0.segments = segments }.encode(picture)
    return try JPEGHeader(reading: jpeg.span, job: .forTests())
  }

  @Test func chunksInAnyOrderMakeTheProfile() throws {
    #expect(try header(ICCBuilder.segments(for: Self.profile)).profile == Self.profile)
    #expect(try header(ICCBuilder.segments(for: Self.profile, order: [2, 0, 1])).profile == Self.profile)
  }

  @Test(arguments: [[0, 1], [1, 2], [0, 1, 1, 2], [0, 0, 1, 2]])
  func incompleteProfilesAreDropped(order: [Int]) throws {
    let header = try header(ICCBuilder.segments(for: Self.profile, order: order))
    #expect(header.profile == nil && header.dropsProfile)
  }

  @Test func profilesForOtherColorsAreDropped() throws {
    let gray = ICCBuilder.profile(.gray)
    #expect(try header(ICCBuilder.segments(for: gray)).profile == nil)
    #expect(try header(ICCBuilder.segments(for: gray), .gray).profile == gray)
    let inks = ICCBuilder.profile(.cmyk)
    #expect(try header(ICCBuilder.segments(for: inks)).profile == nil)
    let kept = try #require(ICCProfile.cleaned(inks, .cmyk))
    #expect(try header(ICCBuilder.segments(for: inks), .cmykAdobe).profile == kept)
    #expect(try header(ICCBuilder.segments(for: gray), .cmykAdobe).dropsProfile)
  }

  @Test func theOutputCarriesTheProfileThatIsKept() async throws {
    let jpeg = try JPEGRecipe.baseline420.with { $0.segments = ICCBuilder.segments(for: Self.profile) }
      .encode(.testPattern(width: 40, height: 30, channels: 3, seed: 1))
    let cropper = FaceCropper(detector: StubDetector())
    for color in ColorPolicy.allCases {
      var request = CropRequest()
      request.output.color = color
      let result = try await cropper.crop(.bytes(jpeg), request: request)
      let output = try await cropper.encode(result.crops[0], as: .jpeg(quality: 85))
      let profile = try JPEGHeader(reading: output.span, job: .forTests()).profile
      #expect(profile == (color == .keep ? Self.profile : nil))
    }
  }
}
