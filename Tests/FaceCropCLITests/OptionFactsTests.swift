import FoundationEssentials
import TestSupport
import Testing

@testable import FaceCropCLI

/// The parser's declarations have the facts of the catalog, so a new option needs a row.
@Suite struct OptionFactsTests {
  /// The parser's description of itself.
  private struct Dump: Decodable {
    struct Command: Decodable { var arguments: [Argument] }
    struct Argument: Decodable {
      var kind: String
      var names: [Name]?
      var allValues: [String]?
      var defaultValue: String?

      var longNames: [String] { (names ?? []).filter { $0.kind == "long" }.map(\.name) }
    }
    struct Name: Decodable {
      var kind: String
      var name: String
    }
    var command: Command
  }

  private static let commands = OptionFact.Places.commands.map(\.name)

  /// Returns a command's options, without those that every command has.
  private func arguments(of command: String) throws -> [Dump.Argument] {
    let run = try Facecrop.run([command, "--experimental-dump-help"])
    return try JSONDecoder().decode(Dump.self, from: Data(run.stdout)).command.arguments
      .filter { !$0.longNames.isEmpty && $0.longNames != ["help"] && $0.longNames != ["version"] }
  }

  @Test(arguments: OptionFact.Places.commands.map(\.name))
  func everyOptionHasARow(command: String) throws {
    let place = try #require(OptionFact.Places.commands.first { $0.name == command }?.place)
    let facts = OptionFact.all.filter { !$0.places.isDisjoint(with: place) }
    #expect(Set(facts.map(\.name)).count == facts.count, "an option has two rows")
    // Paper needs no media types, and headers are not truncated.
    let hidden = ["sheet": ["accept"], "info": ["allow-truncated"]][command] ?? []
    let arguments = try arguments(of: command).filter { $0.longNames != hidden }
    let names = arguments.flatMap(\.longNames).filter { name in
      !facts.contains { "no-\($0.name)" == name && !$0.takesValue }
    }
    #expect(Set(names) == Set(facts.map(\.name)))
    for argument in arguments {
      guard let fact = facts.first(where: { argument.longNames.contains($0.name) }) else { continue }
      let short = argument.names?.first { $0.kind == "short" }?.name
      #expect(fact.short.map(String.init) == short, "\(fact.name)")
      #expect(fact.takesValue == (argument.kind == "option"), "\(fact.name)")
      #expect(fact.choices == argument.allValues ?? [], "\(fact.name)")
      if !fact.choices.isEmpty, let own = argument.defaultValue { #expect(fact.usual == own, "\(fact.name)") }
    }
  }

  /// A request has the options of an image, and no others.
  @Test func everyOptionOfAPictureIsARequests() {
    func names(_ fits: (OptionFact.Places) -> Bool) -> Set<String> {
      Set(OptionFact.all.filter { fits($0.places) }.map(\.name))
    }
    let both = names { $0.contains(.batch) }.intersection(names { $0.contains(.crop) })
    #expect(names { $0.contains(.request) } == both.subtracting(["progress", "plan-out", "plan-in", "json"]))
  }

  /// Rules name options that exist, and values that they have.
  @Test func rulesNameOptionsAndValues() {
    for fact in OptionFact.all {
      if let needs = fact.needs { #expect(OptionFact.named(needs.option, for: nil) != nil, "\(fact.name)") }
      #expect(fact.isInternal || fact.effect.hasSuffix("."), "\(fact.name)")
    }
  }

  /// The details of the man page describe existing commands and options.
  @Test func everyDetailNamesACommandOrAnOption() throws {
    let file = URL(filePath: fixturePath("../../docs/manual-details.md"))
    let lines = try String(decoding: Data(contentsOf: file), as: UTF8.self).split(separator: "\n")
    let headings = lines.filter { $0.hasPrefix("## ") }.flatMap {
      $0.dropFirst(3).split(separator: ", ").map(String.init)
    }
    #expect(headings.count > 50 && Set(headings).count == headings.count)
    var subjects = Set(Self.commands + ["facecrop", "--help"])
    for command in Self.commands {
      let options = try arguments(of: command).flatMap(\.longNames).map { "--\($0)" }
      subjects.formUnion(options + options.map { "\(command) \($0)" })
    }
    #expect(Set(headings).subtracting(subjects) == [])
  }
}
