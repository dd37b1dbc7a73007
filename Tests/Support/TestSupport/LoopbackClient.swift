import Dispatch

/// A client that fetches the response of a ``LoopbackServer`` until it closes the connection.
public enum LoopbackClient {
  /// Fetches the body.
  ///
  /// - Parameters:
  ///   - limit: Upper bound of the body in bytes.
  ///   - progress: Gets the received bytes of the body, and the announced number.
  /// - Throws: An error with both numbers if the connection closes too early; `CancellationError`.
  public static func get(
    port: UInt16, atMost limit: Int, progress: @escaping @Sendable (_ received: Int, _ expected: Int?) -> Void
  ) async throws -> [UInt8] {
    let connection = try LoopbackSocket.connected(to: port)
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(returning: Result { try get(connection, atMost: limit, progress) })
        }
      }
    } onCancel: {
      connection.shutDown()
    }
    try Task.checkCancellation()
    return try outcome.get()
  }

  private static func get(
    _ connection: LoopbackSocket, atMost limit: Int, _ progress: (_ received: Int, _ expected: Int?) -> Void
  ) throws -> [UInt8] {
    guard connection.send("GET / HTTP/1.1\r\nHost: loopback\r\n\r\n".utf8) else { throw FixtureError("no server") }
    var head: [UInt8] = []
    // The server may send its head alone or with the start of the body.
    while !head.contains("\r\n\r\n".utf8) {
      let part = connection.received()
      if part.isEmpty { throw FixtureError("the connection was closed before the answer") }
      head += part
    }
    let end = head.firstRange(of: Array("\r\n\r\n".utf8))!
    var body = Array(head[end.upperBound...])
    let expected = String(decoding: head[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
      .first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst("Content-Length: ".count)) }
    while true {
      progress(body.count, expected)
      if body.count > limit { throw FixtureError("more than \(limit) bytes") }
      let part = connection.received()
      if part.isEmpty { break }
      body += part
    }
    if let expected, body.count < expected {
      throw FixtureError("the connection was closed after \(body.count) of \(expected) bytes")
    }
    return body
  }
}
