import FaceCrop
import Glibc
import Synchronization

/// A detector, and how long it takes: processor time of the thread that detects, so that other work does not count, nor
/// would threads of the detector's own.
final class TimedDetector: FaceDetector {
  let base: any FaceDetector
  private let time = Mutex<Double?>(nil)

  init(_ base: any FaceDetector) {
    self.base = base
  }

  var name: String { base.name }
  var pixelFormat: PixelBuffer.Format { base.pixelFormat }
  var smallestOverview: Int { base.smallestOverview }

  func prepare() throws {
    try base.prepare()
  }

  func faces(in picture: PixelBuffer) throws -> [Face] {
    let start = Self.now
    let faces = try base.faces(in: picture)
    let seconds = Self.now - start
    time.withLock { $0 = seconds }
    return faces
  }

  /// Seconds of the last detection; nil when there was none since this was last asked.
  func takeTime() -> Double? {
    time.withLock { time in
      defer { time = nil }
      return time
    }
  }

  private static var now: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
