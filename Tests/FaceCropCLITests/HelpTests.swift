import Foundation
import Testing

/// The text of `--help-all` compared with Help/*.txt. FACECROP_UPDATE_HELP=1 updates these files.
@Suite struct HelpTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Help")

  @Test(arguments: [
    ("facecrop", []), ("avatar", ["avatar"]), ("batch", ["batch"]), ("blur", ["blur"]), ("check", ["check"]),
    ("crop", ["crop"]),
    ("detect", ["detect"]),
    ("info", ["info"]), ("sheet", ["sheet"]),
  ])
  func helpIsAsStored(name: String, command: [String]) throws {
    let outcome = try Facecrop.run(command + ["--help-all"])
    #expect(outcome.status == 0)
    #expect(outcome.stderr == "")
    let stored = Self.folder.appendingPathComponent("\(name).txt")
    if ProcessInfo.processInfo.environment["FACECROP_UPDATE_HELP"] == "1" {
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      try Data(outcome.stdout).write(to: stored)
    }
    guard let expected = try? Data(contentsOf: stored) else {
      let actual = try leave(outcome.stdout, name)
      Issue.record("\(stored.path) is missing; the actual text is in \(actual)")
      return
    }
    if Array(expected) != outcome.stdout {
      let actual = try leave(outcome.stdout, name)
      Issue.record("the help differs: compare with diff '\(stored.path)' '\(actual)', or set FACECROP_UPDATE_HELP=1")
    }
    #expect(!outcome.lines.contains { $0.count > 80 }, "a line is longer than a terminal is wide")
  }

  /// Keeps the actual text for inspection.
  private func leave(_ bytes: [UInt8], _ name: String) throws -> String {
    let path = NSTemporaryDirectory() + "facecrop-help-\(name).txt"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// The help has the options that people use, and names the one that lists all.
  @Test(arguments: ["avatar", "batch", "crop", "sheet"])
  func theShortHelpHasADozenOptions(command: String) throws {
    let (short, all) = (try Facecrop.run(command, "--help"), try Facecrop.run(command, "--help-all"))
    func options(_ help: Facecrop.Outcome) -> Set<String> {
      Set(help.text.matches(of: /(?m)^  (?:-\w, )?(--[\w-]+)/).map { String($0.1) })
    }
    #expect((9...18).contains(options(short).count), "\(options(short))")
    #expect(options(short).isStrictSubset(of: options(all)) && short.text.contains("--help-all lists all options"))
  }

  /// The full help names every option of this version.
  @Test func cropHelpNamesItsOptions() throws {
    let help = try Facecrop.run("crop", "--help-all").text
    for option in [
      "--output", "--faces", "--padding", "--aspect", "--no-face", "--format", "--quality", "--metadata", "--plan-out",
      "--plan-in", "--max-pixels", "--max-file-size", "--progress", "--allow-truncated", "--detector",
    ] {
      #expect(help.contains(option))
    }
  }

  @Test(arguments: [
    ["--version"], ["crop", "--version"], ["avatar", "--version"], ["batch", "--version"], ["detect", "--version"],
    ["info", "--version"], ["sheet", "--version"],
  ])
  func versionIsThreeNumbers(arguments: [String]) throws {
    let outcome = try Facecrop.run(arguments)
    #expect(outcome.status == 0)
    #expect(outcome.text.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
  }

  @Test func withoutArgumentsTheHelpIsShown() throws {
    let outcome = try Facecrop.run()
    #expect(outcome.text == (try Facecrop.run("--help")).text)
  }
}
