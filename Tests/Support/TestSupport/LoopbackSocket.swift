import Glibc

/// A TCP socket of IPv4 on loopback; closed with its last reference.
@safe final class LoopbackSocket: Sendable {
  private let descriptor: CInt

  private init(descriptor: CInt) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Returns a socket that waits for connections, at a port that the system chose.
  static func listening() throws -> (socket: LoopbackSocket, port: UInt16) {
    let socket = try LoopbackSocket.made()
    var address = Self.address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failed = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(socket.descriptor, address, length) != 0 || listen(socket.descriptor, 16) != 0
          || getsockname(socket.descriptor, address, &length) != 0
      }
    }
    if failed { throw FixtureError("no port to listen at: error \(errno)") }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// Returns a connection to a port.
  static func connected(to port: UInt16) throws -> LoopbackSocket {
    let socket = try LoopbackSocket.made()
    var address = Self.address(port: port)
    let failed = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe connect(socket.descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) != 0
      }
    }
    if failed { throw FixtureError("no connection to port \(port): error \(errno)") }
    return socket
  }

  private static func made() throws -> LoopbackSocket {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw FixtureError("no socket: error \(errno)") }
    return LoopbackSocket(descriptor: descriptor)
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// Waits for the next connection; returns nil if the socket was shut down.
  func accepted() -> LoopbackSocket? {
    let connection = accept(descriptor, nil, nil)
    return connection < 0 ? nil : LoopbackSocket(descriptor: connection)
  }

  /// Ends all waiting for the socket, and the connection.
  func shutDown() {
    shutdown(descriptor, CInt(SHUT_RDWR))
  }

  /// Returns the received bytes, at least one; none at the connection's end.
  func received() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, count in
      count = unsafe max(recv(descriptor, buffer.baseAddress, buffer.count, 0), 0)
    }
  }

  /// Sends all bytes; returns false if the other end has gone.
  func send(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let sent = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }
}
