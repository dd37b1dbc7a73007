import SystemPackage
import TestSupport
import Testing

@testable import FaceCropCLI

/// Equal images are told apart, so that a correction of one is never that of the other.
@Suite struct EqualImagesTests {
  private static let run = "run() { \"$FACECROP\" batch -d out --preset avatar --size 64 --progress none \"$@\"; }"

  /// Crops two equal images, rejects the copy, and runs a script of changes.
  private static func rejected(_ change: String, _ folder: TemporaryFolder) throws {
    try Facecrop.prepare("mkdir in", in: folder)
    try folder.write(Samples.portrait(), to: "in/p.jpg")
    try Facecrop.prepare(
      #"""
      \#(run); cp in/p.jpg in/p-copy.jpg; touch -d 2026-01-02 in/p-copy.jpg
      run -r in; "$FACECROP" batch in/p-copy.jpg --preset avatar --dry-run --plan-out list.ndjson > /dev/null
      sed -E 's/"crops":.*\}\],"detector/"crops":[],"detector/' list.ndjson > rejected.ndjson
      run -r in --plan-in rejected.ndjson --prune; \#(change)
      """#, in: folder)
    #expect(!folder.has("out/p-copy.jpg"))
  }

  /// The wanted one of two equal images stays, whatever happens to both. Its content is known only with a report.
  @Test(
    arguments: [
      "mv in photos", "mkdir in/done; mv in/p.jpg in/done", "mv in/p.jpg in/z.jpg; mv in/p-copy.jpg in/a.jpg",
      "cp -r in photos; rm -r in", "rm in/p-copy.jpg; mv in photos", "rm in/p-copy.jpg; cp -r in photos; rm -r in",
    ], ["", "run -r in --report r.html; run -r in --quality 70"])
  func theWantedOneStays(change: String, before: String) throws {
    for plans in ["", "--plan-in rejected.ndjson"] {
      try TemporaryFolder.with { folder in
        try Self.rejected("\(before)\n\(change)", folder)
        let outcome = try Facecrop.bash(
          "\(Self.run); run -r \(folder.has("photos") ? "photos" : "in") --prune \(plans); echo $?; find out -name '*.jpg'",
          currentDirectory: folder.path)
        let name = change.contains("z.jpg") ? "z.jpg" : change.contains("done") ? "done/p.jpg" : "p.jpg"
        #expect(outcome.lines == ["0", "out/\(name)"], "\(plans): \(outcome.stderr)")
      }
    }
  }

  /// An image that nobody corrected has no other one's frame.
  @Test func framesStayWithTheirImages() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      for name in ["p", "a-copy", "z-copy"] { try folder.write(Samples.portrait(), to: "in/\(name).jpg") }
      let outcome = try Facecrop.bash(
        #"""
        \#(Self.run); run -r in --plan-out plans.ndjson
        region() { grep "in/$1.jpg" plans.ndjson | sed -E 's/"region":\{[^}]*\}/"region":{"x":'$2',"y":0,"width":0.5,"height":0.5}/'; }
        (region p 0; region a-copy 0.25) > hand.ndjson; run -r in --plan-in hand.ndjson
        mkdir wanted; cp out/*.jpg wanted; cmp -s wanted/p.jpg wanted/a-copy.jpg && echo equal
        mv in photos; run -r photos; for name in p a-copy z-copy; do cmp out/$name.jpg wanted/$name.jpg && echo same; done
        """#, currentDirectory: folder.path)
      #expect(outcome.lines == ["same", "same", "same"], "\(outcome.stderr)")
    }
  }

  /// A file whose content no run recorded is known by its size, with its time or its name.
  @Test func filesAreKnownByTimeThenByName() {
    func file(_ location: FilePath, _ time: Int, _ content: String?, bytes: Int = 9) -> KnownFile {
      KnownFile(location: location, version: FileVersion(bytes: bytes, modified: time), content: content)
    }
    let former = [file("in/a", 1, "x"), file("in/b", 2, nil), file("in/c", 3, nil, bytes: 8)]
    func origins(_ files: KnownFile...) -> [FilePath: FilePath] { MovedFiles.origins(of: files, among: former) }
    #expect(origins(file("new/b", 1, "x"), file("new/a", 2, "x")) == ["new/b": "in/a", "new/a": "in/b"])
    #expect(origins(file("new/b", 7, "x"), file("new/a", 8, "x")) == ["new/b": "in/b", "new/a": "in/a"])
    // Neither a name nor a time alone says what a file of another size is.
    #expect(origins(file("new/c", 3, "x"), file("new/d", 7, "x")) == ["new/c": "in/a"])
  }
}
