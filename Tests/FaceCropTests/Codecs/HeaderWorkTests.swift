import TestSupport
import Testing

@testable import FaceCrop

/// What is read of a file before it is let in costs no more than its bytes, whatever they are, and can be stopped.
@Suite struct HeaderWorkTests {
  /// Entries that were visited, as the walks themselves count them.
  private static func steps(_ file: [UInt8]) -> Int {
    let job = Job.forTests()
    _ = try? ImageInfo(reading: file.span, isFileMapping: false, job: job)
    return job.cancellation.steps
  }

  @Test(arguments: HostileTable.all) func twiceTheTableIsTwiceTheWork(table: HostileTable) throws {
    let (file, twice) = try (table.file(table.entries), table.file(2 * table.entries))
    let (steps, twiceSteps) = (Self.steps(file), Self.steps(twice))
    #expect(steps > 0)
    // What does not grow with the table: of HEIF, the tiles and the references to one item; and what is counted at once.
    let constant = 100_000
    #expect(twiceSteps <= 2 * steps + 1_000)
    #expect(twiceSteps <= 8 * twice.count + constant, "\(twiceSteps) steps for \(twice.count) bytes")
  }

  /// It is milliseconds for a mebibyte in a build for use (`make bench-headers`), and was minutes; what no walk counts is seen
  /// here. By the thread's own time, so that other tests do not count, and beside a quarter of the table: sixteen times as long is
  /// what a list that is gone through for each entry takes.
  @Test(.endsIfItHangs, arguments: HostileTable.all)
  func theLargestTableCostsLittle(table: HostileTable) throws {
    func time(_ entries: Int) throws -> Double {
      let file = try table.file(entries)
      return (0..<3).map { _ in
        processorTime { _ = try? ImageInfo(reading: file.span, isFileMapping: false, job: .forTests()) }
      }.min()!
    }
    let (quarter, all) = (try time(table.mostEntries / 4), try time(table.mostEntries))
    #expect(all < 5, "seconds, in a build for tests")
    #expect(all < 0.02 || all < 8 * quarter, "\(all) seconds, and \(quarter) for a quarter")
  }

  @Test(arguments: HostileTable.all) func readingCanBeStopped(table: HostileTable) throws {
    let file = try table.file(table.entries)
    let cancellation = Cancellation()
    cancellation.cancel()
    #expect(throws: FaceCropError.cancelled) {
      try ImageInfo(
        reading: file.span, isFileMapping: false, job: Job(limits: Limits(), cancellation: cancellation, progress: nil))
    }
    #expect(cancellation.steps == 1, "the first entry that is visited is the last")
  }
}
