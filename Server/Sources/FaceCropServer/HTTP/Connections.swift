import HummingbirdCore
import NIOCore
import Synchronization

/// The open connections. Beyond the limit, each new connection closes the one that has been idle longest, so idle
/// clients cannot keep others out.
final class Connections: Sendable {
  private let limit: Int
  /// Upper bound of the connections of one address; 0 for no limit.
  private let clientLimit: Int
  private let state = Mutex(State())

  private struct State {
    /// The server socket's count, which limits the accepted connections.
    var accepted = 0
    var open = 0
    var lastChange = ContinuousClock.now
    var clients: [String: Int] = [:]
    /// Idle connections by number, in the order in which they became idle.
    var idle: [Int: any Channel] = [:]
    var oldest = 0
    var newest = 0

    /// Removes and returns the connection that has been idle longest if more than `limit` are open.
    mutating func surplus(over limit: Int) -> (any Channel)? {
      guard open > limit else { return nil }
      while oldest < newest {
        oldest += 1
        if let channel = idle.removeValue(forKey: oldest) { return channel }
      }
      return nil
    }
  }

  init(limit: Int, clientLimit: Int) {
    self.limit = limit
    self.clientLimit = clientLimit
  }

  /// The number of open connections.
  var count: Int { state.withLock { $0.open } }

  /// The time since the last connection closed; nil while one is open.
  var quiet: Duration? { state.withLock { $0.open == 0 ? ContinuousClock.now - $0.lastChange : nil } }

  /// Counts a client's connection, and makes room for it.
  ///
  /// - Returns: False if the client has reached its limit.
  func enter(_ client: String) -> Bool {
    let (isWelcome, surplus) = state.withLock { state -> (Bool, (any Channel)?) in
      if clientLimit > 0 {
        guard state.clients[client, default: 0] < clientLimit else { return (false, nil) }
        state.clients[client, default: 0] += 1
      }
      state.open += 1
      return (true, state.surplus(over: limit))
    }
    surplus?.close(promise: nil)
    return isWelcome
  }

  /// Removes a closed connection of the client from the count.
  func leave(_ client: String) {
    state.withLock { state in
      state.open -= 1
      state.lastChange = .now
      guard clientLimit > 0 else { return }
      let left = state.clients[client, default: 1] - 1
      state.clients[client] = left == 0 ? nil : left
    }
  }

  /// Records that a connection is idle.
  ///
  /// - Returns: Its number, for ``use(_:)``.
  func wait(_ channel: any Channel) -> Int {
    state.withLock { state in
      state.newest += 1
      state.idle[state.newest] = channel
      return state.newest
    }
  }

  /// Records that the connection with this number has a request or is closed.
  func use(_ place: Int) {
    state.withLock { _ = $0.idle.removeValue(forKey: place) }
  }

  /// The gate of the server's socket: it accepts a connection while there is room, or an idle one can make room.
  struct Gate: AvailableConnectionsDelegate {
    let connections: Connections

    func connectionOpened() { connections.state.withLock { $0.accepted += 1 } }
    func connectionClosed() { connections.state.withLock { $0.accepted -= 1 } }

    func isAcceptingNewConnections() -> Bool {
      connections.state.withLock { $0.accepted < connections.limit || !$0.idle.isEmpty }
    }
  }
}
