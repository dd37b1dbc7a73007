import FaceCrop
import Foundation
import TestSupport
import Testing

@testable import FaceCropCLI

/// Plans without crops, and plans that are wrong.
@Suite struct PlanFaultTests {
  /// As in a batch, a plan whose frames were all rejected gives no output; a single command says so by its status.
  @Test(arguments: ["crop", "avatar"]) func aPlanWithoutCropsIsTold(command: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      try Facecrop.prepare(
        "$FACECROP crop in.jpg -o a.jpg --plan-out p.json; sed -i 's/\"crops\":\\[.*\\],\"det/\"crops\":[],\"det/' p.json",
        in: folder)
      let outcome = try Facecrop.run(
        command, "in.jpg", "-o", "b.jpg", "--plan-in", "p.json", "--json", currentDirectory: folder.path)
      #expect(outcome.status == 2 && !folder.has("b.jpg"), "\(outcome.stderr)")
      #expect(outcome.stderr.contains("facecrop: in.jpg: warning: the plan has no crops; nothing was written"))
      let line = try jsonObject(outcome.lines[0])
      #expect(line["status"] as? String == "skipped")
      #expect((line["reason"] as? [String: String])?["kind"] == "rejected")
    }
  }

  /// Faults of a plan are told in words of its JSON.
  @Test(arguments: [
    (#""rotation":45"#, "'rotation' has an unknown value"), (#""crops":{}"#, "'crops' is not a list"),
    (#""source":7"#, "'source' is not an object"), (#""detector":7"#, "'detector' is not a text"),
    (#""crops":[{"region":{"x":"a"}}]"#, "'crops[0].region.x' is not a number"),
    (#""rotatoin":90"#, "the key 'rotatoin' is unknown (correct its name, or remove it)"),
    (
      #""crops":[{"region":{"x":0,"y":0,"width":1,"height":1},"faces":[],"regoin":{}}]"#,
      "the key 'crops[0].regoin' is unknown (correct its name, or remove it)"
    ),
    (
      #""crops":[{"region":{"x":0,"y":0,"width":1,"height":1},"strokes":[{"kind":"erase","width":0.1,"points":[[0,0]]}]}]"#,
      "'crops[0].strokes[0].kind' has an unknown value"
    ),
    (
      #""crops":[{"region":{"x":0,"y":0,"width":1,"height":1},"strokes":[{"kind":"keep","width":3,"points":[[0,0]]}]}]"#,
      "crops[0].strokes[0].width is out of range (must be 0.0005 to 0.25 of the image's longer side)"
    ),
  ])
  func faultsOfPlansAreInPlainWords(member: String, words: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let name = member.prefix { $0 != ":" }
      let members = [
        #""version":1"#, #""source":{"width":512,"height":512}"#, #""detector":"""#, #""faces":[]"#, #""crops":[]"#,
      ].filter { !$0.hasPrefix(name) }
      try folder.write("{" + (members + [member]).joined(separator: ",") + "}", to: "p.json")
      let outcome = try Facecrop.run(
        "crop", "in.jpg", "-o", "b.jpg", "--plan-in", "p.json", currentDirectory: folder.path)
      #expect(outcome.status == 1 && outcome.stderr.contains(words), "\(outcome.stderr)")
      try folder.write("{\"input\":\"in.jpg\",\"plan\":\(folder.text("p.json"))}", to: "p.ndjson")
      let list = try Facecrop.run(
        "batch", "in.jpg", "-d", "out", "--plan-in", "p.ndjson", currentDirectory: folder.path)
      #expect(list.status == 1 && list.stderr.contains(words.dropFirst(1)), "\(list.stderr)")
    }
  }

  private static func plan(crops: Int, then more: String = "") -> String {
    let crop = #"{"faces":[],"region":{"height":1,"width":1,"x":0,"y":0}}"#
    return #"{"version":1,"source":{"width":512,"height":512},"detector":"","faces":[],"crops":["#
      + [String](repeating: crop, count: crops).joined(separator: ",") + "]\(more)}"
  }

  /// The number of crops is bounded before they are decoded, whoever made the plan.
  @Test func plansHaveAtMostSomeThousandCrops() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      // The last has more values than are read, the one before it more crops.
      for (plan, words) in [
        (Self.plan(crops: CropPlan.most + 1), "at most 5000 faces and 5000 crops"),
        (Self.plan(crops: 100_000), "more than 500000 values"),
        (Self.plan(crops: 0, then: String(repeating: " ", count: 16 << 20)), "at most 16 MiB"),
      ] {
        try folder.write(plan, to: "p.json")
        for command in ["crop", "blur", "avatar"] {
          let outcome = try Facecrop.run(
            command, "in.jpg", "-o", "b.jpg", "--plan-in", "p.json", currentDirectory: folder.path)
          #expect(outcome.status == 1 && outcome.stderr.contains(words), "\(outcome.stderr)")
        }
        guard !words.contains("MiB") else { continue }
        try folder.write("{\"input\":\"in.jpg\",\"plan\":\(plan)}\n", to: "p.ndjson")
        for command in ["batch", "sheet"] {
          let outcome = try Facecrop.run(
            [command, "in.jpg", command == "batch" ? "-d" : "-o", "out.jpg", "--plan-in", "p.ndjson"],
            currentDirectory: folder.path)
          #expect(outcome.status == 1 && outcome.stderr.contains(words), "\(outcome.stderr)")
        }
      }
      #expect(try folder.names().filter { $0.hasPrefix("b") || $0.hasPrefix("out") }.isEmpty)
    }
    let crops = [CropPlan.Crop](repeating: CropPlan.Crop(region: .whole, faces: []), count: CropPlan.most)
    let plan = CropPlan(source: PixelSize(width: 512, height: 512), detector: "", faces: [], crops: crops)
    #expect(try JSONDecoder().decode(CropPlan.self, from: JSONEncoder().encode(plan)) == plan)
  }

  /// Sixteen mebibytes of crops took 300 MB, and 20 s beyond the time limit.
  @Test(.enabled(if: Facecrop.canMeasureMemory)) func aRefusedPlanTakesFewTimesItsBytes() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let text = Self.plan(crops: 280_000)
      let plan = try folder.write(text, to: "p.json")
      let base = try Facecrop.peakMemory(["info", input]).bytes
      let run = try Facecrop.peakMemory(["blur", input, "-o", folder / "b.jpg", "--plan-in", plan, "--timeout", "2"])
      #expect(run.status == 1 && run.bytes - base < 5 * text.utf8.count, "\((run.bytes - base) >> 20) MiB")
    }
  }

  /// A property that plans gain would be refused as unknown.
  @Test func allPropertiesOfPlansAreKnown() {
    let crop = CropPlan.Crop(region: .whole, faces: [])
    let plan = CropPlan(source: PixelSize(width: 1, height: 1), detector: "", faces: [], crops: [crop])
    let others = ["version", "padded", "origin"]
    #expect(PlanKeys.ofPlans == Set(Mirror(reflecting: plan).children.compactMap(\.label) + others))
    #expect(PlanKeys.ofCrops == Set(Mirror(reflecting: crop).children.compactMap(\.label)))
  }
}
