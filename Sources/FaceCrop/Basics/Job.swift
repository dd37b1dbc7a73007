internal import Synchronization

/// What the steps of one running request share.
final class Job: Sendable {
  let limits: Limits
  let cancellation: Cancellation
  private let progress: (@Sendable (CropProgress) -> Void)?
  /// The furthest that was reported.
  private let furthest = Mutex<(phase: CropProgress.Phase, fraction: Double)?>(nil)
  /// Of all phases; nil where there is one.
  private let overall: OverallProgress?

  /// - Parameter phases: those that will be reported; none where there is but one.
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

  /// How the job ends.
  private struct End {
    enum Stage {
      case working, ended, abandoned
    }

    var stage = Stage.working
    /// Nil where nobody gives it up.
    var abandonment: Abandonment?
  }

  /// Runs `body`, and ends it like a cancellation when its time is over. Where it has not ended after half as much time again, and at least
  /// a tenth of a second, it is given up.
  private func withDeadline<Result>(
    _ abandonment: Abandonment, _ body: () throws(FaceCropError) -> Result
  ) throws(FaceCropError) -> Result {
    stopwatch.withLock { $0.start() }
    end.withLock { $0.abandonment = abandonment }
    // What begins too late does not race against the clock.
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

  /// The error of a job whose time is over.
  private var lateness: FaceCropError {
    let elapsed = stopwatch.withLock { $0.elapsed }
    // Of several calls together, what the others took counts too.
    if let deadline = limits.deadline, elapsed < limits.time {
      let late = max(ContinuousClock.now - deadline.end, .zero)
      return .overLimit(.time, actual: (deadline.time + late).milliseconds, allowed: deadline.time.milliseconds)
    }
    return .overLimit(.time, actual: elapsed.milliseconds, allowed: limits.time.milliseconds)
  }

  /// Ends the work like a cancellation, if its time is over, and gives it up if that does not end it.
  ///
  /// - Returns: when to look again; nil once there is nothing more to do.
  func endIfLate() -> Duration? {
    let (elapsed, isPaused) = stopwatch.withLock { ($0.elapsed, $0.isPaused) }
    var (left, allowed) = (limits.time - elapsed, limits.time)
    if let deadline = limits.deadline, deadline.end - .now < left {
      (left, allowed) = (deadline.end - .now, deadline.time)
    }
    // While it is paused, nothing is gained by looking often.
    if left > .zero { return isPaused ? max(left, .milliseconds(50)) : left }
    stop()
    // Whoever waits for a reader does not hang.
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

  /// Runs `body`, which waits for somebody else, while the time stands still.
  func paused<Result>(_ body: () throws(FaceCropError) -> Result) throws(FaceCropError) -> Result {
    stopwatch.withLock { $0.pause() }
    defer { stopwatch.withLock { $0.start() } }
    return try body()
  }

  /// Throws if the task was cancelled.
  func check() throws(FaceCropError) {
    try cancellation.check()
  }

  /// Counts entries of a file's tables that are visited, and throws if the task was cancelled: all that is read before the
  /// queue, so that it can be stopped, and tests see how it grows with the file.
  func step(_ count: Int = 1) throws(FaceCropError) {
    try cancellation.step(count)
  }

  /// Reports progress, unless it would go back: a damaged file may be begun anew on another way.
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

  /// Whether the current thread does a job's work, for which others wait.
  @TaskLocal static var isWorkThread = false

  /// Runs `body` on a thread of its own kind, away from the cooperative pool, which it would block; the task's
  /// cancellation reaches it through the job.
  ///
  /// A job that has not ended after 1.5 times its time is given up: this throws ``FaceCropError/overLimit(_:actual:allowed:)``, and the thread
  /// goes on alone.
  ///
  /// - Parameter abandonment: told when that happens.
  static func run<Result: Sendable>(
    limits: Limits, on threads: JobThreads = .shared, abandonment: Abandonment? = nil,
    progress: (@Sendable (CropProgress) -> Void)?, phases: Set<CropProgress.Phase> = [],
    _ body: @escaping @Sendable (Job) throws(FaceCropError) -> Result
  ) async throws(FaceCropError) -> Result {
    let cancellation = Cancellation()
    let job = Job(limits: limits, cancellation: cancellation, progress: progress, phases: phases)
    let outcome = Promise<Swift.Result<Result, FaceCropError>>()
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
    return try await withTaskCancellationHandler {
      await outcome.value
    } onCancel: {
      cancellation.cancel()
    }.get()
  }
}
