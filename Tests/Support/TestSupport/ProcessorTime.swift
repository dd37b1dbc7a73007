import Foundation

/// What the calling thread took of a processor for `work`, in seconds: the other tests, which run beside it, do not count.
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
