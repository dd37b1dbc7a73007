import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// One fraction of all phases.
@Suite struct OverallProgressTests {
  @Test func aWholeJobGoesFromNothingToAll() async throws {
    let overall = OverallProgress(phases: [.look, .detect, .render, .encode], outputs: 3)
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

  /// The phases that there will not be have no part in it.
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
