import AsyncHTTPClient
import InMemoryTracing
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Tracing

/// A sender of spans to a collector, as JSON over HTTP (OpenTelemetry Protocol 1.3, section "OTLP/HTTP").
///
/// Spans are sent in batches, a few seconds after they end. Spans that the collector does not take are dropped, and so
/// are those of new requests while ``mostHeld`` wait: serving images never waits for tracing.
final class OTLPExporter: Service {
  let tracer = InMemoryTracer(idGenerator: TraceContext.identifiers, recordInjections: false, recordExtractions: false)
  private let url: String
  /// The percentage of traces that are sampled, among those that begin here.
  private let percent: Int
  private let logger: Logger
  /// Whether the collector took the last batch. A failure is logged once.
  private let isWorking = Mutex(true)
  private static let mostHeld = 4_096
  private static let interval = Duration.seconds(2)

  /// Creates an exporter to a collector's base URL, as in OTEL_EXPORTER_OTLP_ENDPOINT: http://collector:4318.
  init(endpoint: String, percent: Int, logger: Logger) {
    url = (endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint) + "/v1/traces"
    self.percent = percent
    self.logger = logger
  }

  /// Returns the context for the span of a request with this header; nil if it gets no span.
  func context(of traceparent: String?) -> InstrumentationContext? {
    let parent = traceparent.flatMap(TraceContext.init(traceparent:))
    guard parent?.isSampled ?? (Int.random(in: 0..<100) < percent), tracer.finishedSpans.count < Self.mostHeld else {
      return nil
    }
    var context = InstrumentationContext.topLevel
    context.inMemorySpanContext = parent?.span
    return context
  }

  /// Sends ended spans until the server ends, and then the rest.
  func run() async throws {
    let client = HTTPClient(eventLoopGroupProvider: .singleton)
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      // The end of the server ends the pause, but no export.
      await cancelWhenGracefulShutdown { try? await Task.sleep(for: Self.interval) }
      await send(by: client)
    }
    // Spans may have ended during the last export.
    await send(by: client)
    try? await client.shutdown()
  }

  private func send(by client: HTTPClient) async {
    let spans = tracer.popFinishedSpans()
    guard !spans.isEmpty else { return }
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.body = .bytes(ByteBuffer(bytes: OTLPMessage.json(spans)))
    do {
      // Its body may never end, and is not read.
      let response = try await client.execute(request, timeout: .seconds(5))
      let isTaken = (200..<300).contains(Int(response.status.code))
      note(isTaken ? nil : "responds with status \(response.status.code)")
    } catch {
      note("cannot be reached: \(error)")
    }
  }

  private func note(_ fault: String?) {
    let wasWorking = isWorking.withLock { exchange(&$0, with: fault == nil) }
    if let fault, wasWorking { logger.warning("the trace collector \(fault)") }
  }
}
