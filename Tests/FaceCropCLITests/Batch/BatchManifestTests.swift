import FaceCrop
import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import FaceCropCLI

/// Manifests are read back as written, even with a torn last line.
@Suite struct BatchManifestTests {
  private func entry(_ name: [UInt8], _ status: Outcome.Status = .cropped) -> ManifestEntry {
    ManifestEntry(
      FilePath(bytes: name), location: FilePath(bytes: name),
      FileVersion(bytes: 7, modified: 1_795_257_314_233_016_531), Outcome(status), options: "o", isDryRun: false)
  }

  private func open(_ path: FilePath) throws(FileError) -> (LineFile, [FilePath: ManifestEntry]) {
    let (manifest, contents) = try Manifest.open(path, InputLocator(manifest: path), gate: WriteGate(input: nil))
    return (manifest, contents.entries)
  }

  private func openPlans(_ path: FilePath) throws(FileError) {
    _ = try PlanLog.open(path, InputLocator(manifest: path), isNew: false, gate: WriteGate(input: nil))
  }

  /// The first line of files from earlier versions.
  private static let head = "{\"format\":\"facecrop-manifest\",\"version\":1}\n"
  private static let plans = "{\"format\":\"facecrop-plans\",\"version\":1}\n"

  @Test func entriesComeBack() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = FilePath(folder / "m")
    let names: [[UInt8]] = [Array("a b\n.jpg".utf8), [0xE9, 0x2E, 0x6A], Array("a b\n.jpg".utf8)]
    let (manifest, none) = try open(path)
    #expect(none.isEmpty)
    for name in names { try manifest.append(JSONLines.safeLine(entry(name))) }
    try manifest.append(JSONLines.safeLine(entry(names[1], .failed)))
    // Two runs at once would write into each other's manifest.
    let error = #expect(throws: FileError.self) { _ = try open(path) }
    #expect(error?.message == "another run is using the file (wait for its end)")
    try manifest.synchronize()
    #expect(try folder.text("m").split(separator: "\n").count == 5)
    #expect(try folder.text("m").hasPrefix(Self.head))

    try folder.write(folder.bytes("m"), to: "copy")
    let (_, entries) = try open(FilePath(folder / "copy"))
    #expect(entries.count == 2)
    #expect(entries[FilePath(bytes: names[1])]?.outcome.status == .failed)
    #expect(entries[FilePath(bytes: names[0])]?.file == FileVersion(bytes: 7, modified: 1_795_257_314_233_016_531))
  }

  /// A forked process shares each open file, and with it its lock, until it closes the file or runs another program.
  @Test func aForkedProcessDoesNotKeepTheLock() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = FilePath(folder / "m")
    var shared: FileDescriptor?
    do {
      let (manifest, _) = try open(path)
      let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
      let number = files.first {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path.string
      }
      shared = try FileDescriptor(rawValue: #require(number)).duplicate()
      withExtendedLifetime(manifest) {}
    }
    #expect(throws: Never.self) { _ = try open(path) }
    try shared?.close()
  }

  /// Detected faces are only read if they are requested.
  @Test func aResumedRunReadsLess() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = FilePath(folder / "m")
    let face = Face(box: NormalizedRect(x: 0.1, y: 0.1, width: 0.2, height: 0.2), score: 0.9)
    var outcome = Outcome(.cropped)
    (outcome.faces, outcome.width) = ([face], 7)
    outcome.add(Outcome.Output(file: "a.jpg", bytes: 3))
    do {
      let (manifest, _) = try open(path)
      let entry = ManifestEntry(
        "a.jpg", location: "a.jpg", FileVersion(bytes: 1, modified: 2), outcome, options: "o", isDryRun: false)
      try manifest.append(JSONLines.safeLine(entry))
    }
    let brief = try #require(try open(path).1["a.jpg"])
    #expect(brief.outcome.faces == [] && brief.outcome.width == nil)
    #expect(brief.outcome.outputs?.map(\.file) == ["a.jpg"] && brief.file == FileVersion(bytes: 1, modified: 2))
    var whole: [ManifestEntry] = []
    try Manifest.read(path) { whole.append($0) }
    #expect(whole.map(\.outcome.faces) == [[face]] && whole[0].outcome.width == 7)
  }

  /// Text written to a file without a name would be lost.
  @Test(arguments: [nil, "other"]) func aManifestThatLosesItsNameIsAFault(replacement: String?) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = FilePath(folder / "m")
    let (manifest, _) = try open(path)
    try manifest.append(JSONLines.safeLine(entry(Array("a.jpg".utf8))))
    try manifest.synchronize()
    let status = unsafe unlink(folder / "m")
    #expect(status == 0)
    if let replacement { try folder.write(replacement, to: "m") }
    #expect(throws: FileError.self) { try manifest.synchronize() }
    #expect(throws: FileError.self) { try manifest.append(JSONLines.safeLine(entry(Array("b.jpg".utf8)))) }
    if let replacement { #expect(try folder.text("m") == replacement) }
  }

  /// A kill or a power cut leaves a part of the last line, or zeros for data that did not reach the disk.
  @Test(arguments: ["{\"inp", "\0\0\0\0", "\0\0\n", "\0\0}\n{\"inp", "{\"bytes\":3,\"input\":\"x\",\"options\":\"o\""])
  func removesATornLastLine(rest: String) throws {
    try TemporaryFolder.with { folder in
      let line = JSONLines.safeLine(entry(Array("a.jpg".utf8)))
      try folder.write(Self.head + line + rest, to: "m")
      let (_, entries) = try open(FilePath(folder / "m"))
      #expect(entries.count == 1)
      #expect(try folder.text("m") == Self.head + line)
    }
  }

  /// Even the first line may be torn; an empty file is started.
  @Test func aFirstLineThatIsTornIsMadeWhole() throws {
    try TemporaryFolder.with { folder in
      for count in 0..<Self.head.utf8.count {
        try folder.write(String(Self.head.prefix(count)), to: "m")
        #expect(try open(FilePath(folder / "m")).1.isEmpty)
        #expect(try folder.text("m") == Self.head)
      }
    }
  }

  /// Complete lines stay, wherever they are; unreadable ones are ignored.
  @Test func wholeLinesStay() throws {
    try TemporaryFolder.with { folder in
      let line = JSONLines.safeLine(entry(Array("a.jpg".utf8)))
      let other = JSONLines.safeLine(entry(Array("b.jpg".utf8)))
      // Two joined manifests, a line of a later version, and a manual edit.
      let text = Self.head + line + "no JSON\n" + Self.head + other + "{\"input\":\"x\"}\n# a remark\n\n"
      try folder.write(text, to: "m")
      let (_, entries) = try open(FilePath(folder / "m"))
      #expect(entries.count == 2)
      #expect(try folder.text("m") == text)
    }
  }

  @Test(arguments: [
    "a letter\nto someone", "{\"a\":1}\n{\"b\":2}\n", "\u{89}PNG", "{\"a\":1}", "{\"a\":1}\n",
    "{\"format\":\"x\",\"version\":1}\n",
    "{\"format\":\"facecrop-manifest\"}\n", "\0\0\0\0", "\n", " ", String(repeating: "x", count: 70_000), plans,
    "{\"format\":\"facecrop-manifest\",\"version\":2}\n", "[1,2,3]",
    "{\"format\":\"facecrop-manifest\",\"version\":1} ",
    "{\"input\":\"a\",\"options\":\"o\",\"status\":\"cropped\"}\n",
  ])
  func refusesForeignManifests(text: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(text, to: "m")
      #expect(throws: FileError.self) { _ = try open(FilePath(folder / "m")) }
      #expect(try folder.text("m") == text)
    }
  }

  @Test(arguments: [head, "{\"a\":1}\n", "{\"input\":\"a\"", "{\"version\":1,\"source\":{\"width\":1,\"height\":1}}\n"])
  func refusesForeignPlanLists(text: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(text, to: "p")
      #expect(throws: FileError.self) { try openPlans(FilePath(folder / "p")) }
      #expect(try folder.text("p") == text)
    }
  }

  /// Any file is refused and unchanged, or it is ours and has lost only its end.
  @Test func anyBytesAreLeftOrAreOurs() throws {
    var random = SplitMix64(seed: 5)
    let whole = Array((Self.head + JSONLines.safeLine(entry(Array("a.jpg".utf8)))).utf8)
    try TemporaryFolder.with { folder in
      for _ in 0..<2_000 {
        var bytes = Array(whole.prefix(Int.random(in: 0...whole.count, using: &random)))
        for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
          bytes[Int.random(in: bytes.indices, using: &random)] = [0, 10, 34, 123, 255].randomElement(using: &random)!
        }
        try folder.write(bytes, to: "m")
        let isOurs = (try? open(FilePath(folder / "m"))) != nil
        let after = try folder.bytes("m")
        if isOurs {
          #expect(after.starts(with: Self.head.utf8))
          let lost = bytes.dropFirst(after.count)
          #expect(!lost.contains(10) || lost.contains(0), "a whole line was taken away")
          #expect(after.starts(with: bytes.prefix(after.count)))
        } else {
          #expect(after == bytes)
        }
      }
    }
  }

  // MARK: Long lines

  @Test(arguments: [0, 1, 9, 10, 11, 70_000, 200_000], [true, false])
  func linesAreBounded(length: Int, isEnded: Bool) throws {
    try TemporaryFolder.with { folder in
      let text = "a\n" + String(repeating: "x", count: length) + (isEnded ? "\nbc\n\nd" : "")
      let file = try FileDescriptor.open(FilePath(try folder.write(text, to: "lines")), .readOnly)
      defer { try? file.close() }
      var reader = LineReader(file, longest: 10)
      var lines: [String] = []
      while let line = try reader.next() {
        lines.append(line.isTooLong ? "too long" : String(decoding: line.bytes, as: UTF8.self))
        #expect(line.bytes.count <= 10)
      }
      let long = length > 10 ? "too long" : String(repeating: "x", count: length)
      #expect(lines == ["a"] + (isEnded ? [long, "bc", "", "d"] : length == 0 ? [] : [long]))
    }
  }

  @Test func aLineThatIsFarTooLongIsSaid() throws {
    try TemporaryFolder.with { folder in
      let long = [UInt8](repeating: UInt8(ascii: " "), count: LineReader.longestRecord + 1)
      for head in [Self.head, Self.plans] {
        let text = Array(head.utf8) + long + [UInt8(ascii: "\n")]
        try folder.write(text, to: "m")
        let path = FilePath(folder / "m")
        let error = #expect(throws: FileError.self) {
          if head == Self.head { _ = try open(path) } else { try openPlans(path) }
        }
        #expect(error?.message.contains("line 2 ") == true && error?.message.contains("64 MiB") == true)
        #expect(try folder.bytes("m").count == text.count)
      }
      let error = #expect(throws: FileError.self) {
        _ = try PlanLog.read(FilePath(folder / "m"), InputLocator(manifest: "m"), limits: Limits())
      }
      #expect(
        error?.message.contains("line 2 ") == true && error?.message.contains("64 MiB") == true && error?.kind == "plan"
      )
    }
  }

  /// Every changed option gives another fingerprint.
  @Test func fingerprintsDiffer() {
    var request = CropRequest()
    var encoding = EncodingKey(formats: [.png], isLossless: false)
    func fingerprint(version: String = "1", page: Int? = nil, detector: String = "", name: String = "") -> String {
      Fingerprint(
        version: version, request: request, page: page, encoding: encoding, detector: detector, name: name
      ).text
    }
    var all = [
      fingerprint(), fingerprint(version: "2"), fingerprint(detector: "x"), fingerprint(name: "x"),
      fingerprint(page: 1), fingerprint(page: 2),
      Fingerprint.frame(of: request), Fingerprint.frame(of: request, page: 2),
      Fingerprint.area(of: BlurRequest()), Fingerprint.area(of: BlurRequest(), page: 2),
    ]
    encoding.mostBytes = 1
    all.append(fingerprint())
    encoding.formats = [.webp(quality: 80)]
    all.append(fingerprint())
    encoding.chosen = .webp
    all.append(fingerprint())
    encoding.background = .color(red: 1, green: 2, blue: 3)
    all.append(fingerprint())
    encoding.isLossless = true
    all.append(fingerprint())
    encoding.writesSidecar = true
    all.append(fingerprint())
    request.composition.layout.padding = Padding(0.25)
    all.append(fingerprint())
    request.output.sizes = [.longSide(512)]
    all.append(fingerprint())
    request.composition.layout = .framing(.avatar)
    all.append(fingerprint())
    var framing = Framing.avatar
    framing.faceRatio = 0.5
    request.composition.layout = .framing(framing)
    all.append(fingerprint())
    request.allowsDamage = true
    all.append(fingerprint())
    request.output.metadata = .keep
    all.append(fingerprint())
    #expect(Set(all).count == all.count)
    #expect(fingerprint() == fingerprint())
  }
}
