import Foundation

/// Returns the processor time of the calling thread for `work`, in seconds; concurrent tests do not count.
public func processorTime(of work: () throws -> Void) rethrows -> Double {
  let before = spent()
  try work()
  return spent() - before
}

private func spent() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
