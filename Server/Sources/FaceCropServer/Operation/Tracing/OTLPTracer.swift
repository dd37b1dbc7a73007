import AsyncHTTPClient
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Tracing

/// A tracer that sends spans to a collector as JSON over HTTP (OpenTelemetry Protocol 1.3, section "OTLP/HTTP").
///
/// Spans are sent in batches, a few seconds after they end. Spans that the collector does not take are dropped, and so
/// are new ones while ``mostHeld`` wait: serving images never waits for tracing.
final class OTLPTracer: Tracer, Service {
  private let url: String
  /// The percentage of traces that are sampled, among those that begin here.
  private let percent: Int
  private let logger: Logger
  private let held = Mutex<[OTLPSpan]>([])
  /// Whether the collector took the last batch. A failure is logged once.
  private let isWorking = Mutex(true)
  private static let mostHeld = 4_096
  private static let interval = Duration.seconds(2)

  /// Creates a tracer for a collector's base URL, as in OTEL_EXPORTER_OTLP_ENDPOINT: http://collector:4318.
  init(endpoint: String, percent: Int, logger: Logger) {
    url = (endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint) + "/v1/traces"
    self.percent = percent
    self.logger = logger
  }

  // MARK: Spans

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> OTLPSpan {
    var context = context()
    let parent = context.trace
    context.trace = TraceContext(
      trace: parent?.trace ?? TraceContext.newTrace(), span: TraceContext.newSpan(),
      isSampled: parent?.isSampled ?? (Int.random(in: 0..<100) < percent))
    let state = OTLPSpan.State(
      parent: parent?.span, kind: kind, start: instant().nanosecondsSinceEpoch, name: operationName)
    return OTLPSpan(state, context, tracer: self)
  }

  func ended(_ span: OTLPSpan) {
    guard span.context.trace?.isSampled == true else { return }
    held.withLock { if $0.count < Self.mostHeld { $0.append(span) } }
  }

  func forceFlush() {}

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {
    context.trace = extractor.extract(key: "traceparent", from: carrier).flatMap(TraceContext.init(traceparent:))
  }

  func inject<Carrier, Inject: Injector>(
    _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    if let trace = context.trace { injector.inject(trace.traceparent, forKey: "traceparent", into: &carrier) }
  }

  // MARK: Sending

  /// Sends ended spans until the server ends, and then the rest.
  func run() async throws {
    let client = HTTPClient(eventLoopGroupProvider: .singleton)
    await cancelWhenGracefulShutdown { [self] in
      while (try? await Task.sleep(for: Self.interval)) != nil { await send(by: client) }
    }
    await send(by: client)
    try? await client.shutdown()
  }

  private func send(by client: HTTPClient) async {
    let spans = held.withLock { exchange(&$0, with: []) }
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
