import FaceCrop
import Foundation
import TestSupport
import Testing

@testable import FaceCropCLI

/// `--hide` and `--show`: people hidden by their names in a list.
@Suite struct HiddenPeopleTests {
  private static let list = "file;person;person\nin/two.jpg;Anna Berg;Ben Otto\nin/a.jpg;Ben Otto\nnobody.jpg\n"

  private func prepare(_ folder: TemporaryFolder, _ names: String = list) throws {
    try Facecrop.prepare("mkdir in", in: folder)
    try folder.write(Samples.portrait(), to: "in/a.jpg")
    try folder.write(JPEGRecipe.baseline444.encode(Samples.smallAndLargeFace()), to: "in/two.jpg")
    try folder.write(Samples.portrait(), to: "in/nobody.jpg")
    try folder.write(names, to: "names.csv")
  }

  private func batch(_ folder: TemporaryFolder, _ more: String...) throws -> Facecrop.Outcome {
    try Facecrop.run(
      ["batch", "-r", "in", "-d", "out", "--blur", "--names", "names.csv"] + more, currentDirectory: folder.path)
  }

  /// The centers of the crops that hide faces, from the left, in fractions of the width.
  private func hidden(_ folder: TemporaryFolder, _ input: String) throws -> [Double]? {
    let entry = try #require(folder.manifest().entries["in/\(input)"])
    let regions = try (entry["crops"] as? [[String: Any]])?.map { crop in
      let region = try #require(crop["region"] as? [String: Double])
      return try #require(region["x"]) + #require(region["width"]) / 2
    }
    return regions?.sorted()
  }

  /// Each image with the person has an output, the name finds the face from the left, and others are skipped.
  @Test func aPersonIsHiddenInAllPhotos() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try batch(folder, "--hide", "ben otto")
      #expect(outcome.status == 0, "\(outcome.stderr)")
      #expect(outcome.stderr.contains("not-named 1"))
      #expect(folder.has("out/a.jpg") && folder.has("out/two.jpg") && !folder.has("out/nobody.jpg"))
      let two = try #require(try hidden(folder, "two.jpg"))
      #expect(try two.count == 1 && two[0] > 0.5 && hidden(folder, "a.jpg")?.count == 1)
      // A second run repeats nothing, and another person changes what is hidden.
      let lines = try folder.manifest().lines.count
      #expect(try batch(folder, "--hide", "Ben Otto").status == 0)
      #expect(try folder.manifest().lines.count == lines)
      #expect(try batch(folder, "--hide", "Anna Berg", "--prune").status == 0)
      let other = try #require(try hidden(folder, "two.jpg"))
      #expect(other.count == 1 && other[0] < 0.5 && !folder.has("out/a.jpg"))
    }
  }

  /// All others are hidden, also in images for which the list has no names.
  @Test func allOthersAreHidden() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try batch(folder, "--show", "Anna Berg")
      #expect(outcome.status == 0, "\(outcome.stderr)")
      let two = try #require(try hidden(folder, "two.jpg"))
      #expect(two.count == 1 && two[0] > 0.5)
      #expect(try hidden(folder, "nobody.jpg")?.count == 1 && hidden(folder, "a.jpg")?.count == 1)
    }
  }

  /// The person may be in an image that the list lacks. Other files need no line.
  @Test(arguments: ["--hide", "--show"]) func anImageWithoutALineFails(option: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      try folder.write(Samples.portrait(), to: "in/stranger.jpg")
      try folder.write("no image", to: "in/notes.txt")
      let outcome = try batch(folder, option, "Anna Berg")
      #expect(outcome.status == 1 && outcome.stderr.contains("failed    1"), "\(outcome.stderr)")
      #expect(outcome.stderr.contains("in/stranger.jpg: 'names.csv' has no line for it (add one"))
      let manifest = try folder.manifest()
      #expect(manifest.reason("in/stranger.jpg").kind == "name" && manifest.reason("in/notes.txt").kind == "no-picture")
      #expect(folder.has("out/two.jpg") && !folder.has("out/stranger.jpg"))
      // The next run needs no other option to repeat it.
      try folder.write(Self.list + "stranger.jpg\n", to: "names.csv")
      #expect(try batch(folder, option, "Anna Berg").status == 0)
      #expect(folder.has("out/stranger.jpg") == (option == "--show"))
      let one = try Facecrop.run(
        "blur", "in/stranger.jpg", "--names", "names.csv", option, "Ben Otto", "-o", "one.jpg",
        currentDirectory: folder.path)
      #expect(one.status == (option == "--show" ? 0 : 1), "\(one.stderr)")
    }
  }

  /// A list with more or fewer names than faces may name others, so nothing is written.
  @Test(arguments: ["--hide", "--show"], ["a.jpg;Anna Berg;Ben Otto", "two.jpg;Anna Berg"])
  func otherNumbersOfNamesAreNoGuess(option: String, line: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder, "file;person;person\n\(line)\n")
      let outcome = try batch(folder, option, "Anna Berg")
      #expect(outcome.status == 1 && outcome.stderr.contains("so names may be those of others"), "\(outcome.stderr)")
      #expect(!folder.has("out/\(line.prefix { $0 != ";" })"))
    }
  }

  /// `blur` hides the same face as `batch`, and fails for an image without the person.
  @Test func oneImageIsLikeABatch() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      #expect(try batch(folder, "--hide", "Anna Berg").status == 0)
      let one = try Facecrop.run(
        "blur", "in/two.jpg", "--names", "names.csv", "--hide", "anna berg", "-o", "one.jpg",
        currentDirectory: folder.path)
      #expect(one.status == 0 && one.text.contains("1 face hidden"), "\(one.stderr)")
      let isSame = try folder.bytes("one.jpg") == folder.bytes("out/two.jpg")
      #expect(isSame)
      let other = try Facecrop.run(
        "blur", "in/a.jpg", "--names", "names.csv", "--hide", "Anna Berg", "-o", "other.jpg",
        currentDirectory: folder.path)
      #expect(other.status == 1 && other.stderr.contains("names nobody to hide"), "\(other.stderr)")
      #expect(!folder.has("other.jpg"))
    }
  }

  @Test(arguments: [
    ("Ana Berg", "did you mean 'anna berg'?"), ("Anna", "did you mean 'anna berg'?"),
    ("Anna Berg,Zoe", "has no 'zoe' (write a name"), ("", "has no ''"),
  ])
  func unknownNamesAreRefused(name: String, hint: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try batch(folder, "--hide", name)
      #expect(outcome.status == 64 && outcome.stderr.contains(hint), "\(outcome.stderr)")
      #expect(!folder.has("out/a.jpg"))
    }
  }

  /// Commas separate names, and semicolons names that have commas.
  @Test(arguments: [
    ("Anna Berg,Ben Otto", 2), ("Ben Otto; Anna Berg", 2), ("Otto, Ben", 1), ("Otto, Ben;Anna Berg", 2),
  ])
  func severalPeople(text: String, count: Int) throws {
    let list = try NameList(
      Array("two.jpg,Anna Berg,\(text.contains("Otto, ") ? "\"Otto, Ben\"" : "Ben Otto")\n".utf8), name: "l")
    let people = try #require(try HiddenPeople(hide: text, show: nil, in: list))
    #expect(try people.request(BlurRequest(), for: "x/two.jpg").faces.count == count)
    #expect(throws: Outcome.Obstacle.self) { try people.request(BlurRequest(), for: "x/one.jpg") }
  }

  /// An empty cell before a name, and a question mark, are faces without a name.
  @Test(arguments: ["", "?"]) func facesWithoutANameAreCounted(cell: String) throws {
    let list = try NameList(Array("two.jpg,\(cell),Ben Otto\n".utf8), name: "l")
    for (text, number) in [("Ben Otto", 2), ("?", 1)] {
      let people = try #require(try HiddenPeople(hide: text, show: nil, in: list))
      let blur = try people.request(BlurRequest(), for: "two.jpg")
      #expect(blur.faces == .only([number]) && blur.people == 2)
    }
  }

  @Test(arguments: [
    ["--hide", "Anna Berg"], ["--names", "names.csv", "--hide", "Anna Berg", "--show", "Ben Otto"],
    ["--names", "names.csv"],
    ["--names", "names.csv", "--hide", "Anna Berg", "--name", "{person}.jpg"],
  ])
  func unfitOptionsAreRefused(options: [String]) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.run(
        ["batch", "-r", "in", "-d", "out", "--blur"] + options, currentDirectory: folder.path)
      #expect(outcome.status == 64 && !folder.has("out/two.jpg"), "\(outcome.stderr)")
    }
  }
}

extension HiddenFaces {
  fileprivate var count: Int { if case .only(let numbers) = self { numbers.count } else { 0 } }
}
