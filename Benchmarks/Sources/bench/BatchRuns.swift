import FoundationEssentials

/// Runs of `facecrop batch` on a folder of large images: the gain of a second job, and the peak memory.
struct BatchRuns {
  let program: String

  static let pictures = 200
  /// The number of different images; the others are copies.
  private static let originals = 20
  private static let folder = ".build/bench-pictures/batch"
  private static let output = ".build/bench-pictures/batch-out"

  private struct Run {
    var jobs: Int
    var pictures: Int
    /// Bytes; nil for the command's default.
    var memory: Int?
    /// Seconds.
    var wallTime = Samples()
    /// Bytes.
    var peakMemory = Samples()
  }

  /// Makes the images that are still missing.
  static func generateMissing() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for number in 0..<pictures {
      let path = path(number)
      if FileManager.default.fileExists(atPath: path) { continue }
      if number < originals {
        try Picture.variation(number).write(to: URL(filePath: path), options: .atomic)
      } else {
        try FileManager.default.linkItem(atPath: Self.path(number % originals), toPath: path)
      }
    }
  }

  static func path(_ number: Int) -> String { "\(folder)/\(1_000 + number).jpg" }

  /// Measures the runs alternately in each round.
  func measure(rounds: Int) throws -> String {
    defer { try? FileManager.default.removeItem(atPath: Self.output) }
    var runs = [
      Run(jobs: 1, pictures: Self.pictures), Run(jobs: 2, pictures: Self.pictures),
      Run(jobs: 2, pictures: Self.pictures / 4), Run(jobs: 2, pictures: Self.pictures, memory: 256 << 20),
    ]
    for _ in 0..<rounds {
      for index in runs.indices {
        try? FileManager.default.removeItem(atPath: Self.output)
        var arguments = [
          program, "batch", "-d", Self.output, "--preset", "avatar", "--size", "512", "--progress", "none", "--jobs",
          "\(runs[index].jobs)",
        ]
        if let memory = runs[index].memory { arguments += ["--memory", "\(memory)"] }
        let run = try Subprocess.run(arguments + (0..<runs[index].pictures).map(Self.path))
        runs[index].wallTime.append(run.wallTime)
        runs[index].peakMemory.append(Double(run.peakMemory))
      }
    }
    let lines = runs.map { run in
      "| \(run.jobs) | \(run.pictures) | \(run.memory.map { "\($0 >> 20) MiB" } ?? "default") "
        + "| \(figure(run.wallTime.median)) | \(figure(Double(run.pictures) / run.wallTime.median)) "
        + "| \(Int(run.peakMemory.values.max() ?? 0) >> 20) |"
    }
    let gain = runs[0].wallTime.median / runs[1].wallTime.median
    return """
      | jobs | images of 12 MP | --memory | seconds | images per second | peak memory, MiB |
      |---:|---:|---:|---:|---:|---:|
      \(lines.joined(separator: "\n"))

      Two jobs do \(figure(gain)) times the work of one (limit: at least 1.8).
      """
  }

  private func figure(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
