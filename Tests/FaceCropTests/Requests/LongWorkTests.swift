import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// Work that takes long runs beside other work, and is paused.
struct LongWorkTests {
  /// Work that runs until it is finished, and ends its turns when a test says so.
  private final class Work: Sendable {
    let cancellation = Cancellation()
    private let admission = Mutex<Admission?>(nil)
    private let isFinished = Atomic(false)

    var isRunning: Bool { admission.withLock { $0 != nil } }

    func start(_ queue: DecodeQueue) -> Task<Void, any Error> {
      Task {
        try await queue.run(DecodeQueue.Ticket(.normal), DecodeQueue.Demand(memory: 10)) {
          place async throws(ImageRequestError) in
          self.admission.withLock { $0 = place.admission }
          while !self.isFinished.load(ordering: .relaxed) { try? await Task.sleep(for: .milliseconds(5)) }
        }
      }
    }

    func endTurn() { admission.withLock { $0 }?.turnEnded?(cancellation) }

    func finish() { isFinished.store(true, ordering: .relaxed) }
  }

  /// Starts work, and waits until it runs.
  private static func started(_ queue: DecodeQueue) async throws -> (work: Work, task: Task<Void, any Error>) {
    let work = Work()
    let task = work.start(queue)
    try await eventually { work.isRunning }
    return (work, task)
  }

  @Test func longWorkGivesUpItsSlot() async throws {
    let queue = DecodeQueue(places: 1, budget: .max, mostWaiting: 100)
    let long = try await Self.started(queue)
    let waiting = Work()
    let task = waiting.start(queue)
    try await eventually { queue.load.waiting == 1 }
    long.work.endTurn()
    try await eventually { waiting.isRunning }
    // Both hold their memory, and one long work always runs.
    #expect(queue.load == (0, 2, 0, 20) && queue.long == 1 && !long.work.cancellation.isPaused)
    for work in [long.work, waiting] { work.finish() }
    for task in [long.task, task] { try await task.value }
    #expect(queue.load == (0, 0, 0, 0) && queue.long == 0)
    // The only slot is free again, and no more than that.
    let next = try await Self.started(queue)
    let last = Work()
    let lastTask = last.start(queue)
    try await eventually { queue.load.waiting == 1 }
    for work in [next.work, last] { work.finish() }
    for task in [next.task, lastTask] { try await task.value }
  }

  /// Long work runs in free slots. Beside other work in all slots, one runs and the others are paused.
  @Test func longWorkIsPaused() async throws {
    let queue = DecodeQueue(places: 2, budget: .max, mostWaiting: 100)
    var all = [try await Self.started(queue), try await Self.started(queue)]
    let long = all.map(\.work)
    for work in long { work.endTurn() }
    #expect(!long[0].cancellation.isPaused && !long[1].cancellation.isPaused)
    let short = try await Self.started(queue)
    all.append(short)
    #expect(long.filter(\.cancellation.isPaused).count == 1)
    all.append(try await Self.started(queue))
    #expect(long.filter(\.cancellation.isPaused).count == 1)
    let running = try #require(long.first { !$0.cancellation.isPaused })
    running.finish()
    try await eventually { queue.long == 1 }
    #expect(long.allSatisfy { $0 === running || !$0.cancellation.isPaused })
    for (work, _) in all { work.finish() }
    for (_, task) in all { try await task.value }
    #expect(queue.load == (0, 0, 0, 0))
  }

  /// Work with fewer turns runs first. After every third turn, the oldest work runs.
  @Test func theOldestWorkIsNotPausedForever() throws {
    let all = (0..<3).map { _ in Cancellation() }
    var long = LongWork()
    for work in all { long.append(work) }
    func running() -> Int? {
      long.run(atMost: 1)
      #expect(all.filter { !$0.isPaused }.count == 1)
      return all.firstIndex { !$0.isPaused }
    }
    var order: [Int] = []
    for _ in 0..<9 {
      let index = try #require(running())
      order.append(index)
      let isLong = long.endTurn(of: all[index])
      #expect(isLong)
    }
    #expect(order == [0, 1, 2, 0, 1, 2, 0, 1, 2])
    // Newer work has fewer turns.
    let new = Cancellation()
    long.append(new)
    var turns = (oldest: 0, new: 0)
    for _ in 0..<5 {
      long.run(atMost: 1)
      if !all[0].isPaused { turns.oldest += 1 }
      if !new.isPaused { turns.new += 1 }
      let isLong = long.endTurn(of: all[0].isPaused ? new : all[0])
      #expect(isLong)
    }
    #expect(turns == (2, 3))
    let removals = (all + [new, new]).map { long.remove($0) }
    #expect(removals == [true, true, true, true, false])
    let isLong = long.endTurn(of: new)
    #expect(!isLong && long.count == 0)
  }

  /// There is four times as much long work as slots. More of it keeps its slot.
  @Test func longWorkIsBounded() async throws {
    let queue = DecodeQueue(places: 1, budget: .max, mostWaiting: 100)
    var all: [(work: Work, task: Task<Void, any Error>)] = []
    for _ in 0..<5 {
      all.append(try await Self.started(queue))
      all.last!.work.endTurn()
    }
    #expect(queue.long == 4 && queue.load.running == 5)
    let last = Work()
    let task = last.start(queue)
    try await eventually { queue.load.waiting == 1 }
    all[0].work.finish()
    try await eventually { queue.long == 3 }
    #expect(!last.isRunning)
    all[4].work.endTurn()
    try await eventually { last.isRunning }
    for work in all.map(\.work) + [last] { work.finish() }
    for task in all.map(\.task) + [task] { try await task.value }
    #expect(queue.load == (0, 0, 0, 0))
  }

  /// A paused thread waits in its check until it is resumed or cancelled.
  @Test(arguments: [false, true]) func pausedWorkWaits(isCancelled: Bool) async throws {
    let cancellation = Cancellation()
    let outcome = Mutex<Result<Void, FaceCropError>?>(nil)
    cancellation.pause()
    DispatchQueue(label: "paused work").async {
      let result = Result<Void, FaceCropError> { () throws(FaceCropError) in try cancellation.check() }
      outcome.withLock { $0 = result }
    }
    // Enough for a thread that does not wait.
    try await Task.sleep(for: .milliseconds(100))
    #expect(outcome.withLock { $0 == nil })
    if isCancelled { cancellation.cancel() } else { cancellation.resume() }
    try await eventually { outcome.withLock { $0 != nil } }
    let result = try #require(outcome.withLock { $0 })
    if isCancelled {
      #expect(throws: FaceCropError.cancelled) { try result.get() }
      // It cannot be paused any more.
      cancellation.pause()
      #expect(throws: FaceCropError.cancelled) { try cancellation.check() }
    } else {
      try result.get()
    }
  }

  /// A detector that computes until it is released, and then checks nothing.
  private final class BusyDetector: TestDetector, Sendable {
    let name = "busy"
    let isBusy = Atomic(false)
    private let isReleased = Atomic(false)

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] {
      let isFirst = !isBusy.exchange(true, ordering: .relaxed)
      while isFirst, !isReleased.load(ordering: .relaxed) {}
      return [ImageManagerTests.face]
    }

    func letGo() { isReleased.store(true, ordering: .relaxed) }
  }

  /// A decode that computes for long does not hold the only slot.
  @Test(.endsIfItHangs) func aBusyDecodeGivesUpItsSlot() async throws {
    let detector = BusyDetector()
    var configuration = ImageManager.Configuration()
    configuration.detector = detector
    configuration.limits.time = .seconds(3_600)
    configuration.maximumConcurrentDecodes = 1
    let manager = ImageManager(configuration: configuration)
    let options = ImageManagerTests.options { $0.crop = .faces(framing: .avatar) }
    func answer(_ name: String) async throws -> ImageResponse {
      let asset = ImageAsset.bytes(try ImageManagerTests.jpeg(320, 240), id: ImageAsset.ID(rawValue: name))
      return try await manager.image(for: asset, options: options)
    }
    async let first = answer("a")
    try await eventually { detector.isBusy.load(ordering: .relaxed) }
    _ = try await answer("b")
    #expect(manager.statistics.long == 1 && manager.statistics.running == 1)
    detector.letGo()
    _ = try await first
    #expect(manager.statistics.long == 0 && manager.statistics.running == 0)
  }
}
