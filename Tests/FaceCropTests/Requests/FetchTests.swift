import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// Images over HTTP, from a server that is slow, stops, or lies.
@Suite(.endsIfItHangs) struct FetchTests {
  private struct Loader: AssetLoader {
    let port: UInt16
    let received: Received

    func load(
      _ id: ImageAsset.ID, atMost limit: Int, progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> [UInt8] {
      try await LoopbackClient.get(port: port, atMost: limit) { count, expected in
        progress(count, expected)
        received.count.store(count, ordering: .relaxed)
      }
    }
  }

  /// The bytes of a body that its reader has seen; -1 before its beginning.
  private final class Received: Sendable {
    let count = Atomic(-1)
  }

  /// Returns a request's response, and the events before it.
  private static func fetch(
    from server: LoopbackServer, received: Received = Received(), limit: Int = 1 << 20,
    _ act: @escaping @Sendable (CropProgress) -> ProgressAction = { _ in .goOn }
  ) async -> (answer: Result<ImageResponse, ImageRequestError>, progress: [CropProgress]) {
    var configuration = ImageManager.Configuration()
    configuration.detector = StubDetector()
    configuration.limits.fileBytes = limit
    configuration.loader = Loader(port: server.port, received: received)
    let manager = ImageManager(configuration: configuration)
    let reports = Mutex<[CropProgress]>([])
    do throws(ImageRequestError) {
      let answer = try await manager.image(
        for: .remote(ImageAsset.ID(rawValue: "a")),
        options: ImageManagerTests.options { $0.isNetworkAccessAllowed = true }
      ) { progress in
        reports.withLock { $0.append(progress) }
        return act(progress)
      }
      return (.success(answer), reports.withLock { $0 })
    } catch {
      return (.failure(error), reports.withLock { $0 })
    }
  }

  /// Returns the image in eight parts, each sent when the previous one was read.
  private static func parts(_ bytes: [UInt8], readBy received: Received) -> [LoopbackServer.Step] {
    var steps: [LoopbackServer.Step] = []
    for start in stride(from: 0, to: bytes.count, by: (bytes.count + 7) / 8) {
      steps.append(.wait { received.count.load(ordering: .relaxed) >= start })
      steps.append(.send(Array(bytes[start...].prefix((bytes.count + 7) / 8))))
    }
    return steps
  }

  private static func expectForward(_ progress: [CropProgress], sourceLocation: SourceLocation = #_sourceLocation) {
    let fetched = progress.filter { $0.phase == .fetch }
    #expect(progress.prefix(fetched.count).elementsEqual(fetched), "fetch comes first", sourceLocation: sourceLocation)
    #expect(fetched.first?.completed == 0, sourceLocation: sourceLocation)
    #expect(fetched.map(\.completed) == fetched.map(\.completed).sorted(), sourceLocation: sourceLocation)
    #expect(fetched.map(\.phaseFraction) == fetched.map(\.phaseFraction).sorted(), sourceLocation: sourceLocation)
    #expect(fetched.allSatisfy { (0...1).contains($0.phaseFraction) }, sourceLocation: sourceLocation)
    #expect(progress.map(\.fraction) == progress.map(\.fraction).sorted(), sourceLocation: sourceLocation)
  }

  @Test func aSlowDownloadIsSeenToGrow() async throws {
    let jpeg = try ImageManagerTests.jpeg(640, 480)
    let received = Received()
    let server = try LoopbackServer(contentLength: jpeg.count, Self.parts(jpeg, readBy: received))
    let (answer, progress) = await Self.fetch(from: server, received: received)
    #expect(try answer.get().image.size == PixelSize(width: 640, height: 480))
    Self.expectForward(progress)
    let fetched = progress.filter { $0.phase == .fetch }
    #expect(fetched.count >= 9 && fetched.last?.completed == jpeg.count && fetched.last?.total == jpeg.count)
    #expect(fetched.dropFirst().allSatisfy { $0.total == jpeg.count })
    #expect(progress.last?.phase == .render && progress.last?.phaseFraction == 1)
  }

  @Test func aLengthThatIsNotSaidIsUnknown() async throws {
    let jpeg = try ImageManagerTests.jpeg(640, 480)
    let received = Received()
    let server = try LoopbackServer(contentLength: nil, Self.parts(jpeg, readBy: received))
    let (answer, progress) = await Self.fetch(from: server, received: received)
    #expect(try answer.get().image.size.width == 640)
    Self.expectForward(progress)
    let fetched = progress.filter { $0.phase == .fetch }
    #expect(fetched.dropLast().allSatisfy { $0.total == nil && $0.phaseFraction == 0 })
    #expect(fetched.last?.total == jpeg.count && fetched.last?.phaseFraction == 1)
  }

  /// The server stays silent: the request and its loader end when it is stopped or its task is cancelled.
  @Test(arguments: [true, false]) func aDownloadThatHangsIsCancelled(byProgress: Bool) async throws {
    let jpeg = try ImageManagerTests.jpeg(640, 480)
    let server = try LoopbackServer(
      contentLength: jpeg.count, [.send(Array(jpeg.prefix(jpeg.count / 2))), .hang])
    let (began, begin) = AsyncStream.makeStream(of: Void.self)
    let request = Task {
      await Self.fetch(from: server) { progress in
        if progress.completed == 0 { return .goOn }
        begin.yield()
        return byProgress ? .stop : .goOn
      }
    }
    for await _ in began { break }
    if !byProgress { request.cancel() }
    let (answer, progress) = await request.value
    #expect(answer == .failure(.image(.cancelled)))
    #expect(progress.allSatisfy { $0.phase == .fetch && $0.phaseFraction < 1 })
    #expect(server.sawHangUp())
  }

  @Test func aConnectionThatIsClosedIsAnErrorThatSaysSo() async throws {
    let jpeg = try ImageManagerTests.jpeg(640, 480)
    let half = jpeg.count / 2
    let server = try LoopbackServer(contentLength: jpeg.count, [.send(Array(jpeg.prefix(half)))])
    let (answer, progress) = await Self.fetch(from: server)
    guard case .failure(.loadingFailed(let reason)) = answer else {
      Issue.record("it ended with \(answer)")
      return
    }
    #expect(reason.contains("closed after \(half) of \(jpeg.count) bytes"))
    Self.expectForward(progress)
    #expect(progress.allSatisfy { $0.phaseFraction < 1 })
  }

  /// More bytes arrive than announced; from then on the fraction is 1.
  @Test func moreThanWasAnnouncedIsNeverMoreThanAll() async throws {
    let jpeg = try ImageManagerTests.jpeg(640, 480)
    let received = Received()
    let server = try LoopbackServer(contentLength: jpeg.count / 2, Self.parts(jpeg, readBy: received))
    let (answer, progress) = await Self.fetch(from: server, received: received)
    #expect(try answer.get().image.size.width == 640)
    Self.expectForward(progress)
    #expect(progress.contains { $0.phase == .fetch && $0.phaseFraction == 1 && $0.completed < jpeg.count })
    #expect(progress.last { $0.phase == .fetch }?.completed == jpeg.count)
  }

  @Test func aDownloadThatIsTooLargeEnds() async throws {
    let jpeg = try ImageManagerTests.jpeg(640, 480)
    let server = try LoopbackServer(contentLength: nil, [.send(jpeg), .hang])
    let (answer, _) = await Self.fetch(from: server, limit: jpeg.count / 2)
    #expect(answer == .failure(.loadingFailed("more than \(jpeg.count / 2) bytes")))
    #expect(server.sawHangUp())
  }
}
