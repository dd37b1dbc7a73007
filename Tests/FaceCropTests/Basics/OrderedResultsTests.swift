import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct OrderedResultsTests {
  private struct Failed: Error, Equatable { var input: Int }

  /// Counts the running work and its maximum.
  private final class Counter: Sendable {
    private let counts = Mutex((running: 0, most: 0, started: 0))
    var values: (running: Int, most: Int, started: Int) { counts.withLock { $0 } }

    func during<Value>(_ body: () async -> Value) async -> Value {
      counts.withLock { $0 = ($0.running + 1, max($0.most, $0.running + 1), $0.started + 1) }
      defer { counts.withLock { $0.running -= 1 } }
      return await body()
    }
  }

  @Test(arguments: [0, 1, 3, 20]) func resultsHaveTheOrderOfTheInputs(concurrency: Int) async throws {
    let inputs = Array(0..<9)
    let results = OrderedResults<Int, Failed>(of: inputs, concurrency: concurrency) { (input) async throws(Failed) in
      // Later ones are faster.
      try? await Task.sleep(for: .milliseconds(9 - input))
      guard input % 4 != 1 else { throw Failed(input: input) }
      return 10 * input
    }
    // Each iterator works again.
    for _ in 0..<2 {
      var items: [OrderedResults<Int, Failed>.Item] = []
      for await item in results { items.append(item) }
      #expect(items.map(\.index) == inputs && items.map(\.completed) == inputs.map { $0 + 1 })
      #expect(items.allSatisfy { $0.total == 9 })
      for item in items {
        #expect(item.result == (item.index % 4 == 1 ? .failure(Failed(input: item.index)) : .success(10 * item.index)))
      }
    }
    for await _ in OrderedResults<Int, Never>(of: [Int](), concurrency: concurrency, { $0 }) {
      Issue.record("there is no input")
    }
  }

  /// Finished results that the reader has not taken count, too, so that memory has a bound.
  @Test(.endsIfItHangs) func theWorkIsNeverFurtherAhead() async throws {
    let counter = Counter()
    let results = OrderedResults<Int, Never>(of: Array(0..<50), concurrency: 3) { input in
      await counter.during { input }
    }
    var iterator: OrderedResults<Int, Never>.Iterator? = results.makeAsyncIterator()
    #expect(counter.values.started == 0)
    for number in 1...10 {
      _ = await iterator?.next()
      try await Task.sleep(for: .milliseconds(5))
      #expect(counter.values.started <= number + 2)
    }
    iterator = nil
    try await eventually { counter.values.running == 0 }
    #expect(counter.values.started <= 12)
  }

  @Test(.endsIfItHangs, arguments: [false, true]) func readersThatStopCancelAllWork(byTask: Bool) async throws {
    let counter = Counter()
    let results = OrderedResults<Int, Never>(of: Array(0..<50), concurrency: 4) { input in
      await counter.during {
        if input > 0 { try? await Task.sleep(for: .seconds(86_400)) }
        return input
      }
    }
    let reader = Task {
      for await _ in results where !byTask {
        // The others wait in their work.
        try? await eventually { counter.values.started == 4 }
        break
      }
    }
    if byTask {
      try await eventually { counter.values.started == 5 }
      reader.cancel()
    }
    await reader.value
    try await eventually { counter.values.running == 0 }
    #expect(counter.values.started <= 5 && counter.values.most <= 4)
  }

  /// Many images: each has its own crops or its own error.
  @Test func manySourcesAreCropped() async throws {
    let face = Face(box: NormalizedRect(x: 0.25, y: 0.25, width: 0.25, height: 0.5), score: 0.9)
    let cropper = FaceCropper(detector: StubDetector(found: [face]))
    let widths = [400, 300, 200]
    var sources: [ImageSource] = try widths.map {
      .bytes(try JPEGRecipe.baseline420.encode(.testPattern(width: $0, height: 200, seed: 1)))
    }
    sources.insert(.bytes([1, 2, 3]), at: 1)
    for concurrency in [nil, 1, 2] {
      var results: [Result<CropResult<RenderedCrop>, FaceCropError>] = []
      for await item in cropper.crops(of: sources, concurrency: concurrency) { results.append(item.result) }
      #expect(results.count == 4)
      #expect(throws: FaceCropError.self) { try results[1].get() }
      results.remove(at: 1)
      #expect(try results.map { try $0.get().plan.source.width } == widths)
      #expect(try results.allSatisfy { try $0.get().crops.count == 1 })
    }
  }
}
