import Foundation
import TestSupport
import Testing

/// Images that a format cannot hold, and the one that replaces a format that nobody named.
@Suite struct FormatLimitTests {
  private static let tall = PNGBuilder(Pixels(width: 4, height: 17_000, color: [200, 60, 30])).encoded()

  @Test(arguments: ["crop", "blur"]) func anotherFormatFollows(command: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Self.tall, to: "tall.png")
      func run(_ options: String) throws -> Facecrop.Outcome {
        try Facecrop.bash("facecrop \(command) tall.png --max-side 20k \(options)", currentDirectory: folder.path)
      }
      let named = try run("-o out.webp")
      #expect(named.status == 1, "\(named.stderr)")
      for word in ["4×17000", "WebP", "16383", "smaller size"] {
        #expect(named.stderr.contains(word), "\(named.stderr)")
      }
      #expect(try run("--format webp").status == 1)
      let chosen = try run("--format auto --accept image/webp,image/jpeg --json")
      #expect(chosen.text.contains("the output is JPEG, because WebP cannot hold 4×17000 pixels"), "\(chosen.text)")
      #expect(try folder.names().sorted() == ["tall-\(command).jpg", "tall.png"])
    }
  }

  /// Standard input is read once, and a smaller output keeps the format.
  @Test func otherInputsAndSizes() throws {
    let piped = try Facecrop.run(
      "crop", "-", "-o", "-", "--max-side", "20k", "--format", "auto", "--accept", "image/webp", stdin: Self.tall)
    #expect(piped.status == 0 && piped.stdout.starts(with: [0xFF, 0xD8, 0xFF]), "\(piped.stderr)")
    let small = try Facecrop.run(
      "crop", "-", "-o", "-", "--max-side", "20k", "--format", "auto", "--accept", "image/webp", "--size", "900",
      stdin: Self.tall)
    #expect(small.status == 0 && small.stdout.starts(with: Array("RIFF".utf8)), "\(small.stderr)")
  }
}
