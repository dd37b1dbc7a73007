import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// Concurrent requests: equal ones, urgent ones, too many, and cancelled ones.
///
/// The tests run one after the other. Dispatch adds threads for blocked ones only while no other thread spins. Blocked
/// detectors of several tests could leave another test's busy one alone.
@Suite(.serialized, .endsIfItHangs) struct RunningRequestsTests {
  /// A detector that blocks every pass until it is released.
  private final class GatedDetector: TestDetector, Sendable {
    let name = "gated"
    let looks = Atomic(0)
    private let gate = DispatchSemaphore(value: 0)

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] {
      looks.add(1, ordering: .relaxed)
      gate.wait()
      return [ImageManagerTests.face]
    }

    func letGo(_ count: Int = 1) {
      for _ in 0..<count { gate.signal() }
    }

    /// Waits until `count` passes have begun.
    func began(_ count: Int) async throws {
      try await eventually { looks.load(ordering: .relaxed) >= count }
    }
  }

  private static func manager(
    _ detector: any FaceDetector, places: Int = 1, waiting: Int = 256, budget: Int = 512 << 20
  ) -> ImageManager {
    var configuration = ImageManager.Configuration()
    configuration.detector = detector
    // A blocked detector, or a sanitizer, takes long.
    configuration.limits.time = .seconds(3_600)
    configuration.maximumConcurrentDecodes = places
    configuration.maximumWaitingRequests = waiting
    configuration.memoryBudget = budget
    return ImageManager(configuration: configuration)
  }

  private static let faces = ImageManagerTests.options { $0.crop = .faces(framing: .avatar) }

  private static func asset(_ name: String) throws -> ImageAsset {
    .bytes(try ImageManagerTests.jpeg(320, 240), id: ImageAsset.ID(rawValue: name))
  }

  /// A pass of 1.5 times its wall-clock time, which is four times its processor time, fails its request and frees its
  /// place. Its memory stays reserved until it ends.
  @Test func aDecodeThatDoesNotEndLosesItsPlace() async throws {
    let detector = GatedDetector()
    var configuration = Self.manager(detector).configuration
    configuration.limits.time = .milliseconds(500)
    let manager = ImageManager(configuration: configuration)
    let error = await #expect(throws: ImageRequestError.self) {
      try await manager.image(for: Self.asset("a"), options: Self.faces)
    }
    guard case .image(.overLimit(.time, actual: 2_000..., allowed: 2_000)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(manager.statistics.abandoned == 1 && manager.statistics.abandonedRunning == 1)
    #expect(manager.statistics.running == 0 && manager.statistics.reservedBytes > 0)
    _ = try await manager.image(for: Self.asset("b"))
    #expect(AbandonedJobs.exist)
    detector.letGo()
    try await eventually { manager.statistics.abandonedRunning == 0 && manager.statistics.reservedBytes == 0 }
    #expect(manager.statistics.abandoned == 1 && manager.statistics.running == 0)
  }

  /// More hanging jobs than processors do not delay the others.
  @Test func jobsThatDoNotEndHoldUpNoOthers() async throws {
    let detector = GatedDetector()
    var limits = Limits()
    limits.time = .milliseconds(500)
    let cropper = FaceCropper(detector: detector, limits: limits)
    let source = ImageSource.bytes(try ImageManagerTests.jpeg(320, 240))
    let count = 12
    await withTaskGroup(of: FaceCropError?.self) { group in
      for _ in 0..<count {
        group.addTask {
          do throws(FaceCropError) {
            _ = try await cropper.detect(in: source)
            return nil
          } catch {
            return error
          }
        }
      }
      for await error in group { #expect(error?.kind == "limit") }
    }
    let patient = FaceCropper(limits: with(Limits()) { $0.time = .seconds(3_600) })
    #expect(try await patient.info(of: source).size.width == 320)
    detector.letGo(count)
  }

  /// Encoding belongs to the request: it runs in the same place, within the memory reserved for its format.
  @Test func filesAreEncodedInTheirPlace() async throws {
    let manager = Self.manager(StubDetector())
    let caching = CachingImageManager(manager: manager)
    let seen = Mutex<[ImageManager.Statistics]>([])
    let events = RequestEvents(progress: { progress in
      if progress.phase == .encode { seen.withLock { $0.append(manager.statistics) } }
      return .goOn
    })
    let asset = try Self.asset("a")
    // The second is made from cached pixels.
    for (number, format) in [OutputFormat.png, .webp(quality: 80)].enumerated() {
      var options = ImageRequestOptions()
      options.encoding = ImageEncoding(format)
      let answer = try await caching.response(to: ImageRequest(asset, options: options), events: events)
      let file = try #require(answer.file)
      #expect(file.format == format.imageFormat)
      #expect(try ImageSource.bytes(file.bytes).format() == format.imageFormat)
      #expect(caching.statistics.memoryHits == number && manager.statistics.decodes == 1)
      let during = seen.withLock { seen in
        defer { seen = [] }
        return seen
      }
      #expect(!during.isEmpty && during.allSatisfy { $0.running == 1 && $0.reservedBytes > 320 * 240 * 3 })
    }
    #expect(manager.statistics.running == 0 && manager.statistics.reservedBytes == 0)
  }

  /// The memory of encoding decides whether a request is admitted.
  @Test func filesCountInTheBudget() async throws {
    let manager = Self.manager(StubDetector(), budget: 48 << 20)
    let caching = CachingImageManager(manager: manager)
    let asset = ImageAsset.bytes(try ImageManagerTests.jpeg(), id: ImageAsset.ID(rawValue: "large"))
    func answer(_ format: OutputFormat) async throws -> ImageResponse {
      try await caching.image(for: asset, options: ImageManagerTests.options { $0.encoding = ImageEncoding(format) })
    }
    #expect(try await answer(.jpeg(quality: 85)).file != nil)
    for manager in [caching as any ImageRequesting, manager] {
      let error = await #expect(throws: ImageRequestError.self) {
        try await manager.image(
          for: asset, options: ImageManagerTests.options { $0.encoding = ImageEncoding(.webpLossless) })
      }
      guard case .overBudget = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    // A small region is admitted.
    let options = ImageManagerTests.options {
      $0.encoding = ImageEncoding(.webpLossless)
      $0.isCutToTarget = true
    }
    let size = PixelSize(width: 301, height: 203)
    let small = try await caching.image(for: asset, targetSize: size, contentMode: .aspectFill, options: options)
    #expect(small.image.size == size && small.file?.format == .webp)
  }

  @Test func formatsAreChosenBySource() {
    let encoding = ImageEncoding(sourceFormatAmong: .jpeg(quality: 7), .png, .webp(quality: 8))
    #expect(encoding.output(for: .png) == .png)
    #expect(encoding.output(for: .webp) == .webp(quality: 8))
    #expect(encoding.output(for: .tiff) == .jpeg(quality: 7))
    #expect(ImageEncoding(.png).output(for: .jpeg) == .png)
  }

  @Test func equalRequestsAreOneDecode() async throws {
    let detector = GatedDetector()
    let manager = Self.manager(detector)
    let asset = try Self.asset("a")
    let requests = (0..<10).map { _ in Task { try await manager.image(for: asset, options: Self.faces) } }
    try await detector.began(1)
    try await eventually { manager.statistics.shared == 9 }
    detector.letGo()
    var answers: Set<ImageResponse> = []
    for request in requests { answers.insert(try await request.value) }
    #expect(answers.count == 1)
    #expect(manager.statistics.decodes == 1)
    #expect(manager.statistics.running == 0 && manager.statistics.reservedBytes == 0)
  }

  /// If one caller leaves, the others get their image. If all leave, the decode ends, and an equal request starts anew.
  @Test func workEndsWithItsLastCaller() async throws {
    let detector = GatedDetector()
    let manager = Self.manager(detector, places: 2)
    let asset = try Self.asset("a")
    let (first, second) = (
      Task { try await manager.image(for: asset, options: Self.faces) },
      Task { try await manager.image(for: asset, options: Self.faces) }
    )
    try await eventually { manager.statistics.shared == 1 }
    try await detector.began(1)
    first.cancel()
    await #expect(throws: ImageRequestError.image(.cancelled)) { try await first.value }
    second.cancel()
    await #expect(throws: ImageRequestError.image(.cancelled)) { try await second.value }
    let third = Task { try await manager.image(for: asset, options: Self.faces) }
    try await detector.began(2)
    detector.letGo(2)
    #expect(try await third.value.faces.count == 1)
    try await eventually { manager.statistics.cancelledDecodes == 1 && manager.statistics.running == 0 }
  }

  /// Concurrent sizes of an image share one detection pass; each is decoded.
  @Test func sizesOfOnePictureAreOneLook() async throws {
    let detector = GatedDetector()
    let manager = Self.manager(detector, places: 5)
    let requests = try Self.sizes(5, of: Self.asset("a"), manager)
    try await eventually { manager.statistics.decodes == 5 }
    try await detector.began(1)
    detector.letGo(5)
    for (request, side) in requests {
      let answer = try await request.value
      #expect(answer.faces.map(\.box) == [ImageManagerTests.face.box] && answer.image.size.width == side)
    }
    #expect(manager.statistics.detections == 1 && detector.looks.load(ordering: .relaxed) == 1)
    #expect(manager.statistics.decodes == 5 && manager.runningWork == 0)
  }

  /// If the detecting request is cancelled, another waiting one takes over. Cancelling a waiting one affects no other.
  @Test func aLookThatIsGivenUpIsAnothersTurn() async throws {
    let detector = GatedDetector()
    let manager = Self.manager(detector, places: 4)
    let asset = try Self.asset("a")
    let first = Task { try await manager.image(for: asset, options: Self.faces) }
    try await detector.began(1)
    let others = Self.sizes(3, of: asset, manager).map(\.task)
    try await eventually { manager.statistics.decodes == 4 }
    others[0].cancel()
    await #expect(throws: ImageRequestError.image(.cancelled)) { try await others[0].value }
    try await eventually { manager.statistics.running == 3 }
    first.cancel()
    await #expect(throws: ImageRequestError.image(.cancelled)) { try await first.value }
    // The new one does not wait for the cancelled one to end.
    try await detector.began(2)
    detector.letGo(4)
    for other in others.dropFirst() { #expect(try await other.value.faces.count == 1) }
    try await eventually { manager.statistics.running == 0 }
    #expect(manager.statistics.detections == 2 && detector.looks.load(ordering: .relaxed) == 2)
    #expect(manager.statistics.cancelledDecodes == 2 && manager.runningWork == 0)
  }

  private static func sizes(
    _ count: Int, of asset: ImageAsset, _ manager: ImageManager
  ) -> [(task: Task<ImageResponse, any Error>, side: Int)] {
    (40..<40 + count).map { side in
      let task = Task {
        try await manager.image(for: asset, targetSize: PixelSize(width: side, height: side), options: Self.faces)
      }
      return (task, side)
    }
  }

  @Test func tooManyAreRefusedAndTheMostUrgentGoFirst() async throws {
    let detector = GatedDetector()
    let manager = Self.manager(detector, waiting: 3)
    final class Log: Sendable {
      let names = Mutex<[String]>([])
    }
    let order = Log()
    func start(_ name: String, _ priority: RequestPriority) throws -> Task<Void, any Error> {
      let asset = try Self.asset(name)
      var options = Self.faces
      options.priority = priority
      return Task { [options] in
        _ = try await manager.image(for: asset, options: options)
        order.names.withLock { $0.append(name) }
      }
    }
    var tasks = [try start("running", .normal)]
    try await detector.began(1)
    for (index, piece) in [("low", RequestPriority.low), ("normal", .normal), ("high", .high)].enumerated() {
      tasks.append(try start(piece.0, piece.1))
      try await eventually { manager.statistics.waiting == index + 1 }
    }
    await #expect(throws: ImageRequestError.overloaded(waiting: 3)) { try await start("refused", .high).value }
    #expect(manager.statistics.overloaded == 1)
    // An equal, more urgent request raises the waiting one's priority.
    tasks.append(try start("low", .high))
    try await eventually { manager.statistics.shared == 1 }
    // It is the oldest of the urgent ones, and its two callers end together.
    for finished in [1, 3, 4, 5] {
      detector.letGo()
      try await eventually { order.names.withLock { $0.count } == finished }
    }
    for task in tasks { try await task.value }
    #expect(order.names.withLock { $0 } == ["running", "low", "low", "high", "normal"])
  }

  @Test func memoryIsSharedOut() async throws {
    let detector = GatedDetector()
    let weight = try await FaceCropper(detector: StubDetector()).info(of: .bytes(ImageManagerTests.jpeg(320, 240)))
      .memory
    let manager = Self.manager(detector, places: 8, budget: weight * 5 / 2)
    let tasks = try (0..<5).map { number in
      let asset = try Self.asset("\(number)")
      return Task { try await manager.image(for: asset, options: Self.faces) }
    }
    try await eventually { manager.statistics.running == 2 && manager.statistics.waiting == 3 }
    #expect(manager.statistics.reservedBytes <= weight * 5 / 2)
    detector.letGo(5)
    for task in tasks { _ = try await task.value }
    await #expect(throws: ImageRequestError.self) {
      try await Self.manager(StubDetector(), budget: weight / 2).image(for: Self.asset("a"))
    }
  }

  @Test func deadlines() async throws {
    let detector = GatedDetector()
    let manager = Self.manager(detector)
    let asset = try Self.asset("a")
    var options = Self.faces
    options.deadline = .milliseconds(50)
    await #expect(throws: ImageRequestError.deadlineExceeded) { try await manager.image(for: asset, options: options) }
    detector.letGo()
    try await eventually { manager.statistics.running == 0 }
  }

  @Test func progressMayStop() async throws {
    let manager = Self.manager(StubDetector())
    let asset = ImageAsset.bytes(try ImageManagerTests.jpeg())
    let reports = Atomic(0)
    await #expect(throws: ImageRequestError.image(.cancelled)) {
      try await manager.image(for: asset) { progress in
        reports.add(1, ordering: .relaxed)
        return progress.fraction > 0.3 ? .stop : .goOn
      }
    }
    #expect(reports.load(ordering: .relaxed) > 1)
    try await eventually { manager.statistics.cancelledDecodes == 1 }
  }

  // MARK: Callers without tasks

  @Test func handlersAndTheirCancellation() async throws {
    let detector = GatedDetector()
    let manager = Self.manager(detector)
    let answers = Mutex<[Result<ImageResponse, ImageRequestError>]>([])
    let task = manager.requestImage(for: try Self.asset("a"), options: Self.faces) { answer in
      answers.withLock { $0.append(answer) }
    }
    try await detector.began(1)
    task.cancel()
    try await eventually { answers.withLock { $0.count } == 1 }
    #expect(answers.withLock { $0 } == [.failure(.image(.cancelled))])
    task.cancel()
    detector.letGo(2)
    manager.requestImage(for: try Self.asset("a"), options: Self.faces) { answer in
      answers.withLock { $0.append(answer) }
    }
    try await eventually { answers.withLock { (try? $0.last!.get())?.isDegraded == false } }
  }

  @Test func waitingBlocksNoThreadThatOthersNeed() async throws {
    let manager = Self.manager(StubDetector())
    let asset = ImageAsset.bytes(try ImageManagerTests.jpeg(64, 48))
    #expect(throws: ImageRequestError.wouldBlock) { try manager.waitForImage(for: asset) }
    let refusals = Atomic(0)
    _ = try await manager.image(for: asset) { _ in
      do {
        _ = try manager.waitForImage(for: asset)
      } catch ImageRequestError.wouldBlock {
        refusals.add(1, ordering: .relaxed)
      } catch {
      }
      return .goOn
    }
    #expect(refusals.load(ordering: .relaxed) > 0)
    let size: PixelSize = try await withCheckedThrowingContinuation { continuation in
      Dispatch.DispatchQueue(label: "a caller without tasks").async {
        continuation.resume(with: Result { try manager.waitForImage(for: asset).image.size })
      }
    }
    #expect(size == PixelSize(width: 64, height: 48))
  }

  /// Tasks continue while all processors have work.
  @Test func workTakesNoThreadThatTasksNeed() async throws {
    final class BusyDetector: TestDetector, Sendable {
      let name = "busy"
      let looks = Atomic(0)
      let isOver = Atomic(false)
      let isInterrupted = Atomic(false)

      /// Detects until a task ends it, or for a long time.
      func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] {
        looks.add(1, ordering: .relaxed)
        let end = ContinuousClock.now + .seconds(1_200)
        while !isOver.load(ordering: .relaxed) {
          if ContinuousClock.now > end { return [] }
        }
        isInterrupted.store(true, ordering: .relaxed)
        return []
      }
    }
    let detector = BusyDetector()
    let processors = ImageManager.Configuration().maximumConcurrentDecodes
    let manager = Self.manager(detector, places: processors)
    let requests = try (0..<processors).map { number in
      let asset = try Self.asset("\(number)")
      return Task { try await manager.image(for: asset, options: Self.faces) }
    }
    try await eventually { detector.looks.load(ordering: .relaxed) == processors }
    // Each may have to wait for another test's work.
    for _ in 0..<3 { await Task.detached {}.value }
    detector.isOver.store(true, ordering: .relaxed)
    for request in requests { _ = try await request.value }
    let wasInterrupted = detector.isInterrupted.load(ordering: .relaxed)
    #expect(wasInterrupted)
  }

  /// After cancellations at random times, alone and together, nothing remains.
  @Test func aThousandCancelledRequestsLeaveNothing() async throws {
    let manager = Self.manager(StubDetector(found: [ImageManagerTests.face]), places: 2, waiting: 2_000)
    let assets = try (0..<20).map { number in
      ImageAsset.bytes(try ImageManagerTests.jpeg(), id: ImageAsset.ID(rawValue: "\(number)"))
    }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          let request = Task {
            _ = try? await manager.image(
              for: assets[number % 20], targetSize: PixelSize(width: 50 + number % 40, height: 90),
              options: Self.faces)
          }
          try? await Task.sleep(for: .microseconds(number * 7_919 % 400_000))
          request.cancel()
          await request.value
        }
      }
    }
    try await eventually { manager.statistics.running == 0 }
    let statistics = manager.statistics
    #expect(statistics.waiting == 0 && statistics.reservedBytes == 0 && manager.runningWork == 0)
    #expect(statistics.requests == 1_000)
  }
}
