import FaceCrop
import SystemPackage
import TestSupport
import Testing

@testable import FaceCropCLI

/// A manifest is read back as it was written, whatever a power cut left behind its last line.
@Suite struct BatchManifestTests {
  private func entry(_ name: [UInt8], _ status: Outcome.Status = .cropped) -> ManifestEntry {
    ManifestEntry(
      FilePath(bytes: name), FileVersion(bytes: 7, modified: 1_795_257_314_233_016_531), Outcome(status), options: "o",
      isDryRun: false)
  }

  @Test func entriesComeBack() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = FilePath(folder / "m")
    let names: [[UInt8]] = [Array("a b\n.jpg".utf8), [0xE9, 0x2E, 0x6A], Array("a b\n.jpg".utf8)]
    let (manifest, none) = try Manifest.open(path)
    #expect(none.isEmpty)
    for name in names { try await manifest.append(entry(name)) }
    try await manifest.append(entry(names[1], .failed))
    // Two runs at once would write into each other's.
    #expect(throws: FileError.self) { _ = try Manifest.open(path) }
    #expect(try folder.text("m").split(separator: "\n").count == 4)

    try folder.write(folder.bytes("m"), to: "copy")
    let (_, entries) = try Manifest.open(FilePath(folder / "copy"))
    #expect(entries.count == 2)
    #expect(entries[FilePath(bytes: names[1])]?.outcome.status == .failed)
    #expect(entries[FilePath(bytes: names[0])]?.file == FileVersion(bytes: 7, modified: 1_795_257_314_233_016_531))
  }

  @Test(arguments: [
    "{\"inp", "{\"input\":\"x\"}\n", "\0\0\0\0", "\0\0\n", "{\"bytes\":3,\"input\":\"x\",\"options\":\"o\"",
  ])
  func whatIsTornIsTakenAway(rest: String) throws {
    try TemporaryFolder.with { folder in
      let line = JSONLines.safeLine(entry(Array("a.jpg".utf8)))
      try folder.write(line + rest, to: "m")
      let (_, entries) = try Manifest.open(FilePath(folder / "m"))
      #expect(entries.count == 1)
      #expect(try folder.text("m") == line)
      // The very first line may be the one that is torn.
      if !rest.hasSuffix("\n") {
        try folder.write(rest, to: "n")
        #expect(try Manifest.open(FilePath(folder / "n")).1.isEmpty)
        #expect(try folder.bytes("n") == [])
      }
    }
  }

  @Test(arguments: ["a letter\nto someone", "{\"a\":1}\n{\"b\":2}\n", "\u{89}PNG"])
  func whatIsNoManifestIsLeftAlone(text: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(text, to: "m")
      #expect(throws: FileError.self) { _ = try Manifest.open(FilePath(folder / "m")) }
      #expect(try folder.text("m") == text)
    }
  }

  /// What differs in anything asked for has another fingerprint.
  @Test func fingerprintsDiffer() {
    var request = CropRequest()
    func fingerprint(version: String = "1", encoding: String = "", detector: String = "", name: String = "") -> String {
      Fingerprint(version: version, request: request, encoding: encoding, detector: detector, name: name).text
    }
    var all = [
      fingerprint(), fingerprint(version: "2"), fingerprint(encoding: "x"), fingerprint(detector: "x"),
      fingerprint(name: "x"),
    ]
    request.padding = Padding(0.25)
    all.append(fingerprint())
    request.sizes = [.longSide(512)]
    all.append(fingerprint())
    request.framing = .avatar
    all.append(fingerprint())
    request.framing?.faceRatio = 0.5
    all.append(fingerprint())
    request.allowsDamage = true
    all.append(fingerprint())
    request.metadata = .keep
    all.append(fingerprint())
    #expect(Set(all).count == all.count)
    #expect(fingerprint() == fingerprint())
  }
}
