import FoundationEssentials

/// All figures of one run: Markdown for people, and JSON with every sample for programs.
struct Report: Encodable {
  let environment: Environment
  let memory: [CommandRuns.Memory]
  let outputs: [CommandRuns.Outputs]
  let startUp: CommandRuns.StartUp
  let time: [DecodeRuns.Times]
  let index: [IndexRuns.Times]

  /// Writes README.md and raw.json into a folder named by the date, and overwrites those of an earlier run that day.
  func write(into runs: String) throws {
    let folder = URL(filePath: runs).appending(path: environment.date)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: folder.appending(path: "raw.json"))
    try Data("# Figures of \(environment.date)\n\n\(markdown)".utf8).write(to: folder.appending(path: "README.md"))
  }

  var markdown: String {
    let promised = DecodeRuns.scenarios.count
    return """
      Made by `make bench` on \(environment.processors) × \(environment.processor), \(environment.swift),
      libjpeg-turbo \(environment.libjpegTurbo), OpenCV \(environment.openCV).
      Figures are medians, and bold if a limit is missed. Every sample is in raw.json. The images are
      generated: 4:2:0, with one face in the middle, a fifth of the height. The region is a quarter of
      the width by a third of the height.

      ## Processor time

      Milliseconds of all threads, in one process, in turn. Ratios are to a full decode by libjpeg-turbo
      to RGB, into reused memory. A decode into new memory also pays for the system's work on pages, as in
      a program that decodes once. `plan`, `render` and `crop` are without detection; `with detection` is
      `plan` + `render` with it.

      \(timeTable(time.prefix(promised)))
      Cases in which facecrop gains little or nothing:

      \(timeTable(time.dropFirst(promised)))
      ## Index

      Processor time in milliseconds on one thread, in turn, beside the limit. `scan` makes the overview
      (luma at 1/8) and the index. A region is 1024 × 1024 pixels, cut out with its margin and decoded to
      RGB. The first one starts at a quarter of both sides. The second one, in the same session, is in the
      middle. Both sides write into the same kind of memory.

      \(indexTable)
      ## Memory of the command

      `facecrop crop FILE -o OUT --padding 0.333 --progress none`: the peak resident memory, with the
      mapped file.

      \(memoryTable)
      ## Ten outputs

      `facecrop avatar` of the 12-megapixel image at \(CommandRuns.sizes[0]) pixels, and at ten sizes down
      to \(CommandRuns.sizes.last!). Figures are processor time of the whole process in milliseconds.
      Resampling and, mostly, encoding grow: the ten outputs have \(fixed(tenOutputsPixels, 1)) times the
      pixels of the one.

      \(outputsTable)
      ## Start-up

      `facecrop --help` takes \(milliseconds(startUp.wallTime.median)) ms, and the limit is
      \(milliseconds(Limit.startUp)) ms. It loads \(startUp.libraries.count) libraries:
      \(startUp.libraries.map { "`\($0)`" }.joined(separator: ",\n"))

      """
  }

  private var tenOutputsPixels: Double {
    Double(CommandRuns.sizes.reduce(0) { $0 + $1 * $1 }) / Double(CommandRuns.sizes[0] * CommandRuns.sizes[0])
  }

  private var outputsTable: String {
    table(
      ["format", "one", "ten", "ratio", "limit"],
      outputs.map { outputs in
        let ratio = outputs.ten.median / outputs.one.median
        return [
          outputs.format, milliseconds(outputs.one.median), milliseconds(outputs.ten.median),
          marked(fixed(ratio, 2), ratio > Limit.tenOutputs), "\(Limit.tenOutputs)",
        ]
      })
  }

  private func timeTable(_ times: ArraySlice<DecodeRuns.Times>) -> String {
    table(
      [
        "image", "full decode", "into new memory", "plan", "render", "plan + render", "ratio", "limit", "ratio, new",
        "crop", "ratio", "with detection",
      ],
      times.map { times in
        let full = times.fullDecode.median
        let new = times.fullDecodeIntoNewMemory.median
        let both = (times.plan + times.render).median
        return [
          times.scenario, milliseconds(full), milliseconds(new), milliseconds(times.plan.median),
          milliseconds(times.render.median), milliseconds(both),
          marked(fixed(both / full, 2), both / full > times.limit ?? .infinity),
          times.limit.map { "≤ \(fixed($0, 1))" } ?? "", fixed(both / new, 2),
          milliseconds(times.crop.median), fixed(times.crop.median / full, 2),
          milliseconds((times.planWithDetection + times.render).median),
        ]
      })
  }

  private var indexTable: String {
    table(
      ["image", "measured", "ms", "against", "ms", "ratio", "limit"],
      index.flatMap { times in
        func row(_ name: String, _ cost: Samples, _ other: String, _ yardstick: Samples, _ asked: Double?) -> [String] {
          let ratio = cost.median / yardstick.median
          return [
            times.picture, name, milliseconds(cost.median), other, milliseconds(yardstick.median),
            marked(fixed(ratio, 3), ratio > asked ?? .infinity), asked.map { "≤ \(fixed($0, 2))" } ?? "",
          ]
        }
        let sessions = [("full decode", times.usedMemory), ("full decode, new memory", times.newMemory)]
        return [row("scan", times.usedMemory.scan, "1/8 gray", times.eighthDecode, Limit.scan)]
          + sessions.map { row("scan + region", $1.scan + $1.firstRegion, $0, $1.fullDecode, times.limit) }
          + sessions.map { row("second region", $1.secondRegion, $0, $1.fullDecode, Limit.secondRegion) }
      })
  }

  private var memoryTable: String {
    table(
      ["image", "file, MB", "peak, MiB", "limit, MiB", "coefficients in it, MiB", "wall, ms", "processor, ms"],
      memory.map { run in
        [
          run.picture, fixed(Double(run.fileBytes) / 1e6, 1),
          marked(mebibytes(run.peakMemory.median), run.peakMemory.median > Double(run.limit ?? .max)),
          run.limit.map { "≤ \($0 >> 20)" } ?? "", run.coefficientBytes.map { mebibytes(Double($0)) } ?? "",
          milliseconds(run.wallTime.median), milliseconds(run.processorTime.median),
        ]
      })
  }

  /// Formats a table with its first column aligned to the left, and the numbers to the right.
  private func table(_ heads: [String], _ rows: [[String]]) -> String {
    let rule = ["---"] + heads.dropFirst().map { _ in "---:" }
    return ([heads, rule] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
  }

  /// Formats a figure in bold if it misses its limit.
  private func marked(_ figure: String, _ isMissed: Bool) -> String { isMissed ? "**\(figure)**" : figure }

  private func milliseconds(_ seconds: Double) -> String { fixed(seconds * 1e3, seconds < 0.0995 ? 1 : 0) }
  private func mebibytes(_ bytes: Double) -> String { fixed(bytes / 1_048_576, 1) }

  /// Formats the value with `digits` decimals.
  private func fixed(_ value: Double, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((value * Double(scale)).rounded())
    guard digits > 0 else { return "\(scaled)" }
    let fraction = "\(scaled % scale)"
    return "\(scaled / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}
