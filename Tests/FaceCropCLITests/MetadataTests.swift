import Foundation
import TestSupport
import Testing

/// The input's metadata in the output.
@Suite struct MetadataTests {
  /// Returns a whole JPEG that is easy to find, like a thumbnail.
  private static func thumbnail() throws -> [UInt8] {
    try JPEGRecipe(quality: 50).encode(Pixels.noise(width: 24, height: 16, seed: 77))
  }

  /// Returns the portrait on its side, with a camera's EXIF data.
  private static func photograph(_ order: EXIFBuilder.ByteOrder) throws -> [UInt8] {
    let exif = EXIFBuilder.tiff(
      byteOrder: order, orientation: 6, artist: "Fixture Artist", copyright: "Fixture Owner",
      dateTimeOriginal: "2024:05:06 07:08:09", pixelSize: (512, 512), gps: true, thumbnail: try thumbnail())
    return try JPEGRecipe.baseline420
      .with {
        $0.segments = [.exif(exif), .app(1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8)), .comment("a remark")]
      }
      .encode(astronaut().stored(forOrientation: 6))
  }

  @Test(arguments: EXIFBuilder.ByteOrder.allCases, [[], ["--metadata", "strip"]])
  func stripsMetadataByDefault(order: EXIFBuilder.ByteOrder, arguments: [String]) throws {
    let outcome = try Facecrop.run(["crop", "-", "-o", "-"] + arguments, stdin: Self.photograph(order))
    #expect(outcome.status == 0)
    let codes = JPEGSurgery.markers(in: outcome.stdout).map(\.code)
    // Only JFIF's marker.
    #expect(codes.filter { (0xE1...0xEF).contains($0) || $0 == 0xFE } == [])
    #expect(!outcome.stdout.holds(Array("Exif".utf8)))
    #expect(!outcome.stdout.holds(Array("Fixture".utf8)))
  }

  @Test(arguments: EXIFBuilder.ByteOrder.allCases)
  func keptDataAreMadeTrue(order: EXIFBuilder.ByteOrder) throws {
    let outcome = try Facecrop.run("crop", "-", "-o", "-", "--metadata", "keep", stdin: Self.photograph(order))
    #expect(outcome.status == 0)
    let bytes = outcome.stdout
    let exif = try #require(JPEGSurgery.markers(in: bytes).first { $0.code == 0xE1 })
    let payload = Array(bytes[exif.payload])
    #expect(payload.starts(with: Array("Exif\0\0".utf8)))
    let tiff = TIFF(Array(payload.dropFirst(6)))
    #expect(tiff.value(0x0112, in: tiff.first) == 1, "the picture is upright now")
    #expect(tiff.next(tiff.first) == 0, "no second directory, which would be the thumbnail's")
    let details = try #require(tiff.value(0x8769, in: tiff.first))
    let pixels = try referenceDecode(bytes).pixels
    #expect(tiff.value(0xA002, in: details) == pixels.width)
    #expect(tiff.value(0xA003, in: details) == pixels.height)
    #expect(tiff.value(0x8825, in: tiff.first) != nil, "keep keeps the position")
    for text in ["Fixture Artist", "Fixture Owner", "2024:05:06 07:08:09"] { #expect(payload.holds(Array(text.utf8))) }
    // Neither the uncropped image nor parts of it.
    let thumbnail = try Self.thumbnail()
    #expect(!bytes.holds(Array(thumbnail.suffix(40))))
    #expect(!bytes.holds(Array(thumbnail.prefix(30))))
  }

  /// A GIF file has no EXIF data.
  @Test func theAuthorOfEXIFReachesEveryFormat() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Self.photograph(.little), to: "in.jpg")
      for name in ["out.gif", "out.png", "out.webp", "out.avif", "out.tiff", "out.jpg"] {
        let outcome = try Facecrop.run(
          "avatar", input, "--size", "64", "--metadata", "copyright", "-o", folder / name)
        #expect(outcome.status == 0)
        let bytes = try folder.bytes(name)
        #expect(bytes.holds(Array(">Fixture Artist<".utf8)) && bytes.holds(Array(">Fixture Owner<".utf8)), "\(name)")
      }
    }
  }

  // MARK: Embedded images

  /// Returns the portrait in a format, with an image in every place of its EXIF data.
  private static func hiding(_ picture: [UInt8], in format: String, _ order: EXIFBuilder.ByteOrder) throws -> [UInt8] {
    let exif = EXIFBuilder.embeddingEverywhere(picture, order)
    let portrait = try astronaut()
    switch format {
    case "png":
      var png = PNGBuilder(portrait)
      png.behind = [PNGBuilder.exif(exif)]
      return png.encoded()
    case "webp":
      let chunks = WebPBuilder.chunks(of: try encodeWebP(portrait.rgba, quality: 80))
      let head = WebPBuilder.extended(flags: 8, width: portrait.width, height: portrait.height)
      return WebPBuilder.file([head] + chunks.filter { $0.name != "VP8X" } + [("EXIF", exif)])
    default:
      return try JPEGRecipe.baseline420.with { $0.segments = [.exif(exif)] }.encode(portrait)
    }
  }

  /// For every input, output and policy.
  @Test(arguments: ["jpg", "png", "webp"], ["jpg", "png", "webp", "lossless"])
  func noOutputHoldsAnotherPicture(from: String, to: String) throws {
    if to == "lossless" && from != "jpg" { return }
    for picture in [try Self.thumbnail(), Pixels.noise(width: 16, height: 12, seed: 78).samples] {
      for (order, policy) in [
        (EXIFBuilder.ByteOrder.little, "keep"), (.big, "keep"), (.little, "copyright"), (.big, "strip"),
      ] {
        let input = try Self.hiding(picture, in: from, order)
        let format = to == "lossless" ? ["--lossless"] : ["--format", to == "jpg" ? "jpeg" : to]
        let outcome = try Facecrop.run(["crop", "-", "-o", "-", "--metadata", policy] + format, stdin: input)
        #expect(outcome.status == 0)
        #expect(!EmbeddedPictures.found(in: input, of: picture).isEmpty)
        #expect(EmbeddedPictures.found(in: outcome.stdout, of: picture) == [], "\(policy)")
        #expect(outcome.stdout.holds(Array(EXIFBuilder.artist.utf8)) == (policy != "strip"), "\(policy)")
      }
    }
  }

  @Test(.enabled(if: exiftool != nil), arguments: EXIFBuilder.ByteOrder.allCases, ["jpg", "png", "webp"])
  func copyrightAlone(order: EXIFBuilder.ByteOrder, format: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Self.photograph(order), to: "in.jpg")
      let output = folder / "out.\(format)"
      #expect(try Facecrop.run("crop", input, "-o", output, "--metadata", "copyright").status == 0)
      let outcome = try Facecrop.bash("exiftool -json -n -a -warning -error -EXIF:all '\(output)'")
      let all = try JSONSerialization.jsonObject(with: Data(outcome.stdout)) as? [[String: Any]]
      let tags = try #require(all?.first)
      #expect(tags["Artist"] as? String == "Fixture Artist" && tags["Copyright"] as? String == "Fixture Owner")
      #expect(Set(tags.keys) == ["SourceFile", "Artist", "Copyright"])
    }
  }

  private static let exiftool = ["/usr/bin/exiftool", "/usr/local/bin/exiftool"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// The same check with another parser.
  @Test(.enabled(if: exiftool != nil), arguments: EXIFBuilder.ByteOrder.allCases)
  func exiftoolAgrees(order: EXIFBuilder.ByteOrder) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Self.photograph(order), to: "in.jpg")
      #expect(try Facecrop.run("crop", input, "-o", folder / "out.jpg", "--metadata", "keep").status == 0)
      let outcome = try Facecrop.bash("exiftool -json -n -a -warning -error -all '\(folder / "out.jpg")'")
      let all = try JSONSerialization.jsonObject(with: Data(outcome.stdout)) as? [[String: Any]]
      let tags = try #require(all?.first)
      #expect(tags["Orientation"] as? Int == 1)
      #expect(tags["Artist"] as? String == "Fixture Artist")
      #expect(tags["ExifImageWidth"] as? Int == tags["ImageWidth"] as? Int)
      #expect(tags["ExifImageHeight"] as? Int == tags["ImageHeight"] as? Int)
      #expect(tags["GPSLatitude"] != nil)
      for gone in ["ThumbnailImage", "ThumbnailOffset", "ThumbnailLength", "Warning", "Error"] {
        #expect(tags[gone] == nil)
      }
    }
  }

  // MARK: Credits

  private static let iptc = [
    "-IPTC:By-line=Zoë Müller", "-IPTC:Credit=Agency", "-IPTC:CopyrightNotice=© Z",
    "-IPTC:Caption-Abstract=A <portrait>",
    "-IPTC:CodedCharacterSet=UTF8",
  ]
  private static let xmp = [
    "-XMP-dc:Creator=Zoë Müller", "-XMP-photoshop:Credit=Agency", "-XMP-dc:Rights=© Z",
    "-XMP-dc:Description=A <portrait>",
    "-XMP-xmpRights:UsageTerms=no ads", "-XMP-xmpRights:WebStatement=https://example.org/?a=1&b=2",
  ]

  /// Another program writes and reads them.
  @Test(.enabled(if: exiftool != nil), arguments: ["jpg", "png", "tiff"], ["iptc", "xmp"])
  func creditsAreHandedOn(format: String, kind: String) throws {
    if format == "png" && kind == "iptc" { return }
    try TemporaryFolder.with { folder in
      switch format {
      case "jpg": try folder.write(Samples.portrait(), to: "in.jpg")
      case "png": try folder.write(PNGBuilder(astronaut()).encoded(), to: "in.png")
      default: try folder.write(TIFFBuilder(astronaut()).encoded(), to: "in.tiff")
      }
      let arguments = (kind == "iptc" ? Self.iptc : Self.xmp).map { "'\($0)'" }.joined(separator: " ")
      try Facecrop.prepare("exiftool -q -overwrite_original \(arguments) in.\(format)", in: folder)
      for policy in ["strip", "copyright", "keep"] {
        let outcome = try Facecrop.bash(
          """
          for e in jpg png webp; do
            "$FACECROP" avatar in.\(format) -o $e-\(policy).$e --size 64 --metadata \(policy) || exit 1
          done
          exiftool -q -json -warning -error -XMP:all -IPTC:all *-\(policy).*
          """, currentDirectory: folder.path)
        #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome.stderr)")
        let all = try JSONSerialization.jsonObject(with: Data(outcome.stdout)) as? [[String: Any]]
        #expect(all?.count == 3)
        var expected = ["Creator": "Zoë Müller", "Credit": "Agency", "Rights": "© Z"]
        if kind == "xmp" {
          expected["UsageTerms"] = "no ads"
          expected["WebStatement"] = "https://example.org/?a=1&b=2"
        }
        if policy == "keep" { expected["Description"] = "A <portrait>" }
        if policy == "strip" { expected = [:] }
        for tags in all ?? [] {
          var said = tags.compactMapValues { $0 as? String }
          let file = said.removeValue(forKey: "SourceFile")
          said["XMPToolkit"] = nil
          #expect(said == expected && tags.count == expected.count + 1, "\(file ?? ""): \(tags)")
        }
      }
    }
  }

  @Test func creditsAreShown() throws {
    try TemporaryFolder.with { folder in
      let packet = CreditBuilder.packet(
        attributes: "photoshop:Credit=\"Agency\"", properties: "<dc:creator>A</dc:creator><dc:rights>© A</dc:rights>")
      let jpeg = try JPEGRecipe.baseline420.with { $0.segments = [CreditBuilder.segment(xmp: packet)] }
        .encode(Pixels.testPattern(width: 40, height: 30, channels: 3, seed: 1))
      let input = try folder.write(jpeg, to: "in.jpg")
      let lines = try Facecrop.run("info", input).lines
      #expect(lines.contains("  metadata  XMP") && lines.contains("  credits   by A; credit Agency; © A"))
      let object = try jsonObject(try #require(Facecrop.run("info", "--json", input).lines.first))
      let credits = try #require(object["credits"] as? [String: Any])
      #expect(credits["creators"] as? [String] == ["A"] && credits["copyright"] as? String == "© A")
      #expect(object["xmp"] as? Bool == true && object["iptc"] as? Bool == false)
    }
  }

  // MARK: Print

  @Test(.enabled(if: exiftool != nil), arguments: ["jpg", "png", "webp"])
  func printsHaveTheirSize(format: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      for (index, (arguments, width, height, dpi)) in [
        (["--size", "35x45mm"], 413, 531, 300), (["--size", "2x2in", "--dpi", "120"], 240, 240, 120),
        (["--size", "3.5x4.5cm", "--dpi", "150"], 207, 266, 150),
      ].enumerated() {
        let output = folder / "\(index).\(format)"
        let outcome = try Facecrop.run(
          ["avatar", input, "-o", output, "--preset", "passport", "--upscale"] + arguments)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        let said = try Facecrop.bash(
          "exiftool -s3 -n -ImageWidth -ImageHeight -XResolution -PixelsPerUnitX '\(output)'"
        ).lines.map { Double($0) ?? 0 }
        let resolution = format == "png" ? (Double(dpi) / 0.0254).rounded() : Double(dpi)
        #expect(said == [Double(width), Double(height), resolution])
      }
    }
  }

  // MARK: Color profile

  @Test(arguments: [ICCBuilder.Space.displayP3, .rgb], ["strip", "keep"])
  func profileGoesIntoTheOutput(space: ICCBuilder.Space, policy: String) throws {
    // Two segments on both sides.
    let profile = ICCBuilder.profile(space, padding: 70_000)
    let input = try JPEGRecipe.baseline420.with { $0.segments = ICCBuilder.segments(for: profile) }.encode(astronaut())
    let arguments = ["crop", "-", "-o", "-", "--metadata", policy]
    let outcome = try Facecrop.run(arguments + ["--color", "keep"], stdin: input)
    #expect(outcome.status == 0 && outcome.stderr == "")
    let isKept = Self.profile(in: outcome.stdout) == profile
    #expect(isKept)
    // Converted by default: no profile, and other samples for the same colors.
    let converted = try Facecrop.run(arguments, stdin: input)
    #expect(converted.status == 0 && converted.stderr == "")
    #expect(Self.profile(in: converted.stdout).isEmpty)
    let difference = try referenceDecode(converted.stdout).pixels.meanDifference(
      from: referenceDecode(outcome.stdout).pixels)
    #expect(difference > 0.5 && difference < 20)
  }

  @Test func brokenProfileIsDroppedWithAWarning() throws {
    let profile = ICCBuilder.profile(.rgb, padding: 70_000)
    let input = try JPEGRecipe.baseline420
      .with { $0.segments = ICCBuilder.segments(for: profile, order: [0]) }.encode(astronaut())
    let outcome = try Facecrop.run("crop", "-", "-o", "-", stdin: input)
    #expect(outcome.status == 0)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.stderr.hasPrefix("facecrop: standard input: warning: the color profile"))
    #expect(Self.profile(in: outcome.stdout) == [])
  }

  private static func profile(in jpeg: [UInt8]) -> [UInt8] {
    let name = Array("ICC_PROFILE\0".utf8)
    return JPEGSurgery.markers(in: jpeg).reduce(into: []) { profile, marker in
      let payload = Array(jpeg[marker.payload])
      if marker.code == 0xE2 && payload.starts(with: name) { profile += payload.dropFirst(name.count + 2) }
    }
  }
}

/// A minimal TIFF parser that is independent of the product's.
private struct TIFF {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  private func number(_ offset: Int, _ width: Int) -> Int {
    guard offset >= 0, offset + width <= bytes.count else { return 0 }
    let part = bytes[offset..<offset + width]
    return (bytes.first == 0x49 ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
  }

  var first: Int { number(4, 4) }

  func next(_ directory: Int) -> Int { number(directory + 2 + 12 * number(directory, 2), 4) }

  /// Returns a single SHORT or LONG.
  func value(_ tag: Int, in directory: Int) -> Int? {
    for entry in 0..<number(directory, 2) {
      let start = directory + 2 + 12 * entry
      if number(start, 2) == tag { return number(start + 8, number(start + 2, 2) == 3 ? 2 : 4) }
    }
    return nil
  }
}
