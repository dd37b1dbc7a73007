import Foundation
import TestSupport
import Testing

/// The output of `detect`.
@Suite struct DetectCommandTests {
  @Test func shapeIsAsPromised() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run("detect", input)
      #expect(outcome.status == 0 && outcome.stderr == "")
      #expect(outcome.text.hasSuffix("\n"))
      try #require(outcome.lines.count == 1)
      let object = try jsonObject(outcome.text)
      #expect(
        keys(object)
          == ["file", "width", "height", "orientation", "detector", "faces", "chosen", "facesAreComplete", "origin"])
      #expect(object["origin"] as? String == "face")
      #expect(object["chosen"] as? Int == 0 && object["facesAreComplete"] as? Bool == true)
      let faces = try #require(object["faces"] as? [Any])
      for face in faces {
        #expect(keys(face) == ["x", "y", "width", "height", "score", "landmarks", "sharpness"])
      }
      // Heads are found on request.
      let withHeads = try jsonObject(Facecrop.run("detect", "--heads", input).text)
      let head = try #require((withHeads["faces"] as? [[String: Any]])?.first?["head"])
      #expect(keys(head) == ["crown", "skull", "chin", "left", "right", "outline"])
      // So are the points of the mesh, as pairs.
      let withMesh = try jsonObject(Facecrop.run("detect", "--mesh", input).text)
      let mesh = try #require((withMesh["faces"] as? [[String: Any]])?.first?["mesh"] as? [[Double]])
      #expect(mesh.count == 468 && mesh.allSatisfy { $0.count == 2 })
      #expect(try Facecrop.run("detect", "--mesh", "--detector", "haar", input).status == 64)
      let line = try DetectJSON(outcome.text)
      #expect(line.file == input && line.detector == "yunet")
      #expect(line.width == 512 && line.height == 512 && line.orientation == 1)
      try #require(line.faces?.count == 1)
      #expect(try #require(line.faces)[0].centerIsInAstronautFace(width: 512, height: 512))
    }
  }

  @Test(arguments: ["auto", "haar", "yunet"]) func everyDetectorFindsThePortrait(detector: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let line = try DetectJSON(Facecrop.run("detect", "--detector", detector, input).text)
      #expect(line.detector == (detector == "auto" ? "yunet" : detector) && line.faces?.count == 1)
      #expect(try #require(line.faces)[0].centerIsInAstronautFace(width: 512, height: 512))
    }
  }

  /// A program that was copied alone finds the same faces, since it contains the network's weights. Haar's cascades are
  /// files, which the environment locates.
  @Test func theProgramAloneFindsTheSame() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        """
        mkdir alone && cp "$FACECROP" alone/facecrop
        diff <("$FACECROP" detect a.jpg) <(env -i alone/facecrop detect a.jpg) && echo same
        diff <("$FACECROP" detect --detector haar a.jpg) \
          <(env -i FACECROP_MODELS='\(fixturePath("../../models"))' alone/facecrop detect --detector haar a.jpg) && echo same
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["same", "same"], "\(outcome.stderr)")
    }
  }

  @Test func previewShowsWhatWasFound() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let heads = try Facecrop.run("detect", "--heads", input)
      let outcome = try Facecrop.run("detect", input, "--preview", folder / "preview.jpg")
      #expect(outcome.status == 0 && outcome.text == heads.text)
      let preview = try referenceDecode(folder.bytes("preview.jpg")).pixels
      #expect(preview.width == 512 && preview.height == 512)
      // Counts the pixels of green lines, which the image lacks.
      func greens(_ pixels: Pixels) -> Int {
        stride(from: 0, to: pixels.samples.count, by: 3).count {
          pixels.samples[$0 + 1] > 180 && pixels.samples[$0] < 110 && pixels.samples[$0 + 2] < 140
        }
      }
      #expect(greens(try astronaut()) < 20 && greens(preview) > 300)
      // One image, into a file that is no input.
      for arguments in [
        [input, input, "--preview", folder / "p.jpg"], [input, "--preview", "-"], [input, "--preview", "p.png"],
      ] {
        #expect(try Facecrop.run(["detect"] + arguments).status == 64)
      }
      #expect(try Facecrop.run("detect", input, "--preview", input).status == 1)
      #expect(try folder.bytes("in.jpg") == Samples.portrait())
    }
  }

  @Test func oneLineAFileAndFaultsAreNoEnd() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try folder.write("no picture", to: "b.jpg")
      try folder.write(Samples.faceless(), to: "c \"é\".jpg")
      try folder.write(Array(Samples.portrait().prefix(20_000)), to: "d.jpg")
      let names = ["a.jpg", "b.jpg", "none.jpg", ".", "c \"é\".jpg", "d.jpg", "a.jpg"]
      let outcome = try Facecrop.run(["detect"] + names, currentDirectory: folder.path)
      #expect(outcome.status == 1)
      let lines = try outcome.lines.map(DetectJSON.init)
      #expect(lines.map(\.file) == names)
      #expect(lines.map { $0.error?.kind } == [nil, "unsupported", "unreadable", "unreadable", nil, "truncated", nil])
      #expect(lines.map { $0.faces?.count } == [1, nil, nil, nil, 0, nil, 1])
      for (name, line) in zip(names, outcome.lines) {
        let object = try jsonObject(line)
        guard object["error"] != nil else { continue }
        #expect(keys(object) == ["file", "error"])
        #expect(keys(object["error"]) == ["kind", "message", "retryable"])
        // The name is in the line once. (A period alone is in every message.)
        #expect(try name == "." || DetectJSON(line).error?.message.contains(name) == false)
      }
      #expect(outcome.lines.first == outcome.lines.last)
    }
  }

  @Test func standardInput() throws {
    let outcome = try Facecrop.run("detect", "-", stdin: try Samples.portrait())
    #expect(outcome.status == 0)
    let line = try DetectJSON(outcome.text)
    #expect(line.file == "-" && line.faces?.count == 1)
    #expect(try Facecrop.run("detect", "-").status == 1)
  }

  /// The first bytes of a pipe may be too few to tell the format.
  @Test func aSlowPipeIsReadToItsEnd() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.bash(
        "(head -c 2 in.jpg; sleep 0.2; tail -c +3 in.jpg) | '\(Facecrop.path)' detect -", currentDirectory: folder.path)
      #expect(outcome.status == 0)
      #expect(try DetectJSON(outcome.text).faces?.count == 1)
      // An endless device is closed as soon as it is known to be no image.
      #expect(try DetectJSON(Facecrop.run("detect", "/dev/zero").text).error?.kind == "unsupported")
    }
  }

  @Test func sizesAreAsDisplayed() throws {
    let upright = try astronaut().cropped(x: 0, y: 0, width: 400, height: 512)
    for orientation in 1...8 {
      let exif = EXIFBuilder.tiff(orientation: UInt16(orientation))
      let jpeg = try JPEGRecipe.baseline420.with { $0.segments = [.exif(exif)] }
        .encode(upright.stored(forOrientation: orientation))
      let line = try DetectJSON(Facecrop.run("detect", "-", stdin: jpeg).text)
      #expect(line.width == 400 && line.height == 512 && line.orientation == orientation)
      try #require(line.faces?.count == 1)
      #expect(try #require(line.faces)[0].centerIsInAstronautFace(width: 400, height: 512))
    }
  }

  @Test func facesAreSortedAndInside() throws {
    let jpeg = try JPEGRecipe.baseline444.encode(Samples.twoFaces())
    let faces = try #require(DetectJSON(Facecrop.run("detect", "-", stdin: jpeg).text).faces)
    #expect(faces.count == 2)
    #expect(faces.map(\.score) == faces.map(\.score).sorted(by: >))
    for face in faces {
      #expect((0...1).contains(face.score))
      #expect(face.x >= 0 && face.y >= 0 && face.width > 0 && face.height > 0)
      #expect(face.x + face.width <= 1 && face.y + face.height <= 1)
    }
  }

  @Test func sameFileSameLine() throws {
    let jpeg = try JPEGRecipe.baseline444.encode(Samples.twoFaces())
    let first = try Facecrop.run("detect", "-", stdin: jpeg).text
    for _ in 0..<5 { #expect(try Facecrop.run("detect", "-", stdin: jpeg).text == first) }
  }

  @Test func truncatedPicturesOnDemand() throws {
    let half = Array(try Samples.portrait().prefix(60_000))
    #expect(try Facecrop.run("detect", "-", stdin: half).status == 1)
    let outcome = try Facecrop.run("detect", "-", "--allow-truncated", stdin: half)
    #expect(outcome.status == 0)
    #expect(outcome.lines.count == 1)
    #expect(outcome.stderr.hasPrefix("facecrop: standard input: warning: ") && outcome.stderr.contains("truncated"))
  }

  /// A reader that closes the pipe.
  @Test func brokenPipeIsNoError() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        "set -o pipefail; facecrop detect a.jpg a.jpg a.jpg a.jpg a.jpg a.jpg | head -1",
        currentDirectory: folder.path)
      #expect(outcome.status == 0)
      #expect(outcome.lines.count == 1)
      #expect(outcome.stderr == "")
      // An image that nobody reads.
      let unread = try Facecrop.bash(
        "set -o pipefail; facecrop crop a.jpg -o - --padding 9 --quality 100 | true", currentDirectory: folder.path)
      #expect(unread.status == 0)
      #expect(unread.stderr == "")
    }
  }

  @Test func fullDiskIsAnError() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash("facecrop detect a.jpg a.jpg > /dev/full", currentDirectory: folder.path)
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: "standard output", saying: "No space left on device")
    }
  }
}

extension PlanJSON.FaceJSON {
  /// Returns whether its center lies in the face's labeled box, in an image with the portrait at its origin.
  func centerIsInAstronautFace(width: Int, height: Int) -> Bool {
    centerLies(in: [astronautFace.x, astronautFace.y, astronautFace.width, astronautFace.height], width, height)
  }

  /// Returns whether its center lies in a box of x, y, width and height.
  func centerLies(in box: [Int], _ pictureWidth: Int, _ pictureHeight: Int) -> Bool {
    let middleX = (x + width / 2) * Double(pictureWidth)
    let middleY = (y + height / 2) * Double(pictureHeight)
    return middleX >= Double(box[0]) && middleX <= Double(box[0] + box[2]) && middleY >= Double(box[1])
      && middleY <= Double(box[1] + box[3])
  }
}
