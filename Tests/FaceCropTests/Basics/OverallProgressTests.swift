import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// The combined fraction of all phases.
@Suite struct OverallProgressTests {
  @Test func aWholeJobGoesFromNothingToAll() async throws {
    let overall = OverallProgress(phases: [.overview, .detect, .render, .encode], outputs: 3)
    let seen = Mutex<[Double]>([])
    let note: @Sendable (CropProgress) -> Void = { report in
      let fraction = overall.fraction(after: report)
      seen.withLock { $0.append(fraction) }
    }
    var request = CropRequest()
    request.output.sizes = [.longSide(60), .longSide(30), .longSide(9)]
    let cropper = FaceCropper(detector: StubDetector())
    let source = ImageSource.bytes(try JPEGRecipe.baseline420.encode(.testPattern(width: 200, height: 150)))
    let result = try await cropper.crop(source, request: request, progress: note)
    #expect(seen.withLock { $0.last! } < 1)
    for crop in result.crops { _ = try await cropper.encode(crop, as: .jpeg(quality: 80), progress: note) }
    let fractions = seen.withLock { $0 }
    #expect(fractions == fractions.sorted() && fractions.first! >= 0)
    #expect(fractions.last == 1)
    #expect(Set(fractions).count > 8)
  }

  /// Each call reports its fraction, whatever its phases are.
  @Test(arguments: ["crop", "plan", "render", "losslessly", "sequence", "image", "file", "remote file", "animation"])
  func aCallGoesFromNothingToAll(call: String) async throws {
    let seen = Mutex<[CropProgress]>([])
    let note: @Sendable (CropProgress) -> Void = { report in seen.withLock { $0.append(report) } }
    let bytes = try JPEGRecipe.baseline420.encode(.testPattern(width: 200, height: 150))
    let (cropper, source) = (FaceCropper(detector: StubDetector()), ImageSource.bytes(bytes))
    switch call {
    case "crop": _ = try await cropper.crop(source, progress: note)
    case "plan": _ = try await cropper.plan(for: source, progress: note)
    case "render": _ = try await cropper.render(try await cropper.plan(for: source), from: source, progress: note)
    case "losslessly": _ = try await cropper.cutLosslessly(source, progress: note)
    case "sequence": for try await _ in cropper.crops(of: source, progress: note) {}
    default:
      let face = Face(box: NormalizedRect(x: 0.25, y: 0.25, width: 0.25, height: 0.5), score: 0.9)
      var configuration = with(ImageManager.Configuration()) { $0.detector = StubDetector(found: [face]) }
      configuration.loader = Held(bytes: bytes)
      let manager = ImageManager(configuration: configuration)
      var options = with(ImageRequestOptions()) { $0.crop = .faces(CropRequest()) }
      options.isNetworkAccessAllowed = true
      if call != "image" { options.encoding = ImageEncoding(.jpeg(quality: 80)) }
      var asset = call == "remote file" ? ImageAsset.remote(ImageAsset.ID(rawValue: "a")) : .bytes(bytes)
      if call == "animation" {
        var request = CropRequest()
        request.search.animation = .keep
        (options.crop, options.encoding) = (.faces(request), ImageEncoding(.gif))
        asset = .bytes(AnimationBuilder.random(width: 60, height: 45, count: 3, seed: 1).gif())
      }
      _ = try await manager.image(for: asset, options: options) { report in
        note(report)
        return .goOn
      }
    }
    let reports = seen.withLock { $0 }
    let fractions = reports.map(\.fraction)
    #expect(fractions == fractions.sorted() && fractions.allSatisfy { (0...1).contains($0) })
    #expect(fractions.last == 1 && fractions.count > 2)
    let isEncoded = ["file", "remote file", "animation"].contains(call)
    #expect(reports.contains { $0.phase == .encode } == isEncoded)
    // A file is not complete before it is encoded.
    if isEncoded { #expect(reports.allSatisfy { $0.fraction < 1 || $0.phase == .encode }) }
  }

  /// A loader that has the file.
  private struct Held: AssetLoader {
    let bytes: [UInt8]

    func load(
      _ id: ImageAsset.ID, atMost limit: Int, progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> [UInt8] { bytes }
  }

  /// The shares of the phases add up to exactly 1, whichever occur.
  @Test func theEndIsExact() {
    let all = CropProgress.Phase.allCases
    for bits in 1..<(1 << all.count) {
      let phases = all.indices.filter { bits >> $0 & 1 == 1 }.map { all[$0] }
      let overall = OverallProgress(phases: Set(phases))
      var last = 0.0
      for phase in phases { last = overall.fraction(after: CropProgress(phase: phase, completed: 3, total: 3)) }
      #expect(last == 1, "\(phases)")
    }
  }

  /// Phases that do not occur have no share.
  @Test func aCropAloneEndsWithAll() async throws {
    let overall = OverallProgress()
    let last = Mutex(0.0)
    let source = ImageSource.bytes(try JPEGRecipe.baseline420.encode(.testPattern(width: 200, height: 150)))
    _ = try await FaceCropper(detector: StubDetector()).crop(source) { report in
      let fraction = overall.fraction(after: report)
      last.withLock { $0 = fraction }
    }
    #expect(last.withLock { $0 } == 1)
  }
}
