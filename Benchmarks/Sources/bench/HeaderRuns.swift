import FaceCrop
import TestSupport

/// The cost of hostile headers: the worst table of each kind.
enum HeaderRuns {
  /// Measures all tables, and returns a table in Markdown.
  static func measure(rounds: Int) async throws -> String {
    var lines = ["| table | KiB | milliseconds of `info` |", "|---|---:|---:|"]
    let cropper = FaceCropper()
    for table in HostileTable.all {
      let file = try table.file(table.mostEntries)
      var times = Samples()
      for _ in 0..<rounds {
        let start = Clock.processor.now
        _ = try? await cropper.info(of: .bytes(file))
        times.append(Clock.processor.now - start)
      }
      let milliseconds = (times.median * 10_000).rounded() / 10
      lines.append("| \(table) | \(file.count >> 10) | \(milliseconds) |")
    }
    return lines.joined(separator: "\n")
  }
}
