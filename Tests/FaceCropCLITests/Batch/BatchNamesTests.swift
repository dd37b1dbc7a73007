import Foundation
import TestSupport
import Testing

/// `batch --name` with days, folders and people, and `--names`.
@Suite struct BatchNamesTests {
  private func outputs(_ folder: TemporaryFolder, _ name: String = "out") throws -> [String] {
    try Facecrop.prepare("cd '\(name)' && find . -type f ! -name manifest.ndjson | LC_ALL=C sort", in: folder).lines
  }

  @Test func facesHaveTheNamesOfPeople() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p in/4b", in: folder)
      try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "in/4b/class.jpg")
      try folder.write(Samples.portrait(), to: "in/me.jpg")
      try folder.write("image;1;2\nclass.jpg;Zoë Müller;Ben\nme.jpg;Eileen\n", to: "names.csv")
      let run = [
        "batch", "-r", "in", "-d", "out", "--preset", "avatar", "--size", "64", "--faces", "each", "--names",
        "names.csv",
      ]
      let first = try Facecrop.run(run, currentDirectory: folder.path)
      #expect(first.status == 0, "\(first.stderr)")
      #expect(try outputs(folder) == ["./4b/Ben.jpg", "./4b/Zoë Müller.jpg", "./Eileen.jpg"])
      // A name that changes makes that image's outputs anew, and no other's.
      try folder.write("image;1;2\nclass.jpg;Zoë Müller;Ben\nme.jpg;E. Collins\n", to: "names.csv")
      let second = try Facecrop.run(run + ["--json", "--prune"], currentDirectory: folder.path)
      #expect(try jsonObject(second.text)["doneBefore"] as? Int == 1, "\(second.text)")
      #expect(try outputs(folder) == ["./4b/Ben.jpg", "./4b/Zoë Müller.jpg", "./E. Collins.jpg"])
      // An image that the list does not name is not cropped under another name.
      try folder.write(Samples.portrait(), to: "in/new.jpg")
      let third = try Facecrop.run(run, currentDirectory: folder.path)
      #expect(third.status == 1 && third.stderr.contains("in/new.jpg: 'names.csv' has no line"), "\(third.stderr)")
    }
  }

  /// The larger face is on the right, and has the second name, whichever options choose it.
  @Test(arguments: [("largest", "Ben.jpg"), ("1", "Ann.jpg"), ("2", "Ben.jpg"), ("1 --order size", "Ben.jpg")])
  func theNameIsThatOfTheFaceInTheFrame(faces: String, name: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(JPEGRecipe.baseline444.encode(Samples.smallAndLargeFace()), to: "two.jpg")
      try folder.write("two.jpg,Ann,Ben\n", to: "names.csv")
      let run = try Facecrop.bash(
        """
        "$FACECROP" batch two.jpg -d out --preset avatar --size 64 --faces \(faces) --names names.csv --progress none
        "$FACECROP" batch two.jpg -d each --preset avatar --size 64 --faces each --names names.csv --progress none
        ls out | grep -v manifest; cmp out/\(name) each/\(name)
        """, currentDirectory: folder.path)
      #expect(run.lines == [name], "\(run.stderr)")
    }
  }

  /// The images have one name and distinct people. Only the work can find a face without a name.
  @Test(arguments: ["fail", "number"]) func distinctPeopleDoNotCollide(policy: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir a b", in: folder)
      for name in ["a/x.jpg", "b/x.jpg"] { try folder.write(Samples.portrait(), to: name) }
      try folder.write("a/x.jpg,Ann\nb/x.jpg,Bob\n", to: "names.csv")
      let run = try Facecrop.run(
        "batch", "a/x.jpg", "b/x.jpg", "-d", "out", "--preset", "avatar", "--size", "64", "--names", "names.csv",
        "--on-collision", policy, currentDirectory: folder.path)
      #expect(run.status == 0, "\(run.stderr)")
      #expect(try outputs(folder) == ["./Ann.jpg", "./Bob.jpg"])
    }
  }

  /// A line without a folder is meant for one of the images, and hides the faces of the others or shows them.
  @Test(arguments: [
    ["--preset", "avatar", "--size", "64"], ["--blur", "--show", "Ann"], ["--blur", "--hide", "Ann"],
  ])
  func aLineForSeveralImagesFailsThem(options: [String]) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p in/a in/b", in: folder)
      for name in ["in/a/x.jpg", "in/b/x.jpg", "in/y.jpg"] { try folder.write(Samples.portrait(), to: name) }
      try folder.write("x.jpg,Ann\ny.jpg,Bob\n", to: "names.csv")
      let run = ["batch", "-r", "in", "-d", "out", "--names", "names.csv"] + options
      let failed = try Facecrop.run(run, currentDirectory: folder.path)
      #expect(failed.status == 1, "\(failed.stderr)")
      for (image, other) in [("a", "b"), ("b", "a")] {
        let words =
          "facecrop: in/\(image)/x.jpg: 'names.csv' has one line for it and 'in/\(other)/x.jpg', 'x.jpg' "
          + "(write a line for each, such as '\(image)/x.jpg')"
        #expect(failed.stderr.contains(words), "\(failed.stderr)")
      }
      let outputs = try outputs(folder)
      #expect(!outputs.contains { $0.hasPrefix("./a/") || $0.hasPrefix("./b/") }, "\(outputs)")
      try folder.write("a/x.jpg,Ann\nb/x.jpg,Cy\ny.jpg,Bob\n", to: "names.csv")
      let again = try Facecrop.run(run, currentDirectory: folder.path)
      #expect(again.status == 0, "\(again.stderr)")
    }
  }

  /// `sheet` and `blur` refuse such a line as `batch` does.
  @Test(arguments: [
    ["sheet", "a/x.jpg", "b/x.jpg", "-o", "out.jpg"],
    ["sheet", "a/x.jpg", "b/x.jpg", "-o", "out.jpg", "--faces", "each"],
    ["blur", "a/x.jpg", "b/x.jpg", "--hide", "Ann,Bob"],
  ])
  func aLineForSeveralImagesFailsEverywhere(run: [String]) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir a b", in: folder)
      for name in ["a/x.jpg", "b/x.jpg"] { try folder.write(Samples.portrait(), to: name) }
      try folder.write("x.jpg,Ann\ny.jpg,Bob\n", to: "names.csv")
      let failed = try Facecrop.run(run + ["--names", "names.csv"], currentDirectory: folder.path)
      let words = "facecrop: a/x.jpg: 'names.csv' has one line for it and 'b/x.jpg', 'x.jpg' (write a line for each"
      #expect(failed.status == 1 && failed.stderr.contains(words), "\(failed.stderr)")
      #expect(!folder.has("out.jpg") && !folder.has("a/x-blur.jpg") && !folder.has("b/x-blur.jpg"))
      try folder.write("x.JPG,Ann\nB/x.jpg,Bob\n", to: "names.csv")
      let again = try Facecrop.run(run + ["--names", "names.csv"], currentDirectory: folder.path)
      #expect(again.status == 0 && !again.stderr.contains("names.csv"), "\(again.stderr)")
    }
  }

  @Test func facesWithoutNamesStayApart() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir a b", in: folder)
      for name in ["a/x.jpg", "b/x.jpg"] {
        try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: name)
      }
      try folder.write("a/x.jpg,Ann\nb/x.jpg,Bob\n", to: "names.csv")
      let run = try Facecrop.run(
        "batch", "a/x.jpg", "b/x.jpg", "-d", "out", "--preset", "avatar", "--size", "64", "--names", "names.csv",
        "--faces", "each", currentDirectory: folder.path)
      #expect(run.status == 0, "\(run.stderr)")
      #expect(try outputs(folder) == ["./Ann.jpg", "./Bob.jpg", "./x-2-2.jpg", "./x-2.jpg"])
    }
  }

  @Test func moreNamesThanFacesAreNamed() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "me.jpg")
      try folder.write("me.jpg,Ann,Ben\n", to: "names.csv")
      let run = try Facecrop.run(
        "batch", "me.jpg", "-d", "out", "--preset", "avatar", "--size", "64", "--names", "names.csv", "--json",
        currentDirectory: folder.path)
      #expect(run.stderr.contains("warning   1  names"), "\(run.stderr)")
      #expect(try jsonObject(run.text)["warnings"] as? [String: Int] == ["names": 1])
      let warnings = try folder.manifest().entries["me.jpg"]?["warnings"] as? [String]
      #expect(warnings?.contains { $0.contains("2 names, and 1 face was found") } == true)
    }
  }

  @Test func namesThatDifferInCaseAreHintedAtIfThereAreSeveral() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "ME.JPG")
      try folder.write("me.jpg,Ann\nMe.jpg,Ben\n", to: "names.csv")
      let run = try Facecrop.run(
        "batch", "ME.JPG", "-d", "out", "--names", "names.csv", currentDirectory: folder.path)
      #expect(run.status == 1 && run.stderr.contains("only one for 'Me.jpg'"), "\(run.stderr)")
    }
  }

  /// The camera's own day, whatever its time zone; "undated" without one.
  @Test func daysAndFolders() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p in/lake", in: folder)
      let exif = EXIFBuilder.tiff(dateTimeOriginal: "2024:12:31 23:59:09")
      try folder.write(
        JPEGRecipe.baseline420.with { $0.segments = [.exif(exif)] }.encode(astronaut()), to: "in/lake/a.jpg")
      try folder.write(Samples.portrait(), to: "in/b.jpg")
      let run = try Facecrop.run(
        "batch", "-r", "in", "-d", "out", "--size", "64", "--name", "{date}-{folder}-{stem}-{index:02}.{ext}",
        currentDirectory: folder.path)
      #expect(run.status == 0, "\(run.stderr)")
      #expect(try outputs(folder) == ["./lake/2024-12-31-lake-a-01.jpg", "./undated-in-b-01.jpg"])
    }
  }

  @Test(arguments: [
    (["--name", "{person}.{ext}"], "--names"), (["--name", "{stem}.{ext}", "--names", "n.csv"], "{person}"),
    (["--names", "-"], "--names"), (["--names", ""], "empty"), (["--name", "{stem}-{index:3}.{ext}"], "{index:03}"),
    (["--worker", "--names", "n.csv"], "--names"),
  ])
  func wrongUsage(options: [String], words: String) throws {
    let inputs = options.contains("--worker") ? [] : ["a.jpg", "-d", "out"]
    let run = try Facecrop.run(["batch"] + inputs + options)
    #expect(run.status == 64 && run.stderr.contains(words), "\(run.stderr)")
  }

  @Test func aListThatCannotBeReadIsNamed() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let run = try Facecrop.run("batch", "a.jpg", "-d", "out", "--names", "none.csv", currentDirectory: folder.path)
      #expect(run.status == 1 && run.stderr.hasPrefix("facecrop: none.csv: "), "\(run.stderr)")
      #expect(!folder.has("out"))
    }
  }
}
