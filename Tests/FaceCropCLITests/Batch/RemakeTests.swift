import Foundation
import TestSupport
import Testing

/// `--remake`, by which facecrop-server makes single images of a batch again, and the record that it finds them by.
@Suite struct RemakeTests {
  private static let run = ["batch", "-r", "in", "-d", "out", "--size", "64", "--report", "pages/report.html"]

  private func prepare(_ folder: TemporaryFolder) throws {
    try Facecrop.prepare("mkdir -p in/a in/b pages", in: folder)
    for (number, name) in ["a/x.jpg", "b/x.jpg", "y.jpg"].enumerated() {
      try folder.write(Samples.portrait() + [UInt8(number)], to: "in/\(name)")
    }
    #expect(try Facecrop.run(Self.run, currentDirectory: folder.path).status == 0)
    try folder.write("{\"format\":\"facecrop-plans\",\"version\":1}\n", to: "plans.ndjson")
  }

  private func remake(_ folder: TemporaryFolder, _ names: String...) throws {
    try folder.write(names.map { folder / "in/\($0)" + "\0" }.joined(), to: "list")
    let made = try Facecrop.run(
      Self.run + ["--plan-in", "plans.ndjson", "--remake", "list"], currentDirectory: folder.path)
    #expect(made.status == 0, "\(made.lines)")
  }

  /// Rejects an image by a plan without crops.
  private func reject(_ name: String, in folder: TemporaryFolder) throws {
    let entry = try #require(folder.manifest().entries["in/\(name)"])
    let plan: [String: Any] = [
      "version": 1, "source": ["width": try #require(entry["width"]), "height": try #require(entry["height"])],
      "detector": "yunet", "faces": try #require(entry["faces"]), "crops": [],
    ]
    let line = try JSONSerialization.data(withJSONObject: ["input": "in/\(name)", "plan": plan])
    try folder.write(
      "{\"format\":\"facecrop-plans\",\"version\":1}\n" + String(decoding: line, as: UTF8.self) + "\n",
      to: "plans.ndjson")
  }

  @Test func onlyTheseAreMade() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let before = try folder.text("out/manifest.ndjson")
      // A new image and a changed one wait for the next run.
      try folder.write(Samples.portrait() + [9], to: "in/new.jpg")
      try folder.write(Samples.portrait() + [8], to: "in/y.jpg")
      try remake(folder, "a/x.jpg")
      let lines = try folder.text("out/manifest.ndjson").dropFirst(before.count).split(separator: "\n")
      #expect(lines.count == 1 && lines[0].contains("\"input\":\"in/a/x.jpg\""))
      #expect(!FileManager.default.fileExists(atPath: folder / "out/new.jpg"))
      // Its output has the name of the whole run.
      #expect(lines[0].contains("\"file\":\"a/x.jpg\""))
      #expect(try folder.text("pages/report.html").contains("--report pages/report.html --plan-in plans.ndjson\""))
    }
  }

  @Test func rejectedOutputsGoAndReturn() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let first = FileManager.default.contents(atPath: folder / "out/a/x.jpg")
      // An outdated output of another image is none of its business.
      let other = Self.run + ["--name", "old-{stem}.jpg", "--on-collision", "number"]
      #expect(try Facecrop.run(other, currentDirectory: folder.path).status == 0)
      #expect(try Facecrop.run(Self.run, currentDirectory: folder.path).status == 0)
      func outdated() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder / "out").filter { $0.contains("old-") }
      }
      #expect(try outdated().count == 3)
      try reject("a/x.jpg", in: folder)
      try remake(folder, "a/x.jpg")
      #expect(!FileManager.default.fileExists(atPath: folder / "out/a/x.jpg"))
      #expect(try outdated().count == 2)
      // Without a plan, it is again what the batch makes, and no longer a correction.
      try folder.write("{\"format\":\"facecrop-plans\",\"version\":1}\n", to: "plans.ndjson")
      try remake(folder, "a/x.jpg")
      #expect(FileManager.default.contents(atPath: folder / "out/a/x.jpg") == first && first != nil)
      #expect(try folder.manifest().entries["in/a/x.jpg"]?["plan"] == nil)
    }
  }

  /// A report of no image at all is that of the manifest.
  @Test func theReportIsWrittenAgain() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let page = try folder.text("pages/report.html")
      try FileManager.default.removeItem(atPath: folder / "pages/report.html")
      try remake(folder)
      #expect(try folder.text("pages/report.html") == page)
    }
  }

  @Test func theRecordHasTheRun() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      func record() throws -> [String: Any] { try jsonObject(folder.text("out/.facecrop-report.json")) }
      #expect(try record()["arguments"] as? [String] == Self.run)
      #expect(try (record()["page"] as? String)?.hasSuffix("/pages/report.html") == true)
      // Plans and single images are not a part of the run.
      try remake(folder, "y.jpg")
      #expect(try record()["arguments"] as? [String] == Self.run)
      let again = Self.run + ["--plan-in", "plans.ndjson", "--no-resume"]
      #expect(try Facecrop.run(again, currentDirectory: folder.path).status == 0)
      #expect(try record()["arguments"] as? [String] == Self.run)
      // A file of somebody else is not replaced.
      try folder.write("mine", to: "out/.facecrop-report.json")
      #expect(try Facecrop.run(Self.run, currentDirectory: folder.path).status == 1)
      #expect(try folder.text("out/.facecrop-report.json") == "mine")
    }
  }

  /// A review would make outputs by the options of the report, beside those of the last run.
  @Test func anOutdatedRecordIsRemoved() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let place = try #require(Self.run.firstIndex(of: "--report"))
      let plain = Array(Self.run[..<place] + Self.run[(place + 2)...])
      let same = try Facecrop.run(plain, currentDirectory: folder.path)
      #expect(same.status == 0 && !same.stderr.contains("reviewed") && folder.has("out/.facecrop-report.json"))
      let other = try Facecrop.run(plain + ["--quality", "40"], currentDirectory: folder.path)
      #expect(
        other.status == 0
          && other.stderr.contains(
            "facecrop: pages/report.html: warning: the report shows an earlier run with other options (pass --report pages/report.html to make it again)"
          ), "\(other.stderr)")
      #expect(!folder.has("out/.facecrop-report.json") && folder.has("pages/report.html"))
    }
  }

  /// A rejected output that somebody changed stays, so the record and the page name it.
  @Test func aChangedOutputThatWasRejectedIsNamed() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      try Facecrop.prepare("echo x >> out/a/x.jpg; cp out/a/x.jpg mine", in: folder)
      try reject("a/x.jpg", in: folder)
      try remake(folder, "a/x.jpg")
      #expect(try folder.bytes("out/a/x.jpg") == folder.bytes("mine"))
      func outputs() throws -> [[String: Any]]? {
        try folder.manifest().entries["in/a/x.jpg"]?["outputs"] as? [[String: Any]]
      }
      #expect(try outputs()?.count == 1 && outputs()?[0]["left"] as? Bool == true)
      let page = try folder.text("pages/report.html").split(separator: "\n").filter { $0.contains("\"kept\":true") }
      #expect(page.count == 1 && page[0].contains("\"input\":\"in/a/x.jpg\"") && page[0].contains("\"planned\":true"))
      // It is no output of the run, and the next run finds the image done.
      let next = try Facecrop.run(Self.run + ["--json"], currentDirectory: folder.path)
      let counts = try jsonObject(next.text)
      #expect(counts["outputs"] as? Int == 2 && counts["kept"] as? Int == 1 && counts["doneBefore"] as? Int == 3)
      // Somebody removes it.
      try Facecrop.prepare("rm out/a/x.jpg", in: folder)
      #expect(try Facecrop.run(Self.run, currentDirectory: folder.path).status == 0)
      #expect(try outputs() == nil)
    }
  }
}
