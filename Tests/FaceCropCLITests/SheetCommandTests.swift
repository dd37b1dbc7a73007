import Foundation
import TestSupport
import Testing

/// `facecrop sheet`.
@Suite struct SheetCommandTests {
  /// The sheet is filled, has the resolution, and contains the print that `avatar` makes.
  @Test(arguments: ["jpg", "png", "tiff"]) func passportsFillThePaper(suffix: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run("sheet", input, "-o", folder / "sheet.\(suffix)")
      #expect(outcome.status == 0 && outcome.stderr.contains("pixels per inch"))
      let info = try jsonObject(Facecrop.run("info", "--json", folder / "sheet.\(suffix)").lines[0])
      #expect(info["width"] as? Int == 1_181 && info["height"] as? Int == 1_772 && info["dpi"] as? Double == 300)
      let found = try jsonObject(Facecrop.run("detect", "--json", folder / "sheet.\(suffix)").lines[0])
      #expect((found["faces"] as? [Any])?.count == 6)
      let single = folder / "one.png"
      #expect(
        try Facecrop.run("avatar", input, "-o", single, "--preset", "passport", "--size", "35x45mm", "--upscale")
          .status
          == 0)
      if suffix == "png" {
        let sheet = try referenceDecodePNG(folder.bytes("sheet.png"))
        let print = try referenceDecodePNG(folder.bytes("one.png"))
        #expect(print.width == 413 && print.height == 531)
        // Two columns and three rows, centered, 24 pixels apart.
        let (x, y) = ((1_181 - 2 * 413 - 24) / 2, (1_772 - 3 * 531 - 2 * 24) / 2)
        #expect(sheet.cropped(x: x + 437, y: y + 555, width: 413, height: 531) == print)
      }
    }
  }

  /// The prints of each image are adjacent, in the requested number, also on standard output.
  @Test func severalPicturesShareASheet() throws {
    try TemporaryFolder.with { folder in
      let one = try folder.write(Samples.portrait(), to: "one.jpg")
      let two = try folder.write(encodePNG(astronaut()), to: "two.png")
      let arguments = ["sheet", one, two, "--copies", "3", "--paper", "a4", "--no-cut-marks", "--format", "png", "-o"]
      #expect(try Facecrop.run(arguments + [folder / "sheet.png"]).status == 0)
      let stream = try Facecrop.run(arguments + ["-"])
      #expect(try stream.status == 0 && stream.stdout == folder.bytes("sheet.png"))
      let found = try jsonObject(Facecrop.run("detect", "--json", folder / "sheet.png").lines[0])
      #expect((found["faces"] as? [Any])?.count == 6)
    }
  }

  /// A failed image leaves no sheet, and inputs are never overwritten.
  @Test func itIsWholeOrNotThere() throws {
    try TemporaryFolder.with { folder in
      let one = try folder.write(Samples.portrait(), to: "one.jpg")
      let none = try folder.write(Samples.faceless(), to: "none.jpg")
      let faceless = try Facecrop.run("sheet", one, none, "-o", folder / "sheet.tiff")
      #expect(faceless.status == 2 && faceless.stderr.contains("none.jpg"))
      let missing = try Facecrop.run("sheet", one, folder / "missing.jpg", "-o", folder / "sheet.jpg")
      #expect(missing.status == 1 && missing.stderr.contains("missing.jpg"))
      let own = try Facecrop.run("sheet", none, one, "-o", one, "--no-face", "center")
      #expect(own.status == 1 && own.stderr.contains("would overwrite an input"))
      #expect(try folder.names() == ["none.jpg", "one.jpg"] && folder.bytes("one.jpg") == Samples.portrait())
    }
  }

  /// With `skip`, an image without a face has no print and a warning. A sheet without any print is not written.
  @Test func imagesWithoutAFaceAreSkipped() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "one.jpg")
      try folder.write(Samples.faceless(), to: "none.jpg")
      try folder.write("one.jpg,Al\nnone.jpg,Bo\n", to: "names.csv")
      func sheet(_ arguments: [String]) throws -> (Facecrop.Outcome, [UInt8]) {
        let run = try Facecrop.run(
          ["sheet", "-o", "s.png", "--copies", "2", "--no-face", "skip"] + arguments, currentDirectory: folder.path)
        return (run, run.status == 0 ? try folder.bytes("s.png") : [])
      }
      for options in [[], ["--faces", "each"], ["--names", "names.csv"]] {
        let (skipped, some) = try sheet(["none.jpg", "one.jpg"] + options)
        let (_, alone) = try sheet(["one.jpg"] + options)
        #expect(skipped.status == 0 && !some.isEmpty && some == alone, "\(skipped.stderr)")
        #expect(
          skipped.errorLines.filter { $0.contains("none.jpg") } == [
            "facecrop: none.jpg: warning: no face was found, so the image is not on the sheet"
          ], "\(skipped.stderr)")
      }
      let (nothing, _) = try sheet(["none.jpg", "-o", "t.png"])
      #expect(nothing.status == 2 && !folder.has("t.png"))
      #expect(nothing.stderr.contains("nothing to print") && nothing.stderr.contains("--no-face"), "\(nothing.stderr)")
    }
  }

  private func faces(_ path: String) throws -> Int {
    (try jsonObject(Facecrop.run("detect", path).lines[0])["faces"] as? [Any])?.count ?? -1
  }

  /// Every face has a print, from the left; more prints than fit take more pages, which appear together.
  @Test func eachFaceHasAPrint() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "two.jpg")
      #expect(try Facecrop.run("sheet", input, "--faces", "each", "--copies", "1").status == 0)
      #expect(try faces(folder / "two-sheet.jpg") == 2)
      let pages = try Facecrop.run("sheet", input, "-o", folder / "s.jpg", "--faces", "each", "--copies", "4")
      #expect(try pages.status == 0 && faces(folder / "s-1.jpg") == 6 && faces(folder / "s-2.jpg") == 2)
      #expect(!folder.has("s.jpg") && !folder.has("s-3.jpg"))
      let stream = try Facecrop.run("sheet", input, "-o", "-", "--format", "png", "--copies", "7")
      #expect(stream.status == 1 && stream.stdout.isEmpty && stream.stderr.contains("2 pages"), "\(stream.stderr)")
      let kept = try Facecrop.run("sheet", input, "-o", folder / "s.jpg", "--copies", "7", "--no-clobber")
      #expect(kept.status == 1 && kept.stderr.contains("s-1.jpg"), "\(kept.stderr)")
    }
  }

  /// The text under a print is drawn below it, without marks; of a list, or the file's name. Letters that the font lacks are told.
  /// Who prints `s-*.jpg` must know of pages that are no longer of the sheet.
  @Test func pagesOfEarlierSheetsAreNamed() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      func sheet(_ copies: Int) throws -> [String] {
        let run = try Facecrop.run(
          "sheet", input, "-o", folder / "s.jpg", "--size", "9x14cm", "--copies", "\(copies)")
        #expect(run.status == 0)
        return run.stderr.split(separator: "\n").map(String.init).filter { $0.contains("not of this sheet") }
      }
      #expect(try sheet(3).isEmpty)
      let two = try sheet(2)
      #expect(two.count == 1 && two[0].contains("s-3.jpg"), "\(two)")
      let one = try sheet(1)
      #expect(one.count == 1 && one[0].contains("s-1.jpg: warning: it and 2 files like it"), "\(one)")
      #expect(try folder.names() == ["in.jpg", "s-1.jpg", "s-2.jpg", "s-3.jpg", "s.jpg"])
      #expect(try sheet(2)[0].contains("s.jpg"))
      // An input is no page.
      let own = try Facecrop.run("sheet", input, "-o", input, "--size", "9x14cm", "--copies", "2")
      #expect(own.status == 0 && !own.stderr.contains("not of this sheet"), "\(own.stderr)")
    }
  }

  @Test func printsHaveCaptions() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "Zoë.jpg")
      try folder.write("Zoë.jpg,Ωmega\n", to: "names.csv")
      let size = ["--paper", "50x70mm", "--copies", "1"]
      func pixels(_ options: [String]) throws -> Pixels {
        let run = try Facecrop.run(["sheet", input, "-o", folder / "s.png"] + size + options)
        #expect(run.status == 0, "\(run.stderr)")
        return try referenceDecodePNG(folder.bytes("s.png"))
      }
      let (plain, named) = (try pixels(["--no-cut-marks"]), try pixels(["--captions"]))
      // 50x70 mm at 300 dpi, a print of 413x531, and 59 rows of text.
      let (left, top) = ((591 - 413) / 2, (827 - 531 - 59) / 2)
      func ink(_ picture: Pixels, _ y: Int, _ height: Int) -> Int {
        picture.cropped(x: left, y: y, width: 413, height: height).samples.count { $0 < 100 }
      }
      #expect(
        named.cropped(x: left, y: top, width: 413, height: 531)
          == plain.cropped(x: left, y: (827 - 531) / 2, width: 413, height: 531))
      #expect(
        ink(named, top + 531, 59) > 300 && ink(named, top + 531 + 59, 60) == 0 && ink(plain, top + 531 + 59, 60) == 0)
      let listed = try Facecrop.run(["sheet", input, "-o", folder / "s.png", "--names", folder / "names.csv"] + size)
      #expect(listed.status == 0 && listed.stderr.contains("Ω"), "\(listed.stderr)")
      // The end of a long name is left out, so that two can read the same.
      try folder.write("Zoë.jpg,Alexandra Constantina of Nowhere in Particular\n", to: "names.csv")
      let long = try Facecrop.run(["sheet", input, "-o", folder / "s.png", "--names", folder / "names.csv"] + size)
      #expect(long.status == 0 && long.stderr.contains("Particular' is too long"), "\(long.stderr)")
      #expect(!listed.stderr.contains("too long"))
    }
  }

  /// An image or a face that the list lacks is named and counted; an empty name leaves a face without a caption.
  @Test func lacksOfTheListAreNamed() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "one.jpg")
      try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "two.jpg")
      try folder.write("two.jpg,,Bo\n", to: "names.csv")
      func run(_ images: String...) throws -> [String] {
        let outcome = try Facecrop.run(
          ["sheet"] + images + [
            "-o", "s.jpg", "--paper", "a4", "--copies", "1", "--faces", "each", "--names", "names.csv",
          ],
          currentDirectory: folder.path)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return outcome.errorLines.filter { $0.contains("names.csv") }
      }
      #expect(try run("two.jpg").isEmpty)
      let lines = try run("one.jpg", "two.jpg")
      #expect(lines.count == 2 && lines[0].hasPrefix("facecrop: one.jpg: warning: "), "\(lines)")
      #expect(lines.last?.contains("names.csv: warning: 1 of 3 faces") == true, "\(lines)")
      try folder.write("one.jpg,Al\ntwo.jpg,Bo\n", to: "names.csv")
      #expect(try run("one.jpg", "two.jpg").contains { $0.contains("two.jpg") && $0.contains("face 2") })
    }
  }

  /// The caption is the name of the face that is printed, and more names than faces are told.
  @Test func captionsFollowTheFaces() throws {
    try TemporaryFolder.with { folder in
      try folder.write(JPEGRecipe.baseline444.encode(Samples.smallAndLargeFace()), to: "two.jpg")
      func sheet(_ names: String, _ faces: String) throws -> (bytes: [UInt8], stderr: String) {
        try folder.write("two.jpg,\(names)\n", to: "names.csv")
        let outcome = try Facecrop.run(
          "sheet", "two.jpg", "-o", "s.png", "--copies", "1", "--faces", faces, "--names", "names.csv",
          currentDirectory: folder.path)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return (try folder.bytes("s.png"), outcome.stderr)
      }
      #expect(try sheet("Ann,Ben", "largest").bytes == sheet("Cy,Ben", "2").bytes)
      #expect(try sheet("Ann,Ben", "1").bytes == sheet("Ann,Cy", "1").bytes)
      #expect(try sheet("Ann,Ben", "1").bytes != sheet("Ben,Ann", "1").bytes)
      #expect(try sheet("Ann,Ben,Cy", "1").stderr.contains("3 names for it, and 2 faces were found"))
    }
  }

  /// Corrected and rejected frames of a batch, or the plan of a crop, decide the prints.
  @Test func plansDecideThePrints() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "one.jpg")
      try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "two.jpg")
      try Facecrop.prepare(
        "$FACECROP batch one.jpg two.jpg -d out --preset passport --faces each --plan-out plans.ndjson --progress none",
        in: folder)
      func sheet(_ arguments: String...) throws -> (Facecrop.Outcome, [UInt8]) {
        let run = try Facecrop.run(
          ["sheet", "-o", "s.png", "--paper", "a4", "--copies", "1"] + arguments, currentDirectory: folder.path)
        return (run, run.status == 0 ? try folder.bytes("s.png") : [])
      }
      let (_, found) = try sheet("one.jpg", "two.jpg", "--faces", "each")
      let (same, planned) = try sheet("one.jpg", "two.jpg", "--plan-in", "plans.ndjson", "--faces", "each")
      #expect(same.status == 0 && found == planned && same.stderr.contains("--faces"), "\(same.stderr)")
      let lines = try folder.text("plans.ndjson").split(separator: "\n")
      let one = try #require(lines.first { $0.contains("one.jpg") })
      let corner = one.replacing(/"region":\{[^}]*\}/, with: #""region":{"x":0,"y":0,"width":0.5,"height":0.5}"#)
      try folder.write(corner + "\n", to: "hand.ndjson")
      let (hand, corrected) = try sheet("one.jpg", "--plan-in", "hand.ndjson")
      let (_, usual) = try sheet("one.jpg")
      #expect(hand.status == 0 && !corrected.isEmpty && corrected != usual, "\(hand.stderr)")
      // A rejected image is not on the sheet, and is named. Nothing to print is an error.
      let rejected = one.replacing(/"crops":\[.*?\}\],/, with: #""crops":[],"#)
      try folder.write(rejected + "\n", to: "hand.ndjson")
      let (some, _) = try sheet("one.jpg", "two.jpg", "--plan-in", "hand.ndjson")
      #expect(some.status == 0 && some.stderr.contains("facecrop: one.jpg: warning: "), "\(some.stderr)")
      let (none, _) = try sheet("one.jpg", "--plan-in", "hand.ndjson", "--no-clobber")
      #expect(none.status == 2, "\(none.stderr)")
      // The plan of one image, as crop writes it.
      try Facecrop.prepare(
        "$FACECROP avatar one.jpg --preset passport --aspect 413:531 -o p.jpg --plan-out plan.json", in: folder)
      #expect(try sheet("one.jpg", "--plan-in", "plan.json").1 == usual)
      #expect(try sheet("one.jpg", "--plan-in", "one.jpg").0.status == 1)
    }
  }

  /// A4 at 600 dpi is 104 MB of pixels.
  @Test(arguments: ["jpg", "png", "tiff"]) func itIsNeverInMemory(suffix: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let run = try Facecrop.peakMemory(
        ["sheet", input, "-o", folder / "sheet.\(suffix)", "--paper", "a4", "--dpi", "600"])
      #expect(run.status == 0 && run.bytes < 64 << 20, "\(run.bytes >> 20) MiB")
    }
  }

  /// Usage errors name the option and the value.
  @Test(arguments: [
    ("sheet -o s.jpg", ["<input>"]), ("sheet in.jpg -o s.webp", ["WebP", "JPEG"]),
    ("sheet in.jpg -o - --format tiff", ["TIFF", "-o"]), ("sheet in.jpg --names -", ["--names"]),
    ("sheet in.jpg --plan-in -", ["--plan-in"]),
    ("sheet in.jpg -o s.jpg --paper a9", ["--paper", "a9"]), ("sheet in.jpg -o s.jpg --gap 2", ["--gap", "'2'"]),
    ("sheet in.jpg -o s.jpg --gap 1e300mm --copies 200", ["--copies", "100 pages"]),
    ("sheet in.jpg -o s.jpg --margin 1e300mm", ["--margin"]),
    ("sheet in.jpg -o s.jpg --paper 1e300x1e300mm", ["--paper"]),
    ("sheet in.jpg -o s.jpg --copies 0", ["--copies", "0"]),
    ("sheet in.jpg -o s.jpg --copies 601", ["--copies", "100 pages"]),
    ("sheet in.jpg -o s.jpg --copies 9223372036854775807", ["--copies"]),
    ("sheet a.jpg b.jpg -o s.jpg --copies 4611686018427387905", ["--copies"]),
    ("sheet in.jpg -o s.jpg --size 20x20cm", ["--size"]),
    ("sheet in.jpg -o s.jpg --paper 9x9in --size 1x1mm --dpi 65535", ["--paper"]),
  ])
  func wrongUsage(line: String, names: [String]) throws {
    let outcome = try Facecrop.run(line.split(separator: " ").map(String.init))
    #expect(outcome.status == 64)
    for name in names { #expect(outcome.stderr.contains(name), "\(outcome.stderr)") }
  }

  /// Options that cannot apply to a print are unknown to the command.
  @Test(arguments: [
    "--width", "--height", "--aspect", "--min-size", "--upscale", "--color", "--metadata", "--gain-map",
    "--speed", "--max-bytes", "--progressive", "--shape", "--matte", "--plan-out", "--lossless",
  ])
  func optionsOfOtherCommandsAreUnknown(option: String) throws {
    let outcome = try Facecrop.run("sheet", "in.jpg", "-o", "s.jpg", "\(option)=1")
    #expect(outcome.status == 64 && outcome.stderr.contains(option))
    #expect(try !Facecrop.run("sheet", "--help").text.contains("  \(option) "))
  }
}
