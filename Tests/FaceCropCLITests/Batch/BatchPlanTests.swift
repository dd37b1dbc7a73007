import SystemPackage
import Testing

@testable import FaceCropCLI

/// The outputs of inputs, from names alone.
@Suite struct BatchPlanTests {
  private func plan(
    _ places: [String], template: String? = nil, sizes: [Int] = [], isNumbered: Bool = false
  ) throws -> BatchPlan {
    BatchPlan(
      places.map { BatchInput(path: FilePath("/in/\($0)"), place: FilePath($0), isNamed: true, obstacle: nil) },
      naming: BatchPlan.Naming(
        template: try template.map { try NameTemplate($0) }, format: nil, sizes: sizes.map(String.init),
        isNumbered: isNumbered))
  }

  private func names(_ plan: BatchPlan, crop: Int = 0, size: Int = 0) -> [String] {
    plan.items.map { $0.outputs.path(CropPlace(number: crop + 1, face: crop + 1), size: size).string }
  }

  @Test func standardNamesKeepFoldersAndExtensions() throws {
    let places = ["a.jpg", "sub/deep/b.JPG", "c.heic", "d", ".hidden", "e.f.png"]
    #expect(
      names(try plan(places)) == ["a.jpg", "sub/deep/b.JPG", "c.jpg", "d.jpg", ".hidden.jpg", "e.f.png"])
    #expect(names(try plan(["a.jpg"], sizes: [512, 64], isNumbered: true), crop: 1, size: 1) == ["a-2-64.jpg"])
    #expect(names(try plan(["a.jpg"], sizes: [512])) == ["a.jpg"])
  }

  @Test func templatesAreFollowed() throws {
    #expect(names(try plan(["s/a.jpg"], template: "{stem}-{index}.{ext}"), crop: 2) == ["s/a-3.jpg"])
    #expect(names(try plan(["s/a.jpg"], template: "{name}.png")) == ["s/a.jpg.png"])
    #expect(names(try plan(["s/a.jpg"], template: "{size}/{stem}.{ext}", sizes: [90])) == ["s/90/a.jpg"])
    #expect(names(try plan(["a.jpg"], template: "{stem}-{index:03}.{ext}"), crop: 6) == ["a-007.jpg"])
    #expect(names(try plan(["a.jpg"], template: "{index:02}{stem}.{ext}"), crop: 122) == ["123a.jpg"])
    // Without an extension, a template gets that of the format.
    #expect(names(try plan(["a.jpg", "b.png"], template: "{stem}")) == ["a.jpg", "b.png"])
    #expect(names(try plan(["a.jpg"], template: "{stem}-small")) == ["a-small.jpg"])
    #expect(names(try plan(["a.jpg"], template: "{stem}.{index}")) == ["a.1.jpg"])
  }

  private static let names = Result {
    try NameList(Array("file,name\na.jpg,Ann,Bo\nb.jpg,Ann\ns/c.jpg,Cy\ne.jpg,Bo\n".utf8), name: "names.csv")
  }

  /// A plan whose outputs are named for people, by a list.
  private func named(_ places: [String], template: String? = nil, isNumbered: Bool = false) throws -> BatchPlan {
    let names = try Self.names.get()
    let inputs = places.map { place in
      BatchInput(
        path: FilePath("/in/\(place)"), location: FilePath(place), place: FilePath(place), isNamed: true, obstacle: nil)
    }
    var facts: [FilePath: InputFacts] = [:]
    for input in inputs {
      var known = InputFacts()
      known.persons = names.persons(of: input.path)
      (known.folder, known.date) = (Array("in".utf8), Array("2026-05-04".utf8))
      facts[input.location] = known
    }
    return BatchPlan(
      inputs,
      naming: BatchPlan.Naming(
        template: try template.map { try NameTemplate($0) }, format: nil, sizes: [], isNumbered: isNumbered,
        names: names),
      facts: facts)
  }

  @Test func outputsAreNamedForPeople() throws {
    #expect(names(try named(["a.jpg", "s/c.jpg"])) == ["Ann.jpg", "s/Cy.jpg"])
    #expect(names(try named(["a.jpg"], isNumbered: true), crop: 1) == ["Bo.jpg"])
    // A face without a name has the image's.
    #expect(names(try named(["a.jpg"], isNumbered: true), crop: 2) == ["a-3.jpg"])
    #expect(
      names(try named(["a.jpg"], template: "{date}/{folder}-{person}-{index:02}.{ext}")) == ["2026-05-04/in-Ann-01.jpg"]
    )
    #expect(try named(["d.jpg"]).items[0].input.obstacle?.reason.message.contains("names.csv") == true)
  }

  /// A name is that of the face that the crop shows, whatever the number of the crop.
  @Test func namesFollowTheFaces() throws {
    let outputs = try named(["a.jpg"]).items[0].outputs
    #expect(outputs.path(CropPlace(number: 1, face: 2), size: 0) == "Bo.jpg")
    #expect(outputs.path(CropPlace(number: 1, face: 4), size: 0) == "a-4.jpg")
    // A crop of both people, or of nobody.
    #expect(outputs.path(CropPlace(), size: 0) == "a-1.jpg")
    let single = try named(["b.jpg"]).items[0].outputs
    // The only crop of an image with one name gets it, also if others stand beside the person.
    #expect(single.path(CropPlace(), size: 0) == "Ann.jpg" && single.path(CropPlace(face: 2), size: 0) == "Ann.jpg")
    #expect(single.path(CropPlace(number: 2, face: 2, isAlone: false), size: 0) == "b-2.jpg")
    #expect(single.path(CropPlace(number: 2, isAlone: false), size: 0) == "b-2.jpg")
  }

  /// Two photos of one person collide, and get numbers behind the name; all people of an image count.
  @Test func peopleCollide() async throws {
    var plan = try named(["a.jpg", "b.jpg"])
    #expect(plan.collisions().count == 1)
    #expect(await plan.settleCollisions(by: .number) { _ in nil } == [])
    #expect(names(plan) == ["Ann.jpg", "Ann-2.jpg"])
    #expect(try named(["a.jpg", "s/c.jpg"], isNumbered: true).collisions() == [])
    #expect(try named(["a.jpg", "e.jpg"], isNumbered: true).collisions().count == 1)
  }

  /// Columns of the list are parts of paths. Equal values are numbered.
  @Test func outputsAreNamedByColumns() async throws {
    let text = "file;last;first;class\na.jpg;Roe;Ann;7a\nb.jpg;Roe;Ann;7a\nc.jpg;Roe;;7b\nd.jpg;Doe;Dan;7/b\n"
    let list = try NameList(Array(text.utf8), name: "n.csv")
    func plan(_ places: [String], _ template: String) throws -> BatchPlan {
      let inputs = places.map { place -> BatchInput in
        let path = FilePath(place)
        return BatchInput(path: FilePath("/in/\(place)"), location: path, place: path, isNamed: true, obstacle: nil)
      }
      let facts = inputs.map { input in
        var facts = InputFacts()
        (facts.persons, facts.columns) = (list.persons(of: input.path), list.columns(of: input.path) ?? [:])
        return (input.location, facts)
      }
      return BatchPlan(
        inputs,
        naming: BatchPlan.Naming(
          template: try NameTemplate(template, takesColumns: true), format: nil, sizes: [], isNumbered: false,
          names: list), facts: Dictionary(uniqueKeysWithValues: facts))
    }
    #expect(names(try plan(["a.jpg"], "{class}/{last}-{first}.{ext}")) == ["7a/Roe-Ann.jpg"])
    #expect(names(try plan(["s/a.jpg"], "{Class}/{stem}")) == ["s/7a/a.jpg"])
    var twins = try plan(["a.jpg", "b.jpg"], "{last}-{first}.{ext}")
    #expect(twins.collisions().count == 1)
    #expect(await twins.settleCollisions(by: .number) { _ in nil } == [])
    #expect(names(twins) == ["Roe-Ann.jpg", "Roe-Ann-2.jpg"])
    // An empty value, one with a slash, and a missing line.
    for (place, words) in [("c.jpg", "no first"), ("d.jpg", "no class"), ("e.jpg", "no line")] {
      let obstacle = try #require(plan([place], "{class}/{first}").items[0].input.obstacle)
      #expect("\(obstacle)".contains(words), "\(obstacle)")
    }
    for text in ["{class:02}", "{}", "{class"] {
      #expect(throws: (any Error).self, "\(text)") {
        let template = try NameTemplate(text, takesColumns: true)
        try list.check(template)
      }
    }
  }

  @Test(arguments: [
    "", "a.jpg", "{stam}.jpg", "{stem:03}.jpg", "{stem}{index:3}", "{stem}{index:00}", "{date}.jpg", "{stem",
    "/{stem}.jpg", "../{stem}.jpg", "{stem}/../x{name}", "{stem}/",
  ])
  func templatesThatMakeNoSenseAreRefused(text: String) {
    #expect(throws: (any Error).self) { _ = try NameTemplate(text) }
  }

  @Test(
    arguments: [
      (["a.jpg", "b.jpg"], nil, false, 0), (["a.jpg", "s/a.jpg"], nil, false, 0), (["a.jpg", "a.png"], nil, false, 0),
      (["a.heic", "a.jpg"], nil, false, 1), (["a.jpg", "A.JPG"], nil, false, 1),
      // An umlaut as one character, and as two.
      (["\u{E4}.jpg", "a\u{308}.jpg"], nil, false, 1), (["a.jpg", "a.png"], "{stem}.jpg", false, 1),
      (["a.jpg", "a.png"], "{name}.jpg", false, 0), (["a.jpg", "b.jpg", "a.png", "b.webp"], "{stem}.jpg", false, 2),
      // a1 with index 1, and a with index 11.
      (["a.jpg", "a1.jpg"], "{stem}{index}.{ext}", true, 1), (["a.jpg", "a-1.jpg"], nil, true, 0),
      (["s/a.jpg", "s1/a.jpg"], "{stem}-{index}.{ext}", true, 0),
    ] as [([String], String?, Bool, Int)])
  func collisionsAreFoundBeforeTheWork(_ places: [String], template: String?, isNumbered: Bool, count: Int) throws {
    #expect(try plan(places, template: template, isNumbered: isNumbered).collisions().count == count)
  }

  /// Photos of one moment share a name, unless a person corrected two of them, so that both are cropped.
  @Test func photosOfAMomentShareANameUnderBestOf() async throws {
    var burst = try plan(["a.avif", "a.jpg", "a.png", "a.webp"], template: "{stem}.jpg")
    for (index, time) in [0.0, 1, 2, 9].enumerated() { burst.items[index].time = time }
    #expect(burst.bursts(within: 2) == [[0, 1, 2]])
    burst.note(burst.bursts(within: 2), areRanked: false)
    #expect(burst.collisions().map(\.second) == [burst.items[3].input.path])
    var numbered = burst
    #expect(await numbered.settleCollisions(by: .number) { _ in nil } == [])
    #expect(names(numbered) == ["a.jpg", "a.jpg", "a.jpg", "a-2.jpg"])
    burst.items.removeLast()
    burst.note([[1, 0, 2]])
    #expect(burst.items.map(\.isSpare) == [true, false, true] && burst.collisions().isEmpty)
    burst.items[2].isSpare = false
    #expect(burst.collisions().map(\.second) == [burst.items[2].input.path])
  }

  @Test func bytesThatAreNoTextStayApart() throws {
    let bytes: [[UInt8]] = [[0xE9], [0xE8], [0xFF]]
    let inputs = bytes.map { byte in
      let path = FilePath(bytes: byte + Array(".jpg".utf8))
      return BatchInput(path: path, place: path, isNamed: true, obstacle: nil)
    }
    let plan = BatchPlan(
      inputs, naming: BatchPlan.Naming(template: nil, format: nil, sizes: [], isNumbered: false))
    #expect(plan.collisions().isEmpty)
    #expect(plan.items[0].outputs.path(CropPlace(), size: 0).bytes == [0xE9] + Array(".jpg".utf8))
  }
}
