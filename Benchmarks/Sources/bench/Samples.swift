import Glibc

/// Measured values, in the order of measuring.
struct Samples: Encodable {
  private(set) var values: [Double]

  init(_ values: [Double] = []) {
    self.values = values
  }

  mutating func append(_ value: Double) {
    values.append(value)
  }

  /// Appends the processor time of `body`.
  mutating func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = Clock.processor.now
    let result = try body()
    append(Clock.processor.now - start)
    return result
  }

  mutating func dropFirst() {
    values.removeFirst()
  }

  /// The median; for an even number of values, the upper of the two middle ones.
  var median: Double { values.sorted()[values.count / 2] }

  /// Adds values run by run.
  static func + (first: Samples, second: Samples) -> Samples {
    Samples(zip(first.values, second.values).map(+))
  }

  func encode(to encoder: any Encoder) throws {
    // Rounds seconds to the microsecond.
    try values.map { ($0 * 1e6).rounded() / 1e6 }.encode(to: encoder)
  }
}

/// Seconds since a fixed time.
enum Clock {
  case wall
  /// Processor time of all threads of this process.
  case processor

  var now: Double {
    var time = timespec()
    unsafe clock_gettime(self == .wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
