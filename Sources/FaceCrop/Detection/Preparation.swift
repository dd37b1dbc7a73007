internal import Synchronization

/// A detector being made ready on another thread, or, if none is free in time or it takes no time, on the one that waits for it.
final class Preparation: Sendable {
  private typealias Outcome = Result<any ReadyFaceDetector, FaceCropError>

  private let detector: any FaceDetector
  /// Nil until it is known.
  private let outcome = Mutex<Outcome?>(nil)

  init(of detector: any FaceDetector) {
    self.detector = detector
    if !detector.isReadyAtOnce { JobThreads.shared.run { _ in _ = self.prepared() } }
  }

  /// Waits until the detector is ready.
  func ready() throws(FaceCropError) -> any ReadyFaceDetector {
    try prepared().get()
  }

  /// No one will wait: nothing is made ready any more when this returns.
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
  /// What `body` gives; what it throws of other kinds as ``detectorFailed(_:)``.
  static func typed<Value>(_ body: () throws -> Value) throws(FaceCropError) -> Value {
    do {
      return try body()
    } catch let error as FaceCropError {
      throw error
    } catch {
      throw .detectorFailed("\(error)")
    }
  }
}
