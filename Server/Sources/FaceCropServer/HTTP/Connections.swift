import HummingbirdCore
import NIOCore
import Synchronization

/// The connections that are open. Beyond the limit, the one that has waited longest for its next request is closed for each new one:
/// idle clients cannot keep others out.
final class Connections: Sendable {
  private let limit: Int
  /// Connections of one address; 0 is no limit.
  private let clientLimit: Int
  private let state = Mutex(State())

  private struct State {
    /// As the server's socket counts them, which accepts by that.
    var accepted = 0
    var open = 0
    var lastChange = ContinuousClock.now
    var clients: [String: Int] = [:]
    /// Those without a request, by when they began to wait.
    var idle: [Int: any Channel] = [:]
    var oldest = 0
    var newest = 0

    /// The connection that waited longest, if there are more than so many.
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

  /// Open connections.
  var count: Int { state.withLock { $0.open } }

  /// How long no connection has been open; nil while there is one.
  var quiet: Duration? { state.withLock { $0.open == 0 ? ContinuousClock.now - $0.lastChange : nil } }

  /// Counts a client's connection, and makes room for it.
  ///
  /// - Returns: False if the client has as many as it may.
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

  /// The client's connection that was counted has closed.
  func leave(_ client: String) {
    state.withLock { state in
      state.open -= 1
      state.lastChange = .now
      guard clientLimit > 0 else { return }
      let left = state.clients[client, default: 1] - 1
      state.clients[client] = left == 0 ? nil : left
    }
  }

  /// Notes that a connection waits for a request.
  ///
  /// - Returns: Its place among those that wait, for ``use(_:)``.
  func wait(_ channel: any Channel) -> Int {
    state.withLock { state in
      state.newest += 1
      state.idle[state.newest] = channel
      return state.newest
    }
  }

  /// The connection at that place has a request, or is closed.
  func use(_ place: Int) {
    state.withLock { _ = $0.idle.removeValue(forKey: place) }
  }

  /// Says when the server's socket may accept another connection: as long as there is room, or one that can make room.
  struct Gate: AvailableConnectionsDelegate {
    let connections: Connections

    func connectionOpened() { connections.state.withLock { $0.accepted += 1 } }
    func connectionClosed() { connections.state.withLock { $0.accepted -= 1 } }

    func isAcceptingNewConnections() -> Bool {
      connections.state.withLock { $0.accepted < connections.limit || !$0.idle.isEmpty }
    }
  }
}
