import FaceCrop
import Glibc
import Synchronization

/// A detector with its time: processor time of the detecting thread, so that other work does not count.
final class TimedDetector: FaceDetector {
  let base: any FaceDetector
  private let time = Mutex<Double?>(nil)

  init(_ base: any FaceDetector) {
    self.base = base
  }

  var name: String { base.name }
  var input: DetectorInput { base.input }

  func prepare() throws -> any ReadyFaceDetector {
    Ready(base: try base.prepare(), detector: self)
  }

  private struct Ready: ReadyFaceDetector {
    let base: any ReadyFaceDetector
    let detector: TimedDetector

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] {
      let start = TimedDetector.now
      let faces = try base.faces(in: picture, for: purpose)
      let seconds = TimedDetector.now - start
      detector.time.withLock { $0 = seconds }
      return faces
    }
  }

  /// Returns the seconds of the last detection, or nil without a detection since the last call.
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
