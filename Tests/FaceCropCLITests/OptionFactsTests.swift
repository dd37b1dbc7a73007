import FoundationEssentials
import TestSupport
import Testing

@testable import FaceCropCLI

/// Each option is in exactly one list that states its purpose, so a new option fails here.
@Suite struct OptionFactsTests {
  /// The parser's description of itself.
  private struct Dump: Decodable {
    struct Command: Decodable { var arguments: [Argument] }
    struct Argument: Decodable {
      var kind: String
      var names: [Name]?
    }
    struct Name: Decodable {
      var kind: String
      var name: String
    }
    var command: Command
  }

  /// Returns the long names of a command's options, including hidden ones, without those that every command has.
  private func options(of command: String, atLeast count: Int = 20) throws -> Set<String> {
    let run = try Facecrop.run([command, "--experimental-dump-help"])
    let dump = try JSONDecoder().decode(Dump.self, from: Data(run.stdout))
    let names = dump.command.arguments.flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map { "--\($0.name)" }
    #expect(names.count > count)
    return Set(names).subtracting(["--help", "--version"])
  }

  /// Returns the options that a worker's request may have: those of `crop` for an image.
  private func requestOptions() throws -> Set<String> {
    try options(of: "batch").intersection(options(of: "crop")).subtracting([
      "--progress", "--plan-out", "--plan-in", "--json",
    ])
  }

  /// Returns the options in messages.
  private func names(_ words: [String]) -> Set<String> {
    Set(words.flatMap { $0.split(separator: " ").map(String.init) }.filter { $0.hasPrefix("--") })
  }

  @Test func everyOptionOfBatchIsARunsAWorkersOrARequests() throws {
    let runs = names(BatchOptions.runsOnly.map(\.words))
    let own = WorkerRequest.ownFlags.union(WorkerRequest.ownOptions).filter { $0.hasPrefix("--") }
    let requests = try requestOptions()
    #expect(try options(of: "batch") == runs.union(own).union(requests))
    #expect(runs.isDisjoint(with: own) && runs.isDisjoint(with: requests) && requests.isDisjoint(with: own))
  }

  @Test func everyOptionOfAPictureFitsALosslessCutOrDoesNot() throws {
    let unfit = names(LosslessOption.unfit.map(\.words))
    #expect(try requestOptions() == unfit.union(LosslessOption.fit))
    #expect(unfit.isDisjoint(with: LosslessOption.fit))
  }

  @Test func everyOptionOfAPictureFitsHiddenFacesOrDoesNot() throws {
    let unfit = names(BatchHidingOptions.unfit.map(\.words))
    #expect(try requestOptions() == unfit.union(BatchHidingOptions.fit))
    #expect(unfit.isDisjoint(with: BatchHidingOptions.fit))
  }

  /// The details of the man page describe existing commands and options.
  @Test func everyDetailNamesACommandOrAnOption() throws {
    let file = URL(filePath: fixturePath("../../docs/manual-details.md"))
    let lines = try String(decoding: Data(contentsOf: file), as: UTF8.self).split(separator: "\n")
    let headings = lines.filter { $0.hasPrefix("## ") }.flatMap {
      $0.dropFirst(3).split(separator: ", ").map(String.init)
    }
    #expect(headings.count > 50 && Set(headings).count == headings.count)
    let commands = ["avatar", "batch", "blur", "check", "crop", "detect", "info", "sheet"]
    var subjects = Set(commands + ["facecrop"])
    for command in commands {
      let options = try options(of: command, atLeast: 5)
      subjects.formUnion(options.union(options.map { "\(command) \($0)" }))
    }
    #expect(Set(headings).subtracting(subjects) == [])
  }
}
