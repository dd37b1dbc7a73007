import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// The combined fraction of all phases.
@Suite struct OverallProgressTests {
  @Test func aWholeJobGoesFromNothingToAll() async throws {
    let overall = OverallProgress(phases: [.overview, .detect, .render, .encode], outputs: 3)
    let seen = Mutex<[Double]>([])
    let note: @Sendable (CropProgress) -> Void = { report in
      let fraction = overall.fraction(after: report)
      seen.withLock { $0.append(fraction) }
    }
    var request = CropRequest()
    request.output.sizes = [.longSide(60), .longSide(30), .longSide(9)]
    let cropper = FaceCropper(detector: StubDetector())
    let source = ImageSource.bytes(try JPEGRecipe.baseline420.encode(.testPattern(width: 200, height: 150)))
    let result = try await cropper.crop(source, request: request, progress: note)
    #expect(seen.withLock { $0.last! } < 1)
    for crop in result.crops { _ = try await cropper.encode(crop, as: .jpeg(quality: 80), progress: note) }
    let fractions = seen.withLock { $0 }
    #expect(fractions == fractions.sorted() && fractions.first! >= 0)
    #expect(abs(fractions.last! - 1) < 1e-9)
    #expect(Set(fractions).count > 8)
  }

  /// Each call reports its fraction, whatever its phases are.
  @Test(arguments: ["crop", "plan", "render", "losslessly", "sequence", "image"])
  func aCallGoesFromNothingToAll(call: String) async throws {
    let seen = Mutex<[CropProgress]>([])
    let note: @Sendable (CropProgress) -> Void = { report in seen.withLock { $0.append(report) } }
    let bytes = try JPEGRecipe.baseline420.encode(.testPattern(width: 200, height: 150))
    let (cropper, source) = (FaceCropper(detector: StubDetector()), ImageSource.bytes(bytes))
    switch call {
    case "crop": _ = try await cropper.crop(source, progress: note)
    case "plan": _ = try await cropper.plan(for: source, progress: note)
    case "render": _ = try await cropper.render(try await cropper.plan(for: source), from: source, progress: note)
    case "losslessly": _ = try await cropper.cropLosslessly(source, progress: note)
    case "sequence": for try await _ in cropper.crops(of: source, progress: note) {}
    default:
      let manager = ImageManager(configuration: .init(detector: StubDetector()))
      let options = ImageRequestOptions(crop: .faces(CropRequest()))
      _ = try await manager.image(for: .bytes(bytes), options: options) { report in
        note(report)
        return .goOn
      }
    }
    let fractions = seen.withLock { $0.map(\.fraction) }
    #expect(fractions == fractions.sorted() && fractions.allSatisfy { (0...1).contains($0) })
    #expect(abs(try #require(fractions.last) - 1) < 1e-9 && fractions.count > 2)
  }

  /// Phases that do not occur have no share.
  @Test func aCropAloneEndsWithAll() async throws {
    let overall = OverallProgress()
    let last = Mutex(0.0)
    let source = ImageSource.bytes(try JPEGRecipe.baseline420.encode(.testPattern(width: 200, height: 150)))
    _ = try await FaceCropper(detector: StubDetector()).crop(source) { report in
      let fraction = overall.fraction(after: report)
      last.withLock { $0 = fraction }
    }
    #expect(abs(last.withLock { $0 } - 1) < 1e-9)
  }
}
