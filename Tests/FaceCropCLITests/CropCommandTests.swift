import Foundation
import TestSupport
import Testing

/// Inputs and outputs of `crop`.
@Suite struct CropCommandTests {
  // MARK: Names

  @Test(arguments: [
    ("portrait.jpg", "portrait-crop.jpg"), ("PHOTO.JPG", "PHOTO-crop.JPG"), ("a.b.jpeg", "a.b-crop.jpeg"),
    ("photo", "photo-crop.jpg"), ("photo.png", "photo-crop.jpg"), (".hidden.jpg", ".hidden-crop.jpg"),
    ("with space é\n.jpg", "with space é\n-crop.jpg"),
  ])
  func outputStandsBesideTheInput(input: String, output: String) throws {
    try TemporaryFolder.with { folder in
      let path = try folder.write(Samples.portrait(), to: input)
      // From another folder, so that "beside" differs from the current folder.
      let outcome = try Facecrop.run("crop", path, currentDirectory: "/")
      #expect(outcome.status == 0)
      #expect(outcome.stdout == [])
      #expect(outcome.stderr == "")
      #expect(try folder.names() == [input, output].sorted())
      #expect(try folder.bytes(input) == Samples.portrait())
      try expectFace(in: folder.bytes(output))
    }
  }

  @Test func outputIsNamed() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      #expect(try Facecrop.run("crop", "in.jpg", "-o", "a", currentDirectory: folder.path).status == 0)
      #expect(try Facecrop.run("crop", "in.jpg", "--output", "b.jpeg", currentDirectory: folder.path).status == 0)
      #expect(try folder.names() == ["a", "b.jpeg", "in.jpg"])
      #expect(try folder.bytes("a") == folder.bytes("b.jpeg"))
    }
  }

  @Test func standardStreamsGiveTheSameBytes() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      #expect(try Facecrop.run("crop", input, "-o", folder / "out.jpg").status == 0)
      let file = try folder.bytes("out.jpg")
      let toOutput = try Facecrop.run("crop", input, "-o", "-")
      #expect(toOutput.stdout == file)
      let through = try Facecrop.run("crop", "-", "-o", "-", stdin: try Samples.portrait())
      #expect(through.stdout == file)
      #expect(through.stderr == "")
      // Without an output, standard input is cropped to standard output.
      #expect(try Facecrop.run("crop", "-", stdin: try Samples.portrait()).stdout == file)
      #expect(try Facecrop.run("crop", "-", "-o", folder / "b.jpg", stdin: try Samples.portrait()).stdout == [])
      #expect(try folder.bytes("b.jpg") == file)
      #expect(try folder.names() == ["b.jpg", "in.jpg", "out.jpg"])
    }
  }

  @Test func aPipeIsAnInput() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.bash("facecrop crop <(cat in.jpg) -o out.jpg", currentDirectory: folder.path)
      #expect(outcome.status == 0)
      try expectFace(in: folder.bytes("out.jpg"))
    }
  }

  /// A name that begins with a dash follows `--`, or has `./` before it.
  @Test func dashesBeginNames() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "-in.jpg")
      #expect(try Facecrop.run("crop", "-o", "a.jpg", "--", "-in.jpg", currentDirectory: folder.path).status == 0)
      #expect(try Facecrop.run("crop", "./-in.jpg", "-o", "b.jpg", currentDirectory: folder.path).status == 0)
      #expect(try folder.bytes("a.jpg") == folder.bytes("b.jpg"))
    }
  }

  // MARK: Faces

  @Test func eachFaceHasAnOutput() throws {
    try TemporaryFolder.with { folder in
      let pixels = try Samples.twoFaces()
      let input = try folder.write(JPEGRecipe.baseline444.encode(pixels), to: "in.jpg")
      let outcome = try Facecrop.run(
        "crop", input, "-o", folder / "out.jpg", "--faces", "each", "--order", "confidence", "--plan-out",
        folder / "plan.json")
      #expect(outcome.status == 0)
      let plan = try PlanJSON(folder.text("plan.json"))
      try #require(plan.crops.count == 2)
      #expect(try folder.names() == ["in.jpg", "out-1.jpg", "out-2.jpg", "plan.json"])
      for index in 0..<2 {
        #expect(plan.crops[index].faces == [index])
        let region = plan.pixels(index)
        let output = try referenceDecode(folder.bytes("out-\(index + 1).jpg")).pixels
        let expected = pixels.cropped(x: region.x, y: region.y, width: region.width, height: region.height)
        #expect(output.meanDifference(from: expected) < 6)
      }
      // The two faces, not the same one twice.
      #expect(abs(plan.pixels(0).x - plan.pixels(1).x) > 400)

      let numbered = try Facecrop.run(
        "crop", input, "-o", folder / "second.jpg", "--faces", "2", "--order", "confidence")
      #expect(numbered.status == 0)
      #expect(try folder.bytes("second.jpg") == folder.bytes("out-2.jpg"))
    }
  }

  @Test func onlyTheLargestFacesCount() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(JPEGRecipe.baseline444.encode(Samples.smallAndLargeFace()), to: "in.jpg")
      let arguments = ["crop", input, "--no-face", "fail", "-o", folder / "out.jpg", "--faces"]
      #expect(try Facecrop.run(arguments + ["each", "--max-faces", "1"]).status == 0)
      #expect(try folder.names().count == 2)
      let messages = try (1...2).map { try Facecrop.run(arguments + ["\($0)", "--max-faces", "1"]).stderr }
      #expect(messages.count { $0.isEmpty } == 1 && messages.contains { $0.contains("(raise --max-faces)") })
    }
  }

  @Test func unionCoversAllFaces() throws {
    let pixels = try Samples.twoFaces()
    let input = try JPEGRecipe.baseline444.encode(pixels)
    let plan = try plan(input, [])
    #expect(plan.crops.count == 1 && plan.crops.first?.faces == [0, 1])
    let region = plan.pixels()
    #expect(region.x < 220 && region.x + region.width > 512 + 220)
    // Not the corner that a union with the empty rectangle would include.
    #expect(region.x > 100 && region.y > 2)
  }

  @Test func aFaceThatIsNotThere() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let whole = try Facecrop.run("crop", input, "-o", folder / "out.jpg", "--faces", "9")
      #expect(whole.status == 0)
      #expect(whole.errorLines.count == 1 && whole.stderr.hasPrefix("facecrop: \(input): warning: "))
      #expect(whole.stderr.contains("9"))
      let pixels = try referenceDecode(folder.bytes("out.jpg")).pixels
      #expect(pixels.width == 512 && pixels.height == 512)
      let failed = try Facecrop.run("crop", input, "-o", folder / "b.jpg", "--faces", "9", "--no-face", "fail")
      #expect(failed.status == 2)
      #expect(try folder.names() == ["in.jpg", "out.jpg"])
    }
  }

  /// The message names the option that excludes the face.
  @Test(arguments: ["crop", "avatar", "sheet", "batch"]) func aFaceThatIsTooSmall(command: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let arguments = [command, input] + (command == "batch" ? ["-d", folder / "out"] : ["-o", folder / "out.jpg"])
      for (least, words) in [("400", "400 pixels"), ("80%", "80 %")] {
        let failed = try Facecrop.run(arguments + ["--min-face", least, "--no-face", "fail"])
        #expect(failed.status == 2)
        let said = try command == "batch" ? folder.text("out/manifest.ndjson") : failed.stderr
        #expect(said.contains(words) && said.contains("--min-face"), "\(said)")
      }
      let one = try Facecrop.run("crop", input, "-o", folder / "one.jpg", "--faces", "1", "--min-face", "400")
      #expect(one.status == 0 && one.stderr.contains("400 pixels") && one.stderr.contains("--min-face"))
    }
  }

  // MARK: Shape

  @Test func paddingGrowsTheFaceBox() throws {
    let face = try plan(Samples.portrait(), ["--padding", "0"]).pixels()
    let even = try plan(Samples.portrait(), ["--padding", "0.5"]).pixels()
    #expect(near(even.x, face.x - face.width / 2) && near(even.width, 2 * face.width))
    #expect(near(even.y, face.y - face.height / 2) && near(even.height, 2 * face.height))
    // Top, right, bottom, left, as in CSS.
    let sides = try plan(Samples.portrait(), ["--padding", "0.1,0.2,0.3,0.4"]).pixels()
    let (width, height) = (Double(face.width), Double(face.height))
    #expect(near(sides.y, face.y - Int(0.1 * height)) && near(sides.height, Int(1.4 * height)))
    #expect(near(sides.x, face.x - Int(0.4 * width)) && near(sides.width, Int(1.6 * width)))
    // A margin that does not fit ends at the image's edge.
    let much = try plan(Samples.portrait(), ["--padding", "100"]).pixels()
    #expect(much == (0, 0, 512, 512))
  }

  @Test(arguments: [("1:1", 1.0), ("4:5", 0.8), ("16:9", 16.0 / 9), ("1:100", 0.01)])
  func aspectIsMet(aspect: String, ratio: Double) throws {
    let face = try plan(Samples.portrait(), []).pixels()
    let region = try plan(Samples.portrait(), ["--aspect", aspect, "--padding", "0.2"]).pixels()
    #expect(abs(Double(region.width) - Double(region.height) * ratio) <= max(1, ratio))
    #expect(region.x >= 0 && region.y >= 0)
    #expect(region.x + region.width <= 512 && region.y + region.height <= 512)
    let middle = (x: face.x + face.width / 2, y: face.y + face.height / 2)
    // A sliver shows the middle of the head, which may lie beside that of the face.
    #expect((region.x - face.width / 20...region.x + region.width + face.width / 20).contains(middle.x))
    #expect((region.y...region.y + region.height).contains(middle.y))
  }

  // MARK: No face

  @Test func wholePictureWithoutAFace() throws {
    let (outcome, pixels) = try cropFaceless([])
    #expect(outcome.status == 0)
    #expect(pixels?.width == 320 && pixels?.height == 240)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.stderr.contains("warning") && outcome.stderr.contains("whole"))
    let asked = try cropFaceless(["--no-face", "whole"])
    #expect(asked.outcome.stdout == outcome.stdout)
  }

  @Test(arguments: [([], 240, 240), (["--aspect", "4:5"], 192, 240), (["--aspect", "2:1"], 320, 160)])
  func centerWithoutAFace(arguments: [String], width: Int, height: Int) throws {
    let (outcome, pixels) = try cropFaceless(["--no-face", "center"] + arguments)
    #expect(outcome.status == 0)
    #expect(pixels?.width == width && pixels?.height == height)
    #expect(outcome.stderr.contains("center"))
  }

  @Test func skippedWithoutAFace() throws {
    let (outcome, pixels) = try cropFaceless(["--no-face", "skip"])
    #expect(outcome.status == 0)
    #expect(pixels == nil)
    #expect(outcome.stderr.contains("nothing was written"))
  }

  @Test func failedWithoutAFace() throws {
    let (outcome, pixels) = try cropFaceless(["--no-face", "fail"])
    #expect(outcome.status == 2)
    #expect(pixels == nil)
    #expect(outcome.errorLines.count == 1 && outcome.stderr.contains("no face"))
    // An earlier output stays.
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.faceless(), to: "in.jpg")
      try folder.write("old", to: "out.jpg")
      for (policy, status) in [("fail", Int32(2)), ("skip", 0)] {
        let again = try Facecrop.run("crop", input, "-o", folder / "out.jpg", "--no-face", policy)
        #expect(again.status == status)
        #expect(try folder.text("out.jpg") == "old")
      }
    }
  }

  // MARK: Quality

  @Test func qualityCountsInBytes() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      var sizes: [Int] = []
      for quality in ["1", "50", "85", "89", "90", "100"] {
        let outcome = try Facecrop.run("crop", input, "-o", "-", "--quality", quality, "--padding", "0.5")
        #expect(outcome.status == 0)
        sizes.append(outcome.stdout.count)
        // From 90 on, color has the full resolution: luma's factors are 1×1, else 2×2.
        let frames = JPEGSurgery.markers(in: outcome.stdout).filter(\.isFrame)
        let frame = try #require(frames.first)
        let factors = outcome.stdout[frame.payload.lowerBound + 7]
        #expect(factors == (quality == "90" || quality == "100" ? 0x11 : 0x22))
      }
      #expect(sizes == sizes.sorted() && Set(sizes).count == sizes.count)
      let usual = try Facecrop.run("crop", input, "-o", "-", "--padding", "0.5")
      #expect(usual.stdout.count == sizes[2], "the default is 85")
    }
  }

  @Test func grayStaysGray() throws {
    let gray = try JPEGRecipe.gray.encode(astronaut())
    let outcome = try Facecrop.run("crop", "-", "-o", "-", stdin: gray)
    #expect(try referenceDecode(outcome.stdout, as: .native).pixels.channels == 1)
  }

  // MARK: Orientation

  @Test(arguments: 1...8)
  func orientationsGiveTheSameUprightCrop(orientation: Int) throws {
    let upright = try astronaut().cropped(x: 0, y: 0, width: 400, height: 512)
    let arguments = ["--padding", "0.4", "--quality", "95"]
    let recipe = JPEGRecipe.baseline444.with { $0.quality = 97 }
    let reference = try crop(recipe.encode(upright), arguments)
    let exif = EXIFBuilder.tiff(byteOrder: orientation < 5 ? .little : .big, orientation: UInt16(orientation))
    let stored = try recipe.with { $0.segments = [.exif(exif)] }
      .encode(upright.stored(forOrientation: orientation))
    let turned = try crop(stored, arguments)
    #expect(turned.plan.source == PlanJSON.Size(width: 400, height: 512))
    // The detector's box may move some pixels, since the turned JPEG differs slightly.
    let (own, other) = (turned.plan.pixels(), reference.plan.pixels())
    #expect(near(own.x + own.width / 2, other.x + other.width / 2, 6))
    #expect(near(own.y + own.height / 2, other.y + other.height / 2, 6))
    #expect(near(own.width, other.width, 20) && near(own.height, other.height, 20))
    let expected = upright.cropped(x: own.x, y: own.y, width: own.width, height: own.height)
    #expect(turned.pixels.meanDifference(from: expected) < 4)
    // The same plan gives the same crop.
    try TemporaryFolder.with { folder in
      let input = try folder.write(stored, to: "in.jpg")
      let plan = try folder.write(reference.plan.encoded(), to: "plan.json")
      let outcome = try Facecrop.run("crop", input, "-o", "-", "--quality", "95", "--plan-in", plan)
      #expect(outcome.status == 0)
      let pixels = try referenceDecode(outcome.stdout).pixels
      #expect(pixels.meanDifference(from: reference.pixels) < 3)
    }
    #expect(JPEGSurgery.markers(in: turned.bytes).allSatisfy { $0.code != 0xE1 })
  }

  // MARK: Helpers

  private func near(_ first: Int, _ second: Int, _ tolerance: Int = 2) -> Bool { abs(first - second) <= tolerance }

  /// Expects the astronaut's head in the crop, with her hair.
  private func expectFace(in jpeg: [UInt8]) throws {
    let pixels = try referenceDecode(jpeg).pixels
    // As read by eye.
    let head = (x: 150, y: 8, width: 152, height: 172)
    #expect(near(pixels.width, head.width, 20) && near(pixels.height, head.height, 30))
    let expected = try astronaut().cropped(x: head.x, y: head.y, width: head.width, height: head.height)
      .resizedBilinear(width: pixels.width, height: pixels.height)
    // The head is the detector's, not the label, so the images are similar, not equal.
    #expect(pixels.meanDifference(from: expected) < 45)
  }

  private func plan(_ jpeg: [UInt8], _ arguments: [String]) throws -> PlanJSON {
    try crop(jpeg, arguments).plan
  }

  private func crop(_ jpeg: [UInt8], _ arguments: [String]) throws -> (plan: PlanJSON, bytes: [UInt8], pixels: Pixels) {
    try TemporaryFolder.with { folder in
      let outcome = try Facecrop.run(
        ["crop", "-", "-o", folder / "out.jpg", "--plan-out", "-"] + arguments, stdin: jpeg)
      try #require(outcome.status == 0, "\(outcome.stderr)")
      let bytes = try folder.bytes("out.jpg")
      let plan = try PlanJSON(outcome.text)
      let pixels = try referenceDecode(bytes).pixels
      // The written size equals the planned one.
      #expect(pixels.width == plan.pixels().width && pixels.height == plan.pixels().height)
      return (plan, bytes, pixels)
    }
  }

  private func cropFaceless(_ arguments: [String]) throws -> (outcome: Facecrop.Outcome, pixels: Pixels?) {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.faceless(), to: "in.jpg")
      let outcome = try Facecrop.run(["crop", input, "-o", folder / "out.jpg"] + arguments)
      #expect(try folder.names() == (folder.has("out.jpg") ? ["in.jpg", "out.jpg"] : ["in.jpg"]))
      guard folder.has("out.jpg") else { return (outcome, nil) }
      return (outcome, try referenceDecode(folder.bytes("out.jpg")).pixels)
    }
  }

  /// Without a padding the region holds the whole head; a padding of 0 is the face box.
  @Test func cropHoldsTheHead() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      func region(_ options: [String]) throws -> PlanJSON.Rect {
        let run = try Facecrop.run(
          ["crop", input, "-o", folder / "out.jpg", "--plan-out", folder / "plan.json"] + options)
        #expect(run.status == 0, "\(run.stderr)")
        return try JSONDecoder().decode(PlanJSON.self, from: Data(folder.bytes("plan.json"))).crops[0].region
      }
      let found = try jsonObject(Facecrop.run("detect", input, "--heads").lines[0])
      let face = try #require((found["faces"] as? [[String: Any]])?.first)
      let crown = try #require(((face["head"] as? [String: Any])?["crown"] as? [String: Any])?["place"] as? Double)
      let top = try #require(face["y"] as? Double)
      #expect(crown < top - 0.01)
      let (head, box) = (try region([]), try region(["--padding", "0"]))
      #expect(head.y <= crown && head.height > box.height && head.width > box.width)
      #expect(abs(box.y - top) < 0.01)
      #expect(try region(["--lossless"]).y <= crown)
    }
  }
}
