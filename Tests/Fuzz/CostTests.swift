import TestSupport
import Testing

/// Reading costs no more than a multiple of the bytes, for files far larger than those of the fuzzers.
@Suite struct CostTests {
  /// The largest file in bytes.
  private static let most = 512 << 10

  @Test(arguments: HostileTable.all) func headersCostNoMoreThanTheirBytes(table: HostileTable) throws {
    var entries = table.mostEntries
    var file = try table.file(entries)
    while file.count > Self.most {
      entries /= 2
      file = try table.file(entries)
    }
    let input = FuzzInput.seed(file)
    #expect(throws: Never.self, "\(file.count) bytes") { try FuzzTarget.header.run(input) }
  }

  /// The bounds are not so wide that nothing exceeds them.
  @Test func whatCostsTooMuchIsFound() {
    // 100 bytes may take 2 billion instructions in a build without optimization, and an estimate may be 2 billion off.
    // That is 1.3 seconds of a processor with 2.4 GHz, and more of one that others use.
    #expect(throws: Finding.self) {
      try CostBound.check(100) { () throws(Finding) in
        var (spent, sum) = (0.0, 1)
        while spent < 4 { spent += processorTime { for term in 0..<100_000 { sum = sum &* 31 &+ term } } }
        try Finding.unless(spent > 0 && sum != 0, "the sum is \(sum)")
      }
    }
    guard CostBound.countsMemory else { return }
    #expect(throws: Finding.self) {
      try CostBound.check(100) { () throws(Finding) in
        let copies = (1...50).map { [UInt8](repeating: $0, count: 1 << 20) }
        try Finding.unless(copies.count == 50, "copies are missing")
      }
    }
  }
}
