import Glibc
import NIOCore
import ServiceLifecycle
import Synchronization

/// The time for clients to leave before the server ends. After the signal the server still responds, with `Connection:
/// close`, and is not ready. It ends early once no connection was open for a second, so that a client can open its
/// next. At the end, new connections are refused, and those that the system has accepted get their response.
final class Drain: Service {
  private static let step = Duration.milliseconds(50)
  private static let quiet = Duration.seconds(1)
  /// The time for connections that are being opened to get their response.
  private static let settling = Duration.milliseconds(500)

  private let time: Duration
  private let connections: Connections
  private let state = Mutex(false)
  private let listener = Mutex<(any Channel)?>(nil)

  /// Creates a drain of at most `time`.
  init(time: Duration, connections: Connections) {
    self.time = time
    self.connections = connections
  }

  /// Whether the server is about to end.
  var isDraining: Bool { state.withLock { $0 } }

  func begin() { state.withLock { $0 = true } }

  /// Sets the server's socket.
  func listens(on channel: any Channel) { listener.withLock { $0 = channel } }

  func run() async throws {
    try await gracefulShutdown()
    begin()
    let end = ContinuousClock.now + time
    while connections.quiet.map({ $0 < Self.quiet }) ?? true, ContinuousClock.now < end {
      try await Task.sleep(for: Self.step)
    }
    await refuseNewConnections()
    try await Task.sleep(for: Self.settling)
  }

  /// Drops the first packets of new connections. Closing the socket would also reset those that the system has accepted
  /// and the server has not. A system without this filter keeps that.
  private func refuseNewConnections() async {
    guard let channel = listener.withLock({ $0 }), let socket = channel as? any SocketOptionProvider else { return }
    // Loads the flags of TCP (RFC 9293, 3.1), and drops the packet if SYN is set (Linux, socket(7), SO_ATTACH_FILTER).
    let program: [UInt64] = [0x0000_000D_0000_0030, 0x0000_0002_0100_0045, 0x06, 0xFFFF_FFFF_0000_0006]
    let filter = UnsafeMutablePointer<UInt64>.allocate(capacity: program.count)
    defer { unsafe filter.deallocate() }
    unsafe filter.initialize(from: program, count: program.count)
    let (level, name) = (NIOBSDSocket.OptionLevel.socket, NIOBSDSocket.Option(rawValue: SO_ATTACH_FILTER))
    let option = Filter(count: UInt16(program.count), program: UInt(bitPattern: filter))
    try? await socket.unsafeSetSocketOption(level: level, name: name, value: option).get()
  }

  /// `struct sock_fprog`.
  private struct Filter: Sendable {
    let count: UInt16
    let program: UInt
  }
}
