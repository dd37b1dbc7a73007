import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct CropSequenceTests {
  private static let size = PixelSize(width: 400, height: 300)

  private static func picture(_ recipe: JPEGRecipe = .baseline420) throws -> ImageSource {
    .bytes(try recipe.encode(.testPattern(width: 400, height: 300, channels: recipe.channels, seed: 1)))
  }

  private static func plan(_ count: Int) -> CropPlan {
    CropPlan(
      source: size, detector: "", faces: [],
      crops: [CropPlan.Crop](repeating: CropPlan.Crop(region: .whole, faces: []), count: count))
  }

  private static func collect<Crop>(
    _ crops: CropSequence<Crop>
  ) async throws -> (plan: CropPlan?, path: DecodePath?, crops: [Crop], warnings: [CropWarning]?) {
    var all: (plan: CropPlan?, path: DecodePath?, crops: [Crop], warnings: [CropWarning]?) = (nil, nil, [], nil)
    for try await step in crops {
      #expect(all.warnings == nil, "nothing comes behind the last step")
      switch step {
      case .planned(let plan, let path):
        #expect(all.plan == nil && all.crops.isEmpty)
        (all.plan, all.path) = (plan, path)
      case .crop(let crop): all.crops.append(crop)
      case .finished(let warnings): all.warnings = warnings
      }
    }
    return all
  }

  @Test(arguments: [JPEGRecipe.baseline420, .progressive, .arithmetic]) func theSequenceIsTheArray(
    recipe: JPEGRecipe
  ) async throws {
    let faces = [0.1, 0.6].map { Face(box: NormalizedRect(x: $0, y: 0.25, width: 0.25, height: 0.5), score: 0.9) }
    let cropper = FaceCropper(detector: StubDetector(found: faces))
    let source = try Self.picture(recipe)
    var request = CropRequest()
    request.search.faces = .each
    request.output.sizes = [.longSide(40), .longSide(5_000)]
    let array = try await cropper.crop(source, request: request)
    let sequence = try await Self.collect(cropper.crops(of: source, request: request))
    #expect(array.crops.count == 4)
    #expect(sequence.crops == array.crops && sequence.plan == array.plan)
    #expect(sequence.warnings == array.warnings && sequence.path == array.detectionPath && sequence.path != nil)
    let again = try await Self.collect(cropper.crops(of: source, plan: array.plan, request: request))
    #expect(again.crops.map(\.pixels) == array.crops.map(\.pixels) && again.path == nil)
  }

  @Test func errorsEndIt() async throws {
    let cropper = FaceCropper(detector: StubDetector())
    var crops = cropper.crops(of: .bytes([1, 2, 3])).makeAsyncIterator()
    await #expect { try await crops.next() } throws: { ($0 as? FaceCropError)?.kind == "unsupported" }
    #expect(try await crops.next() == nil)
    #expect(try await crops.next() == nil)
  }

  @Test func decodesEachCropOnDemand() async throws {
    let furthest = Mutex(0.0)
    let sequence = FaceCropper(detector: StubDetector()).crops(of: try Self.picture(), plan: Self.plan(4)) { progress in
      furthest.withLock { $0 = max($0, progress.fraction) }
    }
    var crops = sequence.makeAsyncIterator()
    #expect(furthest.withLock { $0 } == 0)
    _ = try await crops.next()
    for number in 1...4 {
      _ = try await crops.next()
      try await Task.sleep(for: .milliseconds(50))
      #expect(furthest.withLock { $0 } == Double(number) / 4)
    }
  }

  @Test func cropsTogetherAreLimited() async throws {
    var limits = Limits()
    limits.resultBytes = 3 * 400 * 300 * 3 - 1
    let cropper = FaceCropper(detector: StubDetector(), limits: limits)
    let source = try Self.picture()
    #expect(try await cropper.render(Self.plan(2), from: source).crops.count == 2)
    await #expect(
      throws: FaceCropError.overLimit(.resultBytes, actual: limits.resultBytes + 1, allowed: limits.resultBytes)
    ) {
      try await cropper.render(Self.plan(3), from: source)
    }
    // The plan and the sizes decide it, so nothing is decoded.
    let reports = Mutex(0)
    _ = try? await cropper.render(Self.plan(3), from: source) { _ in reports.withLock { $0 += 1 } }
    #expect(reports.withLock { $0 } == 0)
    var circle = CropOutput()
    circle.shape = .circle
    await #expect(throws: FaceCropError.overLimit(.resultBytes, actual: 3 * 400 * 300 * 4, allowed: limits.resultBytes))
    {
      try await cropper.render(Self.plan(3), from: source, output: circle)
    }
    #expect(try await Self.collect(cropper.crops(of: source, plan: Self.plan(30))).crops.count == 30)

    // Only the finished crop is known to have transparency.
    limits.resultBytes = 400 * 300 * 4 - 1
    let cutout = CropOutput(background: Background(.transparent))
    await #expect(throws: FaceCropError.overLimit(.resultBytes, actual: 400 * 300 * 4, allowed: limits.resultBytes)) {
      try await FaceCropper(detector: StubDetector(), limits: limits).render(Self.plan(1), from: source, output: cutout)
    }
  }

  // MARK: Waiting

  @Test func timeStandsStillWhileTheReaderIsBusy() async throws {
    var limits = Limits()
    // Four times as much wall-clock time would end the work.
    limits.time = .seconds(1)
    var crops = FaceCropper(detector: StubDetector(), limits: limits).crops(of: try Self.picture(), plan: Self.plan(2))
      .makeAsyncIterator()
    _ = try await crops.next()
    try await Task.sleep(for: .milliseconds(4_500))
    while try await crops.next() != nil {}
  }

  /// The steps on one image share a deadline, encoding too, however busy the reader is.
  @Test func aDeadlineIsOneForAll() async throws {
    var limits = Limits()
    limits.time = .seconds(3_600)
    let cropper = FaceCropper(detector: StubDetector(), limits: limits)
    /// Returns whether the numbers are those of this deadline, not of the limit above it.
    func isLate(_ error: any Error, allowed: ClosedRange<Int> = 0...0) -> Bool {
      guard case .overLimit(.time, let actual, let time)? = error as? FaceCropError else { return false }
      return allowed.contains(time) && actual >= time
    }
    let source = try Self.picture()
    let crop = try await cropper.render(Self.plan(1), from: source).crops[0]
    let late = cropper.ending(by: .now)
    await #expect { _ = try await late.crop(source) } throws: { isLate($0) }
    await #expect { while true { _ = try await late.encode(crop, as: .png) } } throws: { isLate($0) }
    var steps = cropper.ending(by: .now + .milliseconds(500)).crops(of: source, plan: Self.plan(CropPlan.most))
      .makeAsyncIterator()
    await #expect {
      while try await steps.next() != nil { try await Task.sleep(for: .milliseconds(100)) }
    } throws: { isLate($0, allowed: 1...500) }
  }

  @Test func timeGoesOnAfterAPause() async throws {
    var limits = Limits()
    limits.time = .milliseconds(75)
    await #expect {
      try await Job.run(limits: limits, progress: nil) { (job) throws(FaceCropError) in
        try job.paused { () throws(FaceCropError) in _ = usleep(400_000) }
        try job.check()
        while true {
          try job.check()
          usleep(1_000)
        }
      }
    } throws: {
      if case .overLimit(.time, let actual, _)? = $0 as? FaceCropError { actual >= 300 } else { false }
    }
  }

  @Test(.endsIfItHangs) func whoStopsReadingEndsTheWork() async throws {
    let handoff = Handoff<Int>()
    let ended = AsyncStream<FaceCropError>.makeStream()
    let queue = DispatchQueue(label: "maker")
    queue.async {
      do throws(FaceCropError) {
        while true { try handoff.give(1) }
      } catch {
        ended.continuation.yield(error)
        ended.continuation.finish()
      }
    }
    for _ in 0..<3 { #expect(try await handoff.next().get() == 1) }
    handoff.abandon()
    for await error in ended.stream { #expect(error == .cancelled) }
  }

  @Test(.endsIfItHangs) func itEndsWhenItsTaskIsCancelled() async throws {
    let source = try Self.picture()
    let begun = AsyncStream<Void>.makeStream()
    let reader = Task {
      var limits = Limits()
      limits.time = .seconds(3_600)
      let cropper = FaceCropper(detector: StubDetector(), limits: limits)
      for try await step in cropper.crops(of: source, plan: Self.plan(CropPlan.most)) {
        if case .planned = step { begun.continuation.finish() }
      }
    }
    for await _ in begun.stream {}
    reader.cancel()
    await #expect(throws: FaceCropError.cancelled) { try await reader.value }
  }
}
