import Synchronization
import Tracing

/// A span that its tracer exports once it has ended.
final class OTLPSpan: Span {
  let context: InstrumentationContext
  private let tracer: OTLPTracer
  private let state: Mutex<State>

  struct State {
    let parent: String?
    let kind: SpanKind
    let start: UInt64
    var name: String
    var attributes: SpanAttributes = [:]
    var status: SpanStatus?
    var end: UInt64?
  }

  init(_ state: State, _ context: InstrumentationContext, tracer: OTLPTracer) {
    self.context = context
    self.tracer = tracer
    self.state = Mutex(state)
  }

  var values: State { state.withLock { $0 } }

  var operationName: String {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }

  var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { state.withLock { $0.attributes = newValue } }
  }

  var isRecording: Bool { context.trace?.isSampled == true && state.withLock { $0.end == nil } }

  func setStatus(_ status: SpanStatus) {
    state.withLock { $0.status = status }
  }

  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let time = instant().nanosecondsSinceEpoch
    let isFirst = state.withLock { state in
      guard state.end == nil else { return false }
      state.end = time
      return true
    }
    if isFirst { tracer.ended(self) }
  }

  // The server does not use these.
  func addEvent(_ event: SpanEvent) {}
  func addLink(_ link: SpanLink) {}
  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {}
}
