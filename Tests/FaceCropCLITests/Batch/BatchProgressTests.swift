import Foundation
import TestSupport
import Testing

@testable import FaceCropCLI

/// Progress on standard error, for people and for programs.
@Suite struct BatchProgressTests {
  private func totals(_ inputs: Int, cropped: Int = 0, failed: Int = 0) -> BatchTotals {
    var totals = BatchTotals(inputs: 0)
    totals.begin(inputs: inputs)
    for _ in 0..<cropped { totals.note(Outcome(.cropped), wasDoneBefore: false) }
    for _ in 0..<failed { totals.note(Outcome(.failed("corrupt", "")), wasDoneBefore: false) }
    return totals
  }

  @Test func barFitsIntoTheTerminal() {
    let totals = totals(12_345, cropped: 6_000, failed: 170)
    for columns in 1...200 {
      for isStopping in [false, true] {
        #expect(BatchProgress.bar(totals, isStopping: isStopping, columns: columns).count < max(columns, 2))
      }
    }
    let wide = BatchProgress.bar(totals, isStopping: false, columns: 200)
    for part in ["49 %", "6170/12345", "left", "6000 cropped", "170 failed", "[##############................]"] {
      #expect(wide.contains(part), "\(part)")
    }
    #expect(BatchProgress.bar(totals, isStopping: true, columns: 200).contains("interrupt again"))
  }

  @Test func clockHasHours() {
    let times = [0.4, 59.6, 123, 3_599, 3_600, 3_723, 359_999, 1e12].map(BatchProgress.clock)
    #expect(times == ["0:00", "1:00", "2:03", "59:59", "1:00:00", "1:02:03", "99:59:59", "99:59:59"])
  }

  @Test func tableSumsUp() {
    let table = BatchProgress.table(totals(10, cropped: 5, failed: 2), manifest: "out/manifest.ndjson")
    let lines = table.split(separator: "\n").map(String.init)
    #expect(lines.count == 7)
    #expect(lines[0] == "cropped    5   50.0 %")
    #expect(lines[2] == "failed     2   20.0 %  corrupt 2")
    #expect(lines[4] == "not begun  3")
    #expect(lines[5].hasPrefix("inputs    10, in 0:0"))
    #expect(lines[6] == "manifest  out/manifest.ndjson")
  }

  @Test func programsGetALineASecond() throws {
    try TemporaryFolder.with { folder in
      let large = try folder.write(try Samples.large.get(), to: "large.jpg")
      try Facecrop.prepare("mkdir in; for i in $(seq 60); do ln '\(large)' in/$i.jpg; done", in: folder)
      let outcome = try Facecrop.run(
        ["batch", "-r", "in", "-d", "out", "--detector", "haar", "--jobs", "1", "--size", "64", "--progress", "json"],
        currentDirectory: folder.path)
      #expect(outcome.status == 0)
      let events = try outcome.errorLines.map { try jsonObject($0) }
      #expect(events.last?["event"] as? String == "summary" && events.last?["completed"] as? Int == 60)
      #expect(events.count > 1 && events.dropLast().allSatisfy { $0["event"] as? String == "progress" })
      for event in events {
        #expect(
          keys(event).subtracting(["remainingSeconds"]) == [
            "event", "completed", "total", "cropped", "noFace", "failed", "skipped", "doneBefore", "outputs", "smaller",
            "outputsWithoutFace", "kept", "rate", "seconds",
          ])
      }
      let seconds = events.dropLast().compactMap { $0["seconds"] as? Double }
      for (before, after) in zip([0] + seconds, seconds) { #expect((0.5...2).contains(after - before)) }
    }
  }

  private static let canMakeTerminals = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

  /// script(1) provides a terminal, and writes what a user would see.
  @Test(.enabled(if: canMakeTerminals), arguments: [("--size 64", true), ("--size 64 --progress none", false)])
  func barIsForTerminals(options: String, isShown: Bool) throws {
    try TemporaryFolder.with { folder in
      let large = try folder.write(try Samples.large.get(), to: "large.jpg")
      try Facecrop.prepare("mkdir in; for i in $(seq 24); do ln '\(large)' in/$i.jpg; done", in: folder)
      let outcome = try Facecrop.bash(
        "script -qec 'stty cols 100; \"$FACECROP\" batch -r in -d out --detector haar --jobs 1 \(options)' /dev/null",
        currentDirectory: folder.path)
      #expect(outcome.status == 0)
      #expect(outcome.text.contains(/\r\u{1B}\[K\[#*\.*\] +[0-9]+ % [0-9]+\/24/) == isShown)
      #expect(outcome.text.contains("cropped   24  100.0 %") == isShown)
    }
  }
}
