internal import Dispatch
internal import Glibc
internal import Synchronization

/// Threads that jobs run on, outside Swift's cooperative pool, which they would block. At most `limit` jobs run at once; the others wait
/// in order. A job that is given up no longer counts, so that one that hangs does not hold up the others.
///
/// Each thread comes from a serial queue of its own: Dispatch's global queues have no more threads than there are processors, also where
/// one of them never returns.
final class JobThreads: Sendable {
  /// As many as this process has processors.
  static let shared = JobThreads(limit: max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1))
  /// A thread for each job, for callers that bound their number themselves, or whose jobs wait for a reader.
  static let unlimited = JobThreads(limit: .max)

  typealias Work = @Sendable (Place) -> Void

  private struct State {
    var running = 0
    var waiting: [Work] = []
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) {
    self.limit = limit
  }

  /// What a job holds while it runs.
  final class Place: Sendable {
    private let threads: JobThreads
    private let isHeld = Mutex(true)

    fileprivate init(_ threads: JobThreads) {
      self.threads = threads
    }

    /// Lets another job run instead of this one, which does not end.
    func giveUp() {
      if let next = leave() { threads.start(next) }
    }

    /// Returns the job that the thread takes next; nil ends it.
    fileprivate func leave() -> Work? {
      let wasHeld = isHeld.withLock { isHeld in
        defer { isHeld = false }
        return isHeld
      }
      return wasHeld ? threads.next() : nil
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

/// Who is told of a job that is given up. Both are called once or never, in any order, from threads that hold no locks.
struct Abandonment: Sendable {
  /// The job did not end in time; whoever waits for it goes on.
  var begins: @Sendable () -> Void
  /// It has ended after all, and holds nothing any more.
  var ends: @Sendable () -> Void
}

/// Jobs of this process that were given up and still run.
package enum AbandonedJobs {
  private static let running = Atomic(0)

  /// Whether the process must not unload what they use: it has to end by `_exit`.
  package static var exist: Bool { running.load(ordering: .relaxed) > 0 }

  static func add(_ count: Int) { running.add(count, ordering: .relaxed) }
}
