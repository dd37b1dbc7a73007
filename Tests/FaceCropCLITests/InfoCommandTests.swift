import FaceCrop
import Foundation
import TestSupport
import Testing

/// The output of `info`.
@Suite struct InfoCommandTests {
  @Test func linesAreAsPromised() throws {
    try TemporaryFolder.with { folder in
      let exif = MarkerSegment.exif(EXIFBuilder.tiff(orientation: 6))
      let profile = ICCBuilder.profile(.displayP3, description: "Display P3")
      let recipe = JPEGRecipe.progressive.with { $0.segments = [exif] + ICCBuilder.segments(for: profile) }
      let jpeg = try recipe.encode(Pixels.testPattern(width: 61, height: 43))
      let input = try folder.write(jpeg, to: "in.dat")
      let outcome = try Facecrop.run("info", "--json", input)
      #expect(outcome.status == 0 && outcome.stderr == "" && outcome.lines.count == 1)
      var object = try jsonObject(outcome.text)
      #expect((object["memory"] as? Int ?? 0) > 61 * 43 * 9)
      #expect((object["cost"] as? Double ?? 0) > 0)
      (object["memory"], object["memoryForBlur"], object["cost"]) = (nil, nil, nil)
      let expected: [String: Any] = [
        "file": input, "format": "jpeg", "bytes": jpeg.count, "width": 43, "height": 61, "storedWidth": 61,
        "storedHeight": 43, "orientation": 6, "gray": false, "transparency": false, "bitsPerSample": 8,
        "progressive": true, "animated": false, "exif": true, "xmp": false, "iptc": false,
        "profile": ["name": "Display P3", "bytes": profile.count] as [String: Any],
      ]
      #expect(NSDictionary(dictionary: object) == NSDictionary(dictionary: expected))
      #expect(try Facecrop.run("info", "--json", "-", stdin: jpeg).text.contains("\"file\":\"-\""))
    }
  }

  @Test func textIsForPeople() throws {
    try TemporaryFolder.with { folder in
      var png = PNGBuilder(width: 61, height: 43, color: .rgba, depth: 16)
      png.isInterlaced = true
      png.behind = [PNGBuilder.exif(EXIFBuilder.tiff(orientation: 6))]
      try folder.write(png.encoded(), to: "in.png")
      let outcome = try Facecrop.bash("facecrop info in.png", currentDirectory: folder.path)
      #expect(outcome.status == 0 && outcome.stderr == "")
      let lines = outcome.lines
      #expect(
        Array(lines.prefix(6)) == [
          "in.png", "  format    PNG, interlaced", "  size      43x61, 0.0 MP (stored as 61x43, orientation 6)",
          "  pixels    color with transparency, 16 bits a sample", "  profile   none", "  metadata  EXIF",
        ])
      try #require(lines.count == 9)
      #expect(lines[7].wholeMatch(of: #/  crop      at most \d+\.\d MiB of memory, cost 0\.\d/#) != nil)
      #expect(lines[8].wholeMatch(of: #/  blur      at most \d+\.\d MiB of memory/#) != nil)
    }
  }

  /// `blur` may need all coefficients of a file that `crop` reads piece by piece. Its bound is that of the server.
  @Test func theBoundOfBlurIsItsOwn() async throws {
    let jpeg = try JPEGRecipe.baseline420.encode(Pixels.testPattern(width: 261, height: 243))
    let info = try await FaceCropper().info(of: .bytes(jpeg))
    let object = try jsonObject(Facecrop.run("info", "--json", "-", stdin: jpeg).text)
    #expect(object["memory"] as? Int == info.memory)
    #expect(object["memoryForBlur"] as? Int == info.memory(for: BlurRequest()))
    #expect(info.memory != info.memory(for: BlurRequest()))
  }

  @Test(arguments: [false, true]) func oneThatFailsDoesNotHoldUpTheOthers(json: Bool) throws {
    try TemporaryFolder.with { folder in
      let good = try folder.write(Samples.portrait(), to: "good.jpg")
      let bitmap = try folder.write("BM", to: "a.jpg")
      let outcome = try Facecrop.run(["info", bitmap, folder / "none", good] + (json ? ["--json"] : []))
      #expect(outcome.status == 1)
      if json {
        #expect(outcome.stderr == "")
        let kinds = try outcome.lines.map { try DetectJSON($0).error?.kind }
        #expect(kinds == ["unsupported", "unreadable", nil])
        let message = try #require(try DetectJSON(outcome.lines[0]).error?.message)
        #expect(!message.contains(bitmap) && message.contains("BMP"))
      } else {
        #expect(outcome.errorLines.count == 2 && outcome.lines.first == good)
        #expect(outcome.errorLines.allSatisfy { $0.hasPrefix("facecrop: \(folder.path)/") })
      }
    }
  }

  @Test func limitsAreThoseOfACrop() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      for (arguments, values) in [
        (["--max-pixels", "262143"], ["262144", "262143"]), (["--max-side", "511"], ["512", "511"]),
        (["--max-file-size", "1k"], ["1000 "]),
      ] {
        for command in ["info", "crop"] {
          let outcome = try Facecrop.run([command, input] + arguments)
          #expect(outcome.status == 1)
          try expectSentence(outcome, about: input, saying: arguments[0], values: values)
        }
      }
    }
  }

  @Test func namesOfEmptyFilesAndFolders() throws {
    try TemporaryFolder.with { folder in
      let outcome = try Facecrop.run("info", "--json", folder.path, try folder.write("", to: "empty"))
      #expect(outcome.status == 1 && outcome.lines.count == 2)
      #expect(outcome.lines[0].contains("folder") && outcome.lines[1].contains("empty"))
    }
  }
}
