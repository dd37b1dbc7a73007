import Foundation
import TestSupport
import Testing

/// `--report`: one page with the contents of the manifest. `make test-report` opens it in a browser.
@Suite struct BatchReportTests {
  private func entries(_ page: String) throws -> [[String: Any]] {
    let data = try #require(page.firstMatch(of: /<script type="application\/json" id="data">([\s\S]*?)\n<\/script>/))
    let contents = try jsonObject(String(data.1))
    #expect(contents["thumbnails"] as? String == "morning-thumbnails/")
    return try #require(contents["entries"] as? [[String: Any]])
  }

  /// The page finds people by their names in the list, and images by the kinds of their warnings.
  @Test func peopleAndKindsOfWarningsAreInThePage() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "me.jpg")
      try folder.write("image;last;first\nme.jpg;Jónsdóttir;Björk\n", to: "names.csv")
      let run = try Facecrop.run(
        "batch", "me.jpg", "-d", "out", "--preset", "avatar", "--size", "2000", "--names", "names.csv", "--name",
        "{last}.{ext}", "--report", "morning.html", currentDirectory: folder.path)
      #expect(run.status == 0, "\(run.stderr)")
      let entry = try #require(entries(folder.text("morning.html")).first)
      #expect(entry["people"] as? [String] == ["Jónsdóttir", "Björk"])
      let (kinds, warnings) = (entry["warningKinds"] as? [String], entry["warnings"] as? [String])
      #expect(kinds?.contains("smaller") == true && kinds?.count == warnings?.count)
    }
  }

  /// A check of each passport photo stands beside it; other presets have no rules.
  @Test func rulesAreAColumn() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "me.jpg")
      for preset in ["passport", "avatar"] {
        let run = try Facecrop.run(
          "batch", "me.jpg", "-d", preset, "--preset", preset, "--report", "\(preset)/morning.html",
          currentDirectory: folder.path)
        #expect(run.status == 0)
        let output = try #require(
          (entries(folder.text("\(preset)/morning.html"))[0]["outputs"] as? [[String: Any]])?.first)
        let check = try Facecrop.run("check", "--json", "\(preset)/me.jpg", currentDirectory: folder.path)
        let findings = try #require(jsonObject(check.lines[0])["checks"] as? [[String: Any]])
        let missed = findings.filter { $0["passes"] as? Bool == false }.compactMap { $0["name"] as? String }
        // A preset keeps the background, so `batch` does not measure it.
        let framed = missed.filter { !$0.hasPrefix("background-") }
        #expect(output["missedRules"] as? [String] == (preset == "passport" ? framed : nil))
        if preset == "passport" { #expect(missed.contains("eye-distance") || missed.isEmpty) }
      }
      let page = try folder.text("passport/morning.html")
      #expect(page.contains("most missed rules first") && page.contains("keeps the rules"))
    }
  }

  /// A renamed folder leaves no entries of files that had no outputs, and a missing file of this run has one.
  @Test func filesOfWhichNothingIsLeftAreNotShown() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(Samples.portrait(), to: "in/a.jpg")
      try folder.write("", to: "in/empty.jpg")
      let run = ["batch", "-r", "-d", "out", "--report", "morning.html"]
      #expect(try Facecrop.run(run + ["in"], currentDirectory: folder.path).status == 1)
      try Facecrop.prepare("mv in new", in: folder)
      #expect(try Facecrop.run(run + ["new", "gone.jpg"], currentDirectory: folder.path).status == 1)
      let inputs = try entries(folder.text("morning.html")).compactMap { $0["input"] as? String }
      #expect(Set(inputs) == ["new/a.jpg", "new/empty.jpg", "gone.jpg"], "\(inputs)")
    }
  }

  @Test func pageHasWhatTheManifestHas() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(Samples.portrait(), to: "in/<img src=x> & b.jpg")
      try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "in/two.jpg")
      try folder.write(Samples.faceless(), to: "in/wall.jpg")
      try folder.write("text", to: "in/text.jpg")
      try folder.write(Array(Samples.portrait().prefix(60_000)), to: "in/cut.jpg")
      try folder.write("notes", to: "in/notes.txt")
      let run = ["batch", "-r", "in", "-d", "out", "--faces", "each", "--size", "64,32"]
      // The first run has no report. The second repeats its images for their thumbnails, and the third repeats none.
      for (arguments, lines) in [(run, 6), (run + ["--report", "pages/morning.html"], 9), (run, 9)] {
        #expect(try Facecrop.run(arguments, currentDirectory: folder.path).status == 1)
        #expect(try folder.manifest().lines.count == lines)
      }
      let manifest = try folder.manifest()
      let page = try folder.text("pages/morning.html")
      let entries = try entries(page)
      #expect(entries.count == manifest.entries.count)
      for entry in entries {
        let name = try #require(entry["input"] as? String)
        let recorded = try #require(manifest.entries[name])
        #expect(entry["status"] as? String == recorded["status"] as? String)
        #expect((entry["faces"] as? [Any])?.count == (recorded["faces"] as? [Any])?.count)
        let outputs = entry["outputs"] as? [[String: Any]] ?? []
        #expect(outputs.count == (recorded["outputs"] as? [Any] ?? []).count)
        for output in outputs {
          let link = try #require((output["link"] as? String)?.removingPercentEncoding)
          #expect(folder.has("pages/\(link)"), "\(link)")
        }
        // Thumbnails of the input and each output.
        guard recorded["faces"] != nil else { continue }
        let thumbnail = try #require(entry["thumbnail"] as? String)
        for ending in [""] + outputs.indices.map({ "-\($0 + 1)" }) {
          #expect(folder.has("pages/morning-thumbnails/\(thumbnail)\(ending).jpg"))
        }
      }
      // Failed images are shown as far as they can be read, once they are tried with a report.
      let again = try Facecrop.run(run + ["--report", "pages/morning.html", "--retry"], currentDirectory: folder.path)
      #expect(again.status == 1)
      let shown = try self.entries(folder.text("pages/morning.html")).filter { $0["thumbnail"] != nil }
      #expect(shown.compactMap { $0["input"] as? String }.contains("in/cut.jpg"))
      #expect(shown.count == 4)
      #expect(!page.contains("<img src=x>"))
      #expect(!page.contains(/(src|href)="?https?:/))
    }
  }
}
