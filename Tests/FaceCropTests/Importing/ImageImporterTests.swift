import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

struct ImageImporterTests {
  @Test func resultsComeInOrderAndFailuresAlone() async throws {
    let large = try ImageManagerTests.jpeg(2_600, 1_950, orientation: 6)
    let small = try ImageManagerTests.jpeg(300, 200)
    let pixels = Pixels.testPattern(width: 200, height: 150)
    let png = PNGBuilder(pixels).encoded()
    let assets: [ImageAsset] = [
      .bytes(large), .bytes(Array("no picture".utf8)), .bytes(small), .file("/nowhere/a.jpg"), .bytes(png),
    ]
    for concurrency in [1, 3] {
      var options = ImageImporter.Options()
      options.maximumConcurrentImports = concurrency
      let importer = ImageImporter(options: options, manager: ImageManagerTests.manager())
      var counts: [Int] = []
      let results = await importer.importAll(assets) { completed, total in
        #expect(total == 5)
        counts.append(completed)
      }
      #expect(counts == [1, 2, 3, 4, 5])
      let images = results.map { try? $0.get() }
      // Upright, at most 2,000 pixels, JPEG of quality 75.
      #expect(images[0]?.size == PixelSize(width: 1_500, height: 2_000))
      #expect(images[0]?.sourceSize == PixelSize(width: 1_950, height: 2_600))
      #expect(images[0]?.format == .jpeg)
      let decoded = try referenceDecode(try #require(images[0]).bytes).pixels
      #expect(decoded.width == 1_500 && decoded.height == 2_000)
      // The longest side is an upper bound.
      #expect(images[2]?.size == PixelSize(width: 300, height: 200) && images[2]?.warnings == [])
      // PNG stays unchanged to the bit.
      #expect(images[4]?.format == .png)
      let last = try #require(images[4]).bytes
      let again = try await ImageManagerTests.manager().image(for: .bytes(last)).image.buffer()
      #expect(Pixels(again) == pixels)
      guard case .failure(.image(.unsupported)) = results[1], case .failure(.notFound) = results[3] else {
        Issue.record("\(results[1]), \(results[3])")
        return
      }
    }
  }

  /// A manager that counts concurrent requests, and responds only once the expected number has arrived.
  private final class CountingManager: ImageRequesting {
    private let manager = ImageManagerTests.manager()
    private let counts = Mutex((running: 0, most: 0))
    private let expected: Int

    init(expected: Int) {
      self.expected = expected
    }

    var most: Int { counts.withLock { $0.most } }

    func response(
      to request: ImageRequest, events: RequestEvents
    ) async throws(ImageRequestError) -> ImageResponse {
      counts.withLock { counts in
        counts.running += 1
        counts.most = max(counts.most, counts.running)
      }
      defer { counts.withLock { $0.running -= 1 } }
      // Waits once more, so that others can arrive.
      repeat { try? await Task.sleep(for: .milliseconds(10)) } while most < expected
      return try await manager.response(to: request, events: events)
    }
  }

  @Test(.endsIfItHangs, arguments: [(0, 1), (1, 1), (3, 3)])
  func soManyRunAtOnceAsAreAskedFor(asked: Int, expected: Int) async throws {
    let manager = CountingManager(expected: expected)
    let importer = ImageImporter(
      options: with(ImageImporter.Options()) { $0.maximumConcurrentImports = asked }, manager: manager)
    let small = try ImageManagerTests.jpeg(60, 40)
    _ = await importer.importAll([ImageAsset](repeating: .bytes(small), count: 9))
    #expect(manager.most == expected)
  }

  @Test func aReaderMayStop() async throws {
    let manager = ImageManagerTests.manager()
    let importer = ImageImporter(manager: manager)
    let assets = try (0..<50).map { try ImageAsset.bytes(ImageManagerTests.jpeg(320, 240 + $0)) }
    for await item in importer.imports(of: assets) where item.completed == 3 { break }
    try await eventually { manager.runningWork == 0 }
    #expect(manager.statistics.requests <= 4)
    let task = Task { await importer.importAll(assets) }
    task.cancel()
    let results = await task.value
    #expect(results.count == 50)
    #expect(results.last == .failure(.image(.cancelled)))
  }
}
