import Foundation
import TestSupport
import Testing

/// Progress on standard error.
@Suite struct ProgressTests {
  private struct Event: Decodable {
    var event: String
    var phase: String?
    var completed: Int?
    var total: Int?
    var fraction: Double?
    var file: String?
    var kind: String?
    var message: String?
    var look: String?
    var render: [String]?
  }

  private func events(_ outcome: Facecrop.Outcome) throws -> [Event] {
    try outcome.errorLines.map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
  }

  @Test(arguments: [JPEGRecipe.baseline420, .progressive])
  func eventsGoForward(recipe: JPEGRecipe) throws {
    let outcome = try Facecrop.run("crop", "-", "-o", "-", "--progress", "json", stdin: recipe.encode(astronaut()))
    #expect(outcome.status == 0)
    let all = try events(outcome)
    let events = all.filter { $0.event == "progress" }
    let decoded = all.filter { $0.event == "decoded" }
    #expect(all.count { $0.event == "written" } == 1)
    #expect(decoded.count == 1 && events.count == all.count - 2)
    // The portrait is too small for an index to pay off.
    let path = recipe.progressive ? "coefficients" : "sequential"
    #expect(decoded[0].look == path && decoded[0].render == [path])
    let phases = events.compactMap(\.phase)
    #expect(phases.count == events.count)
    #expect(
      phases.indices.filter { $0 == 0 || phases[$0] != phases[$0 - 1] }.map { phases[$0] }
        == ["look", "detect", "render", "encode"])
    let fractions = events.compactMap(\.fraction)
    #expect(fractions == fractions.sorted() && fractions.allSatisfy { (0...1).contains($0) })
    for event in events {
      let (completed, total) = (try #require(event.completed), try #require(event.total))
      #expect((0...total).contains(completed))
    }
    // A program that shows progress would otherwise wait forever.
    #expect(events.last?.completed == events.last?.total)
    #expect(fractions.last == 1)
  }

  @Test func programsLearnWhichWayWasTaken() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(
        JPEGRecipe.baseline420.encode(largePortrait(width: 3_900, height: 3_900)), to: "in.jpg")
      let plan = folder / "plan.json"
      let cropped = try events(
        Facecrop.run("crop", input, "-o", folder / "out.jpg", "--plan-out", plan, "--progress", "json"))
      let way = try #require(cropped.first { $0.event == "decoded" })
      #expect(way.look == "index" && way.render == ["index"] && way.file == input)
      let rendered = try events(
        Facecrop.run("crop", input, "-o", folder / "out.jpg", "--plan-in", plan, "--progress", "json"))
      let again = try #require(rendered.first { $0.event == "decoded" })
      #expect(again.look == nil && again.render == ["index"])
    }
  }

  @Test func severalOutputsGoForwardToo() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "in.jpg")
      let outcome = try Facecrop.run(
        "crop", input, "-o", folder / "out.jpg", "--faces", "each", "--progress", "json")
      #expect(outcome.status == 0)
      let fractions = try events(outcome).compactMap(\.fraction)
      #expect(fractions == fractions.sorted())
    }
  }

  @Test func messagesAreEventsToo() throws {
    let warned = try events(
      Facecrop.run("crop", "-", "-o", "-", "--progress", "json", stdin: try Samples.faceless()))
    let warning = try #require(warned.last)
    #expect(warning.event == "warning" && warning.file == "standard input")
    #expect(warning.message?.contains("no face") == true)

    let failed = try events(Facecrop.run("crop", "/none.jpg", "-o", "/dev/null", "--progress", "json"))
    try #require(failed.count == 1)
    #expect(failed[0].event == "error" && failed[0].kind == "unreadable" && failed[0].file == "/none.jpg")
  }

  @Test(arguments: [[], ["--progress", "auto"], ["--progress", "none"]])
  func silentWhereNoOneLooks(arguments: [String]) throws {
    let outcome = try Facecrop.run(["crop", "-", "-o", "-"] + arguments, stdin: try Samples.portrait())
    #expect(outcome.status == 0)
    #expect(outcome.stderr == "")
  }

  @Test func barIsTakenAway() throws {
    // A PNG of the whole 12 MP takes long enough to show progress.
    let outcome = try Facecrop.run(
      "crop", "-", "-o", "-", "--padding", "30", "--format", "png", "--progress", "bar", stdin: try Samples.large.get())
    #expect(outcome.status == 0)
    #expect(outcome.stderr.hasSuffix("\r\u{1B}[K"))
    #expect(outcome.stderr.contains("%"))
    #expect(!outcome.stderr.contains("\n"))
  }
}
