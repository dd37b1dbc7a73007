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

  /// The error of a job that is out of time; nil before.
  private let lateness = Mutex<FaceCropError?>(nil)
  private let stopwatch = Mutex(Stopwatch())
  private let end = Mutex(End())

  private struct End {
    enum Stage {
      case working, ended, abandoned
    }

    var stage = Stage.working
    /// The callbacks to the queue; nil without a deadline.
    var admission: Admission?
    /// The processor time of the job's thread, which lives while the stage is `working`.
    var work: Work?
  }

  /// The processor time that a job has used, with that of other processes, and its turns.
  private struct Work {
    private let clock = ThreadClock()
    private let start: Duration
    private var ended = 0

    init() { start = clock.now }

    func used(elsewhere: Duration) -> Duration { clock.now - start + elsewhere }

    /// Returns the turns that ended since the last call, and the processor time that is left of the current one.
    mutating func update(elsewhere: Duration) -> (ended: Int, left: Duration) {
      let used = used(elsewhere: elsewhere)
      let before = ended
      ended = Int(used / Job.turn)
      return (ended - before, Job.turn * (ended + 1) - used)
    }
  }

  /// The processor time after which a job reports to its queue, so that other work can run first. A third of the time
  /// of an ordinary avatar: hostile work that has all slots delays others by this.
  static let turn = Duration.milliseconds(10)

  /// Runs `body` within the limits of time, and cancels it after one of them. If it still runs after 1.5 times the
  /// limit, and at least a tenth of a second later, it is abandoned.
  private func withDeadline<Result>(
    _ admission: Admission, _ body: () throws(FaceCropError) -> Result
  ) throws(FaceCropError) -> Result {
    stopwatch.withLock { $0.start() }
    end.withLock { end in
      end.admission = admission
      end.work = Work()
    }
    // A job that starts after its deadline stops here, so that its end does not depend on the timer.
    if let next = look() { DeadlineClock.shared.watch(self, for: next) }
    defer {
      DeadlineClock.shared.leave(self)
      finish()
    }
    do {
      try check()
      return try body()
    } catch {
      guard error == .cancelled, let late = lateness.withLock({ $0 }) else { throw error }
      throw late
    }
  }

  /// Cancels the work after its deadline, and reports turns to the queue. Returns the time until the next check; nil
  /// after the last one.
  func look() -> Duration? {
    let untilTurn = reportTurns()
    return endIfLate().map { left in untilTurn.map { min(left, $0) } ?? left }
  }

  /// Reports the turns that ended. Returns the shortest time until the next end; nil if the queue does not count them.
  private func reportTurns() -> Duration? {
    let report = end.withLock { end -> (callback: @Sendable (Cancellation) -> Void, ended: Int, left: Duration)? in
      guard end.stage == .working, let callback = end.admission?.turnEnded,
        let (ended, left) = end.work?.update(elsewhere: cancellation.elsewhere)
      else { return nil }
      return (callback, ended, left)
    }
    guard let report else { return nil }
    for _ in 0..<report.ended { report.callback(cancellation) }
    // A waiting job uses no processor time, and does not need frequent checks.
    return max(report.left, .milliseconds(5))
  }

  /// Cancels the work after its deadline, and abandons it if it does not end. Returns the time until the next check;
  /// nil after the last one.
  private func endIfLate() -> Duration? {
    let worked = end.withLock { end in
      end.stage == .working ? end.work?.used(elsewhere: cancellation.elsewhere) : nil
    }
    guard let worked else { return nil }
    let (elapsed, isPaused) = stopwatch.withLock { ($0.elapsed, $0.isPaused) }
    // Processor time that other calls share counts, and so does wall-clock time until a shared deadline.
    var times: [(spent: Duration, allowed: Duration)] = [
      (worked + (limits.spent?.total.withLock { $0 } ?? .zero), limits.time), (elapsed, limits.longestTime),
    ]
    if let deadline = limits.deadline {
      times.append((deadline.time + (ContinuousClock.now - deadline.end), deadline.time))
    }
    // A waiting or paused job does not need frequent checks.
    func next(_ left: [Duration]) -> Duration { max(left.min()!, .milliseconds(isPaused ? 50 : 5)) }
    guard let late = times.first(where: { $0.spent >= $0.allowed }) else {
      return next(times.map { $0.allowed - $0.spent })
    }
    let error = FaceCropError.overLimit(.time, actual: late.spent.milliseconds, allowed: late.allowed.milliseconds)
    lateness.withLock { $0 = $0 ?? error }
    cancellation.cancel()
    // A job that waits for its reader does not hang, so it is not abandoned.
    if isPaused { return .milliseconds(500) }
    let patience = times.map { $0.allowed + max($0.allowed / 2, .milliseconds(100)) - $0.spent }
    if patience.allSatisfy({ $0 > .zero }) { return next(patience) }
    abandon()
    return nil
  }

  private func abandon() {
    let admission = end.withLock { end -> Admission? in
      guard end.stage == .working else { return nil }
      end.stage = .abandoned
      return end.admission
    }
    admission?.abandoned()
  }

  private func finish() {
    let admission = end.withLock { end -> Admission? in
      defer { end.admission = nil }
      if let used = end.work?.used(elsewhere: cancellation.elsewhere) { limits.spent?.total.withLock { $0 += used } }
      guard end.stage == .abandoned else {
        end.stage = .ended
        return nil
      }
      return end.admission
    }
    admission?.abandonedEnded()
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

  /// Returns the result of work on an extra, whose faults do not affect the image; nil after one.
  func attempt<Result>(_ work: () throws(FaceCropError) -> Result) throws(FaceCropError) -> Result? {
    do throws(FaceCropError) {
      return try work()
    } catch {
      try check()
      if error == .outOfMemory { throw error }
      return nil
    }
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
  /// - Parameter admission: The callbacks to the queue that admitted the job.
  static func run<Result: Sendable>(
    limits: Limits, on threads: JobThreads = .shared, admission: Admission? = nil,
    progress: (@Sendable (CropProgress) -> Void)?, phases: Set<CropProgress.Phase> = [],
    _ body: @escaping @Sendable (Job) throws(FaceCropError) -> Result
  ) async throws(FaceCropError) -> Result {
    let cancellation = Cancellation()
    let job = Job(limits: limits, cancellation: cancellation, progress: progress, phases: phases)
    let outcome = Promise<Swift.Result<Result, FaceCropError>>()
    // The handler is in place before the work begins, so that no step follows a cancellation.
    return try await withTaskCancellationHandler {
      threads.run { place in
        let admission = Admission(
          turnEnded: admission?.turnEnded,
          abandoned: {
            AbandonedJobs.add(1)
            place.giveUp()
            admission?.abandoned()
            outcome.keep(.failure(job.lateness.withLock { $0 } ?? .cancelled))
          },
          abandonedEnded: {
            admission?.abandonedEnded()
            AbandonedJobs.add(-1)
          })
        let result = $isWorkThread.withValue(true) {
          Swift.Result { () throws(FaceCropError) in
            try job.check()
            return try job.withDeadline(admission) { () throws(FaceCropError) in try body(job) }
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
