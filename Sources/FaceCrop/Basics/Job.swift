internal import Synchronization

/// The state that all steps of a running request share.
final class Job: Sendable {
  let limits: Limits
  let cancellation: Cancellation
  private let progress: (@Sendable (CropProgress) -> Void)?
  /// The most advanced report.
  private let furthest = Mutex<(phase: CropProgress.Phase, fraction: Double)?>(nil)
  /// The progress over all phases; nil for a single phase.
  private let overall: OverallProgress?

  /// Creates a job that reports these phases; none for a single phase.
  init(
    limits: Limits, cancellation: Cancellation, progress: (@Sendable (CropProgress) -> Void)?,
    phases: Set<CropProgress.Phase> = []
  ) {
    self.limits = limits
    self.cancellation = cancellation
    self.progress = progress
    overall = phases.isEmpty ? nil : OverallProgress(phases: phases)
  }

  private let isOutOfTime = Atomic(false)
  private let stopwatch = Mutex(Stopwatch())
  private let end = Mutex(End())

  private struct End {
    enum Stage {
      case working, ended, abandoned
    }

    var stage = Stage.working
    /// The callbacks for abandoning the job; nil without a deadline.
    var abandonment: Abandonment?
  }

  /// Runs `body` with the deadline. After the deadline it is cancelled. If it still runs after 1.5 times the time, and
  /// at least a tenth of a second later, it is abandoned.
  private func withDeadline<Result>(
    _ abandonment: Abandonment, _ body: () throws(FaceCropError) -> Result
  ) throws(FaceCropError) -> Result {
    stopwatch.withLock { $0.start() }
    end.withLock { $0.abandonment = abandonment }
    // A job that starts after its deadline stops here, so that its end does not depend on the timer.
    let left = min(limits.time, limits.deadline.map { $0.end - .now } ?? limits.time)
    if left > .zero { DeadlineClock.shared.watch(self, for: left) } else { stop() }
    defer {
      DeadlineClock.shared.leave(self)
      finish()
    }
    do {
      try check()
      return try body()
    } catch {
      guard error == .cancelled, isOutOfTime.load(ordering: .relaxed) else { throw error }
      throw lateness
    }
  }

  /// The error of a job after its deadline.
  private var lateness: FaceCropError {
    let elapsed = stopwatch.withLock { $0.elapsed }
    // With a shared deadline, time spent by the other calls counts too.
    if let deadline = limits.deadline, elapsed < limits.time {
      let late = max(ContinuousClock.now - deadline.end, .zero)
      return .overLimit(.time, actual: (deadline.time + late).milliseconds, allowed: deadline.time.milliseconds)
    }
    return .overLimit(.time, actual: elapsed.milliseconds, allowed: limits.time.milliseconds)
  }

  /// Cancels the work after its deadline, and abandons it if it does not end. Returns the time until the next check;
  /// nil after the last one.
  func endIfLate() -> Duration? {
    let (elapsed, isPaused) = stopwatch.withLock { ($0.elapsed, $0.isPaused) }
    var (left, allowed) = (limits.time - elapsed, limits.time)
    if let deadline = limits.deadline, deadline.end - .now < left {
      (left, allowed) = (deadline.end - .now, deadline.time)
    }
    // A paused job does not need frequent checks.
    if left > .zero { return isPaused ? max(left, .milliseconds(50)) : left }
    stop()
    // A job that waits for its reader does not hang, so it is not abandoned.
    if isPaused { return .milliseconds(500) }
    let patience = left + max(allowed / 2, .milliseconds(100))
    if patience > .zero { return patience }
    abandon()
    return nil
  }

  private func stop() {
    isOutOfTime.store(true, ordering: .relaxed)
    cancellation.cancel()
  }

  private func abandon() {
    let abandonment = end.withLock { end -> Abandonment? in
      guard end.stage == .working else { return nil }
      end.stage = .abandoned
      return end.abandonment
    }
    abandonment?.begins()
  }

  private func finish() {
    let abandonment = end.withLock { end -> Abandonment? in
      defer { end.abandonment = nil }
      guard end.stage == .abandoned else {
        end.stage = .ended
        return nil
      }
      return end.abandonment
    }
    abandonment?.ends()
  }

  /// Runs `body`, which waits for a reader, with the stopwatch paused.
  func paused<Result>(_ body: () throws(FaceCropError) -> Result) throws(FaceCropError) -> Result {
    stopwatch.withLock { $0.pause() }
    defer { stopwatch.withLock { $0.start() } }
    return try body()
  }

  /// Throws if the task was cancelled.
  func check() throws(FaceCropError) {
    try cancellation.check()
  }

  /// Counts visited entries of a file's tables, and throws if the task was cancelled. Every header parser calls it, so
  /// that parsing can be stopped, and tests can measure its growth with the file.
  func step(_ count: Int = 1) throws(FaceCropError) {
    try cancellation.step(count)
  }

  /// Reports progress, unless it would decrease: a damaged file may be decoded again with another method.
  func report(_ phase: CropProgress.Phase, _ completed: Int, of total: Int) {
    guard let progress, end.withLock({ $0.stage != .abandoned }) else { return }
    let report = CropProgress(phase: phase, completed: min(completed, total), total: total)
    let isFurther = furthest.withLock { furthest in
      if let furthest, furthest.phase == phase, report.phaseFraction < furthest.fraction { return false }
      furthest = (phase, report.phaseFraction)
      return true
    }
    if isFurther { progress(overall.map { report.with(fraction: $0.fraction(after: report)) } ?? report) }
  }

  /// Whether the current thread runs a job that others wait for.
  @TaskLocal static var isWorkThread = false

  /// Runs `body` on a thread outside the cooperative pool, which it would block. The job passes on the task's
  /// cancellation.
  ///
  /// A job that exceeds its time by half is abandoned: this throws ``FaceCropError/overLimit(_:actual:allowed:)``, and
  /// the thread continues alone.
  ///
  /// - Parameter abandonment: The callbacks for that case.
  static func run<Result: Sendable>(
    limits: Limits, on threads: JobThreads = .shared, abandonment: Abandonment? = nil,
    progress: (@Sendable (CropProgress) -> Void)?, phases: Set<CropProgress.Phase> = [],
    _ body: @escaping @Sendable (Job) throws(FaceCropError) -> Result
  ) async throws(FaceCropError) -> Result {
    let cancellation = Cancellation()
    let job = Job(limits: limits, cancellation: cancellation, progress: progress, phases: phases)
    let outcome = Promise<Swift.Result<Result, FaceCropError>>()
    // The handler is in place before the work begins, so that no step follows a cancellation.
    return try await withTaskCancellationHandler {
      threads.run { place in
        let abandonment = Abandonment(
          begins: {
            AbandonedJobs.add(1)
            place.giveUp()
            abandonment?.begins()
            outcome.keep(.failure(job.lateness))
          },
          ends: {
            abandonment?.ends()
            AbandonedJobs.add(-1)
          })
        let result = $isWorkThread.withValue(true) {
          Swift.Result { () throws(FaceCropError) in
            try job.check()
            return try job.withDeadline(abandonment) { () throws(FaceCropError) in try body(job) }
          }
        }
        outcome.keep(result)
      }
      return await outcome.value
    } onCancel: {
      cancellation.cancel()
    }.get()
  }
}
