import CCost

/// The bounds for reading untrusted bytes, proportional to their number: instructions and memory.
///
/// Where the system counts no instructions, they are estimated from the machine's speed and the thread's processor time,
/// without that for new memory. Libraries have the same speed in every build, and Swift without optimization is up to 20
/// times slower.
enum CostBound {
  /// Instructions: a constant, and for each byte.
  private static let (instructions, instructionsPerByte) = (100e6, 4_000.0)
  /// The part of an estimate that does not count. Inflating a profile of 16 MB of zeros takes 140 million
  /// instructions, and on some machines the time of 190 million.
  private static let estimateError = 100e6
  /// Bytes of memory: a constant, which contains metadata within their limit, and for each byte.
  private static let (memory, memoryPerByte) = (Double(40 << 20), 32.0)
  #if DEBUG
    private static let slowness = 20.0
  #elseif FACECROP_FUZZ
    private static let slowness = 10.0
  #else
    private static let slowness = 1.0
  #endif
  /// How often a longer run is repeated. Other processes can slow one down, but not all.
  private static let trials = 3

  /// Whether memory is counted. Sanitizers have an allocator of their own.
  static var countsMemory: Bool {
    fccost_begin()
    let bytes = [UInt8](repeating: 1, count: 4_096)
    return fccost_end().bytes >= Double(bytes.count)
  }

  /// Runs `body`, which reads `byteCount` bytes.
  ///
  /// - Throws: ``Finding`` if it exceeds a bound.
  static func check(_ byteCount: Int, _ body: () throws(Finding) -> Void) throws(Finding) {
    let allowed = slowness * (instructions + instructionsPerByte * Double(byteCount))
    let allowedMemory = memory + memoryPerByte * Double(byteCount)
    var fewest = Double.infinity
    for _ in 0..<trials where fewest > allowed {
      fccost_begin()
      let outcome = Result { () throws(Finding) in try body() }
      let cost = fccost_end()
      try outcome.get()
      try Finding.unless(
        cost.bytes <= allowedMemory,
        "\(Int(cost.bytes)) bytes of memory for \(byteCount) bytes, allowed are \(Int(allowedMemory))")
      fewest = min(fewest, cost.instructions - (cost.isEstimated ? slowness * estimateError : 0))
    }
    try Finding.unless(
      fewest <= allowed, "\(fewest) instructions for \(byteCount) bytes, allowed are \(allowed)")
  }
}
