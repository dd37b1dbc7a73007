internal import Dispatch
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

  private func withDeadline<Result>(_ body: () throws(FaceCropError) -> Result) throws(FaceCropError) -> Result {
    stopwatch.withLock { $0.start() }
    // What begins too late does not race against the clock.
    let left = min(limits.time, limits.deadline.map { $0.end - .now } ?? limits.time)
    if left > .zero { DeadlineClock.shared.watch(self, for: left) } else { end() }
    defer { DeadlineClock.shared.leave(self) }
    do {
      try check()
      return try body()
    } catch {
      guard error == .cancelled, isOutOfTime.load(ordering: .relaxed) else { throw error }
      let elapsed = stopwatch.withLock { $0.elapsed }
      // Of several calls together, what the others took counts too.
      if let deadline = limits.deadline, elapsed < limits.time {
        let late = max(ContinuousClock.now - deadline.end, .zero)
        throw .overLimit(
          .time, actual: (deadline.time + late).milliseconds, allowed: deadline.time.milliseconds)
      }
      throw .overLimit(.time, actual: elapsed.milliseconds, allowed: limits.time.milliseconds)
    }
  }

  /// Ends the work like a cancellation, if its time is over.
  ///
  /// - Returns: when to look again; nil once it has ended.
  func endIfLate() -> Duration? {
    var (left, isPaused) = stopwatch.withLock { (limits.time - $0.elapsed, $0.isPaused) }
    if let deadline = limits.deadline { left = min(left, deadline.end - .now) }
    // While it is paused, nothing is gained by looking often.
    if left > .zero { return isPaused ? max(left, .milliseconds(50)) : left }
    end()
    return nil
  }

  private func end() {
    isOutOfTime.store(true, ordering: .relaxed)
    cancellation.cancel()
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
    guard let progress else { return }
    let report = CropProgress(phase: phase, completed: min(completed, total), total: total)
    let isFurther = furthest.withLock { furthest in
      if let furthest, furthest.phase == phase, report.phaseFraction < furthest.fraction { return false }
      furthest = (phase, report.phaseFraction)
      return true
    }
    if isFurther { progress(overall.map { report.with(fraction: $0.fraction(after: report)) } ?? report) }
  }

  /// On Linux, Swift's tasks run on the threads of Dispatch's global queues, each on those of its own priority: while work took
  /// the default queue's, no task of that priority would go on. This is the queue that no priority of tasks has; the system's
  /// scheduler knows nothing of it.
  static let workQueue = DispatchQueue.global(qos: .userInteractive)

  /// Whether the current thread does a job's work, for which others wait.
  @TaskLocal static var isWorkThread = false

  /// Runs `body` on a thread of its own kind, away from the cooperative pool, which it would block; the task's
  /// cancellation reaches it through the job. As many run at once as there are processors, of those on the common queue.
  static func run<Result: Sendable>(
    limits: Limits, on queue: DispatchQueue = workQueue, progress: (@Sendable (CropProgress) -> Void)?,
    phases: Set<CropProgress.Phase> = [],
    _ body: @escaping @Sendable (Job) throws(FaceCropError) -> Result
  ) async throws(FaceCropError) -> Result {
    let cancellation = Cancellation()
    let job = Job(limits: limits, cancellation: cancellation, progress: progress, phases: phases)
    let outcome: Swift.Result<Result, FaceCropError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async {
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
