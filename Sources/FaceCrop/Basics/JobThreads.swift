internal import Dispatch
internal import Glibc
internal import Synchronization

/// The threads of jobs, outside Swift's cooperative pool, which jobs would block. At most `limit` jobs run at once, and
/// the others wait in order. Abandoned jobs do not count, so that a hanging job does not delay the others.
///
/// Each thread comes from a serial queue of its own. Dispatch's global queues have one thread per processor, even if
/// one never returns.
final class JobThreads: Sendable {
  /// A shared pool with one thread for each processor.
  static let shared = JobThreads(limit: max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1))
  /// A thread for each job, for callers that bound the number themselves, and for jobs that wait for a reader.
  static let unlimited = JobThreads(limit: .max)

  typealias Work = @Sendable (Place) -> Void

  private struct State {
    var running = 0
    var waiting: [Work] = []
  }

  let limit: Int
  private let state = Mutex(State())

  init(limit: Int) {
    self.limit = limit
  }

  /// The slot that a job occupies while it runs.
  final class Place: Sendable {
    private let threads: JobThreads
    private let isHeld = Atomic(true)

    fileprivate init(_ threads: JobThreads) {
      self.threads = threads
    }

    /// Frees the slot of a hanging job for another one.
    func giveUp() {
      if let next = leave() { threads.start(next) }
    }

    /// Frees the slot, and returns the next job for this thread; nil ends the thread.
    fileprivate func leave() -> Work? {
      isHeld.exchange(false, ordering: .acquiringAndReleasing) ? threads.next() : nil
    }
  }

  /// Runs `work` as soon as fewer than `limit` jobs run.
  func run(_ work: @escaping Work) {
    let isFree = state.withLock { state in
      guard state.running < limit else {
        state.waiting.append(work)
        return false
      }
      state.running += 1
      return true
    }
    if isFree { start(work) }
  }

  private func next() -> Work? {
    state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.running -= 1
      return nil
    }
  }

  private func start(_ first: @escaping Work) {
    DispatchQueue(label: "facecrop.job").async { [self] in
      var next: Work? = first
      while let work = next {
        let place = Place(self)
        work(place)
        next = place.leave()
      }
    }
  }
}

/// Callbacks of a job to the queue that admitted it, from threads without locks.
struct Admission: Sendable {
  /// The callback after each turn of processor time; see ``Job/turn``. Nil if the queue does not need it.
  var turnEnded: (@Sendable (Cancellation) -> Void)?
  /// The callback for a job that missed its deadline, whose caller continues. It is called at most once.
  var abandoned: @Sendable () -> Void
  /// The callback for the end of an abandoned job, which released its resources. It is called at most once, maybe
  /// before ``abandoned``.
  var abandonedEnded: @Sendable () -> Void
}

/// The abandoned jobs of this process that still run.
package enum AbandonedJobs {
  private static let running = Atomic(0)

  /// Whether any run. If so, the process must end with `_exit`, because they still use its libraries.
  package static var exist: Bool { running.load(ordering: .relaxed) > 0 }

  static func add(_ count: Int) { running.add(count, ordering: .relaxed) }
}
