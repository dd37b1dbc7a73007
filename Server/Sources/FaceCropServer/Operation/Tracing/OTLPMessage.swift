import Tracing

/// Spans as `ExportTraceServiceRequest` in the JSON form of Protocol Buffers, with hexadecimal identifiers. Integers of
/// 64 bits are strings in this JSON.
enum OTLPMessage {
  private static let service = "facecrop-server"

  static func json(_ spans: [OTLPSpan]) -> [UInt8] {
    let scope: JSONObject = ["scope": ["name": service], "spans": spans.compactMap(item)]
    let resource: JSONObject = ["attributes": [attribute("service.name", "stringValue", service)]]
    let resourceSpans: JSONObject = ["resource": resource, "scopeSpans": [scope]]
    return (["resourceSpans": [resourceSpans]] as JSONObject).bytes
  }

  private static func attribute(_ key: String, _ type: String, _ value: String) -> JSONObject {
    ["key": key, "value": [type: value]]
  }

  private static func item(_ span: OTLPSpan) -> JSONObject? {
    let values = span.values
    guard let trace = span.context.trace, let end = values.end else { return nil }
    var attributes: [JSONObject] = []
    values.attributes.forEach { key, value in
      switch value {
      case .int32(let value): attributes.append(attribute(key, "intValue", "\(value)"))
      case .int64(let value): attributes.append(attribute(key, "intValue", "\(value)"))
      case .string(let value): attributes.append(attribute(key, "stringValue", value))
      default: attributes.append(attribute(key, "stringValue", "\(value)"))
      }
    }
    let kinds: [SpanKind: Int] = [.internal: 1, .server: 2, .client: 3, .producer: 4, .consumer: 5]
    return [
      "traceId": trace.trace, "spanId": trace.span, "parentSpanId": values.parent, "name": values.name,
      "kind": kinds[values.kind] ?? 1, "startTimeUnixNano": "\(values.start)",
      "endTimeUnixNano": "\(max(end, values.start))", "attributes": attributes,
      "status": values.status.map { ["code": $0.code == .ok ? 1 : 2, "message": $0.message] as JSONObject },
    ]
  }
}
