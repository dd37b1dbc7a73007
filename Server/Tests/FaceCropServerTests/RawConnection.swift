import NIOCore
import NIOPosix

/// A connection with full control over its bytes.
struct RawConnection {
  private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
  private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  /// Received text that was not returned yet.
  private var rest = ""

  /// Runs `body` with a connection, and hangs up.
  static func with<Value: Sendable>(
    port: Int, _ body: (inout RawConnection) async throws -> Value
  ) async throws -> Value {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "localhost", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      var connection = RawConnection(inbound: inbound.makeAsyncIterator(), outbound: outbound)
      return try await body(&connection)
    }
  }

  private init(
    inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator, outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) {
    self.inbound = inbound
    self.outbound = outbound
  }

  func send(_ text: String) async throws {
    try await outbound.write(ByteBuffer(string: text))
  }

  func send(_ bytes: some Sequence<UInt8> & Sendable) async throws {
    try await outbound.write(ByteBuffer(bytes: bytes))
  }

  /// Sends the header of a request for an avatar.
  func sendHead(_ fields: String...) async throws {
    let lines = ["POST /crop/avatar/256.jpg HTTP/1.1", "Host: test"] + fields
    try await send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
  }

  /// Returns the next response's header in lower case, without its body, or nil if the server closed the connection.
  mutating func head() async throws -> String? {
    while true {
      if let head = takeHead() { return head }
      guard let part = try await next() else { return nil }
      rest += part
    }
  }

  /// Returns the text until the server closes the connection.
  mutating func untilClosed() async throws -> String {
    while let part = try await next() { rest += part }
    return rest
  }

  /// Returns the next bytes, of which only ASCII counts, or nil at the end. A reset counts as closing.
  private mutating func next() async throws -> String? {
    do {
      return try await inbound.next().map { String(decoding: $0.readableBytesView.map { $0 & 0x7F }, as: UTF8.self) }
    } catch is IOError {
      return nil
    }
  }

  private mutating func takeHead() -> String? {
    guard let end = rest.utf8Range(of: "\r\n\r\n") else { return nil }
    let head = String(decoding: Array(rest.utf8)[..<end.lowerBound], as: UTF8.self).lowercased()
    let length = head.split(whereSeparator: \.isNewline).first { $0.hasPrefix("content-length: ") }
      .flatMap { Int($0.dropFirst("content-length: ".count)) }
    guard rest.utf8.count >= end.upperBound + (length ?? 0) else { return nil }
    rest = String(decoding: Array(rest.utf8)[(end.upperBound + (length ?? 0))...], as: UTF8.self)
    return head
  }
}

extension String {
  /// Returns the range of the first occurrence, in bytes.
  fileprivate func utf8Range(of pattern: String) -> Range<Int>? {
    let (text, pattern) = (Array(utf8), Array(pattern.utf8))
    guard text.count >= pattern.count else { return nil }
    return (0...text.count - pattern.count)
      .first { text[$0..<$0 + pattern.count].elementsEqual(pattern) }
      .map { $0..<$0 + pattern.count }
  }
}
