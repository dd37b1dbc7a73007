import TestSupport
import Testing

@testable import FaceCropCLI

/// Options of version 0.1 whose values other options have now.
@Suite struct FormerNamesTests {
  private static func given(_ line: String, of place: OptionFact.Places = .crop) -> GivenOptions {
    GivenOptions(line.split(separator: " ").map(String.init), of: place)
  }

  @Test(arguments: [
    ("in.jpg --width 300", "--size=300x in.jpg"), ("--height=400 in.jpg", "--size=x400 in.jpg"),
    ("--height 400 in.jpg --width 300", "--size=300x400 in.jpg"),
    ("in.jpg --print 35x45mm --dpi 90", "--size=35x45mm in.jpg --dpi 90"),
    ("in.jpg --fill-sizes 16:9,1:1 --order size", "--fill=16:9,1:1 in.jpg --order size"),
    ("in.jpg --pad-color fff", "--pad=fff in.jpg"),
    ("in.jpg --person Anna", "--faces=person:Anna in.jpg"), ("in.jpg --background=fff", "--matte=fff in.jpg"),
    ("-- --width", "-- --width"),
  ])
  func formerNamesAreOptionsOfToday(line: String, today: String) throws {
    for place in [OptionFact.Places.crop, .request] {
      let given = Self.given(line, of: place)
      try given.check()
      #expect(given.arguments.joined(separator: " ") == today)
    }
  }

  /// A size on paper without a unit is not one in pixels, and two options cannot set one value.
  @Test(arguments: [
    ("in.jpg --print 35x45", "--print '35x45'"), ("in.jpg --size 40 --width 30", "--width is --size now"),
    ("in.jpg --print 2x2in --height 30", "--size now"),
    ("in.jpg --pad edge --pad-color fff", "--pad-color is --pad now"),
    ("in.jpg --person Anna --faces each", "--person is --faces now"), ("in.jpg --width", "Missing value for '--width"),
    ("in.jpg --width 30 --lossless", "leave out --width"),
  ])
  func faultsNameThem(line: String, words: String) {
    let error = #expect(throws: (any Error).self) { try Self.given(line).check() }
    #expect("\(error!)".contains(words), "\(error!)")
  }

  /// A person reads which name is the new one, and a program does not.
  @Test func aNoteNamesTheNewOption() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let run = ["crop", input, "-o", folder / "out.jpg", "--width", "30"]
      let outcome = try Facecrop.run(run)
      #expect(
        outcome.stderr == "facecrop: note: --width is --size 30x now (the next version has only the new name)\n")
      #expect(outcome.status == 0)
      #expect(!(try Facecrop.run(run + ["--json"])).stderr.contains("note"))
      #expect(try Facecrop.run("crop", input, "-o", folder / "new.jpg", "--size", "30x").stderr == "")
      #expect(try folder.bytes("out.jpg") == folder.bytes("new.jpg"))
    }
  }
}
