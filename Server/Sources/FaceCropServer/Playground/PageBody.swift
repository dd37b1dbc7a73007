import Hummingbird

/// The reader of small bodies that a page of this server sends.
struct PageBody: Sendable {
  let live: LiveSettings
  let bodies: BodyMemory

  /// Reads a body of JSON. Forms of other sites cannot have its content type.
  func json(_ request: Request, _ context: CallContext, limit: Int) async throws(ServiceError) -> [UInt8] {
    let type = request.headers[.contentType]?.lowercased().prefix { $0 != ";" && $0 != " " }
    guard type == "application/json" else { throw .invalidQuery("Content-Type must be application/json") }
    return try await read(request, context, limit: limit)
  }

  func read(_ request: Request, _ context: CallContext, limit: Int) async throws(ServiceError) -> [UInt8] {
    let reader = BodyReader(limit: limit, timeout: live.value.bodyTimeout)
    try reader.check(request.headers)
    return try await context.untilHangUp { [bodies] () async throws(ServiceError) in
      let lease = BodyMemory.Lease(of: bodies)
      defer { lease.end() }
      let bytes = try await reader.read(request, lease, context)
      context.report.bodyRead(bytes.count)
      return bytes
    }
  }
}
