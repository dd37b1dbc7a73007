import InMemoryTracing

/// The trace and the parent of a span, as in `traceparent` (W3C Trace Context, level 1).
struct TraceContext: Sendable {
  let span: InMemorySpanContext
  let isSampled: Bool

  /// New traces have 32 hexadecimal digits, and new spans 16.
  static let identifiers = InMemoryTracer.IDGenerator(nextTraceID: { newSpan() + newSpan() }, nextSpanID: newSpan)

  @Sendable
  private static func newSpan() -> String {
    let text = String(UInt64.random(in: 1...UInt64.max), radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  /// Parses the header. Returns nil if it is invalid.
  init?(traceparent: String) {
    let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 4, Self.isHexadecimal(parts[0], 2), parts[0] != "ff", parts[0] != "00" || parts.count == 4,
      Self.isIdentifier(parts[1], 32), Self.isIdentifier(parts[2], 16), Self.isHexadecimal(parts[3], 2),
      let flags = UInt8(parts[3], radix: 16)
    else { return nil }
    span = InMemorySpanContext(traceID: parts[1], spanID: parts[2], parentSpanID: nil)
    isSampled = flags & 1 == 1
  }

  private static func isIdentifier(_ text: String, _ digits: Int) -> Bool {
    isHexadecimal(text, digits) && text.contains { $0 != "0" }
  }

  private static func isHexadecimal(_ text: String, _ digits: Int) -> Bool {
    text.utf8.count == digits && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }
}
