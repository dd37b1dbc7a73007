import Dispatch
import Glibc

/// An HTTP server on loopback that gives every request the same response, valid or not.
public final class LoopbackServer: Sendable {
  /// The steps of sending the body, in order; then the connection is closed.
  public enum Step: Sendable {
    case send([UInt8])
    /// Waits until the condition holds.
    case wait(until: @Sendable () -> Bool)
    /// Waits until the client closes.
    case hang
  }

  public let port: UInt16
  private let listener: LoopbackSocket
  private let hangUps = DispatchSemaphore(value: 0)

  /// Starts a server that announces `contentLength`; nil announces none.
  public init(contentLength: Int?, _ steps: [Step]) throws {
    (listener, port) = try LoopbackSocket.listening()
    let head =
      "HTTP/1.1 200 OK\r\nConnection: close\r\n" + (contentLength.map { "Content-Length: \($0)\r\n" } ?? "") + "\r\n"
    let queue = DispatchQueue(label: "loopback.server", attributes: .concurrent)
    queue.async { [listener, hangUps] in
      while let connection = listener.accepted() {
        queue.async {
          Self.answer(connection, [.send(Array(head.utf8))] + steps, hangUps)
        }
      }
    }
  }

  deinit {
    listener.shutDown()
  }

  /// Waits until a client closes a connection before the server; returns false after ten minutes.
  public func sawHangUp() -> Bool { hangUps.wait(timeout: .now() + 600) == .success }

  private static func answer(_ connection: LoopbackSocket, _ steps: [Step], _ hangUps: DispatchSemaphore) {
    var request: [UInt8] = []
    while !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      let part = connection.received()
      if part.isEmpty { return }
      request += part
    }
    for step in steps {
      switch step {
      case .send(let bytes):
        if !connection.send(bytes) {
          hangUps.signal()
          return
        }
      case .wait(let holds): while !holds() { usleep(1_000) }
      case .hang:
        while !connection.received().isEmpty {}
        hangUps.signal()
      }
    }
  }
}
