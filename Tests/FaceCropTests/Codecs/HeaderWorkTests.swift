import TestSupport
import Testing

@testable import FaceCrop

/// Header parsing takes time linear in the file size, whatever the bytes, and can be stopped.
@Suite struct HeaderWorkTests {
  /// Returns the number of visited entries, as counted by the walks.
  private static func steps(_ file: [UInt8]) -> Int {
    let job = Job.forTests()
    _ = try? ImageInfo(reading: file.span, isFileMapping: false, job: job)
    return job.cancellation.steps
  }

  @Test(arguments: HostileTable.all) func twiceTheTableIsTwiceTheWork(table: HostileTable) throws {
    let (file, twice) = try (table.file(table.entries), table.file(2 * table.entries))
    let (steps, twiceSteps) = (Self.steps(file), Self.steps(twice))
    #expect(steps > 0)
    // Work that does not grow with the table: HEIF's tiles and references to one item, and bulk counts.
    let constant = 100_000
    #expect(twiceSteps <= 2 * steps + 1_000)
    #expect(twiceSteps <= 8 * twice.count + constant, "\(twiceSteps) steps for \(twice.count) bytes")
  }

  /// A mebibyte takes milliseconds in a release build (`make bench-headers`), and once took minutes. This test also
  /// sees work that no walk counts. It measures the thread's own time against a quarter of the table: a quadratic
  /// algorithm takes sixteen times as long.
  @Test(.endsIfItHangs, arguments: HostileTable.all)
  func theLargestTableCostsLittle(table: HostileTable) throws {
    func time(_ entries: Int) throws -> Double {
      let file = try table.file(entries)
      return (0..<3).map { _ in
        processorTime { _ = try? ImageInfo(reading: file.span, isFileMapping: false, job: .forTests()) }
      }.min()!
    }
    let (quarter, all) = (try time(table.mostEntries / 4), try time(table.mostEntries))
    #expect(all < 20, "seconds, in a build for tests, on a machine with other work")
    #expect(all < 0.02 || all < 10 * quarter, "\(all) seconds, and \(quarter) for a quarter")
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
