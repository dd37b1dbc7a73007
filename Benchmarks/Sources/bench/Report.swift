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
      Made by `make bench` on \(environment.processors) × \(environment.processor), \(environment.swift), \
      libjpeg-turbo \(environment.libjpegTurbo), OpenCV \(environment.openCV). Medians, bold where \
      a limit is missed; every sample is in raw.json. The pictures are generated: 4:2:0, one face in the middle, a \
      fifth of the picture's height; the region is a quarter of the width by a third of the height.

      ## Processor time

      Milliseconds, all threads, in one process, in turn. The full decode is libjpeg-turbo's to RGB, into memory that \
      is used again: the ratios are to it. Into new memory, as in a program that decodes once, the system's work of \
      giving the pages comes on top. `plan`, `render` and `crop` are without detection; `with detection` is `plan` + \
      `render` with it.

      \(timeTable(time.prefix(promised)))
      Where facecrop gains nothing over a full decode, or little:

      \(timeTable(time.dropFirst(promised)))
      ## Index

      Processor time in milliseconds, all on one thread, in turn, beside what is asked. `scan` is the walk that makes \
      the overview (luma at 1/8) and the index, and the index's end; a region is 1024 × 1024 pixels, cut out with its \
      margin and decoded to RGB: the first from a quarter down and right, the second, of the same session, from the \
      middle. Both sides write into the same kind of memory.

      \(indexTable)
      ## Memory of the command

      `facecrop crop FILE -o OUT --padding 0.333 --progress none`, peak of resident memory, mapped file included.

      \(memoryTable)
      ## Ten outputs

      `facecrop avatar` of the 12-megapixel picture at \(CommandRuns.sizes[0]) pixels and at ten sizes down to \
      \(CommandRuns.sizes.last!), processor time of the whole process in milliseconds. What grows is resampling and, most of \
      all, encoding: the ten have \(fixed(tenOutputsPixels, 1)) times the pixels of the one.

      \(outputsTable)
      ## Start-up

      `facecrop --help`: \(milliseconds(startUp.wallTime.median)) ms; at most \(milliseconds(Limit.startUp)) are \
      promised. Libraries that it loads (\(startUp.libraries.count)): \
      \(startUp.libraries.map { "`\($0)`" }.joined(separator: ", ")).

      """
  }

  private var tenOutputsPixels: Double {
    Double(CommandRuns.sizes.reduce(0) { $0 + $1 * $1 }) / Double(CommandRuns.sizes[0] * CommandRuns.sizes[0])
  }

  private var outputsTable: String {
    table(
      ["format", "one", "ten", "ratio", "asked"],
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
        "picture", "full decode", "into new memory", "plan", "render", "plan + render", "ratio", "limit", "ratio, new",
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
      ["picture", "measured", "ms", "against", "ms", "ratio", "asked"],
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
      ["picture", "file, MB", "peak, MiB", "limit, MiB", "of it coefficients, MiB", "wall, ms", "processor, ms"],
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
