import FaceCrop
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FaceCropCLI

/// `--faces person:NAME`, `--faces tagged` and `--write-regions`.
@Suite struct PersonTests {
  /// Names come from a sidecar that `detect` wrote, and from `.picasa.ini`; inputs stay as they were.
  @Test func peopleAreFoundByName() throws {
    try TemporaryFolder.with { folder in
      let bytes = try Samples.portrait()
      let input = try folder.write(bytes, to: "in.jpg")
      let found = try jsonObject(Facecrop.run("detect", input).lines[0])
      let face = try #require((found["faces"] as? [[String: Any]])?.first)
      #expect(found["regions"] == nil)
      func number(_ key: String) throws -> Double { try #require(face[key] as? Double) }
      let sides = try [
        number("x"), number("y"), number("x") + number("width"), number("y") + number("height"),
      ]
      let rect = sides.map { String(format: "%04x", Int($0 * 65_535)) }.joined()
      try folder.write(
        Array("[in.jpg]\nfaces=rect64(\(rect)),8e62\n[Contacts2]\n8e62=Anna Smith;;\n".utf8), to: ".picasa.ini")
      let named = try jsonObject(Facecrop.run("detect", input).lines[0])
      #expect((named["regions"] as? [[String: Any]])?.first?["name"] as? String == "Anna Smith")
      #expect((named["faces"] as? [[String: Any]])?.first?["name"] as? String == "Anna Smith")

      #expect(try Facecrop.run("avatar", input, "-o", folder / "anna.png", "--faces", "person:anna smith").status == 0)
      #expect(try Facecrop.run("avatar", input, "-o", folder / "plain.png").status == 0)
      #expect(try folder.bytes("anna.png") == folder.bytes("plain.png"))
      let nobody = try Facecrop.run(
        "avatar", input, "-o", folder / "b.png", "--faces", "person:Ben", "--no-face", "fail")
      #expect(nobody.status == 2 && nobody.stderr.contains("no 'Ben'"))

      // The sidecar has the name too, and is never replaced.
      #expect(try Facecrop.run("detect", input, "--write-regions").status == 0)
      let sidecar = try folder.bytes("in.jpg.xmp")
      #expect(String(decoding: sidecar, as: UTF8.self).contains("mwg-rs:Name=\"Anna Smith\""))
      #expect(try Facecrop.run("detect", input, "--write-regions").status == 1)
      #expect(try folder.bytes("in.jpg.xmp") == sidecar && folder.bytes("in.jpg") == bytes)
      try FileManager.default.removeItem(atPath: folder / ".picasa.ini")
      #expect(
        try Facecrop.run("crop", input, "-o", folder / "tagged.png", "--faces", "tagged", "--no-face", "fail").status
          == 0)
      // A batch makes the portraits of one person.
      try folder.write(Samples.portrait(), to: "other.jpg")
      let batch = try Facecrop.run(
        "batch", input, folder / "other.jpg", "-d", folder / "out", "--faces", "person:Anna Smith", "--preset", "avatar"
      )
      #expect(batch.status == 0, "\(batch.stderr)")
      let made = try FileManager.default.contentsOfDirectory(atPath: folder / "out").filter { $0.hasSuffix(".jpg") }
      #expect(made == ["in.jpg"])
    }
  }

  /// A sidecar without the image's extension would be ignored beside a new one, and its credits would be lost.
  /// The last `.picasa.ini` is kept for the next image, until it changes.
  @Test func anotherPicasaFileIsReadAgain() throws {
    try TemporaryFolder.with { folder in
      let image = FilePath(folder / "a.jpg")
      for name in ["Anna", "Barbara", "Chris"] {
        try folder.write("[a.jpg]\nfaces=rect64(40004000c000c000),1\n[Contacts2]\n1=\(name);;\n", to: ".picasa.ini")
        for _ in 0..<2 {
          #expect(PicasaFile.regions(of: image, within: .seconds(10)).map(\.name) == [name])
        }
      }
    }
  }

  @Test(arguments: ["in.xmp", "in.jpg.XMP"]) func otherSidecarsAreNotHidden(name: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let packet = String(
        decoding: CreditBuilder.packet(properties: "<dc:creator>Anna</dc:creator>"), as: UTF8.self)
      try folder.write(packet, to: name)
      let outcome = try Facecrop.run("detect", input, "--write-regions")
      #expect(outcome.status == 1 && !folder.has("in.jpg.xmp"), "\(outcome.stderr)")
      #expect(outcome.stderr.contains("\(name): the file exists"), "\(outcome.stderr)")
      #expect(
        try Facecrop.run("avatar", input, "-o", folder / "o.jpg", "--metadata", "copyright").status == 0)
      let info = try jsonObject(Facecrop.run("info", "--json", folder / "o.jpg").lines[0])
      #expect((info["credits"] as? [String: Any])?["creators"] as? [String] == ["Anna"])
    }
  }

  /// The default of presets with one head has a name of its own.
  @Test func onePersonIsProminent() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let selections = [[], ["--faces", "prominent"], ["--faces", "largest"]]
      let made = try selections.map { selection in
        let outcome = try Facecrop.run(["avatar", input, "-o", folder / "out.png", "--size", "64"] + selection)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return try folder.bytes("out.png")
      }
      #expect(made[1] == made[0] && made[2] == made[0])
    }
  }

  @Test func wrongUsage() throws {
    #expect(try Facecrop.run("crop", "a.jpg", "--faces", "person: ").status == 64)
    #expect(try Facecrop.run("crop", "a.jpg", "--person", "Anna", "--faces", "largest").status == 64)
    #expect(try Facecrop.run("detect", "-", "--write-regions").status == 64)
  }
}
