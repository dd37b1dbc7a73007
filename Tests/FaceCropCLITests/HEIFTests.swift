#if HEIF
  import Foundation
  import TestSupport
  import Testing

  /// HEIC and AVIF as inputs.
  @Suite struct HEIFTests {
    private static func portrait(
      _ codec: CodedItem.Codec, _ properties: [[UInt8]] = [], orientation: Int = 1
    ) throws -> HEIFBuilder {
      var builder = HEIFBuilder()
      builder.brand = codec == .hevc ? "heic" : "avif"
      _ = builder.add(try CodedItem(astronaut().stored(forOrientation: orientation), codec: codec), properties)
      return builder
    }

    @Test(arguments: CodedItem.Codec.allCases) func outputsAreJPEGUnlessNamed(codec: CodedItem.Codec) throws {
      try TemporaryFolder.with { folder in
        let name = codec == .hevc ? "me.heic" : "me.avif"
        let input = try folder.write(Self.portrait(codec).encoded(), to: name)
        let outcome = try Facecrop.run("crop", input, "--plan-out", folder / "plan.json")
        #expect(outcome.status == 0 && outcome.stderr == "")
        #expect(try folder.names() == ["me-crop.jpg", name, "plan.json"].sorted())
        let region = try PlanJSON(folder.text("plan.json")).pixels()
        let expected = try astronaut().cropped(x: region.x, y: region.y, width: region.width, height: region.height)
        #expect(try referenceDecode(folder.bytes("me-crop.jpg")).pixels.meanDifference(from: expected) < 4)
        // The first bytes determine the format, not the name.
        #expect(try Facecrop.run("avatar", "-", "-o", folder / "out.png", stdin: folder.bytes(name)).status == 0)
        #expect(try folder.bytes("out.png").starts(with: [0x89]))
        #expect(try Facecrop.run("crop", input, "-o", folder / "out.heic").status == 64)
        #expect(try Facecrop.run("crop", input, "--format", "heic").status == 64)
      }
    }

    @Test func turnedPicturesComeUprightOnce() throws {
      try TemporaryFolder.with { folder in
        // Cameras write both; the orientation of EXIF must not count twice.
        var builder = try Self.portrait(.av1, [HEIFBuilder.rotation(3)], orientation: 6)
        builder.addEXIF(EXIFBuilder.tiff(orientation: 6, artist: "Ada"), of: 1)
        let input = try folder.write(builder.encoded(), to: "me.avif")
        let detected = try DetectJSON(Facecrop.run("detect", input).text)
        #expect(detected.width == 512 && detected.faces?.count == 1)
        #expect(
          try Facecrop.run("crop", input, "-o", folder / "a.jpg", "--faces", "9", "--metadata", "keep").status == 0)
        let output = try folder.bytes("a.jpg")
        #expect(try referenceDecode(output).pixels.meanDifference(from: astronaut()) < 4)
        let exif = try #require(output.firstRange(of: Array("Exif\0\0II*\0".utf8)))
        let entry = try #require(output[exif.upperBound...].firstRange(of: [0x12, 0x01, 3, 0, 1, 0, 0, 0]))
        #expect(output[entry.upperBound] == 1)
        #expect(output.firstRange(of: Array("Ada".utf8)) != nil)
      }
    }

    /// Running out of memory while decoding is a transient error, and never the file's fault.
    @Test(arguments: CodedItem.Codec.allCases) func missingMemoryIsNotDamage(codec: CodedItem.Codec) throws {
      let picture = Pixels(width: 3_000, height: 3_000, color: [99, 120, 140])
      // With enough bytes for the pixels.
      let file =
        try HEIFBuilder(CodedItem(picture, codec: codec, chroma: "444")).encoded()
        + HEIFBuilder.box("free", [UInt8](repeating: 0, count: 10_000))
      try TemporaryFolder.with { folder in
        try folder.write(file, to: "in.heic")
        /// Returns the outcome within a number of MiB of addresses. Stacks are small, because libdispatch waits for the
        /// memory of a thread.
        func outcome(_ mebibytes: Int) throws -> Facecrop.Outcome {
          try Facecrop.bash(
            "ulimit -s 512 -v \(mebibytes << 10); facecrop crop in.heic -o out.jpg --no-face whole",
            currentDirectory: folder.path)
        }
        var (tooFew, enough) = (64, 8_192)
        try #require(outcome(enough).status == 0)
        while enough - tooFew > 4 {
          let middle = (tooFew + enough) / 2
          if try outcome(middle).status == 0 { enough = middle } else { tooFew = middle }
        }
        var saidSo = 0
        for mebibytes in stride(from: tooFew, to: tooFew - 96, by: -4) {
          let outcome = try outcome(mebibytes)
          #expect(!outcome.stderr.contains("damaged"), "\(mebibytes) MiB: \(outcome.stderr)")
          if outcome.status == 1, outcome.stderr.contains("out of memory") { saidSo += 1 }
        }
        #expect(saidSo > 0)
      }
    }

    @Test func theEncoderIsNotStartedWithoutItsMemory() throws {
      let picture = Pixels(width: 2_000, height: 2_000, color: [99, 120, 140])
      try TemporaryFolder.with { folder in
        try folder.write(PNGBuilder(picture).encoded(), to: "in.png")
        /// Returns the outcome within a number of MiB of addresses. Stacks are small, because libdispatch waits for the
        /// memory of a thread.
        func outcome(_ mebibytes: Int) throws -> Facecrop.Outcome {
          try Facecrop.bash(
            "ulimit -s 512 -v \(mebibytes << 10); facecrop crop in.png -o out.avif --no-face whole",
            currentDirectory: folder.path)
        }
        var (tooFew, enough) = (64, 8_192)
        try #require(outcome(enough).status == 0)
        while enough - tooFew > 4 {
          let middle = (tooFew + enough) / 2
          if try outcome(middle).status == 0 { enough = middle } else { tooFew = middle }
        }
        // Encoding takes at least 40 MiB, of which none may be missing in the middle.
        // The least amount differs a little from run to run, so an output is right, too.
        var failures = 0
        for mebibytes in stride(from: tooFew, to: tooFew - 40, by: -4) {
          let outcome = try outcome(mebibytes)
          if outcome.status == 1 && outcome.stderr.contains("out of memory") { failures += 1 }
          #expect(outcome.status == 0 || outcome.status == 1, "\(mebibytes) MiB: \(outcome.status), \(outcome.stderr)")
        }
        #expect(failures > 0)
      }
    }

    @Test func transparencyGoesIntoPNG() throws {
      try TemporaryFolder.with { folder in
        var builder = try Self.portrait(.hevc)
        let mask = Pixels(
          width: 512, height: 512, channels: 1, samples: (0..<512 * 512).map { $0 % 512 < 128 ? 0 : 255 })
        let alpha = builder.add(try CodedItem(mask, quality: 100), [HEIFBuilder.alpha])
        builder.references.append(("auxl", alpha, [1]))
        let input = try folder.write(builder.encoded(), to: "me.heic")
        for output in [[folder / "a.png"], [folder / "a.jpg", "--quality", "95"]] {
          #expect(try Facecrop.run(["crop", input, "--faces", "9", "-o"] + output).status == 0)
        }
        let png = try referenceDecodePNG(folder.bytes("a.png"))
        #expect(png[20, 20][3] <= 1 && png[300, 300][3] >= 254)
        #expect(try referenceDecode(folder.bytes("a.jpg")).pixels[20, 20].allSatisfy { $0 >= 250 })
      }
    }

    @Test func limitsAreSaidFromTheHeader() throws {
      // 17,000 × 17,000 pixels in a few hundred bytes.
      var item = try CodedItem(Pixels(width: 64, height: 64, color: [1, 2, 3]), codec: .av1)
      (item.width, item.height) = (17_000, 17_000)
      let outcome = try Facecrop.run("crop", "-", "-o", "-", stdin: HEIFBuilder(item).encoded())
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: "standard input", saying: "289000000", "100000000")
    }
  }
#endif
