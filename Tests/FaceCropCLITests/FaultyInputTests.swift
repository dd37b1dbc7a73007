import Foundation
import TestSupport
import Testing

/// Inputs that cost too much, end early or do not exist.
@Suite struct FaultyInputTests {
  // MARK: Limits

  @Test(arguments: [
    (["--max-pixels", "262143"], ["262144", "262143", "--max-pixels"]),
    (["--max-pixels", "200k"], ["262144", "200000"]),
    (["--max-file-size", "10KiB"], ["10240", "--max-file-size"]),
  ])
  func limitsAreKept(arguments: [String], values: [String]) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run(["crop", input] + arguments)
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: input, values: values)
      #expect(try folder.names() == ["in.jpg"])
      // The size of standard input is unknown beforehand.
      let piped = try Facecrop.run(["crop", "-", "-o", "-"] + arguments, stdin: try Samples.portrait())
      #expect(piped.status == 1)
      try expectSentence(piped, about: "standard input", saying: arguments[0])
    }
  }

  @Test(arguments: [["--max-pixels", "262144"], ["--max-pixels", "1MP"], ["--max-file-size", "1MiB"]])
  func limitsLetPass(arguments: [String]) throws {
    #expect(try Facecrop.run(["crop", "-", "-o", "-"] + arguments, stdin: try Samples.portrait()).status == 0)
  }

  @Test func defaultLimitRefusesBeforeDecoding() throws {
    let giant = try JPEGSurgery.patchingFrame(of: Samples.portrait(), width: 20_000, height: 20_000)
    let outcome = try Facecrop.run("crop", "-", "-o", "-", stdin: giant)
    #expect(outcome.status == 1)
    try expectSentence(outcome, about: "standard input", saying: "400000000", "100000000", "--max-pixels")
  }

  // MARK: Damage

  private static func cut(_ jpeg: [UInt8], to fraction: Double) -> [UInt8] {
    Array(jpeg.prefix(Int(Double(jpeg.count) * fraction)))
  }

  @Test(arguments: [JPEGRecipe.baseline420, .restart, .progressive, .arithmetic, .gray])
  func truncatedPictureSaysHowMuchIsThere(recipe: JPEGRecipe) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Self.cut(recipe.encode(astronaut()), to: 0.6), to: "in.jpg")
      let outcome = try Facecrop.run("crop", input)
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: input, saying: "truncated")
      let numbers = try #require(outcome.stderr.firstMatch(of: /(\d+) of (\d+) rows can be read/))
      #expect(numbers.2 == "512")
      #expect((1..<512).contains(Int(numbers.1) ?? 0))
      #expect(try folder.names() == ["in.jpg"])

      let allowed = try Facecrop.run("crop", input, "--allow-truncated", "--no-face", "whole")
      #expect(allowed.status == 0)
      #expect(allowed.stderr.contains("truncated: \(numbers.0)"))
      #expect(allowed.errorLines.allSatisfy { $0.hasPrefix("facecrop: \(input): warning: ") })
      _ = try referenceDecode(folder.bytes("in-crop.jpg"))
    }
  }

  /// The part that was read is right: the face is above the cut.
  @Test func allowedTruncatedPictureHasItsFace() throws {
    let whole = try JPEGRecipe.baseline444.encode(astronaut())
    let expected = try referenceDecode(Facecrop.run("crop", "-", "-o", "-", stdin: whole).stdout).pixels
    let outcome = try Facecrop.run("crop", "-", "-o", "-", "--allow-truncated", stdin: Self.cut(whole, to: 0.7))
    #expect(outcome.status == 0)
    #expect(try referenceDecode(outcome.stdout).pixels.meanDifference(from: expected) < 3)
  }

  /// Damaged bytes cause a message.
  @Test func zeroedBytesAreSaid() throws {
    var jpeg = try JPEGRecipe.baseline420.encode(astronaut())
    let middle = jpeg.count / 2
    jpeg.replaceSubrange(middle..<middle + 400, with: [UInt8](repeating: 0, count: 400))
    let outcome = try Facecrop.run("crop", "-", "-o", "-", stdin: jpeg)
    #expect(outcome.status == 1 || outcome.stderr.contains("standard input: warning: "), "silent damage")
    #expect(!outcome.stderr.contains("all rows can be read"))
  }

  @Test func missingEndIsSaid() throws {
    let jpeg = JPEGSurgery.removingEOI(try JPEGRecipe.baseline420.encode(astronaut()))
    let outcome = try Facecrop.run("crop", "-", "-o", "-", stdin: jpeg)
    #expect(outcome.status == 0)
    #expect(outcome.stderr.hasPrefix("facecrop: standard input: warning: "))
  }

  /// Data after the end are no fault, as in motion photos and multi-picture files.
  @Test func trailerIsNoFault() throws {
    let jpeg = try JPEGRecipe.baseline420.encode(astronaut())
    let outcome = try Facecrop.run(
      "crop", "-", "-o", "-", stdin: JPEGSurgery.appending(trailer: Array("ftypmp4 and more".utf8) + jpeg, to: jpeg))
    #expect(outcome.status == 0 && outcome.stderr == "")
    #expect(outcome.stdout == (try Facecrop.run("crop", "-", "-o", "-", stdin: jpeg)).stdout)
  }

  @Test func otherFormatsAreNamed() throws {
    let signatures: [(bytes: [UInt8], name: String)] = [
      (Array("\0\0\0\u{18}ftyp1pic".utf8), "HEIF"), (Array("\0\0\0\u{18}ftypcrx ".utf8), "RAW"),
      (Array("BM".utf8), "BMP"), (Array("%PDF-1.7".utf8), "PDF"), (Array("\u{FEFF}%PDF-1.7".utf8), "PDF"),
      (Array("FUJIFILMCCD-RAW".utf8), "header"), (Array("FOVb".utf8), "X3F"),
      ([0xFF, 0x4F, 0xFF, 0x51], "JPEG 2000"),
      (Array("8BPS".utf8), "Photoshop"), ([0, 0, 1, 0], "ICO"), (Array("%!PS-Adobe".utf8), "PostScript"),
      ([0x1F, 0x8B, 8], "gzip"), (Array("PK\u{3}\u{4}".utf8), "ZIP"), (Array("P6\n1 1".utf8), "PPM"),
      (Array("<svg>".utf8), "SVG"), (Array("\u{FEFF}\n \t<SVG ".utf8), "SVG"), (Array("<!DOCTYPE svg".utf8), "SVG"),
      (Array("<?xml version".utf8), "SVG or other XML"), (Array("<!-- a -->".utf8), "SVG or other XML"),
      (Array("<!doctype HTML>".utf8), "HTML"), (Array("RIFF\0\0\0\0AVI LIST".utf8), "RIFF"),
      (Array("\0\0\0\u{14}ftypqt  ".utf8), "movie"),
      (Array("hello".utf8), "does not begin like JPEG"), ([], "empty"), ([0xFF], "does not begin like JPEG"),
    ]
    try TemporaryFolder.with { folder in
      for (bytes, name) in signatures {
        let input = try folder.write(bytes, to: "in.jpg")
        let outcome = try Facecrop.run("crop", input)
        #expect(outcome.status == 1)
        try expectSentence(outcome, about: input, saying: name)
        // "a AVIF" and similar mistakes.
        #expect(outcome.stderr.firstMatch(of: /\ba [AEIO]/) == nil, "\(outcome.stderr)")
      }
    }
  }

  @Test func unreadableInputs() throws {
    try TemporaryFolder.with { folder in
      let missing = try Facecrop.run("crop", folder / "none.jpg")
      #expect(missing.status == 1)
      try expectSentence(missing, about: folder / "none.jpg", saying: "No such file")
      let itself = try Facecrop.run("crop", folder.path, "-o", folder / "out.jpg")
      #expect(itself.status == 1)
      try expectSentence(itself, about: folder.path, saying: "folder")
      // Reading an endless input stops at the limit.
      let endless = try Facecrop.run("crop", "/dev/zero", "-o", folder / "out.jpg")
      #expect(endless.status == 1)
      try expectSentence(endless, about: "/dev/zero")
      #expect(try folder.names() == [])
    }
  }

  /// Each of several lines names its file.
  @Test func everyLineNamesTheFile() throws {
    try TemporaryFolder.with { folder in
      let profile = ICCBuilder.profile(.rgb, padding: 70_000)
      let jpeg = try JPEGRecipe.baseline420
        .with { $0.segments = ICCBuilder.segments(for: profile, order: [0]) }
        .encode(Pixels.testPattern(width: 320, height: 240))
      let input = try folder.write(Self.cut(jpeg, to: 0.98), to: "in.jpg")
      let outcome = try Facecrop.run("crop", input, "--allow-truncated")
      #expect(outcome.status == 0)
      // The profile, the damage, and the missing face.
      #expect(outcome.errorLines.count == 3, "\(outcome.stderr)")
      #expect(outcome.errorLines.allSatisfy { $0.hasPrefix("facecrop: \(input): warning: ") })
    }
  }
}
