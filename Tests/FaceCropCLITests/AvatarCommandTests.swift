import Foundation
import TestSupport
import Testing

/// Placement of heads, at one size or several.
@Suite struct AvatarCommandTests {
  private func size(_ folder: TemporaryFolder, _ name: String) throws -> [Int] {
    let picture = try referenceDecode(folder.bytes(name)).pixels
    return [picture.width, picture.height]
  }

  @Test func oneOutputASize() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.large.get(), to: "in.jpg")
      let plan = folder / "plan.json"
      let outcome = try Facecrop.run(
        "avatar", input, "-o", folder / "me.jpg", "--size", "512,64,200", "--plan-out", plan, "--progress", "json")
      #expect(outcome.status == 0)
      #expect(try folder.names() == ["in.jpg", "me-200.jpg", "me-512.jpg", "me-64.jpg", "plan.json"])
      for side in [512, 200, 64] { #expect(try size(folder, "me-\(side).jpg") == [side, side]) }
      // One detection pass and one region serve all sizes.
      #expect(outcome.errorLines.count { $0.contains(#""phase":"look""#) && $0.contains(#""completed":0"#) } <= 1)
      #expect(outcome.errorLines.count { $0.contains(#""event":"decoded""#) } == 1)

      // All sizes show the same region.
      let large = try referenceDecode(folder.bytes("me-512.jpg")).pixels.resizedBilinear(width: 64, height: 64)
      let small = try referenceDecode(folder.bytes("me-64.jpg")).pixels
      #expect(large.meanDifference(from: small) < 12)
      let face = try #require(try PlanJSON(folder.text("plan.json")).faces.first)
      let region = try PlanJSON(folder.text("plan.json")).crops[0].region
      #expect(region.x <= face.x && region.x + region.width >= face.x + face.width)
      #expect(region.y < face.y - 0.3 * face.height, "room for hair")
    }
  }

  @Test func namedBesideTheInput() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "me.jpeg")
      #expect(try Facecrop.run("avatar", input).status == 0)
      #expect(try Facecrop.run("avatar", input, "--size", "32,16").status == 0)
      #expect(try folder.names() == ["me-avatar-16.jpeg", "me-avatar-32.jpeg", "me-avatar.jpeg", "me.jpeg"])
    }
  }

  @Test func eachFaceAtEachSize() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "in.jpg")
      #expect(
        try Facecrop.run("avatar", input, "-o", folder / "f.jpg", "--faces", "each", "--size", "64,32").status == 0)
      #expect(try folder.names() == ["f-1-32.jpg", "f-1-64.jpg", "f-2-32.jpg", "f-2-64.jpg", "in.jpg"])
    }
  }

  @Test(arguments: [
    (["--preset", "portrait", "--size", "x50"], [40, 50]), (["--preset", "passport", "--size", "90"], [70, 90]),
    (["--size", "30x"], [30, 30]), (["--size", "60x40"], [60, 40]),
    (["--aspect", "2:1", "--size", "50"], [50, 25]),
    (["--preset", "tight", "--size", "20"], [20, 20]),
    (["--face-ratio", "0.2", "--pad", "edge", "--size", "80"], [80, 80]),
    (["--size", "2000", "--upscale"], [2000, 2000]),
  ])
  func shapesAndSizes(arguments: [String], expected: [Int]) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run(["avatar", input, "-o", folder / "out.jpg"] + arguments)
      // The preset passport warns of rules that an output breaks.
      #expect(outcome.status == 0 && (outcome.stderr == "" || arguments.contains("passport")))
      #expect(try size(folder, "out.jpg") == expected)
    }
  }

  @Test func aPictureThatIsTooSmallIsNotEnlarged() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run("avatar", input, "-o", folder / "out.jpg", "--size", "512")
      let side = try size(folder, "out.jpg")
      #expect(side[0] == side[1] && side[0] < 512)
      #expect(outcome.status == 0)
      #expect(outcome.errorLines.count == 1 && outcome.stderr.hasPrefix("facecrop: \(input): warning: "))
      for value in ["512×512", "\(side[0])×\(side[0])", "--upscale"] { #expect(outcome.stderr.contains(value)) }
    }
  }

  /// The border outside the image is part of the plan, and of outputs from the plan.
  @Test(arguments: [["--pad", "3366ff"], ["--pad", "blur"], ["--pad", "edge"]])
  func paddedFramesAreInThePlan(arguments: [String]) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let framing = ["--face-ratio", "0.2", "--size", "100", "--quality", "95"] + arguments
      let first = ["avatar", input, "-o", folder / "a.jpg", "--plan-out", folder / "plan.json"] + framing
      #expect(try Facecrop.run(first).status == 0)
      let crops = try #require(jsonObject(folder.text("plan.json"))["crops"] as? [[String: Any]])
      #expect(keys(crops[0]) == ["region", "frame", "faces"])
      #expect(
        try Facecrop.run(["avatar", input, "-o", folder / "b.jpg", "--plan-in", folder / "plan.json"] + framing).status
          == 0)
      #expect(try folder.bytes("a.jpg") == folder.bytes("b.jpg"))
      let corner = try referenceDecode(folder.bytes("a.jpg")).pixels.samples.prefix(3).map(Int.init)
      if arguments[1] == "3366ff" {
        #expect(zip(corner, [0x33, 0x66, 0xFF]).allSatisfy { abs($0 - $1) <= 3 })
      }
    }
  }

  @Test func withoutAFaceItIsTheCenter() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.faceless(), to: "in.jpg")
      let outcome = try Facecrop.run("avatar", input, "-o", folder / "out.jpg", "--size", "100")
      #expect(outcome.status == 0 && outcome.stderr.contains("warning: ") && outcome.stderr.contains("center"))
      #expect(try size(folder, "out.jpg") == [100, 100])
      #expect(try Facecrop.run("avatar", input, "-o", folder / "no.jpg", "--no-face", "fail").status == 2)
      #expect(!folder.has("no.jpg"))
    }
  }

  @Test(arguments: [
    ["--size", "0"], ["--size", "12,"], ["--size", "64,64"], ["--size", "65536"], ["--size", "64", "--size", "3x0"],
    ["--size", "0x"], ["--face-ratio", "0"], ["--face-ratio", "1.1"], ["--size", "x"],
    ["--pad", "red"], ["--preset", "statue"], ["-o", "-", "--size", "64,32"],
  ])
  func wrongUsageIsToldBeforeAnythingIsRead(arguments: [String]) throws {
    let outcome = try Facecrop.run(["avatar", "/nowhere.jpg"] + arguments)
    #expect(outcome.status == 64)
    #expect(outcome.stderr.hasSuffix("Try 'facecrop avatar --help'.\n"))
  }

  /// Eyes are aligned if a detector finds them.
  @Test func alignTurnsTheOutput() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run(
        "avatar", input, "-o", folder / "out.jpg", "--align", "--size", "100", "--plan-out", folder / "plan.json")
      #expect(outcome.status == 0 && outcome.stderr.isEmpty)
      #expect(try folder.text("plan.json").contains(#""turn":{"degrees":"#))
      #expect(try size(folder, "out.jpg") == [100, 100])
      // The plan alone gives the same image.
      let again = try Facecrop.run(
        "avatar", input, "-o", folder / "again.jpg", "--size", "100", "--plan-in", folder / "plan.json")
      let isSame = try folder.bytes("again.jpg") == folder.bytes("out.jpg")
      #expect(again.status == 0 && isSame)

      let refused = try Facecrop.run("avatar", input, "--align", "--detector", "haar")
      #expect(refused.status == 64 && refused.stderr.contains("--align") && refused.stderr.contains("haar"))
    }
  }
}
