import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing
import Tracing

@testable import FaceCropServer

/// Traces as a collector receives them.
@Suite(.timeLimit(.minutes(5))) struct TraceTests {
  private struct Message: Decodable {
    struct ResourceSpans: Decodable { var scopeSpans: [ScopeSpans] }
    struct ScopeSpans: Decodable { var spans: [Item] }
    struct Item: Decodable {
      var traceId: String
      var spanId: String
      var parentSpanId: String?
      var name: String
      var kind: Int
      var startTimeUnixNano: String
      var endTimeUnixNano: String
      var attributes: [Attribute]
    }
    struct Attribute: Decodable {
      var key: String
      var value: [String: String]
    }
    var resourceSpans: [ResourceSpans]
  }

  private final class Collector: Sendable {
    let spans = Mutex<[Message.Item]>([])
    /// Whether its responses have a body that does not end.
    let stalls: Mutex<Bool>
    /// The time before it responds.
    let delay: Duration
    let hasBegun = Atomic(false)

    init(stalls: Bool = false, delay: Duration = .zero) {
      self.stalls = Mutex(stalls)
      self.delay = delay
    }

    var application: some ApplicationProtocol {
      let router = Router()
      router.post("v1/traces") { request, _ in
        #expect(request.headers[.contentType] == "application/json")
        let body = try await request.body.collect(upTo: 1 << 20)
        let message = try JSONDecoder().decode(Message.self, from: Data(buffer: body))
        self.hasBegun.store(true, ordering: .relaxed)
        try await Task.sleep(for: self.delay)
        self.spans.withLock { $0 += message.resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans) }
        return Response(
          status: .ok,
          body: ResponseBody { writer in
            try await writer.write(ByteBuffer(string: "{}"))
            while self.stalls.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(50)) }
            try await writer.finish(nil)
          })
      }
      return Application(
        router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        logger: Logger(label: "collector") { _ in SwiftLogNoOpLogHandler() })
    }
  }

  private static let trace = "0af7651916cd43dd8448eb211c80319c"

  @Test func aRequestIsASpanAndItsPhasesAreSpansInIt() async throws {
    let collector = Collector()
    let folder = FileManager.default.temporaryDirectory.appending(path: "traced-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(Pictures.astronaut).write(to: folder.appending(path: "a.jpg"))
    try await collector.application.test(.live) { host in
      let settings = Settings.patient {
        $0.folder = folder.path
        $0.unsafe = true
        $0.traceEndpoint = "http://localhost:\(host.port!)"
      }
      try await Server(settings).application.test(.live) { client in
        for parent in ["00-\(Self.trace)-b7ad6b7169203331-01", "00-\(Self.trace)-b7ad6b7169203331-00", "nonsense"] {
          let size = Int.random(in: 30..<300)
          let response = try await client.execute(
            uri: "/crop/avatar/\(size)?src=a.jpg", method: .get, headers: [.init("traceparent")!: parent])
          #expect(response.status == .ok)
        }
        let missing = try await client.execute(uri: "/crop/avatar/9?src=none.jpg", method: .get)
        #expect(missing.status == .notFound)
        _ = try await client.execute(uri: "/health", method: .get)
      }
    }
    let spans = collector.spans.withLock { $0 }
    let requests = spans.filter { $0.kind == 2 }
    // Without the request whose caller samples no trace, and without the probe.
    #expect(requests.map(\.name) == Array(repeating: "GET /crop/**", count: 3))
    let first = try #require(requests.first)
    #expect(first.traceId == Self.trace && first.parentSpanId == "b7ad6b7169203331")
    #expect(requests[1].traceId != Self.trace && requests[1].parentSpanId == nil)
    let phases = spans.filter { $0.parentSpanId == first.spanId }
    #expect(phases.map(\.name) == ["fetch", "admission", "look", "detect", "render", "encode"])
    #expect(phases.allSatisfy { $0.traceId == Self.trace && $0.spanId.count == 16 })
    var last = try #require(UInt64(first.startTimeUnixNano))
    for phase in phases {
      let (start, end) = (try #require(UInt64(phase.startTimeUnixNano)), try #require(UInt64(phase.endTimeUnixNano)))
      #expect(last <= start && start <= end)
      last = end
    }
    let end = try #require(UInt64(first.endTimeUnixNano))
    #expect(last <= end)
    let status = requests[2].attributes.first { $0.key == "http.response.status_code" }
    #expect(status?.value == ["intValue": "404"])
  }

  @Test(arguments: [
    ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true),
    ("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", true),
    ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", false),
    ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false),
    ("00-00000000000000000000000000000000-b7ad6b7169203331-01", false),
    ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false),
    ("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", false),
    ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-01", false), ("", false), ("---", false),
    ("zz-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false),
    ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-+1", false),
  ])
  func contexts(text: String, isOne: Bool) {
    let context = TraceContext(traceparent: text)
    #expect((context != nil) == isOne)
    if let context {
      #expect(context.isSampled && text.contains("-\(context.span.traceID)-\(context.span.spanID)-01"))
    }
  }

  /// A response of the collector that does not end stops no tracing.
  @Test func aCollectorThatStallsGetsAllSpans() async throws {
    let collector = Collector(stalls: true)
    try await collector.application.test(.live) { host in
      try await Server(.patient { $0.traceEndpoint = "http://127.0.0.1:\(host.port!)" }).application.test(.live) {
        client in
        for count in 1...2 {
          _ = try await client.execute(uri: "/crop/avatar/9?src=none.jpg", method: .get)
          try await eventually("the collector has it") { collector.spans.withLock { $0.count } == count }
        }
        collector.stalls.withLock { $0 = false }
      }
    }
  }

  /// The end of the server waits for an export, sends the spans that ended meanwhile, and reports no fault of the
  /// collector.
  @Test func theEndOfTheServerCutsNoExport() async throws {
    let collector = Collector(delay: .seconds(2))
    let lines = Mutex<[String]>([])
    try await collector.application.test(.live) { host in
      let logger = Logger(label: "test") { label in
        LineLogHandler(label: label, format: .json) { line in lines.withLock { $0.append(line) } }
      }
      let exporter = OTLPExporter(endpoint: "http://127.0.0.1:\(host.port!)", percent: 100, logger: logger)
      exporter.tracer.startSpan("request").end()
      let group = ServiceGroup(services: [exporter], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() })
      async let end: Void = group.run()
      try await eventually("the export has begun") { collector.hasBegun.load(ordering: .relaxed) }
      exporter.tracer.startSpan("request during the export").end()
      await group.triggerGracefulShutdown()
      try await end
      #expect(collector.spans.withLock { $0.count } == 2)
      #expect(lines.withLock { $0 } == [])
    }
  }

  /// A collector that does not respond delays nobody.
  @Test func noCollectorIsNoFault() async throws {
    let settings = Settings.patient {
      $0.traceEndpoint = "http://127.0.0.1:9"
    }
    try await Server(settings).application.test(.live) { client in
      let response = try await client.avatar("64.jpg")
      #expect(response.status == .ok)
    }
  }
}
