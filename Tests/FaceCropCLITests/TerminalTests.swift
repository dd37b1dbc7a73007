import Foundation
import TestSupport
import Testing

@testable import FaceCropCLI

/// Control characters in names, profiles and plans reach terminals only as text.
@Suite struct TerminalTests {
  /// Escape sequences, line ends, DEL, a C1 sequence, and reversed letters.
  private static let evil = "a\n\r\t\u{1B}[2J\u{7F}\u{9B}1m\u{202E}gpj.\u{2066}\u{85}\u{2028}\u{200F}é\u{1F600}\u{200D}"
  private static let shown =
    #"a\n\r\t\u{1B}[2J\u{7F}\u{9B}1m\u{202E}gpj.\u{2066}\u{85}\u{2028}\u{200F}é"# + "\u{1F600}\u{200D}"

  @Test func escapesControlCharacters() throws {
    #expect(DisplayText.text(Self.evil) == Self.shown)
    #expect(DisplayText.text(Self.shown) == Self.shown)
    let line = try JSONLines.line([Self.evil: Self.evil])
    #expect(try JSONDecoder().decode([String: String].self, from: Data(line.utf8)) == [Self.evil: Self.evil])
    #expect(Self.steering(line.dropLast()).isEmpty)
    #expect(line.hasSuffix("\n"))
    // All control characters in the standard's lists; there are none above.
    for value in UInt32(0)...0x3000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let category = scalar.properties.generalCategory
      let steers =
        category == .control || category == .lineSeparator || category == .paragraphSeparator
        || scalar.properties.isBidiControl
      if (DisplayText.text(String(scalar)) != String(scalar)) != steers {
        Issue.record("U+\(String(value, radix: 16, uppercase: true))")
      }
    }
  }

  /// Returns the characters in a text that control a terminal, except line ends.
  private static func steering(_ text: some StringProtocol) -> [Unicode.Scalar] {
    text.unicodeScalars.filter { scalar in
      (scalar.properties.generalCategory == .control && scalar != "\n") || scalar.properties.isBidiControl
        || scalar == "\u{2028}"
    }
  }

  @Test(arguments: [
    ["crop"], ["detect"], ["info"], ["info", "--json"], ["crop", "--progress", "json"], ["batch", "--dry-run"],
    ["crop", "--aspect"], ["crop", "x.jpg"], ["batch", "-d", "out"], ["batch", "--worker"], ["crop", "good.jpg", "-o"],
    ["batch", "good.jpg", "-d", "out", "--from-list"], [],
  ])
  func namesAreShown(arguments: [String]) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "good.jpg")
      // A file that is no image, and one that is no folder, with the same name.
      try folder.write("text", to: Self.evil)
      for name in [Self.evil, "--\(Self.evil)"] {
        let outcome = try Facecrop.run(arguments + [name], currentDirectory: folder.path)
        #expect(Self.steering(outcome.text).isEmpty, "\(outcome.text)")
        #expect(Self.steering(outcome.stderr).isEmpty, "\(outcome.stderr)")
        // A line end in a name would start a new line.
        #expect(
          outcome.errorLines.allSatisfy { $0.first?.isLetter == true || " {".contains($0.prefix(1)) },
          "\(outcome.stderr)")
      }
    }
  }

  @Test func picturesAreNamedByInfoAsTheyAre() throws {
    try TemporaryFolder.with { folder in
      let profile = ICCBuilder.profile(.displayP3, description: "P3\u{1B}[2J\n\u{9B}")
      let recipe = JPEGRecipe.baseline420.with { $0.segments = ICCBuilder.segments(for: profile) }
      try folder.write(recipe.encode(Pixels.testPattern(width: 61, height: 43)), to: Self.evil)
      let outcome = try Facecrop.run("info", Self.evil, currentDirectory: folder.path)
      #expect(outcome.status == 0)
      #expect(outcome.lines.count == 9 && outcome.lines.first == Self.shown)
      #expect(Self.steering(outcome.text).isEmpty)
    }
  }

  /// Both names of colliding outputs appear.
  @Test func collisionsAreShown() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: Self.evil)
      try Facecrop.prepare("mkdir b && cp -- * b/ 2> /dev/null; true", in: folder)
      let outcome = try Facecrop.run(
        "batch", Self.evil, "b/" + Self.evil, "-d", "out", currentDirectory: folder.path)
      #expect(outcome.status == 64)
      try #require(outcome.errorLines.count == 3, "\(outcome.stderr)")
      #expect(outcome.errorLines[0].contains("--base FOLDER keeps the subfolders below FOLDER"), "\(outcome.stderr)")
      #expect(outcome.errorLines[1].hasPrefix("  \(Self.shown) and b/\(Self.shown) both give "))
      #expect(Self.steering(outcome.stderr).isEmpty)
    }
  }
}
