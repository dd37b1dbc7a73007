import Dispatch
import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

/// Work before admission is limited too.
struct DecodeQueueTests {
  /// A gate that blocks until it is opened.
  private final class Gate: Sendable {
    private let isOpen = Atomic(false)
    private let count = Atomic(0)

    /// The number of arrivals.
    var arrivals: Int { count.load(ordering: .relaxed) }

    func pass() async {
      count.add(1, ordering: .relaxed)
      while !isOpen.load(ordering: .relaxed) { try? await Task.sleep(for: .milliseconds(5)) }
    }

    func open() {
      isOpen.store(true, ordering: .relaxed)
    }
  }

  private static func start(
    _ queue: DecodeQueue, weigh header: Gate, work: Gate, priority: RequestPriority = .normal,
    isExpensive: Bool = false
  ) -> Task<Result<Void, ImageRequestError>, Never> {
    Task {
      do throws(ImageRequestError) {
        return .success(
          try await queue.run(
            DecodeQueue.Ticket(priority),
            weigh: { _ async throws(ImageRequestError) in
              await header.pass()
              return DecodeQueue.Demand(memory: 10, isExpensive: isExpensive)
            }
          ) { _ async throws(ImageRequestError) in await work.pass() })
      } catch {
        return .failure(error)
      }
    }
  }

  /// Places become free while waiting tasks are cancelled. Both use the queue's lock and the tasks' own locks.
  @Test func cancellationsMeetPlacesThatBecomeFree() async {
    // Tasks that block each other would take all of Swift's threads.
    let isOver = Atomic(false)
    DispatchQueue.global().asyncAfter(deadline: .now() + 300) {
      if !isOver.load(ordering: .relaxed) { fatalError("tasks wait for each other") }
    }
    let queue = DecodeQueue(places: 1, budget: .max, mostWaiting: .max)
    for _ in 0..<100 {
      let tasks = (0..<100).map { _ in
        Task { _ = try? await queue.run(DecodeQueue.Ticket(.normal), weigh: Self.none, Self.nothing) }
      }
      await Task.detached { for task in tasks { task.cancel() } }.value
      for task in tasks { await task.value }
    }
    isOver.store(true, ordering: .relaxed)
    #expect(queue.load == (0, 0, 0, 0))
  }

  private static func nothing(_: DecodeQueue.Place) async throws(ImageRequestError) {}

  private static func none(_: DecodeQueue.Place) async throws(ImageRequestError) -> DecodeQueue.Demand {
    DecodeQueue.Demand(memory: 0)
  }

  /// Expensive work leaves a place to other work, which overtakes it, and runs when other expensive work ends.
  @Test func expensiveWorkLeavesAPlace() async throws {
    let queue = DecodeQueue(places: 2, budget: .max, mostWaiting: 100)
    let (header, expensive, next, cheap) = (Gate(), Gate(), Gate(), Gate())
    header.open()
    let first = Self.start(queue, weigh: header, work: expensive, isExpensive: true)
    try await eventually { expensive.arrivals == 1 }
    let second = Self.start(queue, weigh: header, work: next, isExpensive: true)
    try await eventually { queue.load.waiting == 1 }
    cheap.open()
    for _ in 0..<3 { try await Self.start(queue, weigh: header, work: cheap).value.get() }
    #expect(next.arrivals == 0 && queue.load.waiting == 1)
    expensive.open()
    try await eventually { next.arrivals == 1 }
    next.open()
    for task in [first, second] { try await task.value.get() }
    #expect(queue.load == (0, 0, 0, 0))
  }

  /// With one place, expensive work runs like other work.
  @Test func expensiveWorkRunsInTheOnlyPlace() async throws {
    let queue = DecodeQueue(places: 1, budget: .max, mostWaiting: 100)
    let gate = Gate()
    gate.open()
    try await Self.start(queue, weigh: gate, work: gate, isExpensive: true).value.get()
    #expect(queue.load == (0, 0, 0, 0))
  }

  /// Headers take slots of decodes. Work that began earlier goes first in both.
  @Test func headersAreReadInTurnAndCounted() async throws {
    let queue = DecodeQueue(places: 2, budget: 100, mostWaiting: 3)
    let (header, work) = (Gate(), Gate())
    let tasks = (0..<5).map { _ in Self.start(queue, weigh: header, work: work) }
    try await eventually { queue.load.waiting == 3 }
    #expect(queue.load.headers == 2 && queue.load.running == 0 && queue.load.bytes == 0)
    try await eventually { header.arrivals == 2 }
    // The queue is full.
    let refused = await Self.start(queue, weigh: header, work: work).value
    #expect(throws: ImageRequestError.overloaded(waiting: 3)) { try refused.get() }
    header.open()
    // The first two keep their slots, and the headers of the others wait.
    try await eventually { queue.load.headers == 0 && queue.load.running == 2 && queue.load.waiting == 3 }
    #expect(header.arrivals == 2 && queue.load.bytes == 20)
    work.open()
    for task in tasks { try await task.value.get() }
    #expect(header.arrivals == 5)
    #expect(queue.load == (0, 0, 0, 0))
  }

  /// Work whose header was read waits for memory, even in a full queue, and headers overtake it.
  @Test func workThatBeganIsNotRefused() async throws {
    let queue = DecodeQueue(places: 2, budget: 15, mostWaiting: 1)
    let (open, large, header, later) = (Gate(), Gate(), Gate(), Gate())
    open.open()
    let first = Self.start(queue, weigh: open, work: large)
    try await eventually { large.arrivals == 1 }
    let second = Self.start(queue, weigh: header, work: open)
    try await eventually { header.arrivals == 1 }
    let third = Self.start(queue, weigh: later, work: open)
    try await eventually { queue.load.waiting == 1 }
    header.open()
    // The second waits for the memory of the first, and the third reads its header.
    try await eventually { later.arrivals == 1 && queue.load.waiting == 1 }
    later.open()
    large.open()
    for task in [first, second, third] { try await task.value.get() }
    #expect(queue.load == (0, 0, 0, 0))
  }

  @Test func aWaitForTheHeaderIsCancelled() async throws {
    let queue = DecodeQueue(places: 1, budget: 100, mostWaiting: 3)
    let (header, work) = (Gate(), Gate())
    let first = Self.start(queue, weigh: header, work: work)
    try await eventually { header.arrivals == 1 }
    let second = Self.start(queue, weigh: header, work: work)
    try await eventually { queue.load.waiting == 1 }
    second.cancel()
    let left = await second.value
    #expect(throws: ImageRequestError.cancelled) { try left.get() }
    #expect(queue.load == (1, 0, 0, 0))
    header.open()
    work.open()
    try await first.value.get()
    #expect(queue.load == (0, 0, 0, 0) && header.arrivals == 1)
  }

  /// Calls `body` with a manager of one slot, and two pipes without writers.
  private static func withPipes(_ body: (ImageManager, [String]) async throws -> Void) async throws {
    try await TemporaryFolder.with { folder in
      var configuration = ImageManager.Configuration()
      configuration.detector = StubDetector()
      configuration.limits.time = .seconds(3_600)
      configuration.maximumConcurrentDecodes = 1
      let manager = ImageManager(configuration: configuration)
      let pipes = ["a", "b"].map { folder / $0 }
      for pipe in pipes {
        let status = unsafe mkfifo(pipe, 0o600)
        #expect(status == 0)
      }
      try await body(manager, pipes)
    }
  }

  /// Opens a pipe for writing, and closes it.
  private static func end(_ pipe: String) {
    Dispatch.DispatchQueue(label: "a writer").async { close(unsafe open(pipe, O_WRONLY)) }
  }

  /// A header that never arrives, as from a pipe without a writer, appears in the manager's statistics.
  @Test func aManagerCountsTheHeadersThatItReads() async throws {
    try await Self.withPipes { manager, pipes in
      let tasks = pipes.map { pipe in Task { try await manager.image(for: .file(FilePath(pipe))) } }
      try await eventually { manager.statistics.readingHeaders == 1 && manager.statistics.waiting == 1 }
      #expect(manager.statistics.running == 0)
      for pipe in pipes { Self.end(pipe) }
      for task in tasks { await #expect(throws: ImageRequestError.self) { try await task.value } }
      #expect(manager.statistics.readingHeaders == 0 && manager.statistics.waiting == 0)
    }
  }

  /// A header that is asked for alone goes before images that wait, since the request behind it waits again.
  @Test func informationGoesBeforeImages() async throws {
    try await Self.withPipes { manager, pipes in
      var images: [Task<ImageResponse, any Error>] = []
      for (index, pipe) in pipes.enumerated() {
        images.append(Task { try await manager.image(for: .file(FilePath(pipe))) })
        try await eventually { manager.statistics.readingHeaders == 1 && manager.statistics.waiting == index }
      }
      let file = try ImageManagerTests.jpeg()
      let size = Mutex<PixelSize?>(nil)
      let information = Task {
        let info = try await manager.info(of: .bytes(file))
        size.withLock { $0 = info.size }
      }
      try await eventually { manager.statistics.waiting == 2 }
      Self.end(pipes[0])
      // The second image still waits for its writer.
      try await eventually { size.withLock { $0 } == PixelSize(width: 1_600, height: 1_200) }
      Self.end(pipes[1])
      try await information.value
      for image in images { await #expect(throws: ImageRequestError.self) { try await image.value } }
    }
  }
}
