import FaceCrop
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FaceCropCLI

/// File names are bytes, even if they are not text.
@Suite struct ByteNamesTests {
  /// Two files whose names are equal as text.
  private static let input: [UInt8] = [0xE9] + Array(".jpg".utf8)
  private static let output: [UInt8] = [0xE8] + Array(".jpg".utf8)

  private func run(_ script: String, in folder: TemporaryFolder) throws -> Facecrop.Outcome {
    try BatchSamples.write(Samples.portrait(), to: Array((folder / "").utf8) + Self.input)
    return try Facecrop.bash(
      "e9=$'\\xe9.jpg' e8=$'\\xe8.jpg'; \(script)", currentDirectory: folder.path)
  }

  @Test(arguments: [
    "crop \"$e9\" -o \"$e8\"", "crop -o \"$e8\" \"$e9\"", "crop --output=\"$e8\" \"$e9\"",
    "avatar --upscale \"$e9\" --output \"$e8\"", "crop \"$e9\" -o x.jpg -o \"$e8\"", "crop -o \"$e8\" -- \"$e9\"",
  ])
  func namesAreTakenToTheByte(command: String) throws {
    try TemporaryFolder.with { folder in
      let outcome = try run(
        "facecrop \(command); echo $?; sha256sum < \"$e9\"; ls | wc -l; [ -s \"$e8\" ] && echo made",
        in: folder)
      #expect(outcome.stderr == "")
      let digest = ContentHash(of: try Samples.portrait()).hexadecimal
      #expect(outcome.lines == ["0", "\(digest)  -", "2", "made"], "\(outcome.lines)")
    }
  }

  @Test func outputsBesideSuchNamesHaveThem() throws {
    try TemporaryFolder.with { folder in
      let outcome = try run(
        """
        facecrop crop "$e9" --plan-out $'plan\\xe9'; facecrop crop "$e9" --plan-in $'plan\\xe9' -o "$e8" --size 64,32
        facecrop avatar "$e9"; LC_ALL=C ls | LC_ALL=C cat -v
        """, in: folder)
      #expect(outcome.stderr == "")
      #expect(
        Set(outcome.lines) == [
          "M-i.jpg", "M-i-crop.jpg", "M-i-avatar.jpg", "M-h-64.jpg", "M-h-32.jpg", "planM-i",
        ])
    }
  }

  @Test func linesHaveTheBytes() throws {
    try TemporaryFolder.with { folder in
      let outcome = try run(
        """
        echo text > "$e8"; facecrop detect "$e9" "$e8" --progress none 2> /dev/null || facecrop detect "$e9" "$e8"
        facecrop info --json "$e8" "$e9"; facecrop info "$e9" | head -n 1
        facecrop detect "$e9" --preview $'p\\xe9.jpg' > /dev/null; [ -s $'p\\xe9.jpg' ] && echo preview
        """, in: folder)
      let lines = try outcome.lines.prefix(4).map { try jsonObject($0) }
      let (good, bad) = (Data(Self.input).base64EncodedString(), Data(Self.output).base64EncodedString())
      #expect(lines.map { $0["fileBase64"] as? String } == [good, bad, bad, good])
      #expect(lines.map { $0["error"] == nil } == [true, false, false, true])
      #expect(outcome.lines.suffix(2) == ["\u{FFFD}.jpg", "preview"])
    }
  }

  /// The assignment of arguments to options does not depend on their order.
  @Test func argumentsAreTheirOptions() {
    func bytes(_ text: String, _ byte: UInt8) -> [UInt8] { Array(text.utf8) + [byte] }
    func option(_ name: String) -> [UInt8] { Array(name.utf8) }
    let given = GivenOptions(
      [
        option("-rd"), bytes("", 0xA0), bytes("", 0xA1), bytes("--manifest=", 0xA2), option("--retry"),
        bytes("", 0xA3), option("text"), bytes("--base=x", 0xA4),
      ], of: .batch)
    #expect(given.path("\u{FFFD}", of: "output-dir") == FilePath(bytes: [0xA0]))
    #expect(given.path("\u{FFFD}", of: "manifest") == FilePath(bytes: [0xA2]))
    #expect(given.path("x\u{FFFD}", of: "base") == FilePath(bytes: [0x78, 0xA4]))
    // The value of a request instead.
    #expect(given.path("other", of: "base") == "other")
    #expect(given.inputs.map(\.path) == [FilePath(bytes: [0xA1]), FilePath(bytes: [0xA3]), "text"])
  }
}
