internal import FoundationEssentials
internal import Synchronization

/// The preparation of a detector on another thread. If no thread is free in time, or it takes no time, the waiting
/// thread does it.
final class Preparation: Sendable {
  private typealias Outcome = Result<any ReadyFaceDetector, FaceCropError>

  private let detector: any FaceDetector
  /// The result; nil until it is known.
  private let outcome = Mutex<Outcome?>(nil)

  init(of detector: any FaceDetector) {
    self.detector = detector
    if !detector.isReadyAtOnce { JobThreads.shared.run { _ in _ = self.prepared() } }
  }

  /// Waits until the detector is ready.
  func ready() throws(FaceCropError) -> any ReadyFaceDetector {
    try prepared().get()
  }

  /// Cancels a pending preparation, and waits for a running one.
  func abandon() {
    outcome.withLock { $0 = $0 ?? .failure(.cancelled) }
  }

  private func prepared() -> Outcome {
    outcome.withLock { outcome in
      if let outcome { return outcome }
      let made = Outcome { () throws(FaceCropError) in try FaceCropError.typed { try detector.prepare() } }
      outcome = made
      return made
    }
  }
}

extension FaceCropError {
  /// Returns the result of `body`, and converts foreign errors to ``detectorFailed(_:)``.
  static func typed<Value>(_ body: () throws -> Value) throws(FaceCropError) -> Value {
    do {
      return try body()
    } catch {
      throw error as? FaceCropError ?? .detectorFailed((error as? any LocalizedError)?.errorDescription ?? "\(error)")
    }
  }
}
