import Foundation
import TestSupport
import Testing

/// `.xmp` files beside images: read for `--metadata`, and written with `--sidecar`.
@Suite struct SidecarTests {
  private static func packet(_ title: String, people: String = "Ben") -> String {
    String(
      decoding: CreditBuilder.packet(
        attributes: "xmlns:e=\"http://iptc.org/std/Iptc4xmpExt/2008-02-29/\"",
        properties: """
          <dc:title>\(title)</dc:title><dc:creator>Ann</dc:creator>
          <e:PersonInImage><rdf:Bag><rdf:li>\(people)</rdf:li></rdf:Bag></e:PersonInImage>
          """), as: UTF8.self)
  }

  private func credits(_ file: String, in folder: TemporaryFolder) throws -> [String: Any] {
    try jsonObject(Facecrop.run("info", "--json", file, currentDirectory: folder.path).lines[0])["credits"]
      as? [String: Any] ?? [:]
  }

  /// An editor's file counts before what the image says, in each command and in a batch, by either of its names.
  @Test(arguments: ["in/a.jpg.xmp", "in/a.xmp", "in/a.XMP"]) func sidecarsAreRead(name: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      let image = try JPEGRecipe.baseline420
        .with { $0.segments = [CreditBuilder.segment(xmp: Array(Self.packet("Inside", people: "Cy").utf8))] }.encode(
          astronaut())
      try folder.write(image, to: "in/a.jpg")
      try folder.write(Self.packet("Beside"), to: name)
      for run in [
        ["avatar", "in/a.jpg", "-o", "out.jpg"], ["crop", "in/a.jpg", "--lossless", "-o", "out.jpg"],
        ["batch", "-r", "in", "-d", ".", "--name", "out{stem}.{ext}"],
      ] {
        let outcome = try Facecrop.run(run + ["--metadata", "keep"], currentDirectory: folder.path)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        let credits = try credits(run[0] == "batch" ? "outa.jpg" : "out.jpg", in: folder)
        #expect(credits["title"] as? String == "Beside" && credits["people"] as? [String] == ["Ben"], "\(run)")
      }
      // Under the default nothing is read, and under `copyright` the creator alone is kept.
      #expect(try Facecrop.run("avatar", "in/a.jpg", "-o", "out.jpg", currentDirectory: folder.path).status == 0)
      #expect(try credits("out.jpg", in: folder).isEmpty)
      let credited = ["avatar", "in/a.jpg", "-o", "out.jpg", "--metadata", "copyright"]
      #expect(try Facecrop.run(credited, currentDirectory: folder.path).status == 0)
      #expect(try credits("out.jpg", in: folder) as NSDictionary == ["creators": ["Ann"]])
    }
  }

  /// Programs that read only EXIF data see the same author as others.
  @Test(arguments: [["avatar"], ["crop", "--lossless"], ["crop", "--metadata", "copyright"]])
  func theAuthorBesideTheImageReplacesThatOfEXIF(command: [String]) throws {
    try TemporaryFolder.with { folder in
      let exif = EXIFBuilder.tiff(byteOrder: .big, orientation: 1, artist: "Old Artist", copyright: "Old Owner")
      let image = try JPEGRecipe.baseline420.with { $0.segments = [.exif(exif)] }.encode(astronaut())
      try folder.write(image, to: "a.jpg")
      try folder.write(Self.packet("Beside"), to: "a.xmp")
      let outcome = try Facecrop.run(
        [command[0], "a.jpg", "-o", "out.jpg", "--metadata", "keep"] + command.dropFirst(),
        currentDirectory: folder.path)
      #expect(outcome.status == 0, "\(outcome.stderr)")
      let bytes = try folder.bytes("out.jpg")
      #expect(!bytes.holds(Array("Old Artist".utf8)) && bytes.holds(Array("Ann\0".utf8)))
      // The file beside the image has no copyright, so that of EXIF stays, and XMP has it too.
      let credits = try credits("out.jpg", in: folder)
      #expect(credits["creators"] as? [String] == ["Ann"] && credits["copyright"] as? String == "Old Owner")
      #expect(bytes.holds(Array("Old Owner\0".utf8)) && bytes.holds(Array(">Old Owner<".utf8)))
    }
  }

  /// A batch notices that only the file beside an image was changed.
  @Test func aChangedSidecarIsNoticed() throws {
    try TemporaryFolder.with { folder in
      for name in ["a.jpg", "b.jpg"] { try folder.write(Samples.portrait(), to: name) }
      try folder.write(Self.packet("One"), to: "a.xmp")
      let run = ["batch", "a.jpg", "b.jpg", "-d", "out", "--size", "64", "--metadata", "keep", "--json"]
      for (title, done) in [("One", 0), ("One", 2), ("Another", 1)] {
        if title == "Another" { try folder.write(Self.packet(title), to: "a.xmp") }
        let outcome = try Facecrop.run(run, currentDirectory: folder.path)
        #expect(try jsonObject(outcome.text)["doneBefore"] as? Int ?? 0 == done)
        #expect(try credits("out/a.jpg", in: folder)["title"] as? String == title)
      }
    }
  }

  /// What cannot be used is told, and does not keep the image from being cropped.
  @Test func oversizedAndDamagedSidecarsAreWarnedOf() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      for (text, word) in [
        (String(repeating: " ", count: 600 << 10), "512 KiB"), ("<x:xmpmeta", "sidecar 'a.xmp' cannot be read"),
      ] {
        try folder.write(text, to: "a.xmp")
        let outcome = try Facecrop.run(
          "avatar", "a.jpg", "-o", "o.jpg", "--metadata", "keep", currentDirectory: folder.path)
        #expect(
          outcome.status == 0 && outcome.stderr.contains("warning:") && outcome.stderr.contains(word),
          "\(outcome.stderr)")
      }
    }
  }

  /// A sidecar that somebody edited stays, also if its first lines are still facecrop's. `batch` has lost its record.
  @Test(arguments: [
    "crop a.jpg -o out/a.jpg", "crop a.jpg -o out/a.jpg --metadata keep --sidecar", "blur a.jpg -o out/a.jpg",
    "sheet a.jpg -o out/a.jpg --dpi 60", "batch a.jpg -d out --overwrite",
  ])
  func editedSidecarsStay(command: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try folder.write(Self.packet("Title"), to: "a.xmp")
      let first = "crop a.jpg -o out/a.jpg --metadata keep --sidecar"
      try FileManager.default.createDirectory(atPath: folder / "out", withIntermediateDirectories: true)
      func run(_ command: String) throws {
        _ = try Facecrop.run(command.split(separator: " ").map(String.init), currentDirectory: folder.path)
      }
      try run(first)
      let written = try folder.text("out/a.jpg.xmp")
      let edited = written.replacingOccurrences(of: "Title", with: "Mine")
      #expect(edited != written)
      try folder.write(edited, to: "out/a.jpg.xmp")
      try run(command)
      #expect(try folder.text("out/a.jpg.xmp") == edited)
      // An unedited one is replaced or removed.
      try folder.write(written, to: "out/a.jpg.xmp")
      try? FileManager.default.removeItem(atPath: folder / "out/manifest.ndjson")
      try run(command)
      #expect(folder.has("out/a.jpg.xmp") == command.hasSuffix("--sidecar"))
    }
  }

  /// `--sidecar` writes what the output keeps to a file of its name, and to none where there is nothing; others' files stay.
  @Test func sidecarsAreWritten() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try folder.write(Samples.portrait(), to: "b.jpg")
      try folder.write(Self.packet("Title"), to: "a.xmp")
      let options = ["--metadata", "keep", "--sidecar"]
      // The last run replaces the files of the first.
      for input in ["a.jpg", "b.jpg", "a.jpg"] {
        #expect(
          try Facecrop.run(["avatar", input, "-o", "one-\(input)"] + options, currentDirectory: folder.path).status == 0
        )
      }
      #expect(try folder.text("one-a.jpg.xmp").contains("Title") && !folder.has("one-b.jpg.xmp"))
      // Only the name of the writing program differs from the packet in the image.
      let lines = try folder.text("one-a.jpg.xmp").split(separator: "\n").dropFirst(2)
      #expect(try folder.bytes("one-a.jpg").holds(Array(lines.joined(separator: "\n").utf8)))
      let run = ["batch", "a.jpg", "b.jpg", "-d", "out", "--size", "64", "--json"] + options
      let first = try jsonObject(Facecrop.run(run, currentDirectory: folder.path).text)
      #expect(first["outputs"] as? Int == 2 && first["kept"] as? Int == 0)
      #expect(folder.has("out/a.jpg.xmp") && !folder.has("out/b.jpg.xmp"))
      #expect(try jsonObject(Facecrop.run(run, currentDirectory: folder.path).text)["doneBefore"] as? Int == 2)
      // An editor's changes to it are kept like those of an output.
      try folder.write("mine", to: "out/a.jpg.xmp")
      let again = try Facecrop.run(run + ["--quality", "70"], currentDirectory: folder.path)
      #expect(try jsonObject(again.text)["kept"] as? Int == 1 && again.stderr.contains("a.jpg.xmp"))
      #expect(try folder.text("out/a.jpg.xmp") == "mine")
      // So are those of single commands.
      try folder.write("mine", to: "one-a.jpg.xmp")
      let kept = try Facecrop.run(["avatar", "a.jpg", "-o", "one-a.jpg"] + options, currentDirectory: folder.path)
      #expect(kept.status == 1 && kept.stderr.contains("one-a.jpg.xmp"), "\(kept.stderr)")
      #expect(try folder.text("one-a.jpg.xmp") == "mine")
      // All or nothing under --no-clobber.
      let clobber = ["crop", "a.jpg", "-o", "new.jpg", "--no-clobber"] + options
      try folder.write("other", to: "new.jpg.xmp")
      let refused = try Facecrop.run(clobber, currentDirectory: folder.path)
      #expect(
        refused.status == 1 && refused.stderr.contains("new.jpg.xmp") && !folder.has("new.jpg"), "\(refused.stderr)")
    }
  }

  @Test(arguments: [
    (["a.jpg", "--sidecar"], "--metadata"), (["-", "--sidecar", "--metadata", "keep"], "--sidecar"),
  ])
  func wrongUsage(options: [String], word: String) throws {
    let outcome = try Facecrop.run(["crop"] + options)
    #expect(outcome.status == 64 && outcome.stderr.contains(word), "\(outcome.stderr)")
  }

  /// A warning names the file with the fault, and the data of the image are kept.
  @Test(arguments: [("a.jpg.xmp", true), ("a.xmp", true), ("a.jpg", false)])
  func aFaultySidecarIsNamed(file: String, isBeside: Bool) throws {
    try TemporaryFolder.with { folder in
      let packet = isBeside ? Self.packet("Inside") : "<x:xmpmeta"
      let image = try JPEGRecipe.baseline420
        .with { $0.segments = [CreditBuilder.segment(xmp: Array(packet.utf8))] }.encode(astronaut())
      try folder.write(image, to: "a.jpg")
      try folder.write(isBeside ? "garbage" : Self.packet("Beside"), to: isBeside ? file : "a.jpg.xmp")
      func check(_ message: String) {
        #expect(message.contains("sidecar '\(file)'") == isBeside, "\(message)")
        #expect(message.contains("IPTC or XMP data cannot be read") != isBeside, "\(message)")
      }
      let options = ["--metadata", "keep", "--size", "32"]
      let single = try Facecrop.run(["avatar", "a.jpg", "-o", "k.jpg"] + options, currentDirectory: folder.path)
      #expect(single.status == 0)
      check(single.stderr)
      #expect(try credits("k.jpg", in: folder)["title"] as? String == (isBeside ? "Inside" : "Beside"))
      let batch = try Facecrop.run(["batch", "a.jpg", "-d", "out"] + options, currentDirectory: folder.path)
      #expect(batch.status == 0)
      check(try folder.text("out/manifest.ndjson"))
      let answer = try Facecrop.run(
        ["batch", "--worker", "--jobs", "1"],
        stdin: Array("{\"id\":1,\"input\":\"a.jpg\",\"output\":\"w.jpg\",\"metadata\":\"keep\"}\n".utf8),
        currentDirectory: folder.path)
      check(answer.lines.first ?? "")
    }
  }

  /// Images with hidden faces have the metadata of the sidecar, without the names of people.
  @Test(arguments: ["jpeg", "webp"], ["keep", "copyright"])
  func sidecarsAreReadForHiddenFaces(format: String, policy: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      let exif = EXIFBuilder.tiff(byteOrder: .big, orientation: 1, artist: "Old Artist", copyright: nil)
      let image = try JPEGRecipe.baseline420
        .with { $0.segments = [.exif(exif), CreditBuilder.segment(xmp: Array(Self.packet("Inside").utf8))] }
        .encode(astronaut())
      try folder.write(image, to: "in/a.jpg")
      try folder.write(Self.packet("Beside"), to: "in/a.jpg.xmp")
      let name = format == "jpeg" ? "a.jpg" : "a.webp"
      for run in [["blur", "in/a.jpg", "-o", "one-\(name)"], ["batch", "-r", "in", "-d", "out", "--blur"]] {
        let given = policy == "keep" ? [] : ["--metadata", policy]
        let outcome = try Facecrop.run(run + ["--format", format] + given, currentDirectory: folder.path)
        #expect(outcome.status == 0, "\(outcome.stderr)")
      }
      let credits = try credits("one-\(name)", in: folder)
      #expect(credits["title"] as? String == (policy == "keep" ? "Beside" : nil))
      #expect(credits["creators"] as? [String] == ["Ann"] && credits["people"] == nil, "\(credits)")
      #expect(try !folder.bytes("one-\(name)").holds(Array("Old Artist".utf8)))
      #expect(try folder.bytes("out/\(name)") == folder.bytes("one-\(name)"))
      // Without metadata, nothing is read.
      try folder.write("garbage", to: "in/a.jpg.xmp")
      let stripped = try Facecrop.run(
        "blur", "in/a.jpg", "-o", "s.jpg", "--metadata", "strip", currentDirectory: folder.path)
      #expect(stripped.status == 0 && !stripped.stderr.contains("sidecar"), "\(stripped.stderr)")
      let faulty = try Facecrop.run("blur", "in/a.jpg", "-o", "s.jpg", currentDirectory: folder.path)
      #expect(
        faulty.status == 0 && faulty.stderr.contains("sidecar 'in/a.jpg.xmp'")
          && !faulty.stderr.contains("IPTC or XMP data cannot be read"), "\(faulty.stderr)")
    }
  }

  /// An output replaces the one before it, and so the sidecar that facecrop wrote for that one. Others' files stay.
  @Test(arguments: [
    "avatar b.jpg --metadata keep --sidecar", "avatar a.jpg", "crop b.jpg --metadata keep", "blur b.jpg",
    "sheet b.jpg --size 35x45mm",
  ])
  func theSidecarOfAnEarlierOutputIsRemoved(command: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try folder.write(Samples.portrait(), to: "b.jpg")
      try folder.write(Self.packet("Title"), to: "a.xmp")
      let first = "\"$FACECROP\" avatar a.jpg --metadata keep --sidecar -o o.jpg"
      let outcome = try Facecrop.bash(
        """
        \(first); ls o.jpg.xmp; "$FACECROP" \(command) -o o.jpg > /dev/null; ls o.jpg*
        \(first); sed -i '1s/^/<!-- mine -->/' o.jpg.xmp; cp o.jpg.xmp mine
        "$FACECROP" avatar a.jpg -o o.jpg; cmp o.jpg.xmp mine && echo kept
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["o.jpg.xmp", "o.jpg", "kept"], "\(outcome.lines) \(outcome.stderr)")
    }
  }

  /// So does an output of a batch, unless the sidecar was changed by hand.
  @Test(arguments: ["--metadata strip", "--metadata keep", "--metadata keep --sidecar"])
  func aBatchRemovesTheSidecarOfAnEarlierOutput(options: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      for name in ["a", "b"] {
        try folder.write(Samples.portrait(), to: "in/\(name).jpg")
        try folder.write(Self.packet("Title"), to: "in/\(name).xmp")
      }
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch -r in -d out --preset avatar --size 64 "$@"; }
        run --metadata keep --sidecar; sed -i 's/Title/Mine/' out/b.jpg.xmp; rm in/*.xmp
        run \(options); ls out; grep -o Mine out/b.jpg.xmp
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines == ["a.jpg", "b.jpg", "b.jpg.xmp", "manifest.ndjson", "Mine"],
        "\(outcome.lines) \(outcome.stderr)")
    }
  }

  /// A page shows no sidecars, so they need no thumbnails.
  @Test func imagesWithSidecarsAreDoneInAReport() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(Samples.portrait(), to: "in/a.jpg")
      try folder.write(Self.packet("Title"), to: "in/a.xmp")
      let run = [
        "batch", "-r", "in", "-d", "out", "--size", "64", "--json", "--metadata", "keep", "--sidecar", "--report",
        "r.html",
      ]
      // The image, and the file beside it.
      for done in [0, 2] {
        let outcome = try Facecrop.run(run, currentDirectory: folder.path)
        #expect(try jsonObject(outcome.text)["doneBefore"] as? Int ?? 0 == done, "\(outcome.stderr)")
      }
    }
  }

  /// The sidecar of the input is never removed, and `--no-clobber` replaces nothing.
  @Test func sidecarsOfInputsStay() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try folder.write(Self.packet("Title"), to: "a.xmp")
      let outcome = try Facecrop.bash(
        """
        "$FACECROP" avatar a.jpg --metadata keep --sidecar -o o.jpg; cp o.jpg.xmp p.xmp; cp o.jpg p.jpg
        "$FACECROP" avatar p.jpg --format jpeg -o p; ls p p.xmp
        rm o.jpg; "$FACECROP" avatar a.jpg --no-clobber -o o.jpg; echo $?; ls o.jpg*
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["p", "p.xmp", "1", "o.jpg.xmp"], "\(outcome.lines) \(outcome.stderr)")
    }
  }
}
