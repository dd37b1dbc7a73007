import TestSupport

/// The bound for reading untrusted bytes, proportional to their number.
enum CostBound {
  /// Seconds of processor time in a build with sanitizers: a constant, and for each byte.
  private static let (seconds, secondsPerByte) = (0.5, 50e-6)

  /// Runs `body`, which reads `byteCount` bytes.
  ///
  /// - Throws: ``Finding`` if it takes longer than the bound.
  static func check(_ byteCount: Int, _ body: () throws(Finding) -> Void) throws(Finding) {
    var outcome = Result<Void, Finding>.success(())
    let taken = processorTime {
      outcome = Result { () throws(Finding) in try body() }
    }
    try outcome.get()
    let allowed = seconds + secondsPerByte * Double(byteCount)
    try Finding.unless(taken <= allowed, "\(taken) seconds for \(byteCount) bytes, allowed are \(allowed)")
  }
}
