import TestSupport

/// What reading a stranger's bytes may cost: no more than in proportion to them.
enum CostBound {
  /// Seconds of a processor, for a build with sanitizers: those for any input, and for each byte.
  private static let (seconds, secondsPerByte) = (0.5, 50e-6)

  /// Runs `body`, which reads so many bytes.
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
