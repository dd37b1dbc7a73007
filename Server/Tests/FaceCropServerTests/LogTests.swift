import FaceCrop
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Synchronization
import Testing

@testable import FaceCropServer

@Suite struct LogTests {
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])

    var objects: [[String: Any]] {
      all.withLock { $0 }.compactMap { line in
        line.hasSuffix("\n") ? try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] : nil
      }
    }
  }

  private static func logger(_ lines: Lines, _ format: LogFormat = .json) -> Logger {
    Logger(label: "test") { label in
      LineLogHandler(label: label, format: format) { line in lines.all.withLock { $0.append(line) } }
    }
  }

  @Test func aLineIsAnObject() throws {
    let lines = Lines()
    var logger = Self.logger(lines)
    logger[metadataKey: "id"] = "a \"quoted\"\nline\u{1}"
    logger.warning(
      "said",
      metadata: [
        "number": .stringConvertible(12), "truth": .stringConvertible(true), "list": ["a", ["b": "c"]], "level": "mine",
      ])
    let object = try #require(lines.objects.first)
    #expect(lines.all.withLock { $0 }.count == 1)
    #expect(object["message"] as? String == "said" && object["level"] as? String == "warning")
    #expect(object["level_"] as? String == "mine")
    #expect(object["id"] as? String == "a \"quoted\"\nline\u{1}")
    #expect(object["number"] as? Int == 12 && object["truth"] as? Bool == true)
    let list = try #require(object["list"] as? [Any])
    #expect(list[0] as? String == "a" && list[1] as? [String: String] == ["b": "c"])
    let time = try #require(object["time"] as? String)
    let date = try Date(time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    #expect(abs(date.timeIntervalSinceNow) < 3_600)
  }

  /// A request has one line, with the request id of its response.
  @Test func aRequestIsALine() async throws {
    let lines = Lines()
    let application = Server().application(
      address: .hostname("127.0.0.1", port: 0), logger: Self.logger(lines))
    let ids = try await application.test(.live) { client in
      [try await client.avatar("32.jpg"), try await client.avatar("none.jpg")]
        .map { $0.headers[.init("X-Request-Id")!] }
    }
    let requests = lines.objects.filter { $0["message"] as? String == "request" }
    #expect(requests.count == 2)
    #expect(requests.map { $0["status"] as? Int } == [200, 400])
    #expect(requests.map { $0["path"] as? String } == ["/crop/avatar/32.jpg", "/crop/avatar/none.jpg"])
    #expect(requests[0]["faces"] as? Int == 1 && requests[1]["error"] as? String == "invalid")
    #expect(requests[0]["ms"] is Int && requests[0]["bytes_in"] as? Int == Pictures.astronaut.count)
    #expect(requests.map { $0["hb.request.id"] as? String } == ids)
    #expect(Set(ids).count == 2 && !ids.contains(nil))
    #expect(requests.map { $0["client"] as? String } == ["127.0.0.1", "127.0.0.1"])
  }

  /// Equal requests for an image of the folder or a host share a decode. They are counted, and have the same lines.
  @Test(arguments: [false, true]) func requestsThatShareADecode(isRemote: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "shared-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(Pictures.astronaut).write(to: folder.appending(path: "a.jpg"))
    let router = Router()
    router.get("a.jpg") { _, _ in ByteBuffer(bytes: Pictures.astronaut) }
    let host = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      logger: Logger(label: "host") { _ in SwiftLogNoOpLogHandler() })
    let (lines, detector) = (Lines(), GatedDetector())
    try await host.test(.live) { host in
      let port = try #require(host.port)
      let settings = Settings.patient {
        $0.folder = folder.path
        $0.hosts = ["127.0.0.1:\(port)"]
        $0.allowPrivateAddresses = true
      }
      let server = Server(settings, detector: detector)
      let application = server.application(address: .hostname("127.0.0.1", port: 0), logger: Self.logger(lines))
      try await application.test(.ahc(.http)) { client in
        let source = isRemote ? "http%3A%2F%2F127.0.0.1%3A\(port)%2Fa.jpg" : "a.jpg"
        try await withThrowingTaskGroup { group in
          for _ in 0..<5 {
            group.addTask {
              let response = try await client.execute(uri: "/crop/avatar/64.png?src=\(source)", method: .get)
              #expect(response.status == .ok)
            }
          }
          try await eventually("four joined") {
            let text = String(buffer: try await client.execute(uri: "/metrics", method: .get).body)
            return try Exposition(text).samples["facecrop_requests_shared_total"] == 4
          }
          detector.open()
          try await group.waitForAll()
        }
      }
      #expect(server.manager.statistics.decodes == 1)
    }
    let requests = lines.objects.filter { ($0["path"] as? String)?.hasPrefix("/crop") == true }
    #expect(requests.count == 5 && requests.allSatisfy { $0["cached"] == nil })
    #expect(requests.allSatisfy { $0["faces"] as? Int == 1 && $0["bytes_in"] as? Int == Pictures.astronaut.count })
  }

  @Test(arguments: [
    ("https://me:pass@a.com/b.jpg?X-Amz-Signature=abc&w=1&token", "…@a.com/b.jpg?…"),
    ("https://a.com/b.jpg", "https://a.com/b.jpg"), ("R&B/ä%.jpg", "R&B/ä%.jpg"), ("a%20b.jpg", "a%20b.jpg"),
    ("dir/a@2x.jpg", "…@2x.jpg"), ("a.jpg;b", "a.jpg;…"), ("a%20b.jpg%3Ft", "a b.jpg?…"), ("a%4", "a%4"),
  ])
  func namesShowNoSecrets(name: String, shown: String) {
    #expect(ImageName.withoutSecrets(name) == shown)
  }

  private static let secrets = [
    "https://me:SECRET@a.com/b.jpg", "https://a.com/b.jpg?token=SECRET", "https:/a.com/b.jpg?token=SECRET",
    "https:a.com/b.jpg?SECRET", "//me:SECRET@a.com/b.jpg", "me:SECRET@a.com/b.jpg", "SECRET@a.com",
    "a.com/b?token=SECRET",
    "https://a.com/b.jpg;token=SECRET", "https://a.com/b.jpg#token=SECRET", "https://a.com/b.jpg&token=SECRET",
    "https://me:SEC/RET/SECRET@a.com/b.jpg", "https://me:SEC?SECRET@a.com/b.jpg", "https://me@x:SECRET@a.com/b",
    "HTTPS:\\\\me:SECRET@a.com",
    "https://a.com/%ff%zz.jpg?token=SECRET", "https://a.com/%?token=SECRET", ".x;token=SECRET", "b.jpg/x?token=SECRET",
  ]

  private static func escaped(_ text: String, depth: Int) -> String {
    (0..<depth).reduce(text) { text, _ in PercentCoding.encoded(text) }
  }

  @Test func linesShowNoSecrets() async throws {
    let lines = Lines()
    let folder = FileManager.default.temporaryDirectory.path
    let application = Server(.patient { $0.folder = folder }).application(
      address: .hostname("127.0.0.1", port: 0), logger: Self.logger(lines))
    try await application.test(.ahc(.http)) { client in
      for secret in Self.secrets {
        // What a client may write raw in a target.
        let raw = secret.replacing("#", with: "%23").replacing("\\", with: "%5C")
        for source in (1...4).map({ Self.escaped(secret, depth: $0) }) + [raw] {
          let lower = source.replacing(/%[0-9A-F]{2}/) { String($0.output).lowercased() }
          for uri in [
            "/crop/avatar/64?src=\(source)", "/unsafe/9x9/\(source)", "/unsafe/9x9/\(lower)", "/\(source)",
            "/%\(source)",
            "/crop/avatar/64;\(lower)", "/blur&\(lower)",
          ] {
            _ = try? await client.execute(uri: uri, method: .get)
          }
        }
      }
    }
    let all = lines.all.withLock { $0 }
    #expect(all.count { $0.contains("\"GET\"") } > 400)
    for line in all where line.contains("SECRET") { Issue.record("\(line)") }
  }

  /// Deeply nested escapes cost no more than others.
  @Test(.timeLimit(.minutes(1))) func escapesOfEscapes() {
    let name = "a.jpg%" + String(repeating: "25", count: 500_000) + "3FSECRET"
    #expect(ImageName.withoutSecrets(name) == "a.jpg?…")
    #expect(ImageName.withoutSecrets("a.jpg%2%35%33%46SECRET") == "a.jpg?…")
  }

  /// The line has the image from the query, and the proxy's request id.
  @Test func aLineNamesTheImageAndTheProxysId() async throws {
    let lines = Lines()
    let name = try #require(HTTPField.Name("X-Request-Id"))
    let application = Server(.patient { $0.folder = "/" }).application(
      address: .hostname("127.0.0.1", port: 0), logger: Self.logger(lines))
    try await application.test(.live) { client in
      for id in ["abc-1.2:3_4", "two\u{20}words", String(repeating: "x", count: 129)] {
        let response = try await client.execute(
          uri: "/crop/avatar/64?src=none/a.jpg", method: .get, headers: [name: id])
        #expect((response.headers[name] == id) == (id == "abc-1.2:3_4"))
      }
    }
    let requests = lines.objects.filter { $0["message"] as? String == "request" }
    #expect(requests.map { $0["image"] as? String } == ["none/a.jpg", "none/a.jpg", "none/a.jpg"])
    #expect(requests[0]["hb.request.id"] as? String == "abc-1.2:3_4")
  }

  /// No name of an image adds a line or a field to the text log.
  @Test(arguments: [
    (
      "x%0A2026-11-28T00:00:00%2B0000%20info%20fake%20status=200",
      #"image="x\n2026-11-28T00:00:00+0000 info fake status=200""#
    ),
    ("a%20b%20status=200", #"image="a b status=200""#), ("x%1b%5b31m", #"image="x\u{1B}[31m""#),
    ("x%22%20status=200%20%5C", #"image="x\" status=200 \\""#), ("x%C2%85y%E2%80%A8z", #"image="x\u{85}y\u{2028}z""#),
    ("x%C2%A0status=200", "image=\"x\u{A0}status=200\""), ("plain/n%C3%A4me%3Da.jpg", "image=plain/näme=a.jpg"),
    ("https%3A%2F%2Fh%0Ax%2Fa.jpg", #"image="https://h\nx/a.jpg""#),
  ])
  func textLinesCannotBeForged(source: String, shown: String) async throws {
    let lines = Lines()
    let application = Server(.patient { $0.folder = "/none" }).application(
      address: .hostname("127.0.0.1", port: 0), logger: Self.logger(lines, .text))
    try await application.test(.live) { client in
      _ = try await client.execute(uri: "/crop/avatar/64?src=\(source)", method: .get)
    }
    let requests = lines.all.withLock { $0 }.filter { $0.hasSuffix("] request\n") }
    let line = try #require(requests.first)
    #expect(requests.count == 1 && line.contains(" \(shown) method=GET "), "\(line)")
    #expect(!line.dropLast().unicodeScalars.contains { DisplayText.steers($0) })
    #expect(line.contains(" info test: ") && line.contains(" status="))
  }

  @Test(arguments: ["x%1b%5b31m", "x%C2%9By", "x%E2%80%AEy%E2%80%A8z"])
  func jsonLinesHaveNoControlCharacters(source: String) async throws {
    let lines = Lines()
    let application = Server(.patient { $0.folder = "/none" }).application(
      address: .hostname("127.0.0.1", port: 0), logger: Self.logger(lines, .json))
    try await application.test(.live) { client in
      _ = try await client.execute(uri: "/crop/avatar/64?src=\(source)", method: .get)
    }
    let line = try #require(lines.all.withLock { $0 }.first { $0.contains("\"GET\"") })
    #expect(!line.dropLast().unicodeScalars.contains { DisplayText.steers($0) }, "\(line)")
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    #expect(object?["image"] as? String == source.removingPercentEncoding)
  }

  /// A file that no user can read, even root.
  private static let unreadable = "/proc/sys/vm/compact_memory"

  /// The client learns only that the image was not found. The log has the reason.
  @Test(arguments: [
    ("none.jpg", nil), ("none/a.jpg", nil), ("link.jpg", "'link.jpg' is a symbolic link"),
    ("way/a.jpg", "'way' is a symbolic link"), ("a.jpg/b.jpg", "'a.jpg' is not a folder"),
    ("folder", "'folder' is not a regular file"), ("pipe", "'pipe' is not a regular file"),
    (".hidden.jpg", "'.hidden.jpg' is hidden"), ("folder/../a.jpg", "'..' is hidden"), ("folder//a.jpg", "empty"),
    ("\(String(repeating: "x", count: 256)).jpg", "255 bytes"),
    ("locked", "'compact_memory' cannot be opened: Permission denied"),
  ])
  func filesThatAreNotServed(path: String, reason: String?) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder.appending(path: "folder"), withIntermediateDirectories: true)
    for name in ["a.jpg", ".hidden.jpg"] { try Data(Pictures.astronaut).write(to: folder.appending(path: name)) }
    for (link, target) in [("link.jpg", "a.jpg"), ("way", "folder")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: link).path, withDestinationPath: target)
    }
    #expect(unsafe mkfifo(folder.appending(path: "pipe").path, 0o600) == 0)
    let (root, source) = path == "locked" ? ("/proc/sys/vm", "compact_memory") : (folder.path, path)
    if path == "locked", unsafe access(Self.unreadable, F_OK) != 0 { return }
    let lines = Lines()
    let application = Server(.patient { $0.folder = root }).application(
      address: .hostname("127.0.0.1", port: 0), logger: Self.logger(lines))
    try await application.test(.live) { client in
      for uri in ["/crop/avatar/64?src=\(source)", "/blur?src=\(source)", "/unsafe/9x9/\(source)"] {
        let response = try await client.execute(uri: uri, method: .get)
        #expect(response.status == .notFound)
        #expect(
          String(buffer: response.body) == "{\"error\": \"not-found\", \"message\": \"the image was not found\"}\n")
      }
    }
    let requests = lines.objects.filter { $0["message"] as? String == "request" }
    #expect(requests.map { $0["error"] as? String } == ["not-found", "not-found", "not-found"])
    for request in requests {
      let found = request["reason"] as? String
      #expect(reason.map { found?.contains($0) == true } ?? (found == nil), "\(found ?? "none")")
    }
  }

  /// The lines of a reader that stalls wait up to a bound.
  @Test func linesBeyondTheBoundAreDropped() {
    let (gate, lines) = (DispatchSemaphore(value: 0), Lines())
    let queue = LogQueue { line in
      gate.wait()
      lines.all.withLock { $0.append(line) }
    }
    let line = String(repeating: "x", count: LogQueue.most / 4)
    for _ in 0..<10 { queue.write(line) }
    #expect(queue.dropped == 6)
    for _ in 0..<5 { gate.signal() }
    queue.flush()
    queue.write("the next line")
    queue.flush()
    #expect(lines.all.withLock { $0.count } == 5 && queue.dropped == 6)
  }

  /// Every error response has its word in the log.
  @Test func refusedMethodsAreErrors() async throws {
    let lines = Lines()
    let application = Server().application(address: .hostname("127.0.0.1", port: 0), logger: Self.logger(lines))
    try await application.test(.live) { client in
      for (uri, method) in [("/crop/avatar/64", HTTPRequest.Method.delete), ("/unsafe/9x9/a.jpg", .post)] {
        let response = try await client.execute(uri: uri, method: method)
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers[.allow] == (method == .post ? "GET, HEAD" : "GET, HEAD, POST, PUT"))
        #expect(String(buffer: response.body).contains("\"error\": \"method\""))
      }
    }
    let requests = lines.objects.filter { $0["message"] as? String == "request" }
    #expect(requests.map { $0["error"] as? String } == ["method", "method"])
  }
}
