import Dispatch
import FoundationEssentials
import Synchronization
import Testing

@testable import FaceCrop

struct PreparationTests {
  private final class CountingDetector: TestDetector, Sendable {
    let name = "counting"
    let preparations = Atomic(0)

    func prepare() throws -> any ReadyFaceDetector {
      preparations.add(1, ordering: .relaxed)
      return self
    }

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] { [] }
  }

  @Test func isDoneOnce() throws {
    let detector = CountingDetector()
    let preparation = Preparation(of: detector)
    for _ in 0..<2 { #expect(try preparation.ready() as? CountingDetector === detector) }
    #expect(detector.preparations.load(ordering: .relaxed) == 1)
  }

  @Test func aDetectorsOwnMessageIsKept() {
    struct Offline: LocalizedError {
      var errorDescription: String? { "the model server is offline" }
    }
    #expect(throws: FaceCropError.detectorFailed("the model server is offline")) {
      try FaceCropError.typed { throw Offline() }
    }
  }

  @Test func abandonedPreparationStops() {
    let detector = CountingDetector()
    let preparation = Preparation(of: detector)
    preparation.abandon()
    let count = detector.preparations.load(ordering: .relaxed)
    // It may have been ready before.
    _ = try? preparation.ready()
    #expect(detector.preparations.load(ordering: .relaxed) == count)
  }

  /// With as many concurrent crops as processors, no image waits for another.
  @Test func needsNoFreeThread() throws {
    let isOver = Atomic(false)
    let running = DispatchGroup()
    let deadline = DispatchTime.now() + .seconds(20)
    for _ in 0..<64 {
      DispatchQueue.global().async(group: running) {
        while !isOver.load(ordering: .relaxed), DispatchTime.now() < deadline {}
      }
    }
    let detector = CountingDetector()
    _ = try Preparation(of: detector).ready()
    let wasInTime = DispatchTime.now() < deadline
    isOver.store(true, ordering: .relaxed)
    running.wait()
    #expect(wasInTime)
    #expect(detector.preparations.load(ordering: .relaxed) == 1)
  }
}
