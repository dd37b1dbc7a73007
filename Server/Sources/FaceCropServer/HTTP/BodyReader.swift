import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// A reader that receives a body into memory, within a size limit, a timeout, and the budget of all bodies.
///
/// The body also times out when the connection's idle timeout runs out, so that a client that stops gets a response.
struct BodyReader: Sendable {
  /// Upper bound of a body in bytes.
  let limit: Int
  let timeout: Duration

  /// The time beyond the timeout for the next piece of a slow client. The server then goes on reading after its
  /// response, which unread bytes would discard (RFC 9112, 9.6). A client that has stopped has none on the way.
  private static let grace = Duration.milliseconds(500)

  /// Checks the announced size of the body, also against the memory for all bodies.
  func check(_ headers: HTTPFields, memory: Int = .max) throws(ServiceError) {
    guard let announced = announced(headers) else { return }
    guard announced <= limit else { throw .bodyTooLarge(limit: limit) }
    guard announced <= memory else { throw .overBodyMemory(limit: memory) }
  }

  /// Reads the body of the context's request into memory, and reports its size.
  ///
  /// - Throws: ``ServiceError/bodyTooLarge(limit:)``, ``ServiceError/bodyTimeout``, ``ServiceError/busy`` or
  ///   ``ServiceError/hungUp``.
  func read(
    _ request: Request, _ lease: BodyMemory.Lease, _ context: CallContext
  ) async throws(ServiceError) -> [UInt8] {
    let timer = Task { [timeout] in _ = try? await Task.sleep(for: timeout + Self.grace) }
    context.connection?.onStall(on: context.channel) { timer.cancel() }
    defer { context.connection?.onStall(on: context.channel, nil) }
    do {
      let wait = { @Sendable in
        await withTaskCancellationHandler(operation: { await timer.value }, onCancel: { timer.cancel() })
      }
      let bytes = try await withFault(.bodyTimeout, after: wait) { try await receive(request, lease) }
      context.report.note(\.bodyBytes, bytes.count)
      return bytes
    } catch {
      throw error as? ServiceError ?? .hungUp
    }
  }

  private func receive(_ request: Request, _ lease: BodyMemory.Lease) async throws(ServiceError) -> [UInt8] {
    let end = ContinuousClock.now + timeout
    let announced = announced(request.headers)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(announced ?? 0)
    do {
      for try await part in request.body {
        guard ContinuousClock.now < end else { throw ServiceError.bodyTimeout }
        guard bytes.count + part.readableBytes <= limit else { throw ServiceError.bodyTooLarge(limit: limit) }
        try lease.extend(by: part.readableBytes)
        bytes.append(contentsOf: part.readableBytesView)
      }
    } catch {
      // A connection that ends in a body is an error of the parser, too.
      guard let fault = error as? HTTPParserError, fault != .invalidEOFState else {
        throw error as? ServiceError ?? .hungUp
      }
      throw .invalidQuery("the body's chunks are invalid")
    }
    // An aborted body ends like a complete one.
    if Task.isCancelled { throw .hungUp }
    if let announced, bytes.count != announced { throw .hungUp }
    return bytes
  }

  private func announced(_ headers: HTTPFields) -> Int? {
    headers[.contentLength].flatMap { Int($0) }
  }
}

/// Returns the value of `body`, or throws the fault if `wait` ends first. Cancels the other one.
func withFault<Value: Sendable>(
  _ fault: ServiceError, after wait: @escaping @Sendable () async throws -> Void,
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await wait()
      // The caller was cancelled, and nothing is late.
      try Task.checkCancellation()
      throw fault
    }
    defer { group.cancelAll() }
    return try await group.next()!
  }
}
