import HTTPTypes
import Hummingbird
import NIOCore

/// A reader that receives a body into memory, within a size limit, a timeout, and the budget of all bodies.
///
/// The timeout is checked with each piece. The connection's idle timeout closes a client that sends nothing.
struct BodyReader: Sendable {
  /// Upper bound of a body in bytes.
  let limit: Int
  let timeout: Duration

  /// Checks the announced size of the body.
  func check(_ headers: HTTPFields) throws(ServiceError) {
    if let announced = announced(headers), announced > limit { throw .bodyTooLarge(limit: limit) }
  }

  /// Reads the body into memory.
  ///
  /// - Throws: ``ServiceError/bodyTooLarge(limit:)``, ``ServiceError/bodyTimeout``, ``ServiceError/busy`` or
  ///   ``ServiceError/hungUp``.
  func read(_ request: Request, _ lease: BodyMemory.Lease) async throws(ServiceError) -> [UInt8] {
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
      throw error as? ServiceError ?? .hungUp
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
