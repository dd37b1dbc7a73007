import Foundation
import TestSupport
import Testing

/// The files of `../shared/formats`, which are outside of the repository: each behaves as its manifest expects.
@Suite struct ManifestTests {
  private struct Entry: Decodable {
    struct Reference: Decodable {
      var djpeg215: String?
    }
    var file: String
    var expected: String
    var reference: Reference?
    /// Boxes of x, y, width and height.
    var faces: [[Int]]?

    private enum CodingKeys: String, CodingKey {
      case file, expected, reference
      case faces = "faces_upright"
    }

    /// Whether libjpeg's own program reports a fault, so that an image of the file needs a message.
    var djpegComplains: Bool { reference?.djpeg215.map { $0 != "ok" } ?? false }
  }

  /// Tests/FaceCropCLITests/ManifestTests.swift, three levels below the package.
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("../shared/formats").standardizedFileURL.path
  private static let hasManifest = FileManager.default.fileExists(atPath: folder + "/manifest.json")

  private static func entries() throws -> [Entry] {
    try JSONDecoder().decode([Entry].self, from: Data(contentsOf: URL(fileURLWithPath: folder + "/manifest.json")))
  }

  @Test(.enabled(if: hasManifest))
  func everyFileBehavesAsExpected() throws {
    let entries = try Self.entries()
    #expect(entries.count >= 200)
    var faults: [String] = []
    var read = 0
    for entry in entries {
      let start = try FileHandle(forReadingFrom: URL(fileURLWithPath: Self.path(entry))).read(upToCount: 12) ?? Data()
      let isHEIF = start.dropFirst(4).prefix(4).elementsEqual("ftyp".utf8)
      let isRead =
        start.starts(with: [0xFF, 0xD8, 0xFF]) || start.starts(with: [0x89] + Array("PNG".utf8))
        || start.starts(with: Array("RIFF".utf8)) && start.suffix(4).elementsEqual("WEBP".utf8)
        || start.starts(with: Array("GIF8".utf8)) || isHEIF
      if isRead { read += 1 }
      for fault in try isRead ? faultsOfRead(entry) : faultsOfOther(entry) { faults.append("\(entry.file): \(fault)") }
    }
    #expect(read >= 170)
    #expect(faults.isEmpty, "\(faults.count) faults:\n\(faults.joined(separator: "\n"))")
  }

  /// No command takes more than 256 MiB for any file, unless `info` says that it may. No status is other than 0 or 1.
  @Test(.enabled(if: hasManifest && Facecrop.canMeasureMemory), arguments: ["crop", "avatar", "detect", "info"])
  func everyFileStaysWithinMemory(command: String) throws {
    let writes = command == "crop" || command == "avatar"
    var faults: [String] = []
    for entry in try Self.entries() {
      let output = writes ? ["-o", "/dev/null", "--format", "jpeg"] : []
      let run = try Facecrop.peakMemory([command, Self.path(entry)] + output)
      if !(0...1).contains(run.status) { faults.append("\(entry.file): status \(run.status)") }
      guard run.bytes > 256 << 20 else { continue }
      // An image of 100 megapixels without a face is rendered as a whole.
      let info = try Facecrop.run(["info", "--json", Self.path(entry)])
      let said = try info.lines.first.flatMap { try jsonObject($0)["memory"] as? Int } ?? 0
      if run.bytes > said { faults.append("\(entry.file): \(run.bytes >> 20) MiB") }
    }
    #expect(faults.isEmpty, "\(faults.count) faults:\n\(faults.joined(separator: "\n"))")
  }

  private static func path(_ entry: Entry) -> String { "\(folder)/\(entry.file)" }

  // MARK: One file

  private struct Run {
    var outcome: Facecrop.Outcome
    var plan: PlanJSON?
    /// The output as plain libjpeg decodes it.
    var pixels: Pixels?
    var faults: [String] = []

    var isTruncated: Bool { outcome.status == 1 && outcome.stderr.contains(" is truncated: ") }
    var hasWarning: Bool {
      // A missing face concerns the content, not the file.
      outcome.errorLines.contains { $0.contains(": warning: ") && !$0.contains("no face") }
    }
  }

  /// Crops a file, and records violations of rules that hold for every file.
  private func crop(_ entry: Entry, _ arguments: [String] = []) throws -> Run {
    try TemporaryFolder.with { folder in
      let path = Self.path(entry)
      let outcome = try Facecrop.run(
        ["crop", path, "-o", folder / "out.jpg", "--plan-out", folder / "plan.json", "--progress", "none"] + arguments,
        timeout: 20)
      var run = Run(outcome: outcome)
      if outcome.status < 0 { run.faults.append("ended by signal \(-outcome.status)") }
      if !(0...1).contains(outcome.status) { run.faults.append("status \(outcome.status)") }
      let said = outcome.stderr.replacingOccurrences(of: path, with: "")
      for chatter in [
        "OpenCV", "libjpeg", "libpng", "libwebp", "dav1d", "Corrupt JPEG data", "Premature end", "Fatal error", "Crash",
        " at /",
      ]
      where said.contains(chatter) {
        run.faults.append("chatter: \(said)")
      }
      if outcome.status == 0 {
        if !outcome.errorLines.allSatisfy({ $0.hasPrefix("facecrop: \(path): warning: ") }) {
          run.faults.append("says, though it is done: \(outcome.stderr)")
        }
        run.plan = try PlanJSON(folder.text("plan.json"))
        do {
          let decoded = try referenceDecode(folder.bytes("out.jpg"))
          run.pixels = decoded.pixels
          if decoded.warnings > 0 { run.faults.append("the output is damaged") }
        } catch {
          run.faults.append("the output cannot be read: \(error)")
        }
      } else {
        if outcome.errorLines.count != 1 || !outcome.stderr.hasPrefix("facecrop: \(path): ") {
          run.faults.append("not one sentence about the file: \(outcome.stderr)")
        }
        if try !folder.names().isEmpty { run.faults.append("left \(try folder.names())") }
      }
      return run
    }
  }

  /// Returns faults of formats that this version does not read. It reads the manifest's JPEG XL file if the system has
  /// libjxl.
  private func faultsOfOther(_ entry: Entry) throws -> [String] {
    let run = try crop(entry)
    let isAsExpected = run.outcome.status == 1 || entry.file.hasSuffix(".jxl") && run.outcome.status == 0
    return run.faults + (isAsExpected ? [] : ["status \(run.outcome.status), not 1"])
  }

  private func faultsOfRead(_ entry: Entry) throws -> [String] {
    var run = try crop(entry)
    var faults = run.faults
    let expected = entry.expected
    let mustDecode =
      (expected.hasPrefix("decodes") || expected.hasPrefix("HEIC/AVIF decode")) && !expected.contains("clear error")
      && !expected.contains("may be a clear")
    let mustWarn = expected.hasPrefix("decodes with a warning") || expected == "decodes with warning"

    if mustWarn && run.isTruncated {
      // Truncation is an error unless it is allowed.
      run = try crop(entry, ["--allow-truncated"])
      faults += run.faults
    }
    if mustDecode && run.outcome.status != 0 { faults.append("'\(expected)', but: \(run.outcome.stderr)") }
    let mustFail =
      (!expected.contains(" or ") || expected.hasSuffix(" or unsupported error"))
      && !expected.hasSuffix("unless the codec is deliberately supported")
    if expected.hasPrefix("clear") && mustFail && !expected.contains("partial")
      && run.outcome.status != 1
    {
      faults.append("'\(expected)', but it decodes")
    }
    let saysWarning = expected.contains("warning") && entry.djpegComplains
    if (mustWarn || saysWarning) && run.outcome.status == 0 && !run.hasWarning {
      faults.append("'\(expected)', but it decodes without a word")
    }

    if expected.contains("512x400"), run.plan?.source != PlanJSON.Size(width: 512, height: 400) {
      faults.append("'\(expected)', but the plan says \(String(describing: run.plan?.source))")
    }
    if let boxes = entry.faces, !run.isTruncated { faults += try faultsOfFaces(entry, boxes) }
    return faults
  }

  private func faultsOfFaces(_ entry: Entry, _ boxes: [[Int]]) throws -> [String] {
    let outcome = try Facecrop.run("detect", Self.path(entry), timeout: 20)
    guard outcome.status == 0 else { return ["detect fails: \(outcome.text)\(outcome.stderr)"] }
    let line = try DetectJSON(outcome.text)
    let (width, height) = (line.width ?? 0, line.height ?? 0)
    return boxes.filter { box in !(line.faces ?? []).contains { $0.centerLies(in: box, width, height) } }
      .map { "no face found in \($0)" }
  }
}
