import Testing
import TestSupport

/// Wrong usage gives one message with the way to the help, and status 64, and does nothing.
@Suite struct UsageTests {
  struct Case: CustomTestStringConvertible {
    var arguments: [String]
    /// Options and values that the message names.
    var names: [String]
    var command: String?

    init(_ line: String, _ names: String...) {
      arguments = line.split(separator: " ").map(String.init)
      self.names = names
      command = ["avatar", "batch", "blur", "crop", "detect", "info", "sheet"].first { $0 == arguments.first }
    }

    var testDescription: String { arguments.joined(separator: " ") }
  }

  private static let cases = [
    Case("crop", "<input>"),
    Case("detect", "<input>"),
    Case("bogus", "bogus"),
    Case("--bogus", "--bogus"),
    Case("crop in.jpg --bogus", "--bogus"),
    Case("avatr in.jpg", "avatr", "avatar"),
    Case("help avatr", "avatr", "avatar"),
    Case("avatar in.jpg -o a.jgp", "a.jgp", ".jpg", "--format"),
    Case("sheet in.jpg -o a.tifff", "a.tifff", ".tiff"),
    Case("batch in.jpg -d out --name {stem}.jpgg", "{stem}.jpgg", ".jpg", "--format"),
    Case("detect in.jpg --preview faces.csv", "faces.csv", ".jpg"),
    Case("blur -r photos", "-r", "batch --blur -r"),
    Case("batch -r photos -d out --blur --mode solid", "--mode", "--blur-mode"),
    Case("avatar in.jpg other.jpg", "other.jpg", "batch --preset avatar"),
    Case("crop in.jpg -o -x.jpg", "-o"),
    Case("avatar in.jpg --size -5", "--size", "'-5'", "512"),
    Case("avatar in.jpg --size=-5", "--size", "-5", "65535"),
    Case("avatar in.jpg --size 99999", "--size", "99999", "65535"),
    Case("avatar in.jpg --size 256,256", "--size", "256"),
    Case("avatar in.jpg --size 512px", "--size", "512px"),
    Case("avatar in.jpg --format auto", "--accept"),
    Case("avatar in.jpg --accept image/webp", "--format auto"),
    Case("avatar in.jpg -o a.jpg --format auto --accept image/webp", "a.jpg", "JPEG", "--format", "WebP"),
    Case("avatar in.jpg -o a.jpg --speed 4", "--speed", "JPEG", "AVIF"),
    Case("avatar in.jpg -o a.avif --speed 10", "--speed", "10", "0 to 9"),
    Case("avatar in.jpg -o a.avif --progressive", "--progressive", "AVIF", "JPEG"),
    Case("avatar in.jpg -o a.tiff --quality 80", "--quality", "TIFF"),
    Case("avatar https://example.org/a.jpg", "curl"),
    Case("crop in.jpg --width 300 --height 300 --aspect 1:2", "--aspect"),
    Case("crop in.jpg --size 300x300 --aspect 1:2", "--aspect"),
    Case("crop in.jpg --width 300 --size 40", "--width", "--size"),
    Case("crop in.jpg --size 300xx", "--size", "300xx"),
    Case("crop in.jpg --no-face skip -o -", "--no-face skip", "--no-face fail"),
    Case("avatar -h.jpg", "./-h.jpg"),
    Case("avatar -dash.jpg --size 50", "./-dash.jpg"),
    Case("detect in.jpg -oh.jpg", "./-oh.jpg"),
    Case("crop in.jpg -o folder/", "folder/"),
    Case("detect https://example.org/a.jpg", "curl"),
    Case("info https://example.org/a.jpg", "curl"),
    Case("batch https://example.org/a.jpg -d out", "curl"),
    Case("avatar in.jpg --print 35x45", "--print", "35x45", "mm, cm or in"),
    Case("avatar in.jpg --size 35X45mm", "--size", "35X45mm"),
    Case("avatar in.jpg --print 35x45mm --size 40", "--print", "--size"),
    Case("avatar in.jpg --size 35x45mm --dpi 70000", "--dpi", "70000", "1 to 65535"),
    Case("avatar in.jpg --print 9000x9000mm", "--size", "65535", "300 dpi"),
    Case("avatar in.jpg --aspect 4/5", "--aspect", "4/5", "4:5"),
    Case("avatar in.jpg --dpi 72.5", "--dpi", "72.5"),
    Case("crop in.jpg --max-bytes 30K --lossless", "--max-bytes"),
    Case("crop in.jpg --min-size 10 --lossless", "--min-size"),
    Case("avatar in.jpg --size 64 --min-size 100", "--min-size", "100", "64"),
    Case("crop in.jpg --min-size 0", "--min-size", "0", "1 to"),
    Case("crop in.jpg other.jpg", "other.jpg"),
    Case("detect in.jpg --padding 1", "--padding"),
    Case("crop in.jpg --padding=-0.1", "-0.1"),
    Case("crop in.jpg --padding 1,2", "1,2"),
    Case("crop in.jpg --padding 1,2,3,4,5", "1,2,3,4,5"),
    Case("crop in.jpg --padding nan", "nan"),
    Case("crop in.jpg --padding inf", "inf"),
    Case("crop in.jpg --padding much", "much"),
    Case("crop in.jpg --padding", "--padding"),
    Case("crop in.jpg --aspect 4", "4"),
    Case("crop in.jpg --aspect 4:0", "4:0"),
    Case("crop in.jpg --aspect -4:5", "--aspect"),
    Case("crop in.jpg --aspect 4:5:6", "4:5:6"),
    Case("crop in.jpg --aspect wide", "wide"),
    Case("crop in.jpg --quality 0", "--quality", "1 to 100"),
    Case("crop in.jpg --quality 101", "--quality", "1 to 100"),
    Case("crop in.jpg --quality best", "best"),
    Case("crop in.jpg --faces 0", "0"),
    Case("crop in.jpg --faces all", "all", "tagged"),
    Case("crop in.jpg --faces=-1", "-1"),
    Case("crop in.jpg --detector eyes", "eyes"),
    Case("detect in.jpg --detector eyes", "eyes"),
    Case("crop in.jpg --no-face cry", "cry"),
    Case("crop in.jpg --metadata some", "some"),
    Case("crop in.jpg --format heic", "heic"),
    Case("crop in.jpg --progress loud", "loud"),
    Case("crop in.jpg --max-pixels 0", "0"),
    Case("crop in.jpg --max-pixels many", "many"),
    Case("crop in.jpg --max-pixels 99999999999999999999", "99999999999999999999"),
    Case("crop in.jpg --max-file-size 9223372036854775807GiB", "9223372036854775807GiB"),
    Case("crop in.jpg -o out.heic", "HEIC"),
    Case("crop in.jpg -o out.HEIC", "HEIC"),
    Case("crop in.jpg -o out.png --format jpeg", "out.png"),
    Case("crop in.jpg -o out.jpg --format webp", "out.jpg"),
    Case("crop in.jpg -o out.png --quality lossless", "WebP"),
    Case("crop in.jpg -o out.png --quality 90", "--quality", "PNG"),
    Case("avatar in.jpg --format png --quality 90", "--quality", "PNG"),
    Case("crop in.jpg --pad edge", "--preset"),
    Case("avatar in.jpg --max-pad 0.1", "--pad edge"),
    Case("avatar in.jpg --pad edge --max-pad 1.5", "0 to 1"),
    Case("avatar in.jpg --pad edge --max-pad nan", "0 to 1"),
    Case("avatar in.jpg --pad edge --max-pad much", "0 to 1"),
    Case("crop in.jpg --template dlib-150 --pad edge --max-pad 0.1", "--max-pad"),
    Case("crop in.jpg --pad ffffff", "--preset"),
    Case("avatar in.jpg --preset crop --pad blur", "--preset"),
    Case("avatar in.jpg --lossless", "--lossless"),
    Case("crop in.jpg -o out.jpg --shape circle", "--shape circle", "JPEG", "PNG, WebP"),
    Case("crop in.jpg --shape star", "star"),
    Case("crop in.jpg --matte red", "red"),
    Case("crop in.jpg --background-fill red", "red", "white", "blur:5"),
    Case("crop in.jpg --background-fill blur:99", "blur:99", "blur:5"),
    Case("avatar in.jpg --background-fill required", "required", "passport:us", "--background-fill white"),
    Case("sheet in.jpg --background-fill required", "required", "passport:us"),
    Case("batch in.jpg -d out --preset passport:nz --background-fill required", "required", "passport:us"),
    Case("crop in.jpg --plan-in p.json --background-fill required", "required", "passport:us"),
    Case("crop in.jpg -o out.jpg --background-fill transparent", "--background-fill transparent", "JPEG", "PNG"),
    Case("crop in.jpg --keep-people", "--keep-people", "--background-fill"),
    Case("crop in.jpg --fail-if-unsure", "--fail-if-unsure", "--background-fill"),
    Case("crop in.jpg --lossless --background-fill white", "--background-fill"),
    Case("sheet in.jpg --background-fill transparent", "transparen", "white"),
    Case("crop in.jpg --faces each -o -", "standard output"),
    Case("crop - --faces each", "standard output"),
    Case("crop in.jpg --plan-out - -o -", "standard output"),
    Case("crop - --plan-in -", "standard input"),
    Case("crop in.jpg -o out.jpg --plan-out out.jpg", "out.jpg"),
  ]

  @Test(arguments: cases)
  func wrongUsageGetsOneSentenceAndTheWayOut(example: Case) throws {
    try TemporaryFolder.with { folder in
      try folder.write(try Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run(example.arguments, currentDirectory: folder.path)
      #expect(outcome.status == 64)
      #expect(outcome.stdout == [])
      try #require(outcome.errorLines.count == 2, "\(outcome.stderr)")
      #expect(outcome.errorLines[0].hasPrefix("facecrop: "))
      for name in example.names { #expect(outcome.errorLines[0].contains(name), "\(outcome.errorLines[0])") }
      #expect(outcome.errorLines[1] == "Try 'facecrop\(example.command.map { " \($0)" } ?? "") --help'.")
      #expect(try folder.names() == ["in.jpg"])
    }
  }

  /// Without a name of the output, the image decides its format. So the message names the file.
  @Test(arguments: [
    Case("crop in.jpg --quality lossless", "--quality lossless", "JPEG", "WebP"),
    Case("crop in.jpg --shape circle", "--shape circle", "JPEG", "PNG, WebP"),
    Case("blur in.jpg --quality lossless", "--quality lossless", "JPEG", "WebP"),
  ])
  func optionsThatDoNotFitTheImageNameIt(example: Case) throws {
    try TemporaryFolder.with { folder in
      try folder.write(try Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run(example.arguments, currentDirectory: folder.path)
      #expect(outcome.status == 64 && outcome.stdout == [])
      try #require(outcome.errorLines.count == 1, "\(outcome.stderr)")
      #expect(outcome.errorLines[0].hasPrefix("facecrop: in.jpg: "))
      for name in example.names { #expect(outcome.errorLines[0].contains(name), "\(outcome.errorLines[0])") }
      #expect(try folder.names() == ["in.jpg"])
    }
  }

  /// An unknown option is named before any rule that it or its value may seem to break.
  @Test(arguments: [
    "blur in.jpg --upright auto -o out.jpg", "blur in.jpg --sise 3 --plan-out p.json", "blur - --sise 3 -o out.jpg",
    "detect in.jpg --preview p.jpg --sise 100", "detect --write-regions - --sise 3", "batch in.jpg --sise 3",
    "batch -r in.jpg --lossless --pad edge --sise", "crop in.jpg --sise 3 --lossless --min-size 10",
    "avatar in.jpg other.jpg --sise 3", "avatar in.jpg --sise=3 --size 64 --min-size 100",
    "sheet in.jpg -o a.webp --sise 3",
    "check in.jpg --sise 3", "info in.jpg https://example.org/a.jpg --sise 3", "crop in.jpg -o out/ -q 3",
  ])
  func anUnknownOptionIsNamedFirst(line: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(try Samples.portrait(), to: "in.jpg")
      let words = line.split(separator: " ").map(String.init)
      let name = try #require(["--sise", "--upright", "-q"].first { line.contains($0) })
      let outcome = try Facecrop.run(words, currentDirectory: folder.path)
      #expect(outcome.status == 64)
      // Not each command has --size, and the nearest of blur is another one.
      let near = words[0] == "blur" ? "--hide" : "--size"
      let hints = ["--sise": " (did you mean '\(near)'?)", "--upright": "", "-q": ""]
      let message = "facecrop: Unknown option '\(name)'"
      #expect([message, message + hints[name]!].contains(outcome.errorLines.first), "\(outcome.stderr)")
      #expect(try folder.names() == ["in.jpg"])
    }
  }

  @Test(arguments: [
    ("batch in.jpg -o out", "-o", "-d"), ("batch in.jpg --out out", "--out", "-d"),
    ("batch in.jpg --output out", "--output", "-d"), ("crop in.jpg -d out", "-d", "facecrop batch -r"),
    ("avatar -r photos", "-r", "facecrop batch --preset avatar"), ("blur -r photos", "-r", "facecrop batch --blur"),
    ("avatar in.jpg --lossless", "--lossless", "crop --preset avatar"),
    ("batch in.jpg -d out --except 2", "--except", "--faces"),
  ])
  func anOptionOfAnotherCommandGetsARemedy(line: String, option: String, remedy: String) throws {
    let words = line.split(separator: " ").map(String.init)
    let outcome = try Facecrop.run(words)
    #expect(outcome.status == 64)
    let first = outcome.errorLines.first ?? ""
    #expect(first.hasPrefix("facecrop: \(words[0]) has no option \(option) ("), "\(outcome.stderr)")
    #expect(first.contains(remedy), "\(outcome.stderr)")
  }

  /// What follows an option, or two dashes, is no option, and a word for another option is.
  @Test(arguments: [
    ("crop in.jpg -o --sise", "-o"), ("avatar in.jpg --size -5", "--size '-5'"),
    ("detect a b --preview p.jpg", "2 are named"),
    ("detect --preview p.jpg -- a --sise", "2 are named"), ("batch -rd --sise", "its '-d <folder>' lacks a value"),
  ])
  func aValueIsNoOption(line: String, words: String) throws {
    let outcome = try Facecrop.run(line.split(separator: " ").map(String.init))
    #expect(outcome.status == 64 && outcome.stderr.contains(words), "\(outcome.stderr)")
    #expect(!outcome.stderr.contains("Unknown"), "\(outcome.stderr)")
  }

  /// A value that is joined to a one-letter option gets the right spelling, and each message is one line.
  @Test(arguments: [
    ("batch in.jpg -d out -j2", "(write -j 2)"), ("batch in.jpg -d out --size=32 -j2", "(write -j 2)"),
    ("batch in.jpg --size=32 -dout", "(write -d out, or ./-dout for a file)"),
    ("crop in.jpg -oout.jpg", "(write -o out.jpg, or ./-oout.jpg for a file)"),
    (
      "--generate-completion-script tcsh",
      "'tcsh' (please use --generate-completion-script=<shell> with one of: zsh bash fish)"
    ),
  ])
  func aJoinedValueIsSpelledOut(line: String, words: String) throws {
    let outcome = try Facecrop.run(line.split(separator: " ").map(String.init))
    #expect(outcome.status == 64 && outcome.stderr.contains(words), "\(outcome.stderr)")
    #expect(!outcome.stderr.contains("\\n"), "\(outcome.stderr)")
  }

  /// Programs that request JSON get JSON.
  @Test(arguments: ["crop in.jpg --json -o -", "crop in.jpg --json --size 0", "avatar in.jpg --progress json --size x"])
  func programsGetAnObject(line: String) throws {
    let outcome = try Facecrop.run(line.split(separator: " ").map(String.init))
    #expect(outcome.status == 64 && outcome.errorLines.count == 1)
    let object = try jsonObject(try #require(outcome.errorLines.first))
    #expect(object["kind"] as? String == "usage" && object["message"] is String)
  }

  /// A command without the option answers in text.
  @Test(arguments: [
    "sheet in.jpg --json", "sheet in.jpg --progress json", "crop in.jpg -o --json --sise", "avatr --json",
  ])
  func otherCommandsGetText(line: String) throws {
    let outcome = try Facecrop.run(line.split(separator: " ").map(String.init))
    #expect(outcome.status == 64 && outcome.stderr.hasPrefix("facecrop: "), "\(outcome.stderr)")
  }

  /// An empty name is no file.
  @Test(arguments: [["crop", "in.jpg", "-o", ""], ["crop", ""], ["crop", "in.jpg", "--plan-out", ""]])
  func emptyNamesAreRefused(arguments: [String]) throws {
    try TemporaryFolder.with { folder in
      try folder.write(try Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run(arguments, currentDirectory: folder.path)
      #expect(outcome.status != 0)
      // Not "facecrop:  cannot be …", which has no subject.
      #expect(!outcome.stderr.contains(":  "), "\(outcome.stderr)")
      #expect(try folder.names() == ["in.jpg"])
    }
  }

  /// The remedy for a folder is one that the command has.
  @Test(arguments: [
    ("check", "check -r"), ("crop", "batch -r"), ("detect", "*.jpg"), ("blur", "*.jpg"), ("sheet", "*.jpg"),
  ])
  func aFolderIsAnsweredByEachCommand(command: String, words: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir photos", in: folder)
      let outcome = try Facecrop.run(command, "photos", currentDirectory: folder.path)
      #expect((outcome.stderr + outcome.text).contains(words), "\(outcome.stderr)")
      #expect(words == "batch -r" || !outcome.stderr.contains("batch -r"), "\(outcome.stderr)")
    }
  }

  @Test func anExistingSidecarIsNamedWithARemedy() throws {
    try TemporaryFolder.with { folder in
      for name in ["a.jpg", "b.jpg"] { try folder.write(Samples.portrait(), to: name) }
      try folder.write("mine", to: "a.jpg.xmp")
      let outcome = try Facecrop.run("detect", "a.jpg", "b.jpg", "--write-regions", currentDirectory: folder.path)
      #expect(outcome.status == 1 && outcome.stderr.contains("--write-regions"), "\(outcome.stderr)")
      #expect(!outcome.stderr.contains("--no-clobber") && folder.has("b.jpg.xmp"))
      #expect(try folder.text("a.jpg.xmp") == "mine")
    }
  }
}
