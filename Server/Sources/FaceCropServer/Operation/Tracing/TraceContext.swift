import Tracing

/// The trace and the parent of a span, as in `traceparent` (W3C Trace Context, level 1).
struct TraceContext: Hashable, Sendable {
  /// 32 hexadecimal digits.
  var trace: String
  /// 16 hexadecimal digits.
  var span: String
  var isSampled: Bool

  var traceparent: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }

  static func newTrace() -> String { newSpan() + newSpan() }

  static func newSpan() -> String {
    let text = String(UInt64.random(in: 1...UInt64.max), radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}

extension TraceContext {
  /// Parses the header. Returns nil if it is invalid.
  init?(traceparent: String) {
    let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 4, Self.isHexadecimal(parts[0], 2), parts[0] != "ff", parts[0] != "00" || parts.count == 4,
      Self.isIdentifier(parts[1], 32), Self.isIdentifier(parts[2], 16), Self.isHexadecimal(parts[3], 2),
      let flags = UInt8(parts[3], radix: 16)
    else { return nil }
    self.init(trace: parts[1], span: parts[2], isSampled: flags & 1 == 1)
  }

  private static func isIdentifier(_ text: String, _ digits: Int) -> Bool {
    isHexadecimal(text, digits) && text.contains { $0 != "0" }
  }

  private static func isHexadecimal(_ text: String, _ digits: Int) -> Bool {
    text.utf8.count == digits && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }
}

/// The key for the contexts of swift-distributed-tracing.
enum TraceContextKey: InstrumentationContextKey {
  typealias Value = TraceContext
  static let nameOverride: String? = "facecrop-server-trace"
}

extension InstrumentationContext {
  var trace: TraceContext? {
    get { self[TraceContextKey.self] }
    set { self[TraceContextKey.self] = newValue }
  }
}
