import Foundation
import Testing

@testable import FaceCropServer

/// The real server, from its start to its end.
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

  /// Each connection gets its response with the notice to leave; none is cut off.
  @Test func connectionsThatAreKeptLoseNoRequest() async throws {
    let server = try Server("--port", "0", "--unsafe", "--uploads", "--drain-time", "60", "--idle-timeout", "300")
    defer { server.process.terminate() }
    let port = try await server.port()
    let ask = "GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n"
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask {
          try await RawConnection.with(port: port) { connection in
            var answers = 0
            while true {
              try await connection.send(ask)
              let head = try #require(try await connection.head())
              answers += 1
              if answers == 1 { server.process.terminate() }
              if head.contains("connection: close") { break }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try await eventually("it ends as soon as they are gone") { !server.process.isRunning }
    #expect(server.process.terminationStatus == 0)
  }

  /// The last part of a response waits for a slow reader. Closing would cut it off.
  @Test func aSlowReaderGetsItsWholeResponse() async throws {
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
    let server = try Server(
      "--port", "0", "--unsafe", "--folder", folder + "/Tests/Fixtures", "--drain-time", "0.1", "--deadline", "300",
      "--idle-timeout", "300")
    defer { server.process.terminate() }
    let port = try await server.port()
    try await RawConnection.with(port: port) { connection in
      try await connection.send(
        "GET /unsafe/4000x4000/filters:format(png)/astronaut.jpg HTTP/1.1\r\nHost: a\r\n\r\n")
      try await eventually("it is sent") { server.log.contains("status=200") }
      server.process.terminate()
      try await eventually("no one else is let in") { (try? await RawConnection.with(port: port) { _ in }) == nil }
      try await Task.sleep(for: .seconds(1))
      let answer = try await connection.untilClosed()
      let length = answer.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) }
      let head = try #require(answer.firstRange(of: "\r\n\r\n"))
      #expect(try answer[head.upperBound...].utf8.count == #require(length))
    }
    try await eventually("it ends") { !server.process.isRunning }
    #expect(server.process.terminationStatus == 0)
  }

  /// A connection that the system has accepted gets its response. Later ones are refused.
  @Test func noConnectionIsResetAtTheEnd() async throws {
    let server = try Server("--port", "0", "--unsafe", "--drain-time", "1")
    defer { server.process.terminate() }
    let port = try await server.port()
    let lost = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<16 {
        group.addTask {
          var lost = 0
          while true {
            do {
              try await RawConnection.with(port: port) { connection in
                try? await connection.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
                if try await connection.head() == nil { lost += 1 }
              }
            } catch {
              return lost
            }
          }
        }
      }
      try await Task.sleep(for: .milliseconds(500))
      server.process.terminate()
      return try await group.reduce(0, +)
    }
    #expect(lost == 0)
    try await eventually("it ends") { !server.process.isRunning }
  }

  /// Requests and the end do not wait for the log. Lines beyond the bound are counted.
  @Test func aLogThatNobodyReadsStopsNothing() async throws {
    let log = Pipe()
    let server = try Server(["--port", "0", "--unsafe", "--uploads", "--drain-time", "0.1"], log: log)
    defer { server.process.terminate() }
    var text = ""
    while !text.contains("listening on") {
      text += String(decoding: log.fileHandleForReading.availableData, as: UTF8.self)
    }
    let port = try #require(text.firstMatch(of: /listening on 127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) })
    let metrics = try await RawConnection.with(port: port) { connection in
      for _ in 0..<100 {
        try await connection.send("GET /\(String(repeating: "x", count: 15_000))/a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await connection.head()?.hasPrefix("http/1.1 404") == true)
      }
      try await connection.send("GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      return try await connection.untilClosed()
    }
    let dropped = metrics.firstMatch(of: /facecrop_log_dropped_total (\d+)/).flatMap { Int($0.1) }
    #expect(dropped ?? 0 > 0)
    server.process.terminate()
    try await eventually("it ends") { !server.process.isRunning }
    #expect(server.process.terminationStatus == 0)
  }

  @Test func keysAreReadAgain() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID()).yaml")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("uploads: true\nport: 0\nsigning-key: the first of two keys\n".utf8).write(to: file)
    let server = try Server("--config", file.path)
    defer { server.process.terminate() }
    let port = try await server.port()
    func answer() async throws -> String {
      try await RawConnection.with(port: port) { connection in
        try await connection.send("GET /crop/avatar/64?src=a.jpg HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
        return try await connection.untilClosed()
      }
    }
    #expect(try await answer().contains("no images from a folder") == false)
    for (text, word) in [
      ("unsafe: maybe\n", "not taken"), ("signing-key: the second of two keys\nport: 0\nport: 0\n", "line 3"),
      ("unsafe: true\nfolder: /etc\n", "restart"),
    ] {
      try Data(text.utf8).write(to: file)
      kill(server.process.processIdentifier, SIGHUP)
      try await eventually("it was read") { server.log.contains(word) }
    }
    #expect(!server.log.contains("of two keys"), "the log shows no key")
    // It needs no signature any more; the folder is unchanged until a restart.
    #expect(try await answer().contains("no images from a folder"))
    #expect(server.process.isRunning)
  }

  /// A preloaded libfaketime sets variables in this way.
  @Test func argumentsAreFoundBesideAnotherEnvironment() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "preloaded-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "set.c")
    try Data(
      "#include <stdlib.h>\n__attribute__((constructor)) static void set(void) { setenv(\"NEW\", \"1\", 1); }\n".utf8
    )
    .write(to: source)
    let library = folder.appending(path: "libset.so")
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = ["cc", "-shared", "-fPIC", "-o", library.path, source.path]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
    let server = try Server(["--port", "70000000"], environment: ["LD_PRELOAD": library.path])
    try await eventually("it ends") { !server.process.isRunning }
    #expect(server.process.terminationStatus == 64 && server.log.contains("70000000"))
  }

  @Test func anAddressThatIsTakenIsNamed() async throws {
    let first = try Server("--port", "0", "--unsafe")
    defer { first.process.terminate() }
    let port = try await first.port()
    let second = try Server("--port", "\(port)", "--unsafe")
    try await eventually("it ends") { !second.process.isRunning }
    #expect(second.process.terminationStatus == 1)
    #expect(second.log.contains("127.0.0.1:\(port): "))
  }

  @Test(arguments: [
    (["--unsafe", "--folder", "/"], 0), (["--folder", "/"], 64), (["--unsafe", "--folder", "/nowhere"], 64),
  ])
  func checkSaysWhetherImagesCanBeServed(options: [String], status: Int) async throws {
    let server = try Server(options + ["--check"])
    try await eventually("it ends") { !server.process.isRunning }
    #expect(Int(server.process.terminationStatus) == status)
    #expect(server.log.contains("cache-size: 1024MiB\n"))
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
  private let logFile = LogFile()

  /// A file that is removed with its server.
  private final class LogFile: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "facecrop-server-\(UUID()).log")

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  init(_ options: String...) throws {
    try self.init(options)
  }

  /// Starts the server. Its log goes to a file, or to a pipe.
  init(_ options: [String], environment: [String: String] = [:], log: Pipe? = nil) throws {
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "facecrop-server")
    process.arguments = options
    try Data().write(to: logFile.url)
    process.standardError = try log ?? FileHandle(forWritingTo: logFile.url) as Any
    process.standardOutput = process.standardError
    try process.run()
  }

  var log: String { (try? String(contentsOf: logFile.url, encoding: .utf8)) ?? "" }

  /// Returns the port in the server's message.
  func port() async throws -> Int {
    var port: Int?
    try await eventually("it listens") {
      port = log.firstMatch(of: /listening on 127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) }
      return port != nil
    }
    return try #require(port)
  }
}
