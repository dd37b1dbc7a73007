import Glibc
import SystemPackage

enum StandardThreads {
  /// The threads that a run needs beside the first one: for signals, time limits, the work, and to start others.
  private static let needed = 4

  /// Ends the process with a message if it cannot have enough threads at a time. Otherwise Dispatch would try to start
  /// them again and again, and the time limits need one.
  static func reserve() {
    let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    unsafe pthread_mutex_init(gate, nil)
    unsafe pthread_mutex_lock(gate)
    var threads: [pthread_t] = []
    var failure: CInt = 0
    while threads.count < needed, failure == 0 {
      var thread = pthread_t()
      failure = unsafe pthread_create(
        &thread, nil,
        { gate in
          guard let gate = unsafe gate?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
          unsafe pthread_mutex_lock(gate)
          unsafe pthread_mutex_unlock(gate)
          return nil
        }, gate)
      if failure == 0 { threads.append(thread) }
    }
    unsafe pthread_mutex_unlock(gate)
    for thread in threads { pthread_join(thread, nil) }
    unsafe pthread_mutex_destroy(gate)
    unsafe gate.deallocate()
    guard failure != 0 else { return }
    Console.say(
      "facecrop: only \(threads.count) more threads can run, and \(needed) are needed: \(Errno(rawValue: failure)) (raise the limit with ulimit -u or ulimit -v, or that of the container)"
    )
    _exit(EXIT_FAILURE)
  }
}
