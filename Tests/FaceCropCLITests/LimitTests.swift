import ArgumentParser
import FaceCrop
import TestSupport
import Testing

@testable import FaceCropCLI

/// Messages about limits, their remedies, and runs with other limits.
@Suite struct LimitTests {
  private static let kinds: [Limits.Kind] = [
    .pixels, .side, .fileBytes, .coefficientBytes, .regionBytes, .imageBytes, .heifBytes, .encodingBytes, .time,
  ]

  /// The remedy is an option with a value, and this value admits the image.
  @Test(arguments: kinds, [1.001, 1.6, 9]) func remediesSuffice(kind: Limits.Kind, excess: Double) throws {
    let allowed = Limits().allowed(kind)
    let actual = Int(Double(allowed) * excess)
    let message = FaceCropError.overLimit(kind, actual: actual, allowed: allowed).sentence
    let option = try #require(message.firstMatch(of: #/raise it with (--[a-z-]+) (\w+)\)/#), "\(message)")
    let limits = try LimitOptions.parse([String(option.1), String(option.2)]).limits
    #expect(limits.allowed(kind) >= actual, "\(message)")
  }

  /// Limits without an option have another remedy, and a clamped sum is no value.
  @Test func otherLimitsHaveARemedy() {
    for kind in [Limits.Kind.pixelsPerByte, .scans, .frames, .metadataBytes, .resultBytes] {
      #expect(FaceCropError.overLimit(kind, actual: 9, allowed: 8).sentence.hasSuffix(")"))
    }
    #expect(!FaceCropError.overLimit(.heifBytes, actual: .max, allowed: 8).sentence.contains("--max-pixels"))
  }

  @Test(arguments: [("1.5GiB", 3 << 29), ("2.5k", 2_500), ("40M", 40_000_000), ("7", 7), ("3MB", 3_000_000)])
  func bytesMayHaveAUnit(text: String, value: Int) {
    #expect(Quantity.bytes.positive(in: text) == value)
  }

  @Test(arguments: [("0.1MP", 100_000), (".5MP", 500_000), ("40M", 40_000_000), ("7", 7)])
  func pixelsMayHaveAUnit(text: String, value: Int) {
    #expect(Quantity.pixels.positive(in: text) == value)
  }

  @Test(arguments: [
    "0", "0.5", "0.0M", "-0.5M", "1e3M", "infM", "0x1p9k", "1.2.3M", "M", "", "99999999999999999999.5G",
  ])
  func otherTextIsNoQuantity(text: String) {
    #expect(Quantity.bytes.positive(in: text) == nil)
    #expect(Quantity.pixels.positive(in: text) == nil)
    #expect(Quantity.others.positive(in: text) == nil)
  }

  /// Bytes are no pixels.
  @Test func unitsBelongToQuantities() {
    #expect(Quantity.bytes.positive(in: "1MP") == nil)
    #expect(Quantity.pixels.positive(in: "1MiB") == nil)
    #expect(Quantity.others.positive(in: "1MP") == nil && Quantity.others.positive(in: "1KiB") == nil)
  }

  /// An image over a limit is tried again as soon as the limit is higher, also without `--retry`.
  @Test(arguments: [("--max-pixels 0.01MP", "--max-pixels 100MP"), ("--max-file-size 1kB", ""), ("--max-side 99", "")])
  func aRaisedLimitIsARetry(low: String, high: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      func run(_ options: String) throws -> String {
        try Facecrop.prepare("$FACECROP batch a.jpg -d out --progress none \(options) || true", in: folder)
        return try folder.manifest().status("a.jpg")
      }
      #expect(try run(low) == "failed" && folder.manifest().reason("a.jpg").kind == "limit")
      let lines = try folder.manifest().lines.count
      #expect(try run(low) == "failed" && folder.manifest().lines.count == lines)
      #expect(try run(high) == "cropped")
    }
  }

  /// A later run has the time again.
  @Test func anImageOutOfTimeIsARetry() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.large.get(), to: "a.jpg")
      func run(_ options: String) throws -> String {
        try Facecrop.prepare("$FACECROP batch a.jpg -d out --size 32 --progress none \(options) || true", in: folder)
        return try folder.manifest().status("a.jpg")
      }
      #expect(try run("--timeout 0.001") == "failed" && folder.manifest().reason("a.jpg").kind == "limit")
      let lines = try folder.manifest().lines.count
      // No higher limit is needed.
      #expect(try run("--timeout 0.001") == "failed" && folder.manifest().lines.count == lines + 1)
      #expect(try run("") == "cropped")
    }
  }

  /// Standard input has one name in text, and its sign in JSON.
  @Test func standardInputHasOneName() throws {
    let text = try Facecrop.bash("echo text | facecrop crop - -o /dev/null; echo text | facecrop check -")
    #expect(text.errorLines.count == 2)
    for line in text.errorLines { #expect(line.hasPrefix("facecrop: standard input: "), "\(line)") }
    let json = try Facecrop.bash("echo text | facecrop detect -")
    #expect(try jsonObject(json.lines[0])["file"] as? String == "-")
  }

  /// A folder in the place of a file, and a missing folder, have remedies.
  @Test func foldersHaveRemedies() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try Facecrop.prepare("mkdir in", in: folder)
      for command in ["avatar in", "detect in", "info in", "check in", "sheet in -o s.jpg", "avatar a.jpg -o no/x.jpg"]
      {
        let outcome = try Facecrop.bash("facecrop \(command)", currentDirectory: folder.path)
        let said = outcome.errorLines + outcome.lines
        #expect(outcome.status == 1 && said.contains { $0.contains("(") && $0.contains(")") }, "\(command): \(said)")
      }
    }
  }

  @Test(arguments: [(0, "0 outputs are"), (1, "1 output is"), (2, "2 outputs are")])
  func countsAgreeWithTheirNouns(count: Int, text: String) {
    #expect(DisplayText.count(count, "output", "is", "are") == text)
  }
}
