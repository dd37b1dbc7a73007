import InMemoryTracing
import Tracing

/// Spans as `ExportTraceServiceRequest` in the JSON form of Protocol Buffers, with hexadecimal identifiers. Integers of
/// 64 bits are strings in this JSON.
enum OTLPMessage {
  private static let service = "facecrop-server"

  static func json(_ spans: [FinishedInMemorySpan]) -> [UInt8] {
    let scope: JSONObject = ["scope": ["name": service], "spans": spans.map(item)]
    let resource: JSONObject = ["attributes": [attribute("service.name", "stringValue", service)]]
    let resourceSpans: JSONObject = ["resource": resource, "scopeSpans": [scope]]
    return (["resourceSpans": [resourceSpans]] as JSONObject).bytes
  }

  private static func attribute(_ key: String, _ type: String, _ value: String) -> JSONObject {
    ["key": key, "value": [type: value]]
  }

  private static func item(_ span: FinishedInMemorySpan) -> JSONObject {
    let (start, end) = (span.startInstant.nanosecondsSinceEpoch, span.endInstant.nanosecondsSinceEpoch)
    var attributes: [JSONObject] = []
    span.attributes.forEach { key, value in
      switch value {
      case .int64(let value): attributes.append(attribute(key, "intValue", "\(value)"))
      case .string(let value): attributes.append(attribute(key, "stringValue", value))
      default: attributes.append(attribute(key, "stringValue", "\(value)"))
      }
    }
    let kinds: [SpanKind: Int] = [.internal: 1, .server: 2, .client: 3, .producer: 4, .consumer: 5]
    return [
      "traceId": span.traceID, "spanId": span.spanID, "parentSpanId": span.parentSpanID, "name": span.operationName,
      "kind": kinds[span.kind] ?? 1, "startTimeUnixNano": "\(start)", "endTimeUnixNano": "\(max(end, start))",
      "attributes": attributes,
      "status": span.status.map { ["code": $0.code == .ok ? 1 : 2, "message": $0.message] as JSONObject },
    ]
  }
}
