import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// Plans of the portrait by the default detector, in Tests/Fixtures/golden-plans.json with the algorithm's revision.
///
/// `FACECROP_UPDATE_GOLDENS=1` updates them, but changed plans need a new revision.
@Suite struct GoldenPlanTests {
  private struct Kept: Codable {
    var revision: Int
    var plans: [String: CropPlan]
  }

  /// Instruction sets differ in the last digits.
  private static let tolerance = 1e-4
  private static let path = fixturePath("golden-plans.json")

  @Test func plansChangeOnlyWithTheRevision() async throws {
    let plans = try await Self.plans()
    let kept = try? JSONDecoder().decode(Kept.self, from: Data(contentsOf: URL(filePath: Self.path)))
    let changed = plans.keys.sorted().filter { name in
      guard let before = kept?.plans[name] else { return true }
      return !Self.isSame(plans[name]!, before)
    }
    let mayChange = kept.map { $0.revision != AlgorithmRevision.current } ?? true
    if Golden.areUpdated && mayChange {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      try encoder.encode(Kept(revision: AlgorithmRevision.current, plans: plans)).write(to: URL(filePath: Self.path))
      return
    }
    #expect(
      kept?.revision == AlgorithmRevision.current,
      "AlgorithmRevision.current is another than that of \(Self.path): write it anew by FACECROP_UPDATE_GOLDENS=1")
    #expect(changed.isEmpty, "plans changed: raise AlgorithmRevision.current, then write \(Self.path) anew")
    #expect(kept?.plans.count == plans.count)
  }

  private static func plans() async throws -> [String: CropPlan] {
    let cropper = FaceCropper()
    let portrait = try astronaut()
    let pictures = [
      ("portrait", portrait), ("small", portrait.resizedBilinear(width: 140, height: 140)),
      ("two", try twoAstronauts()),
      ("large", try largePortrait(width: 1_600, height: 1_200)),
      ("closeup", portrait.cropped(x: 150, y: 40, width: 160, height: 160)),
    ]
    var plans: [String: CropPlan] = [:]
    for (name, picture) in pictures {
      let jpeg = try JPEGRecipe.baseline420.encode(picture)
      for (preset, framing) in [("avatar", Framing.avatar), ("portrait", .portrait), ("passport", .passport)] {
        var request = CropRequest()
        request.composition.layout = .framing(framing)
        request.search.faces = .largest
        plans["\(name), \(preset)"] = try await cropper.plan(
          for: .bytes(jpeg), search: request.search, composition: request.composition)
      }
      plans["\(name), union"] = try await cropper.plan(for: .bytes(jpeg))
    }
    return plans
  }

  private static func isSame(_ plan: CropPlan, _ other: CropPlan) -> Bool {
    plan.source == other.source && plan.detector == other.detector
      && plan.crops.map(\.faces) == other.crops.map(\.faces)
      && plan.faces.count == other.faces.count
      && zip(numbers(of: plan), numbers(of: other)).allSatisfy { abs($0 - $1) < tolerance }
  }

  private static func numbers(of plan: CropPlan) -> [Double] {
    func numbers(_ rect: NormalizedRect) -> [Double] { [rect.x, rect.y, rect.width, rect.height] }
    return plan.faces.flatMap { numbers($0.box) + [$0.score] + ($0.landmarks?.points.flatMap { [$0.x, $0.y] } ?? []) }
      + plan.crops.flatMap { numbers($0.region) + numbers($0.frame ?? $0.region) }
  }
}
