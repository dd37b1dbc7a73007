import Foundation
import TestSupport
import Testing

/// PNG and WebP besides JPEG, as input and output, and their transparency.
@Suite struct FormatTests {
  private static let kinds = ["jpg", "png", "webp"]

  /// Returns the portrait as a file; PNG and WebP are lossless.
  private static func portrait(_ kind: String) throws -> [UInt8] {
    switch kind {
    case "png": PNGBuilder(try astronaut()).encoded()
    case "webp": try encodeWebP(astronaut().rgba, quality: nil)
    default: try Samples.portrait()
    }
  }

  /// Returns the portrait in RGBA, with a transparent left half.
  private static func halfTransparent() throws -> PNGBuilder {
    var png = PNGBuilder(try astronaut().rgba)
    for y in 0..<512 {
      for x in 0..<200 { png.samples[(y * 512 + x) * 4 + 3] = 0 }
    }
    return png
  }

  private static func kind(of file: [UInt8]) -> String? {
    if file.starts(with: [0xFF, 0xD8, 0xFF]) { return "jpg" }
    if file.starts(with: [0x89] + Array("PNG".utf8)) { return "png" }
    return Array(file.dropFirst(8).prefix(4)) == Array("WEBP".utf8) ? "webp" : nil
  }

  private static func pixels(_ file: [UInt8]) throws -> Pixels {
    switch kind(of: file) {
    case "png": try referenceDecodePNG(file)
    case "webp": try referenceDecodeWebP(file)
    default: try referenceDecode(file).pixels.rgba
    }
  }

  // MARK: Format choice

  /// A browser's list chooses the format, and so the output's extension.
  @Test func clientsChoose() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "me.jpg")
      for (list, name) in [
        ("image/webp,*/*;q=0.8", "me-avatar.webp"), ("*/*", "me-avatar.jpg"), ("image/png", "me-avatar.png"),
      ] {
        #expect(try Facecrop.run("avatar", input, "--format", "auto", "--accept", list, "--size", "64").status == 0)
        #expect(try folder.names().contains(name))
      }
      let circle = try Facecrop.run(
        "avatar", input, "--format", "auto", "--accept", "image/jpeg", "--shape", "circle", "-o", "-")
      #expect(Self.kind(of: circle.stdout) == "png")
    }
  }

  @Test(arguments: kinds) func theInputsKindIsTheDefault(kind: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Self.portrait(kind), to: "me.\(kind)")
      #expect(try Facecrop.run("crop", input).status == 0)
      #expect(try folder.names() == ["me-crop.\(kind)", "me.\(kind)"].sorted())
      let output = try folder.bytes("me-crop.\(kind)")
      #expect(Self.kind(of: output) == kind)
      // The content counts, with or without a name.
      let named = try folder.write(Self.portrait(kind), to: "other.xyz")
      #expect(try Facecrop.run("crop", named).status == 0)
      #expect(try folder.bytes("other-crop.\(kind)") == output)
      #expect(try Facecrop.run("crop", "-", "-o", "-", stdin: Self.portrait(kind)).stdout == output)
      let piped = try Facecrop.bash("facecrop crop <(cat me.\(kind)) -o -", currentDirectory: folder.path)
      #expect(piped.stdout == output)
    }
  }

  @Test(arguments: kinds, kinds) func theOutputsNameOrAnOptionDecides(from: String, to: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Self.portrait(from), to: "in.bin")
      let format = to == "jpg" ? "jpeg" : to
      #expect(try Facecrop.run("crop", input, "-o", folder / "out.\(to)").status == 0)
      let output = try folder.bytes("out.\(to)")
      #expect(Self.kind(of: output) == to)
      #expect(try Facecrop.run("crop", input, "-o", "-", "--format", format).stdout == output)
      #expect(try Facecrop.run("crop", input, "--format", format).status == 0)
      #expect(try folder.bytes("in-crop.\(to)") == output)
    }
  }

  // MARK: Pixels

  @Test(arguments: ["png", "webp"]) func withoutLossNothingIsLost(kind: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Self.portrait(kind), to: "in.\(kind)")
      for output in ["out.png", "out.webp"] {
        let quality = output == "out.webp" ? ["--quality", "lossless"] : []
        let outcome = try Facecrop.run(
          ["crop", input, "-o", folder / output, "--plan-out", folder / "plan.json"] + quality)
        #expect(outcome.status == 0 && outcome.stderr == "")
        let region = try PlanJSON(folder.text("plan.json")).pixels()
        let expected = try astronaut().cropped(x: region.x, y: region.y, width: region.width, height: region.height)
        #expect(try Self.pixels(folder.bytes(output)) == expected.rgba)
      }
    }
  }

  @Test func qualityCounts() throws {
    func size(_ quality: String) throws -> Int {
      try Facecrop.run("crop", "-", "-o", "-", "--format", "webp", "--quality", quality, stdin: Self.portrait("png"))
        .stdout.count
    }
    #expect(try size("20") < size("90"))
    #expect(try size("90") < size("lossless"))
  }

  @Test func sixteenBitsBecomeEight() throws {
    var png = PNGBuilder(try astronaut())
    (png.depth, png.samples) = (16, png.samples.map { $0 * 257 })
    let deep = try Facecrop.run("crop", "-", "-o", "-", stdin: png.encoded()).stdout
    let plain = try Facecrop.run("crop", "-", "-o", "-", stdin: Self.portrait("png")).stdout
    #expect(deep == plain)
  }

  @Test func facesAreFoundBesideTransparency() throws {
    try TemporaryFolder.with { folder in
      let png = try Self.halfTransparent()
      let inputs = [
        try folder.write(png.encoded(), to: "a.png"),
        try folder.write(encodeWebP(png.pixels, quality: 90), to: "a.webp"),
      ]
      let outcome = try Facecrop.run(["detect"] + inputs)
      #expect(outcome.status == 0 && outcome.lines.count == 2)
    }
  }

  @Test func transparencyIsKeptOrStandsOnTheBackground() throws {
    let png = try Self.halfTransparent()
    let input = png.encoded()
    func whole(_ arguments: String...) throws -> Pixels {
      let outcome = try Facecrop.run(
        ["crop", "-", "-o", "-", "--faces", "9"] + arguments, stdin: input)
      #expect(outcome.status == 0)
      return try Self.pixels(outcome.stdout)
    }
    let kept = try whole("--format", "png")
    #expect(kept == png.pixels)
    let webP = try whole("--format", "webp", "--quality", "95")
    #expect(Int(webP[20, 300][3]) == 0)
    #expect(try whole("--format", "jpeg", "--quality", "95")[20, 300].allSatisfy { $0 >= 253 })
    let blue = try whole("--format", "jpeg", "--quality", "95", "--matte", "3366ff")[20, 300].map(Int.init)
    #expect(zip(blue, [0x33, 0x66, 0xFF]).allSatisfy { abs($0 - $1) <= 3 })
  }

  @Test(arguments: ["png", "webp"]) func circles(kind: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run(
        "avatar", input, "-o", folder / "me.\(kind)", "--shape", "circle", "--size", "120,60")
      #expect(outcome.status == 0 && outcome.stderr == "")
      for side in [120, 60] {
        let picture = try Self.pixels(folder.bytes("me-\(side).\(kind)"))
        #expect(picture.width == side && picture.height == side)
        let corners = [(0, 0), (side - 1, 0), (0, side - 1), (side - 1, side - 1)]
        let inside = [(side / 2, 1), (1, side / 2), (side / 2, side / 2)]
        for (x, y) in corners { #expect(Int(picture[x, y][3]) == 0) }
        for (x, y) in inside { #expect(Int(picture[x, y][3]) == 255) }
        #expect(stride(from: 3, to: picture.samples.count, by: 4).contains { (1..<255).contains(picture.samples[$0]) })
      }
      // Inside the mask, pixels are unchanged.
      #expect(try Facecrop.run("avatar", input, "-o", folder / "square.png", "--size", "120").status == 0)
      if kind == "png" {
        let (circle, square) = try (Self.pixels(folder.bytes("me-120.png")), Self.pixels(folder.bytes("square.png")))
        #expect(
          circle.cropped(x: 30, y: 30, width: 60, height: 60) == square.cropped(x: 30, y: 30, width: 60, height: 60))
      }
    }
  }

  // MARK: Metadata

  private static func photograph(_ kind: String) throws -> [UInt8] {
    let profile = ICCBuilder.profile(.displayP3)
    let exif = EXIFBuilder.tiff(
      orientation: 6, artist: "Fixture Artist", dateTimeOriginal: "2024:05:06 07:08:09", pixelSize: (512, 512),
      gps: true,
      thumbnail: try JPEGRecipe(quality: 50).encode(Pixels.noise(width: 24, height: 16, seed: 77)))
    let stored = try astronaut().stored(forOrientation: 6)
    if kind == "png" {
      var png = PNGBuilder(stored)
      png.before = [PNGBuilder.profile(profile)]
      png.behind = [PNGBuilder.exif(exif)]
      return png.encoded()
    }
    return try JPEGRecipe.baseline444
      .with { $0.segments = [.exif(exif)] + ICCBuilder.segments(for: profile) }.encode(stored)
  }

  private static let hasExiftool = ["/usr/bin/exiftool", "/usr/local/bin/exiftool"]
    .contains { FileManager.default.isExecutableFile(atPath: $0) }

  @Test(.enabled(if: hasExiftool), arguments: ["png", "jpg"], kinds)
  func metadataAreTrueInEveryFormat(from: String, to: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Self.photograph(from), to: "in.\(from)")
      for policy in ["strip", "keep"] {
        let output = folder / "\(policy).\(to)"
        #expect(try Facecrop.run("crop", input, "-o", output, "--metadata", policy, "--color", "keep").status == 0)
        let outcome = try Facecrop.bash("exiftool -json -n -a -warning -error -all '\(output)'")
        let all = try JSONSerialization.jsonObject(with: Data(outcome.stdout)) as? [[String: Any]]
        let tags = try #require(all?.first)
        let profile = tags["ProfileDescription"] as? String
        #expect(profile == "Fixture", "\(policy), \(to)")
        for gone in ["ThumbnailImage", "ThumbnailOffset", "Warning", "Error"] {
          #expect(tags[gone] == nil, "\(policy), \(to): \(gone) \(tags[gone] ?? "")")
        }
        if policy == "keep" {
          #expect(tags["Orientation"] as? Int == 1)
          #expect(tags["Artist"] as? String == "Fixture Artist")
          #expect(tags["ExifImageWidth"] as? Int == tags["ImageWidth"] as? Int)
        } else {
          #expect(tags["Orientation"] == nil && tags["Artist"] == nil && tags["GPSLatitude"] == nil)
        }
      }
    }
  }

  // MARK: Faults

  @Test(arguments: ["png", "webp"]) func truncatedPicturesAreSaid(kind: String) throws {
    let file = try Self.portrait(kind)
    let cut = Array(file.prefix(file.count * 7 / 10))
    let outcome = try Facecrop.run("crop", "-", "-o", "-", stdin: cut)
    #expect(outcome.status == 1 && outcome.stdout == [])
    try expectSentence(outcome, about: "standard input", saying: "truncated")
    let allowed = try Facecrop.run("crop", "-", "-o", "-", "--allow-truncated", stdin: cut)
    #expect(allowed.status == 0 && allowed.stderr.contains("standard input: warning: "))
    #expect(Self.kind(of: allowed.stdout) == kind)
  }

  @Test(arguments: ["png", "webp"]) func limitsAreKept(kind: String) throws {
    let outcome = try Facecrop.run("crop", "-", "-o", "-", "--max-pixels", "262143", stdin: Self.portrait(kind))
    #expect(outcome.status == 1)
    try expectSentence(outcome, about: "standard input", saying: "262144", "262143")
  }

  /// Options that only JPEG has are refused for other formats.
  @Test func progressiveFilesAndSubsampling() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      #expect(
        try Facecrop.run("avatar", input, "-o", folder / "out.jpg", "--progressive", "--subsampling", "422").status == 0
      )
      let codes = try JPEGSurgery.markers(in: folder.bytes("out.jpg")).map(\.code)
      #expect(codes.contains(0xC2))
      for (option, formats) in [(["--progressive"], ["JPEG"]), (["--subsampling", "444"], ["JPEG", "AVIF"])] {
        let outcome = try Facecrop.run(["avatar", input, "-o", folder / "out.png"] + option)
        #expect(outcome.status == 64)
        for name in [option[0], "PNG"] + formats { #expect(outcome.stderr.contains(name), "\(outcome.stderr)") }
      }
      #expect(try folder.names() == ["in.jpg", "out.jpg"])
    }
  }
}
