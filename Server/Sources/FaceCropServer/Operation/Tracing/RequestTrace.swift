import HTTPTypes
import Hummingbird
import Synchronization
import Tracing

/// The phases of a request, one after the other.
final class RequestTrace: Sendable {
  enum Phase: String, Sendable {
    /// Waiting for a place, and reading the header.
    case admission
    case fetch, look, detect, render, encode
  }

  private typealias Time = DefaultTracerClock.Timestamp

  private struct State {
    var done: [(phase: Phase, start: Time, end: Time)] = []
    var running: (phase: Phase, start: Time)?
  }

  private let state = Mutex(State())

  /// Ends the current phase, and begins the next unless it is nil.
  func begin(_ phase: Phase?) {
    let now = DefaultTracerClock.now
    state.withLock { state in
      guard state.running?.phase != phase else { return }
      if let running = state.running { state.done.append((running.phase, running.start, now)) }
      state.running = phase.map { ($0, now) }
    }
  }

  /// Reports the request and its phases, unless its trace is not sampled.
  func report(
    _ request: Request, route: String, status: Int, from start: DefaultTracerClock.Timestamp, to exporter: OTLPExporter
  ) {
    begin(nil)
    let traceparent = HTTPField.Name("traceparent").flatMap { request.headers[$0] }
    guard let context = exporter.context(of: traceparent) else { return }
    let tracer: any Tracer = exporter.tracer
    let span = tracer.startSpan("\(request.method) \(route)", context: context, ofKind: .server, at: start)
    span.updateAttributes { attributes in
      attributes["http.request.method"] = "\(request.method)"
      attributes["http.route"] = route
      attributes["http.response.status_code"] = status
    }
    if status >= 500 { span.setStatus(SpanStatus(code: .error)) }
    for (phase, start, end) in state.withLock({ $0.done }) {
      tracer.startSpan(phase.rawValue, context: span.context, ofKind: phase == .fetch ? .client : .internal, at: start)
        .end(at: end)
    }
    span.end()
  }
}
