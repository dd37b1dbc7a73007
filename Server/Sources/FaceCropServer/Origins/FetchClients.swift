import AsyncHTTPClient
import NIOCore
import Synchronization

/// The HTTP clients of fetches, one for each host and address, so that connections are reused. It bounds the fetches.
final class FetchClients: Sendable {
  /// A host, and the address to which its connections go.
  struct Pin: Hashable {
    var host: String
    var address: String
  }

  private struct Entry {
    let client: HTTPClient
    /// The running fetches.
    var uses = 0
    var lastUse = ContinuousClock.now
  }

  private struct State {
    var entries: [Pin: Entry] = [:]
    /// The running fetches of each host.
    var fetches: [String: Int] = [:]
  }

  private let mostFetches: Int
  private let state = Mutex(State())
  private static let mostClients = 64

  init(mostFetches: Int) { self.mostFetches = mostFetches }

  /// Counts a fetch from a host. A host gets as many as are free for others, so that none gets all. Throws
  /// ``ServiceError/busy`` beyond that.
  func enter(_ host: String) throws(ServiceError) {
    let hasEntered = state.withLock { state in
      let own = state.fetches[host, default: 0]
      guard own < mostFetches - state.fetches.values.reduce(0, +) else { return false }
      state.fetches[host] = own + 1
      return true
    }
    guard hasEntered else { throw .busy }
  }

  func leave(_ host: String) {
    state.withLock { state in
      let left = state.fetches[host, default: 1] - 1
      state.fetches[host] = left > 0 ? left : nil
    }
  }

  /// Returns the client of a pin until it is given back. Of many clients, idle ones that were used longest ago end.
  func take(_ pin: Pin) -> HTTPClient {
    let (client, old) = state.withLock { state -> (HTTPClient, [HTTPClient]) in
      var old: [HTTPClient] = []
      if state.entries[pin] == nil {
        let idle = state.entries.filter { $0.value.uses == 0 }.sorted { $0.value.lastUse < $1.value.lastUse }
        old = idle.prefix(max(state.entries.count + 1 - Self.mostClients, 0)).map { entry in
          state.entries[entry.key] = nil
          return entry.value.client
        }
      }
      state.entries[pin, default: Entry(client: makeClient(for: pin))].uses += 1
      return (state.entries[pin]!.client, old)
    }
    for client in old { Task { try? await client.shutdown() } }
    return client
  }

  func giveBack(_ pin: Pin) {
    state.withLock { state in
      state.entries[pin]?.uses -= 1
      state.entries[pin]?.lastUse = .now
    }
  }

  func shutDown() async {
    let all = state.withLock { exchange(&$0.entries, with: [:]) }
    for entry in all.values { try? await entry.client.shutdown() }
  }

  private func makeClient(for pin: Pin) -> HTTPClient {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.dnsOverride = [pin.host: pin.address]
    // No request is sent to another address, even if the client reads the host in another way.
    configuration.http1_1ConnectionDebugInitializer = { channel in
      let found = channel.remoteAddress?.ipAddress
      return found == String(pin.address.prefix { $0 != "%" })
        ? channel.eventLoop.makeSucceededVoidFuture()
        : channel.eventLoop.makeFailedFuture(ServiceError.forbidden("the image's host has another address"))
    }
    configuration.timeout.connect = .seconds(5)
    configuration.timeout.read = .seconds(10)
    configuration.httpVersion = .http1Only
    // Otherwise slow images of a host hold its others.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = mostFetches
    configuration.connectionPool.idleTimeout = .seconds(10)
    // Otherwise the client connects again until the timeout, whose error hides the cause.
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }
}
