import Dispatch
import Synchronization
import Testing

@testable import FaceCrop

struct PreparationTests {
  private final class CountingDetector: FaceDetector, Sendable {
    let name = "counting"
    let pixelFormat = PixelBuffer.Format.gray
    let preparations = Atomic(0)

    func prepare() throws {
      preparations.add(1, ordering: .relaxed)
    }

    func faces(in picture: PixelBuffer) throws -> [Face] { [] }
  }

  @Test func isDoneOnce() throws {
    let detector = CountingDetector()
    let preparation = Preparation(of: detector)
    try preparation.wait()
    try preparation.wait()
    #expect(detector.preparations.load(ordering: .relaxed) == 1)
  }

  @Test func nothingIsDoneAfterwards() throws {
    let detector = CountingDetector()
    let preparation = Preparation(of: detector)
    preparation.abandon()
    let count = detector.preparations.load(ordering: .relaxed)
    try preparation.wait()
    #expect(detector.preparations.load(ordering: .relaxed) == count)
  }

  /// As when as many pictures are cropped at once as there are processors: no picture waits for another.
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
    try Preparation(of: detector).wait()
    let wasInTime = DispatchTime.now() < deadline
    isOver.store(true, ordering: .relaxed)
    running.wait()
    #expect(wasInTime)
    #expect(detector.preparations.load(ordering: .relaxed) == 1)
  }
}
