import HummingbirdCore
import NIOCore
import Synchronization

/// The open connections. Those with a request in progress are busy, the others idle. Beyond the limit, each new
/// connection closes the one that has been idle longest. Some connections cannot be busy, so that neither idle nor slow
/// clients keep probes out, whose connections count as idle.
final class Connections: Sendable {
  private let limit: Int
  /// Upper bound of the busy connections, and of those of one client.
  private let busyLimit: Int
  private let clientLimit: Int
  private let state = Mutex(State())

  /// The idle connections of a client that stay open while it has as many busy ones as it may.
  private static let clientSpare = 8

  private struct Client {
    var open = 0
    var busy = 0
    var idle: Set<Int> = []
  }

  private struct State {
    /// The server socket's count, which limits the accepted connections.
    var accepted = 0
    var open = 0
    var busy = 0
    var lastChange = ContinuousClock.now
    var clients: [String: Client] = [:]
    /// Idle connections by number, in the order in which they became idle.
    var idle: [Int: (channel: any Channel, client: String)] = [:]
    var oldest = 0
    var newest = 0

    mutating func wait(_ channel: any Channel, of client: String) -> Int {
      newest += 1
      idle[newest] = (channel, client)
      clients[client]?.idle.insert(newest)
      return newest
    }

    mutating func use(_ place: Int) -> (any Channel)? {
      guard let found = idle.removeValue(forKey: place) else { return nil }
      clients[found.client]?.idle.remove(place)
      return found.channel
    }

    /// Removes and returns the connection that has been idle longest, of all or of one client.
    mutating func surplus(of client: String?) -> (any Channel)? {
      if let client { return clients[client]?.idle.min().flatMap { use($0) } }
      while oldest < newest {
        oldest += 1
        if let channel = use(oldest) { return channel }
      }
      return nil
    }
  }

  /// Creates a limit of all connections, and one of the busy connections of a client; 0 for none.
  init(limit: Int, clientLimit: Int) {
    self.limit = limit
    busyLimit = max(limit - max(limit / 16, 1), 1)
    self.clientLimit = clientLimit > 0 ? clientLimit : .max - Self.clientSpare
  }

  /// The number of open connections.
  var count: Int { state.withLock { $0.open } }

  /// The time since the last connection closed; nil while one is open.
  var quiet: Duration? { state.withLock { $0.open == 0 ? ContinuousClock.now - $0.lastChange : nil } }

  /// Counts a client's new connection, which is idle, and makes room for it.
  ///
  /// - Returns: Its number, for ``work(_:of:)``.
  func enter(_ channel: any Channel, of client: String) -> Int {
    let (place, surplus) = state.withLock { state -> (Int, (any Channel)?) in
      state.open += 1
      state.clients[client, default: Client()].open += 1
      let hasTooMany = state.clients[client]!.open > clientLimit + Self.clientSpare
      let surplus = hasTooMany || state.open > limit ? state.surplus(of: hasTooMany ? client : nil) : nil
      return (state.wait(channel, of: client), surplus)
    }
    surplus?.close(promise: nil)
    return place
  }

  /// Removes a closed connection of the client from the count.
  func leave(_ place: Int?, of client: String) {
    state.withLock { state in
      if let place { _ = state.use(place) } else { rest(client, &state) }
      state.open -= 1
      state.lastChange = .now
      state.clients[client]?.open -= 1
      if state.clients[client]?.open == 0 { state.clients[client] = nil }
    }
  }

  /// Records that the request of a client's idle connection is in progress.
  ///
  /// - Returns: False if too many connections are busy; the connection is then still idle.
  func work(_ place: Int, of client: String) -> Bool {
    state.withLock { state in
      guard state.busy < busyLimit, let own = state.clients[client], own.busy < clientLimit else { return false }
      _ = state.use(place)
      state.busy += 1
      state.clients[client]?.busy += 1
      return true
    }
  }

  /// Records that a client's busy connection is idle again.
  ///
  /// - Returns: Its number, for ``work(_:of:)``.
  func wait(_ channel: any Channel, of client: String) -> Int {
    state.withLock { state in
      rest(client, &state)
      return state.wait(channel, of: client)
    }
  }

  /// Makes an idle connection the one that became idle last, because it has a probe.
  func renew(_ place: Int, of client: String) -> Int {
    state.withLock { state in state.use(place).map { state.wait($0, of: client) } ?? place }
  }

  private func rest(_ client: String, _ state: inout State) {
    state.busy -= 1
    state.clients[client]?.busy -= 1
  }

  /// The gate of the server's socket: it accepts a connection if there is room, also for one that is being closed.
  struct Gate: AvailableConnectionsDelegate {
    let connections: Connections

    func connectionOpened() { connections.state.withLock { $0.accepted += 1 } }
    func connectionClosed() { connections.state.withLock { $0.accepted -= 1 } }

    func isAcceptingNewConnections() -> Bool {
      connections.state.withLock { $0.accepted < 2 * connections.limit - connections.busyLimit }
    }
  }
}
