import Foundation
import Tracing

/// Spans as `ExportTraceServiceRequest` in the JSON form of Protocol Buffers, with hexadecimal identifiers.
struct OTLPMessage: Encodable {
  private var resourceSpans: [ResourceSpans]

  private struct ResourceSpans: Encodable {
    var resource: Resource
    var scopeSpans: [ScopeSpans]
  }

  private struct Resource: Encodable {
    var attributes: [Attribute]
  }

  private struct ScopeSpans: Encodable {
    var scope: [String: String]
    var spans: [Item]
  }

  private struct Item: Encodable {
    var traceId: String
    var spanId: String
    var parentSpanId: String?
    var name: String
    var kind: Int
    // Integers of 64 bits are strings in this JSON.
    var startTimeUnixNano: String
    var endTimeUnixNano: String
    var attributes: [Attribute]
    var status: Status?
  }

  private struct Status: Encodable {
    var code: Int
    var message: String?
  }

  private struct Attribute: Encodable {
    var key: String
    var value: [String: String]
  }

  init(_ spans: [OTLPSpan]) {
    resourceSpans = [
      ResourceSpans(
        resource: Resource(attributes: [Attribute(key: "service.name", value: ["stringValue": "facecrop-server"])]),
        scopeSpans: [ScopeSpans(scope: ["name": "facecrop-server"], spans: spans.compactMap(Self.item))])
    ]
  }

  private static func item(_ span: OTLPSpan) -> Item? {
    let values = span.values
    guard let trace = span.context.trace, let end = values.end else { return nil }
    var attributes: [Attribute] = []
    values.attributes.forEach { key, value in
      switch value {
      case .int32(let value): attributes.append(Attribute(key: key, value: ["intValue": "\(value)"]))
      case .int64(let value): attributes.append(Attribute(key: key, value: ["intValue": "\(value)"]))
      case .string(let value): attributes.append(Attribute(key: key, value: ["stringValue": value]))
      default: attributes.append(Attribute(key: key, value: ["stringValue": "\(value)"]))
      }
    }
    return Item(
      traceId: trace.trace, spanId: trace.span, parentSpanId: span.parent, name: values.name,
      kind: [.internal: 1, .server: 2, .client: 3, .producer: 4, .consumer: 5][span.kind] ?? 1,
      startTimeUnixNano: "\(span.start)", endTimeUnixNano: "\(max(end, span.start))", attributes: attributes,
      status: values.status.map { Status(code: $0.code == .ok ? 1 : 2, message: $0.message) })
  }

  var json: [UInt8]? { (try? JSONEncoder().encode(self)).map { Array($0) } }
}
