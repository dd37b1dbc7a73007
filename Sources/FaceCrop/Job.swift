internal import Dispatch
internal import Synchronization

/// What the steps of one running request share.
final class Job: Sendable {
  let limits: Limits
  let cancellation: Cancellation
  private let progress: (@Sendable (CropProgress) -> Void)?
  /// The furthest that was reported.
  private let furthest = Mutex<(phase: CropProgress.Phase, fraction: Double)?>(nil)

  init(limits: Limits, cancellation: Cancellation, progress: (@Sendable (CropProgress) -> Void)?) {
    self.limits = limits
    self.cancellation = cancellation
    self.progress = progress
  }

  /// Ends the work like a cancellation, once the time is over. On a queue of its own: the others may be held by work.
  private static let clock = DispatchQueue(label: "facecrop.clock")
  private let isOutOfTime = Atomic(false)

  private func withDeadline<Result>(_ body: () throws(FaceCropError) -> Result) throws(FaceCropError) -> Result {
    let timer = DispatchSource.makeTimerSource(queue: Self.clock)
    timer.schedule(deadline: .now() + .milliseconds(min(limits.time.milliseconds, 1 << 40)))
    timer.setEventHandler { [self] in
      isOutOfTime.store(true, ordering: .relaxed)
      cancellation.cancel()
    }
    timer.activate()
    defer { timer.cancel() }
    let start = ContinuousClock.now
    do {
      return try body()
    } catch {
      guard error == .cancelled, isOutOfTime.load(ordering: .relaxed) else { throw error }
      throw .overLimit(.time, actual: (ContinuousClock.now - start).milliseconds, allowed: limits.time.milliseconds)
    }
  }

  /// Throws if the task was cancelled.
  func check() throws(FaceCropError) {
    try cancellation.check()
  }

  /// Reports progress, unless it would go back: a damaged file may be begun anew on another way.
  func report(_ phase: CropProgress.Phase, _ completed: Int, of total: Int) {
    guard let progress else { return }
    let report = CropProgress(phase: phase, completed: min(completed, total), total: total)
    let isFurther = furthest.withLock { furthest in
      if let furthest, furthest.phase == phase, report.fraction < furthest.fraction { return false }
      furthest = (phase, report.fraction)
      return true
    }
    if isFurther { progress(report) }
  }

  /// On Linux, Swift's tasks run on the threads of Dispatch's global queues, each on those of its own priority: while work took
  /// the default queue's, no task of that priority would go on. This is the queue that no priority of tasks has; the system's
  /// scheduler knows nothing of it.
  fileprivate static let workQueue = DispatchQueue.global(qos: .userInteractive)

  /// Whether the current thread does a job's work, for which others wait.
  @TaskLocal static var isWorkThread = false

  /// Runs `body` on a thread of its own kind, away from the cooperative pool, which it would block; the task's
  /// cancellation reaches it through the job. As many run at once as there are processors.
  static func run<Result: Sendable>(
    limits: Limits, progress: (@Sendable (CropProgress) -> Void)?,
    _ body: @escaping @Sendable (Job) throws(FaceCropError) -> Result
  ) async throws(FaceCropError) -> Result {
    let cancellation = Cancellation()
    let job = Job(limits: limits, cancellation: cancellation, progress: progress)
    let outcome: Swift.Result<Result, FaceCropError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        workQueue.async {
          continuation.resume(
            returning: $isWorkThread.withValue(true) {
              Swift.Result { () throws(FaceCropError) in
                try job.check()
                return try job.withDeadline { () throws(FaceCropError) in try body(job) }
              }
            })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
    return try outcome.get()
  }
}

/// A detector being made ready on another thread, or, if none is free in time, on the one that waits for it.
final class Preparation: Sendable {
  private enum State {
    case open
    case done(FaceCropError?)
  }

  private let detector: any FaceDetector
  private let state = Mutex(State.open)

  init(of detector: any FaceDetector) {
    self.detector = detector
    Job.workQueue.async { _ = self.prepared() }
  }

  /// Waits until the detector is ready.
  func wait() throws(FaceCropError) {
    if let error = prepared() { throw error }
  }

  /// No one will wait: nothing is made ready any more when this returns.
  func abandon() {
    state.withLock { state in
      if case .open = state { state = .done(nil) }
    }
  }

  private func prepared() -> FaceCropError? {
    state.withLock { state in
      if case .done(let error) = state { return error }
      let error = FaceCropError.caught { try detector.prepare() }
      state = .done(error)
      return error
    }
  }
}

extension FaceCropError {
  /// What `body` throws, errors of other kinds as ``detectorFailed(_:)``.
  static func caught(_ body: () throws -> Void) -> FaceCropError? {
    do {
      try body()
      return nil
    } catch let error as FaceCropError {
      return error
    } catch {
      return .detectorFailed("\(error)")
    }
  }
}
