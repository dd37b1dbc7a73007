import FaceCrop
import Testing

// Without @testable: another package has to write its fake like this.

/// A manager that decodes nothing.
private struct FakeManager: ImageRequesting {
  static let face = Face(box: NormalizedRect(x: 0.25, y: 0.1, width: 0.5, height: 0.5), score: 0.9)

  static func response(_ side: Int, isDegraded: Bool) -> ImageResponse {
    let pixels = PixelBuffer(
      size: PixelSize(width: side, height: side), format: .gray, bytes: [UInt8](repeating: 7, count: side * side))
    let plan = CropPlan(
      source: PixelSize(width: 8, height: 8), detector: "fake", faces: [face],
      crops: [CropPlan.Crop(region: .whole, faces: [0])])
    return ImageResponse(
      image: PixelView(pixels), isDegraded: isDegraded, plan: plan, format: .png,
      file: isDegraded ? nil : EncodedImage(format: .jpeg, bytes: [1, 2]))
  }

  func response(
    to request: ImageRequest, events: RequestEvents
  ) async throws(ImageRequestError) -> ImageResponse {
    guard request.asset.id.rawValue != "missing" else { throw .notFound("missing") }
    let report = CropProgress(phase: .render, completed: 1, total: 2)
    guard events.progress?(report) != .stop else { throw .image(.cancelled) }
    events.degraded?(Self.response(2, isDegraded: true))
    return Self.response(4, isDegraded: false)
  }
}

struct FakeManagerTests {
  private static let asset = ImageAsset.bytes([0], id: ImageAsset.ID(rawValue: "a"))

  @Test func aFakeAnswersEveryCall() async throws {
    let manager: any ImageRequesting = FakeManager()
    let response = try await manager.image(for: Self.asset)
    #expect(response.image.size == PixelSize(width: 4, height: 4) && !response.isDegraded)
    #expect(response.faces == [FakeManager.face] && response.region == .whole && response.warnings.isEmpty)
    var sides: [Int] = []
    for try await image in manager.images(for: Self.asset) { sides.append(image.image.size.width) }
    #expect(sides == [2, 4])
    await #expect(throws: ImageRequestError.image(.cancelled)) {
      try await manager.image(for: Self.asset) { $0.fraction == 0.5 ? .stop : .goOn }
    }
    await #expect(throws: ImageRequestError.notFound("missing")) {
      try await manager.image(for: .remote(ImageAsset.ID(rawValue: "missing")))
    }
    let imported = try await ImageImporter(manager: manager).importImage(Self.asset)
    #expect(imported.bytes == [1, 2] && imported.sourceSize == PixelSize(width: 8, height: 8))
  }
}
