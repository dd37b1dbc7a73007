import FaceCrop
import Foundation
import TestSupport
import Testing

@testable import FaceCropCLI

/// Turns and backgrounds in the plans of a batch, as the report's editor writes them.
@Suite struct PlannedChangesTests {
  private static let run = ["batch", "in", "-r", "-d", "out", "--preset", "portrait", "--size", "x200", "--upscale"]

  /// Writes the plan of an image with a changed crop.
  private func write(_ folder: TemporaryFolder, _ change: (inout [String: Any]) -> Void) throws {
    let entry = try #require(folder.manifest().entries["in/a.jpg"])
    var crop = try #require((entry["crops"] as? [[String: Any]])?.first)
    change(&crop)
    let plan: [String: Any] = [
      "version": 1, "source": ["width": try #require(entry["width"]), "height": try #require(entry["height"])],
      "detector": "yunet", "faces": try #require(entry["faces"]), "crops": [crop],
    ]
    let line = try JSONSerialization.data(withJSONObject: ["input": "in/a.jpg", "plan": plan])
    try folder.write(
      "{\"format\":\"facecrop-plans\",\"version\":1}\n" + String(decoding: line, as: UTF8.self) + "\n",
      to: "plans.ndjson")
  }

  private func batch(_ folder: TemporaryFolder, _ more: [String] = [], out: String = "out") throws -> [UInt8] {
    let made = try Facecrop.run(
      Self.run.map { $0 == "out" ? out : $0 } + more, currentDirectory: folder.path)
    #expect(made.status == 0, "\(made.lines)")
    return try folder.bytes("\(out)/a.jpg")
  }

  private func prepare(_ folder: TemporaryFolder) throws -> [UInt8] {
    try Facecrop.prepare("mkdir in", in: folder)
    try folder.write(Samples.portrait(), to: "in/a.jpg")
    return try batch(folder)
  }

  /// A corrected background gives the output of the option, stays in later runs, and is undone by another plan.
  @Test func backgroundsStay() throws {
    try TemporaryFolder.with { folder in
      let plain = try prepare(folder)
      let white = try batch(folder, ["--background-fill", "white"], out: "white")
      #expect(white != plain)
      try write(folder) { $0["background"] = "ffffff" }
      #expect(try batch(folder, ["--plan-in", "plans.ndjson"]) == white)
      #expect(try batch(folder) == white)
      // Another option for all images is not for this one.
      #expect(try batch(folder, ["--background-fill", "blur"]) == white)
      try write(folder) { $0["background"] = "original" }
      #expect(try batch(folder, ["--background-fill", "white", "--plan-in", "plans.ndjson"]) == plain)
    }
  }

  /// Strokes correct the cut-out, stay in later runs and in other sizes, and are taken back by a plan without them.
  @Test func strokesStay() throws {
    try TemporaryFolder.with { folder in
      _ = try prepare(folder)
      let white = try batch(folder, ["--background-fill", "white"])
      // The middle of the frame is removed.
      let strokes: [[String: Any]] = [["kind": "remove", "width": 0.08, "points": [[0.44, 0.3], [0.44, 0.32]]]]
      try write(folder) { $0["strokes"] = strokes }
      let made = try batch(folder, ["--background-fill", "white", "--plan-in", "plans.ndjson"])
      #expect(made != white)
      let entry = try #require(folder.manifest().entries["in/a.jpg"])
      #expect(
        ((entry["crops"] as? [[String: Any]])?[0]["strokes"] as? [[String: Any]])?[0]["kind"] as? String == "remove")
      // A person has judged it.
      #expect((entry["outputs"] as? [[String: Any]])?[0]["cutout"] as? Double == 1)
      #expect(try batch(folder, ["--background-fill", "white"]) == made)
      let large = try Facecrop.run(
        Self.run.map { $0 == "x200" ? "x300" : $0 } + ["--background-fill", "white"], currentDirectory: folder.path)
      #expect(large.status == 0, "\(large.stderr)")
      let pixels = try referenceDecode(folder.bytes("out/a.jpg")).pixels
      #expect(pixels.height == 300 && pixels[pixels.width / 2, 126].allSatisfy { $0 > 240 })
      try write(folder) { $0["strokes"] = nil }
      #expect(try batch(folder, ["--background-fill", "white", "--plan-in", "plans.ndjson"]) == white)
    }
  }

  /// A quarter turn exchanges the sides of an output, and its pixels are those of the region.
  @Test func turnsStay() throws {
    try TemporaryFolder.with { folder in
      _ = try prepare(folder)
      try write(folder) { crop in
        crop["region"] = ["x": 0.25, "y": 0.25, "width": 0.5, "height": 0.25]
        crop["turn"] = ["degrees": 90, "rect": ["x": 0.375, "y": 0.125, "width": 0.25, "height": 0.5]]
        crop["frame"] = nil
      }
      let made = try batch(folder, ["--plan-in", "plans.ndjson"])
      #expect(try batch(folder) == made)
      let entry = try #require(folder.manifest().entries["in/a.jpg"])
      #expect(((entry["crops"] as? [[String: Any]])?[0]["turn"] as? [String: Any])?["degrees"] as? Double == 90)
      #expect((entry["outputs"] as? [[String: Any]])?[0]["height"] as? Int == 200)
    }
  }

  /// The memory for an image is that of its plan, whatever the options ask for.
  @Test func memoryIsThatOfThePlan() async throws {
    let bytes = try JPEGRecipe.baseline420.encode(.testPattern(width: 2_000, height: 1_500))
    let size = PixelSize(width: 2_000, height: 1_500)
    func estimate(_ crop: CropPlan.Crop, _ request: CropRequest = CropRequest()) async throws -> Int {
      try await MemoryBudget.estimate(
        .bytes(bytes), by: FaceCropper(), request,
        plan: CropPlan(source: size, detector: "d", faces: [], crops: [crop])
      ) { _ in .encoded(.jpeg(quality: 85), background: .white, mostBytes: nil) }
    }
    let plain = CropPlan.Crop(region: .whole, faces: [])
    let least = try await estimate(plain)
    for (name, background) in [("color", PlannedBackground.color(.white)), ("transparent", .transparent)] {
      var crop = plain
      crop.background = background
      var request = CropRequest()
      request.output.background = background.fill.map { Background($0) }
      let (planned, asked) = (try await estimate(crop), try await estimate(plain, request))
      #expect(planned == asked && planned > least, "\(name)")
    }
    var turned = plain
    turned.turn = CropPlan.Crop.Turn(degrees: 90, rect: .whole)
    #expect(try await estimate(turned) > least)
  }

  /// A corrected frame belongs to the frames of the animation that it was made for.
  @Test(arguments: ["first", "keep", "best"], ["first", "keep", "best"])
  func aCorrectionIsOfItsFrames(first: String, second: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(try AnimationCommandTests.animation().gif(), to: "in/wave.gif")
      try folder.write(Samples.portrait(), to: "in/still.jpg")
      let edit = #"sed -E 's/"region":\{[^}]*\}/"region":{"x":0.1,"y":0.1,"width":0.5,"height":0.5}/'"#
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch -r in -d out --progress none "$@"; }
        run --animation \(first) --dry-run --plan-out p.ndjson > plans; \(edit) p.ndjson > edited.ndjson
        run --animation \(first) --plan-in edited.ndjson; echo $?; sha256sum out/wave.* > mine
        run --animation \(second) --metadata copyright; echo $?; sha256sum out/wave.* | cmp - mine && echo same
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["0", first == second ? "0" : "1", "same"], "\(outcome.lines) \(outcome.stderr)")
      let manifest = try folder.manifest()
      #expect(manifest.status("in/still.jpg") == "cropped" && manifest.entries["in/still.jpg"]?["animation"] == nil)
      guard first != second else {
        return #expect(
          manifest.entries["in/wave.gif"]?["animationFrame"] as? Int == (first == "best" ? 2 : nil))
      }
      let reason = manifest.reason("in/wave.gif")
      #expect(
        reason.kind == "correction" && reason.message.contains("--animation \(first)")
          && reason.message.contains("--animation \(second)"), "\(reason.message)")
    }
  }
}
