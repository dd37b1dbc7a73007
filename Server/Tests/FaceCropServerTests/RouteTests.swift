import FaceCrop
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import FaceCropServer

/// Every status and its response, over sockets.
@Suite(.timeLimit(.minutes(5))) struct RouteTests {
  private struct ErrorBody: Decodable, Equatable {
    var error: String
    var message: String
  }

  private func kind(_ response: TestResponse) throws -> String {
    #expect(response.headers[.contentType] == "application/json")
    let body = try JSONDecoder().decode(ErrorBody.self, from: Data(buffer: response.body))
    #expect(!body.message.isEmpty)
    return body.error
  }

  @Test(arguments: [
    ("200.jpg", 200, ImageFormat.jpeg, "image/jpeg"), ("16", 16, .jpeg, "image/jpeg"),
    ("128.png", 128, .png, "image/png"), ("100.webp?shape=circle", 100, .webp, "image/webp"),
  ])
  func avatar(file: String, size: Int, format: ImageFormat, mediaType: String) async throws {
    try await Server().application.test(.live) { client in
      let response = try await client.avatar(file)
      #expect(response.status == .ok)
      #expect(response.headers[.contentType] == mediaType)
      let info = try await FaceCropper().info(of: .bytes(Array(buffer: response.body)))
      #expect(info.format == format)
      #expect(info.size == PixelSize(width: size, height: size))
      #expect(info.hasTransparency == file.contains("circle"))
    }
  }

  /// The face fills about half of the avatar's height.
  @Test func theAvatarShowsTheFace() async throws {
    try await Server().application.test(.live) { client in
      let response = try await client.avatar("200.jpg")
      let plan = try await FaceCropper().plan(for: .bytes(Array(buffer: response.body)))
      let face = try #require(plan.faces.first)
      #expect(abs(face.box.height - Framing.avatar.faceRatio) < 0.1)
    }
  }

  @Test func aSmallPictureGivesASmallAvatar() async throws {
    try await Server().application.test(.live) { client in
      let response = try await client.avatar("1024.jpg")
      let info = try await FaceCropper().info(of: .bytes(Array(buffer: response.body)))
      #expect(info.size.width == info.size.height && (100..<512).contains(info.size.width))
    }
  }

  @Test(arguments: [
    "0.jpg", "1000000.jpg", "large.jpg", ".jpg", "", "64.bmp", "64.jpg?animation=keep", "64.png?shape=star",
    "64?shape=circle",
    "64.jpg?shape=circle", "64.jpg?deadline=20", "64.jpg?size=256", "64.jpg?src=a.jpg",
  ])
  func badURLsAre400(file: String) async throws {
    try await Server().application.test(.live) { client in
      let response = try await client.avatar(file)
      #expect(response.status == .badRequest)
      #expect(try kind(response) == "invalid")
    }
  }

  @Test(arguments: [Array("no picture".utf8), (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 73) }])
  func garbageIs415(body: [UInt8]) async throws {
    try await Server().application.test(.live) { client in
      let response = try await client.avatar("256.jpg", body)
      #expect(response.status == .unsupportedMediaType)
      #expect(try kind(response) == "unsupported")
    }
  }

  @Test func anEmptyBodyIs422() async throws {
    try await Server().application.test(.live) { client in
      let response = try await client.avatar("256.jpg", [])
      #expect(response.status == .unprocessableContent)
      #expect(try kind(response) == "corrupt")
    }
  }

  @Test func aPictureWithoutAFaceIs422() async throws {
    let faceless = try await Pictures.faceless()
    try await Server().application.test(.live) { client in
      let response = try await client.avatar("256.jpg?no-face=fail", faceless)
      #expect(response.status == .unprocessableContent)
      #expect(try kind(response) == "no-face")
    }
  }

  @Test func aDamagedPictureIs422() async throws {
    try await Server().application.test(.live) { client in
      let response = try await client.avatar("256.jpg", Array(Pictures.astronaut.prefix(Pictures.astronaut.count / 2)))
      #expect(response.status == .unprocessableContent)
      #expect(["truncated", "corrupt"].contains(try kind(response)))
    }
  }

  @Test func tooManyPixelsAre422() async throws {
    try await Server(.patient { $0.pixels = 512 * 512 - 1 }).application.test(.live) { client in
      let response = try await client.avatar()
      #expect(response.status == .unprocessableContent)
      #expect(try kind(response) == "limit")
    }
  }

  @Test func imagesBeyondTheMemoryAre422() async throws {
    try await Server(.patient { $0.memory = 1_000 }).application.test(.live) { client in
      let response = try await client.avatar()
      #expect(response.status == .unprocessableContent)
      #expect(try kind(response) == "limit")
    }
  }

  @Test func anAnnouncedBodyOverTheLimitIs413() async throws {
    let service = Server(.patient { $0.bodyLimit = Pictures.astronaut.count - 1 })
    try await service.application.test(.live) { client in
      let response = try await client.avatar()
      #expect(response.status == .contentTooLarge)
      #expect(response.headers[.connection] == "close")
      #expect(try kind(response) == "too-large")
    }
    try await Server(.patient { $0.bodyLimit = Pictures.astronaut.count }).application.test(.live) {
      try await $0.expect(.ok)
    }
  }

  @Test func aFullQueueIs429AndHealthIsNotBehindIt() async throws {
    let detector = GatedDetector()
    let limits = Settings.patient {
      $0.concurrency = 1
      $0.waiting = 1
    }
    let service = Server(limits, detector: detector)
    try await service.application.test(.ahc(.http)) { client in
      try await withThrowingTaskGroup { group in
        group.addTask { try await client.expect(.ok, "100.jpg") }
        try await eventually("one runs") { service.manager.statistics.running == 1 }
        group.addTask { try await client.expect(.ok, "101.jpg") }
        try await eventually("one waits") { service.manager.statistics.waiting == 1 }
        let refused = try await client.avatar("102.jpg")
        #expect(refused.status == .tooManyRequests)
        #expect(refused.headers[.retryAfter] == "1")
        #expect(try kind(refused) == "overloaded")
        #expect(try await client.execute(uri: "/health", method: .get).status == .ok)
        let metrics = try await client.execute(uri: "/metrics", method: .get)
        let samples = try Exposition(String(buffer: metrics.body)).samples
        #expect(samples["facecrop_queue_waiting"] == 1)
        #expect(samples["facecrop_decodes_running"] == 1)
        #expect(samples["facecrop_requests_in_flight"] == 3)
        #expect(samples["facecrop_reserved_bytes", default: 0] > 0)
        #expect(samples["facecrop_body_bytes"] == Double(2 * Pictures.astronaut.count))
        detector.open()
        try await group.waitForAll()
      }
    }
    #expect(service.isIdle)
  }

  /// A body that does not fit beside another one may be sent again.
  @Test func bodiesThatDoNotFitIntoMemoryAre429() async throws {
    let detector = GatedDetector()
    defer { detector.open() }
    let service = Server(.patient { $0.bodyMemory = Pictures.astronaut.count + 1 }, detector: detector)
    try await service.application.test(.live) { client in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await client.expect(.ok) }
        try await eventually("the first body is held") { service.bodies.held == Pictures.astronaut.count }
        let second = try await RawConnection.with(port: try #require(client.port)) { connection in
          try await connection.sendHead("Content-Length: \(Pictures.astronaut.count)")
          try await connection.send(String(repeating: "x", count: Pictures.astronaut.count))
          return try await connection.head() ?? ""
        }
        #expect(second.hasPrefix("http/1.1 429") && second.contains("retry-after: 1"), "\(second)")
        detector.open()
        try await group.waitForAll()
      }
      #expect(service.bodies.held == 0)
    }
  }

  /// A file that can never fit is refused for good, and the message names the setting.
  @Test func bodiesOverTheWholeMemoryAre413() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "large-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(Pictures.astronaut).write(to: folder.appending(path: "a.jpg"))
    let service = Server(
      .patient {
        $0.bodyMemory = Pictures.astronaut.count - 1
        $0.folder = folder.path
      })
    try await service.application.test(.live) { client in
      let file = try await client.execute(uri: "/crop/avatar/64.jpg?src=a.jpg", method: .get)
      let port = try #require(client.port)
      for header in ["Content-Length: \(Pictures.astronaut.count)", "Transfer-Encoding: chunked"] {
        let response = try await RawConnection.with(port: port) { connection in
          try await connection.send("POST /crop/avatar/64.jpg HTTP/1.1\r\nHost: a\r\n\(header)\r\n\r\n")
          if header.hasSuffix("chunked") {
            let count = Pictures.astronaut.count
            try await connection.send(String(count, radix: 16) + "\r\n" + String(repeating: "x", count: count))
          }
          return try await connection.head() ?? ""
        }
        #expect(response.hasPrefix("http/1.1 413") && !response.contains("retry-after"), "\(response)")
      }
      #expect(file.status == .contentTooLarge && file.headers[.retryAfter] == nil)
      #expect(try kind(file) == "too-large" && String(buffer: file.body).contains("the setting body-memory"))
      #expect(service.bodies.held == 0)
    }
  }

  @Test func theDeadlineIs504() async throws {
    let detector = GatedDetector()
    defer { detector.open() }
    let limits = Settings.patient { $0.deadline = .milliseconds(200) }
    try await Server(limits, detector: detector).application.test(.live) { client in
      let response = try await client.avatar()
      #expect(response.status == .gatewayTimeout)
      #expect(try kind(response) == "deadline")
    }
  }

  @Test func theDeadlineStopsTheDecode() async throws {
    let detector = GatedDetector()
    let service = Server(.patient { $0.deadline = .milliseconds(200) }, detector: detector)
    try await service.application.test(.live) { client in
      try await client.expect(.gatewayTimeout)
      detector.open()
      try await eventually("it has ended") { service.isIdle }
    }
  }

  /// As many decodes run at once as would block all event loops and the whole cooperative pool.
  @Test func decodesLeaveTheEventLoopsFree() async throws {
    let many = ProcessInfo.processInfo.activeProcessorCount
    let detector = GatedDetector()
    let service = Server(.patient { $0.concurrency = many }, detector: detector)
    try await service.application.test(.ahc(.http)) { client in
      try await withThrowingTaskGroup { group in
        for size in 64..<64 + many {
          group.addTask { try await client.expect(.ok, "\(size).jpg", Pictures.astronaut(and: size)) }
        }
        try await eventually("all look") { detector.callCount == many }
        for _ in 0..<many { #expect(try await client.execute(uri: "/health", method: .get).status == .ok) }
        detector.open()
        try await group.waitForAll()
      }
    }
  }

  @Test func equalRequestsShareADecode() async throws {
    let detector = GatedDetector()
    let service = Server(detector: detector)
    try await service.application.test(.ahc(.http)) { client in
      try await withThrowingTaskGroup { group in
        for _ in 0..<5 { group.addTask { try await client.expect(.ok) } }
        try await eventually("five came") { service.manager.statistics.requests == 5 }
        detector.open()
        try await group.waitForAll()
      }
    }
    #expect(service.manager.statistics.decodes == 1)
    #expect(service.manager.statistics.shared == 4)
  }

  @Test func anotherSizeOfAPictureNeedsNoSecondLook() async throws {
    let service = Server()
    try await service.application.test(.live) { client in
      for size in [64, 128] { try await client.expect(.ok, "\(size).jpg") }
    }
    #expect(service.manager.statistics.detections == 1)
    #expect(service.manager.statistics.decodes == 2)
  }

  @Test func otherPathsAre404() async throws {
    try await Server().application.test(.live) { client in
      let response = try await client.execute(uri: "/", method: .get)
      #expect(response.status == .notFound)
      #expect(try kind(response) == "not-found")
    }
  }

  /// A URL whose query lacks its question mark is refused for that, not for its method or path.
  @Test(arguments: [HTTPRequest.Method.get, .post, .put])
  func aMissingQuestionMarkIsNamed(method: HTTPRequest.Method) async throws {
    let settings = Settings.patient {
      $0.unsafe = false
      $0.signingKeys = ["a key of sixteen or more"]
    }
    try await Server(settings).application.test(.ahc(.http)) { client in
      for path in ["/blur", "/meta/blur", "/crop/avatar/64.webp", "/meta/avatar/64"] {
        let response = try await client.execute(uri: "\(path)&sig=abc", method: method)
        #expect(response.status == .forbidden)
        #expect(String(buffer: response.body).contains("no '?' before '&sig='"), "\(path)")
      }
    }
  }

  /// Programs can read the lists without asking whether they exist.
  @Test(arguments: ["/meta/avatar/64", "/meta/blur", "/meta/avatar/64?no-face=center"])
  func warningsAreAlwaysAList(path: String) async throws {
    try await Server().application.test(.live) { client in
      let isFaceless = path.contains("no-face")
      let image = isFaceless ? try await Pictures.faceless() : Pictures.astronaut
      let response = try await client.execute(uri: path, method: .post, body: ByteBuffer(bytes: image))
      let object = try #require(
        JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any])
      let warnings = try #require(object["warnings"] as? [String])
      #expect(warnings.isEmpty == !isFaceless)
      if !path.contains("blur") {
        #expect(object["chosen"] as? [Int] == (isFaceless ? [] : [0]))
        #expect(object["facesAreComplete"] as? Bool != nil)
        #expect(object["origin"] as? String == (isFaceless ? "center" : "face"))
      }
    }
  }

  /// The server is ready while it can serve images.
  @Test func readinessFollowsTheFolder() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ready-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try await Server(.patient { $0.folder = folder }).application.test(.live) { client in
      func status() async throws -> HTTPResponse.Status {
        try await client.execute(uri: "/health/ready", method: .get).status
      }
      #expect(try await status() == .ok)
      try FileManager.default.removeItem(atPath: folder)
      let response = try await client.execute(uri: "/health/ready", method: .get)
      #expect(response.status == .serviceUnavailable)
      // Everybody can read it.
      #expect(!String(buffer: response.body).contains(folder))
      #expect(try await client.execute(uri: "/health", method: .get).status == .ok)
    }
    try await Server(.patient { $0.unsafe = false }).application.test(.live) { client in
      let response = try await client.execute(uri: "/health/ready", method: .get)
      #expect(response.status == .serviceUnavailable)
    }
  }

  @Test func metrics() async throws {
    let service = Server()
    try await service.application.test(.live) { client in
      _ = try await client.avatar()
      _ = try await client.avatar("64.jpg")
      _ = try await client.avatar("256.jpg", Array("garbage".utf8))
      _ = try await client.execute(uri: "/metrics", method: .get)
      let response = try await client.execute(uri: "/metrics", method: .get)
      #expect(response.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
      let exposition = try Exposition(String(buffer: response.body))
      #expect(exposition.samples[#"facecrop_requests_total{route="/crop/**",status="200"}"#] == 2)
      #expect(exposition.samples[#"facecrop_requests_total{route="/crop/**",status="415"}"#] == 1)
      #expect(exposition.samples[#"facecrop_request_duration_seconds_count{route="/crop/**"}"#] == 3)
      #expect(exposition.samples["facecrop_requests_in_flight"] == 1)
      #expect(exposition.samples["facecrop_decodes_total"] == 2)
      #expect(exposition.samples["facecrop_looks_total"] == 1)
      #expect(exposition.samples["facecrop_decodes_cancelled_total"] == 0)
      #expect(exposition.samples["facecrop_connections"] == 1)
      #expect(exposition.samples["process_open_fds", default: 0] > 3)
      #expect(exposition.samples[#"facecrop_build_info{version="\#(ServerCommand.configuration.version)"}"#] == 1)
      #expect(exposition.samples["process_resident_memory_bytes", default: 0] > 1e6)
      #expect(Set(exposition.types.keys) == Set(ServiceMetrics.help.keys), "each has its help, and each is there")
      #expect(Set(exposition.help.keys) == Set(exposition.types.keys))
    }
  }
}
