import HTTPTypes
import Hummingbird
import NIOCore

/// Receives a body into memory: no more than a limit, no longer than a time, and no more of all together than there is
/// room for.
///
/// The time is looked at with each piece; a client that sends none at all is closed by the connection's idle timeout.
struct BodyReader: Sendable {
  /// Bytes.
  let limit: Int
  let timeout: Duration

  /// What the headers say of the body.
  func check(_ headers: HTTPFields) throws(ServiceError) {
    if let announced = announced(headers), announced > limit { throw .bodyTooLarge(limit: limit) }
  }

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
    // A body that breaks off ends like one that is complete.
    if Task.isCancelled { throw .hungUp }
    if let announced, bytes.count != announced { throw .hungUp }
    return bytes
  }

  private func announced(_ headers: HTTPFields) -> Int? {
    headers[.contentLength].flatMap { Int($0) }
  }
}
