import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

/// Reviewed frames of a small animation, side by side in Tests/Fixtures/golden-animation.png. Like ``GoldenTests``, they
/// are updated by `FACECROP_UPDATE_GOLDENS=1`.
@Suite struct AnimationGoldenTests {
  private static let path = "golden-animation.png"
  /// Levels, in the mean, that another version of a codec may change.
  private static let bound = 1.0

  /// The portrait, which moves to the left and becomes darker, with a bar that is drawn and vanishes.
  private static func animation() throws -> AnimationBuilder {
    let portrait = try astronaut()
    var animation = AnimationBuilder(width: 260, height: 260)
    animation.repetitions = 0
    for index in 0..<3 {
      let picture = portrait.cropped(x: 90 + 8 * index, y: 0, width: 260, height: 260)
      let samples = picture.samples.map { UInt8(Int($0) * (6 - index) / 6) }
      animation.frames.append(
        AnimationBuilder.Frame(Pixels(width: 260, height: 260, channels: 3, samples: samples).rgba))
      var bar = AnimationBuilder.Frame(Pixels(width: 120, height: 12, color: [255, 200, 0, 255]))
      (bar.x, bar.y, bar.disposal) = (60 + 10 * index, 40, index == 1 ? 1 : 3)
      animation.frames.append(bar)
    }
    return animation
  }

  private static func strip(as format: OutputFormat) async throws -> Pixels {
    let face = Face(box: NormalizedRect(x: 0.33, y: 0.15, width: 0.3, height: 0.4), score: 0.9)
    var request = CropRequest()
    request.composition.layout = .framing(.avatar)
    request.output.sizes = [.longSide(96)]
    var file: [UInt8] = []
    let cropper = FaceCropper(detector: StubDetector(found: [face]))
    for try await step in cropper.animatedCrops(of: .bytes(try animation().png()), request: request, as: format) {
      if case .crop(let crop) = step { file = crop.bytes }
    }
    var frames: [Pixels] = []
    try Codecs.withSession(file.span, isFileMapping: false, allowsDamage: false, job: .forTests()) {
      (session) throws(FaceCropError) in
      var reader = try session.animation(.forTests())
      while let frame = try reader.draw() { frames.append(Pixels(frame.pixels)) }
    }
    var samples: [UInt8] = []
    for row in 0..<96 {
      for frame in frames { samples += frame.samples[3 * 96 * row..<3 * 96 * (row + 1)] }
    }
    return Pixels(width: 96 * frames.count, height: 96, channels: 3, samples: samples)
  }

  @Test func framesAreAsTheyWereSeen() async throws {
    let strip = try await Self.strip(as: .webpLossless)
    if Golden.areUpdated {
      let file = try FileDescriptor.open(
        FilePath(fixturePath(Self.path)), .writeOnly, options: [.create, .truncate],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      let png = try encodePNG(strip)
      try file.closeAfter { _ = try file.writeAll(png) }
    }
    let golden = try referenceDecodePNG(fixtureBytes(Self.path)).flattened()
    #expect(strip.width == 6 * 96 && strip.height == 96)
    #expect(strip.meanDifference(from: golden) <= Self.bound)
    // 256 colors for each frame differ by a few levels.
    #expect(try await Self.strip(as: .gif).meanDifference(from: golden) <= 4)
  }
}
