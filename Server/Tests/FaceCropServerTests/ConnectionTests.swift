import FaceCrop
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@testable import FaceCropServer

/// Connections and their clients' behavior.
@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
  private let body = Pictures.astronaut

  @Test func aClientThatHangsUpEndsItsDecode() async throws {
    let detector = GatedDetector()
    let service = Server(detector: detector)
    try await service.application.test(.live) { client in
      try await RawConnection.with(port: client.port!) { connection in
        try await connection.sendHead("Content-Length: \(body.count)")
        try await connection.send(body)
        try await eventually("the look began") { detector.callCount == 1 }
      }
      // The server notices even while the detector runs.
      try await eventually("counted") { try await status(499, client) == 1 }
      #expect(service.bodies.held == 0)
      detector.open()
      try await eventually("stopped") { service.manager.statistics.cancelledDecodes == 1 && service.isIdle }
    }
  }

  @Test func aClientThatHangsUpWhileItWaitsIsNotDecoded() async throws {
    let detector = GatedDetector()
    let service = Server(.patient { $0.concurrency = 1 }, detector: detector)
    try await service.application.test(.ahc(.http)) { client in
      async let first = client.avatar("64.jpg")
      try await eventually("the look began") { detector.callCount == 1 }
      try await RawConnection.with(port: client.port!) { connection in
        try await connection.sendHead("Content-Length: \(body.count)")
        try await connection.send(body)
        try await eventually("it waits") { service.manager.statistics.waiting == 1 }
      }
      try await eventually("it waits no more") { service.manager.statistics.waiting == 0 }
      detector.open()
      #expect(try await first.status == .ok)
      #expect(service.manager.statistics.decodes == 1)
    }
  }

  @Test func aClientThatHangsUpInItsBodyLeavesNothing() async throws {
    let service = Server()
    try await service.application.test(.live) { client in
      for head in ["Content-Length: \(body.count)", "Transfer-Encoding: chunked"] {
        try await RawConnection.with(port: client.port!) { connection in
          try await connection.sendHead(head)
          if head.hasPrefix("Transfer") { try await connection.send("4000\r\n") }
          try await connection.send(body.prefix(10_000))
          try await eventually("it arrives") { service.bodies.held > 0 }
        }
        try await eventually("given back") { service.isIdle }
      }
      try await eventually("counted") { try await status(499, client) == 2 }
      #expect(service.manager.statistics.requests == 0)
    }
  }

  @Test func aBodyThatGrowsOverTheLimitIs413() async throws {
    let service = Server(.patient { $0.bodyLimit = 100_000 })
    try await service.application.test(.live) { client in
      try await RawConnection.with(port: client.port!) { connection in
        try await connection.sendHead("Transfer-Encoding: chunked")
        for _ in 0..<11 {
          try await connection.send(Array("2710\r\n".utf8) + Array(repeating: 1, count: 10_000) + Array("\r\n".utf8))
        }
        let head = try #require(try await connection.head())
        #expect(head.hasPrefix("http/1.1 413"))
        #expect(head.contains("connection: close"))
        // The server does not read it endlessly.
        _ = try await connection.untilClosed()
      }
      #expect(service.isIdle)
    }
  }

  @Test func aBodyOverTheLimitIsRefusedBeforeItIsSent() async throws {
    let service = Server(.patient { $0.bodyLimit = 1_000 })
    try await service.application.test(.live) { client in
      try await RawConnection.with(port: client.port!) { connection in
        try await connection.sendHead("Content-Length: 1001", "Expect: 100-continue")
        #expect(try #require(try await connection.head()).hasPrefix("http/1.1 413"))
      }
    }
  }

  @Test func aClientThatAsksFirstIsLetSend() async throws {
    try await Server().application.test(.live) { client in
      try await RawConnection.with(port: client.port!) { connection in
        try await connection.sendHead("Content-Length: \(body.count)", "Expect: 100-continue")
        #expect(try await connection.head() == "http/1.1 100 continue")
        try await connection.send(body)
        #expect(try #require(try await connection.head()).hasPrefix("http/1.1 200"))
      }
    }
  }

  @Test func aConnectionIsKeptForTheNextRequest() async throws {
    try await Server().application.test(.live) { client in
      try await RawConnection.with(port: client.port!) { connection in
        for _ in 0..<3 {
          try await connection.sendHead("Content-Length: \(body.count)")
          try await connection.send(body)
          #expect(try #require(try await connection.head()).hasPrefix("http/1.1 200"))
        }
      }
    }
  }

  /// The longest idle connection makes room; those with a request stay.
  @Test func idleConnectionsKeepNobodyOut() async throws {
    let detector = GatedDetector()
    let service = Server(.patient { $0.connections = 8 }, detector: detector)
    try await service.application.test(.live) { client in
      let port = client.port!
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { [body] in
          try await RawConnection.with(port: port) { connection in
            try await connection.sendHead("Content-Length: \(body.count)")
            try await connection.send(body)
            #expect(try #require(try await connection.head()).hasPrefix("http/1.1 200"))
          }
        }
        try await eventually("the look began") { detector.callCount == 1 }
        for _ in 0..<20 {
          group.addTask { try await RawConnection.with(port: port) { _ = try await $0.untilClosed() } }
        }
        for _ in 0..<5 {
          // A new connection may be the longest idle one while the twenty arrive.
          var head: String?
          for _ in 0..<20 where head == nil {
            head = try? await RawConnection.with(port: port) { connection in
              try await connection.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
              return try await connection.head()
            }
          }
          #expect(try #require(head).hasPrefix("http/1.1 200"))
        }
        try await eventually("the others were closed") { service.connections.count <= 8 }
        detector.open()
        try await group.next()
        group.cancelAll()
      }
    }
  }

  /// The client need not close its side.
  @Test(arguments: [("1.0", ""), ("1.0", "Connection: keep-alive\r\n"), ("1.1", "Connection: Close, x\r\n")])
  func lastRequestsEndTheConnection(version: String, field: String) async throws {
    try await Server().application.test(.live) { client in
      try await RawConnection.with(port: client.port!) { connection in
        try await connection.send("GET /health HTTP/\(version)\r\nHost: a\r\n\(field)\r\n")
        #expect(try #require(try await connection.head()).contains("connection: close"))
        _ = try await connection.untilClosed()
      }
    }
  }

  /// Clients learn that they must leave, and balancers that the server ends.
  @Test func aServerThatEndsSaysSo() async throws {
    let service = Server()
    try await service.application.test(.live) { client in
      let request = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
      try await RawConnection.with(port: client.port!) { connection in
        try await connection.send(request)
        #expect(try #require(try await connection.head()).contains("connection: close") == false)
        service.drain.begin()
        try await connection.send(request)
        #expect(try #require(try await connection.head()).contains("connection: close"))
        _ = try await connection.untilClosed()
      }
      let ready = try await client.execute(uri: "/health/ready", method: .get)
      #expect(ready.status == .serviceUnavailable && ready.headers[.retryAfter] != nil)
    }
  }

  /// The pieces arrive within the idle timeout each.
  @Test func aSlowBodyIs408() async throws {
    let service = Server(.patient { $0.bodyTimeout = .milliseconds(100) })
    try await service.application.test(.live) { client in
      try await RawConnection.with(port: client.port!) { connection in
        try await connection.sendHead("Content-Length: \(body.count)")
        try await eventually("refused") {
          // The server may close the connection before it counts the response.
          try? await connection.send([0xFF])
          return try await status(408, client) == 1
        }
        #expect(try #require(try await connection.head()).hasPrefix("http/1.1 408"))
        _ = try await connection.untilClosed()
      }
      #expect(service.isIdle)
    }
  }

  /// Neither timeout waits for the next piece, and neither counts as a client that left.
  @Test(arguments: [\Settings.bodyTimeout, \.idleTimeout] as [any WritableKeyPath<Settings, Duration> & Sendable])
  func aBodyThatStopsIs408(timeout: any WritableKeyPath<Settings, Duration> & Sendable) async throws {
    // The idle timeout must not run out before the server has the header.
    let service = Server(.patient { $0[keyPath: timeout] = .seconds(3) })
    try await service.application.test(.ahc(.http)) { client in
      for path in ["crop/avatar/256.jpg", "blur"] {
        let start = ContinuousClock.now
        try await RawConnection.with(port: client.port!) { connection in
          try await connection.send("POST /\(path)? HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nbod")
          let head = try #require(try await connection.head())
          #expect(head.hasPrefix("http/1.1 408") && head.contains("connection: close"))
          #expect(ContinuousClock.now - start > .milliseconds(2_990), "no sooner")
          _ = try await connection.untilClosed()
        }
      }
      #expect(try await (status(408, client), status(499, client)) == (1, 0))
    }
    #expect(service.isIdle)
  }

  @Test(arguments: [
    "", "POST /crop/avatar/256.jpg HTTP/1.1\r\nHost: te",
    "POST /crop/avatar/256.jpg HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nbody",
  ])
  func idleConnectionsAreClosed(sent: String) async throws {
    let service = Server(.patient { $0.idleTimeout = .milliseconds(300) })
    try await service.application.test(.ahc(.http)) { client in
      let start = ContinuousClock.now
      try await RawConnection.with(port: client.port!) { connection in
        if !sent.isEmpty { try await connection.send(sent) }
        _ = try await connection.untilClosed()
      }
      #expect(ContinuousClock.now - start > .milliseconds(290), "no sooner")
    }
    #expect(service.isIdle)
  }

  @Test func headersHaveALimit() async throws {
    try await Server().application.test(.live) { client in
      try await RawConnection.with(port: client.port!) { connection in
        try await connection.sendHead("X-Long: " + String(repeating: "x", count: 100_000))
        let answer = try await connection.untilClosed()
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 "))
      }
    }
  }

  /// After 200 clients leave at random times, nothing of them remains.
  @Test func clientsThatHangUpLeaveNothing() async throws {
    let service = Server(.patient { $0.waiting = 200 })
    try await service.application.test(.live) { client in
      let port = client.port!
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          if number >= 32 { try await group.next() }
          group.addTask {
            try await RawConnection.with(port: port) { [body] connection in
              try await connection.send(
                "POST /crop/avatar/\(16 + number).jpg HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
              try await connection.send(body.prefix(Int.random(in: 0...body.count * 2)))
              try await Task.sleep(for: .milliseconds(Int.random(in: 0...200)))
            }
          }
        }
        try await group.waitForAll()
      }
      try await eventually("all is given back") {
        let text = try await client.execute(uri: "/metrics", method: .get).body
        let inFlight = try Exposition(String(buffer: text)).samples["facecrop_requests_in_flight"]
        // The client's own.
        return try service.isIdle && inFlight == 1 && openConnections(of: port) == 1
      }
      #expect(try await client.avatar().status == .ok)
    }
  }

  /// Returns the server's open sockets, including those that the client has closed (proc(5), `tcp`).
  private func openConnections(of port: Int) throws -> Int {
    let (established, closeWait) = ("01", "08")
    let address = ":" + String(format: "%04X", port)
    // The system's address for localhost decides which table lists them.
    return try ["tcp", "tcp6"].reduce(0) { count, kind in
      let sockets = try table(kind).split(separator: "\n").dropFirst().map { $0.split(separator: " ") }
      return count
        + sockets.count { $0[1].hasSuffix(address) && ($0[3] == established || $0[3] == closeWait) }
    }
  }

  private func table(_ kind: String) throws -> String {
    guard let file = FileHandle(forReadingAtPath: "/proc/self/net/\(kind)") else { return "" }
    var table = Data()
    // The file arrives in pieces, and Foundation may take any piece for the last.
    while let piece = try file.read(upToCount: 65_536), !piece.isEmpty { table += piece }
    return String(decoding: table, as: UTF8.self)
  }
}

/// Returns how many requests for a crop got a status.
func status(_ code: Int, _ client: some TestClientProtocol) async throws -> Double {
  let text = try await client.execute(uri: "/metrics", method: .get).body
  return try Exposition(String(buffer: text))
    .samples[#"facecrop_requests_total{route="/crop/**",status="\#(code)"}"#, default: 0]
}
