import Foundation
import Testing

@testable import FaceCropServer

/// The server itself, as it is started.
@Suite(.timeLimit(.minutes(5))) struct ShutdownTests {
  @Test func aRequestThatRunsIsFinishedBeforeTheServerEnds() async throws {
    let server = try Server("--port", "0", "--unsafe", "--body-timeout", "300", "--idle-timeout", "300")
    defer { server.process.terminate() }
    let port = try await server.port()
    let body = Pictures.astronaut
    try await RawConnection.with(port: port) { connection in
      try await connection.sendHead("Content-Length: \(body.count)")
      try await connection.send(body.prefix(1_000))
      try await eventually("it arrives") {
        let metrics = try await RawConnection.with(port: port) { other in
          try await other.send("GET /metrics HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
          return try await other.untilClosed()
        }
        return metrics.contains("facecrop_body_bytes 1000\n")
      }
      server.process.terminate()
      try await eventually("no one else is let in") {
        do {
          try await RawConnection.with(port: port) { _ in }
          return false
        } catch {
          return true
        }
      }
      #expect(server.process.isRunning)
      try await connection.send(body.dropFirst(1_000))
      #expect(try #require(try await connection.head()).hasPrefix("http/1.1 200"))
      _ = try await connection.untilClosed()
    }
    try await eventually("it ends") { !server.process.isRunning }
    #expect(server.process.terminationReason == .exit)
    #expect(server.process.terminationStatus == 0)
    #expect(server.log.contains("status=200") && server.log.contains("faces=1"))
  }

  @Test(arguments: [["--port", "70000000"], ["--memory", "0"], ["--deadline", "never"]])
  func wrongOptionsAreRefused(options: [String]) async throws {
    let server = try Server(options)
    try await eventually("it ends") { !server.process.isRunning }
    #expect(server.process.terminationStatus == 64)
  }
}

private struct Server {
  let process = Process()
  private let logFile = FileManager.default.temporaryDirectory.appending(path: "avatar-service-\(UUID()).log")

  init(_ options: String...) throws {
    try self.init(options)
  }

  init(_ options: [String]) throws {
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "facecrop-server")
    process.arguments = options
    try Data().write(to: logFile)
    process.standardError = try FileHandle(forWritingTo: logFile)
    process.standardOutput = process.standardError
    try process.run()
  }

  var log: String { (try? String(contentsOf: logFile, encoding: .utf8)) ?? "" }

  /// What it says that it listens on.
  func port() async throws -> Int {
    var port: Int?
    try await eventually("it listens") {
      port = log.firstMatch(of: /listening on 127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) }
      return port != nil
    }
    return try #require(port)
  }
}
