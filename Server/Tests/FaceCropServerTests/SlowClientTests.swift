import FaceCrop
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@testable import FaceCropServer

/// Clients that send or receive slowly, and requests that are no HTTP.
@Suite(.timeLimit(.minutes(5))) struct SlowClientTests {
  private let body = Pictures.astronaut

  /// Clients that send slowly keep out neither probes nor, with a limit for each, others. Their connections count until
  /// the response is sent.
  @Test(arguments: [(16, 0, 15), (64, 4, 4)])
  func slowBodiesKeepNobodyOut(limit: Int, each: Int, most: Int) async throws {
    let service = Server(
      .patient {
        $0.connections = limit
        $0.bodyTimeout = .seconds(60)
        $0.clientConnections = each
      })
    try await service.application.test(.ahc(.http)) { client in
      let port = client.port!
      @Sendable func head(_ request: String) async throws -> String? {
        try await RawConnection.with(port: port) { connection in
          try await connection.send("\(request) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\nx")
          return try await connection.head()
        }
      }
      try await withThrowingTaskGroup { group in
        for _ in 0..<most { group.addTask { _ = try? await head("POST /crop/avatar/64.jpg") } }
        try await eventually("they send") { service.bodies.held == most }
        for _ in 0..<30 { #expect(try await head("POST /crop/avatar/64.jpg")?.hasPrefix("http/1.1 429") == true) }
        for path in ["/health", "/health/ready", "/metrics"] {
          #expect(try await head("GET \(path)")?.hasPrefix("http/1.1 200") == true)
        }
        #expect(service.bodies.held == most)
        group.cancelAll()
        try await group.waitForAll()
      }
      try await eventually("there is room again") { try await client.avatar().status == .ok }
    }
  }

  /// A request behind a probe counts.
  @Test func pipelinesAreNoWayAround() async throws {
    let service = Server(.patient { $0.clientConnections = 1 })
    try await service.application.test(.live) { client in
      let port = client.port!
      try await RawConnection.with(port: port) { [body] first in
        try await first.sendHead("Content-Length: \(body.count)")
        try await first.send(body.prefix(1))
        try await eventually("it is received") { service.bodies.held == 1 }
        try await RawConnection.with(port: port) { second in
          let probe = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
          try await second.send(probe + probe.replacing("health", with: "blur?src=a.jpg") + probe)
          #expect(try #require(try await second.head()).hasPrefix("http/1.1 200"))
          #expect(try #require(try await second.head()).hasPrefix("http/1.1 429"))
          _ = try await second.untilClosed()
        }
      }
    }
  }

  /// The pieces arrive within the idle timeout each.
  @Test func aBodyBelowTheLeastRateIs408() async throws {
    let service = Server(
      .patient {
        $0.idleTimeout = .seconds(1)
        $0.leastRate = 10_000
      })
    try await service.application.test(.live) { client in
      // It may be closed while it sends.
      try? await RawConnection.with(port: client.port!) { connection in
        try await connection.sendHead("Content-Length: \(body.count)")
        try await eventually("refused") {
          try? await connection.send([0xFF])
          return try await status(408, client) == 1
        }
      }
      #expect(service.isIdle)
    }
  }

  /// Its memory is for others long before the time for a response is over.
  @Test func aClientThatReadsNothingIsClosed() async throws {
    let service = Server(
      .patient {
        $0.idleTimeout = .seconds(1)
        $0.answerTimeout = .seconds(300)
        $0.bodyMemory = 1 << 30
      })
    let answer = Answer(mediaType: "image/png", bytes: [UInt8](repeating: 7, count: 64 << 20))
    try await service.application(of: answer).test(.live) { client in
      try await RawConnection.with(port: client.port!) { connection in
        try await connection.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        try await eventually("it is sent") { service.bodies.held == 64 << 20 }
        try await eventually("it is given up") { service.bodies.held == 0 }
        #expect(try await connection.untilClosed().utf8.count < 64 << 20)
      }
    }
  }

  // MARK: Rules of HTTP

  @Test(arguments: [
    ("GET /health HTTP/1.1\r\n", "400"), ("GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n", "400"),
    ("GET /health HTTP/1.0\r\nHost: a\r\nHost: a\r\n", "400"), ("GET /health HTTP/1.0\r\n", "200"),
    ("GET /health HTTP/1.1\r\nHost:\r\n", "200"),
    ("POST /crop/avatar/9.jpg HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n", "400"),
    ("POST /blur? HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "400"),
    // Only HTTP/1.1 has a response before the last one.
    ("POST /blur? HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc", "415"),
  ])
  func rulesOfHTTP(request: String, status: String) async throws {
    try await Server().application.test(.live) { client in
      try await RawConnection.with(port: client.port!) { connection in
        try await connection.send(request + "\r\n")
        let head = try #require(try await connection.head())
        #expect(head.hasPrefix("http/1.1 \(status)"), "\(head)")
        if status == "400" { _ = try await connection.untilClosed() }
      }
    }
  }

  @Test func pipelinedRequestsBeforeAnInvalidOneAreAnswered() async throws {
    try await Server().application.test(.live) { client in
      try await RawConnection.with(port: client.port!) { connection in
        try await connection.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET /health HTTP/1.1\r\n\r\n")
        let answers = try await connection.untilClosed()
        #expect(answers.hasPrefix("HTTP/1.1 200 ") && answers.contains("HTTP/1.1 400 "))
      }
    }
  }
}

extension Server {
  /// Serves a response at /large.
  fileprivate func application(of answer: Answer) -> some ApplicationProtocol {
    let router = Router(context: CallContext.self)
    router.get("large") { [bodies] request, _ in
      try Response(answer, to: request, [:], bodies, "a")
    }
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return Application(
      router: router, server: .http1(configuration: http),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)), logger: logger)
  }
}
