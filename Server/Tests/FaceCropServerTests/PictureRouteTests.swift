import AsyncHTTPClient
import FaceCrop
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Synchronization
import Testing

@testable import FaceCropServer

/// Images by their URLs, over sockets.
@Suite(.timeLimit(.minutes(5))) struct PictureRouteTests {
  /// Runs `body` with a folder that has the portrait as `a.jpg` and `sub/b c.jpg`, and a file that is no image.
  private static func withFolder(
    _ change: (inout Settings) -> Void = { _ in }, _ body: (Settings, URL) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "server-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder.appending(path: "sub"), withIntermediateDirectories: true)
    for name in ["a.jpg", "sub/b c.jpg"] { try Data(Pictures.astronaut).write(to: folder.appending(path: name)) }
    try Data("no picture".utf8).write(to: folder.appending(path: "text.jpg"))
    let settings = Settings.patient {
      $0.folder = folder.path
      $0.unsafe = true
      change(&$0)
    }
    try await body(settings, folder)
  }

  private func info(_ response: TestResponse) async throws -> ImageInfo {
    try await FaceCropper().info(of: .bytes(Array(buffer: response.body)))
  }

  @Test(arguments: [
    ("/unsafe/300x400/smart/a.jpg", 300, 400, ImageFormat.jpeg),
    ("/unsafe/300x400/smart/filters:format(webp)/a.jpg", 300, 400, .webp),
    ("/unsafe/600x600/smart/a.jpg", 600, 600, .jpeg),
    ("/unsafe/600x600/smart/filters:no_upscale()/a.jpg", 512, 512, .jpeg),
    ("/unsafe/300x200/a.jpg", 300, 200, .jpeg), ("/unsafe/301x203/left/top/a.jpg", 301, 203, .jpeg),
    ("/unsafe/fit-in/300x400/a.jpg", 300, 300, .jpeg), ("/unsafe/full-fit-in/300x400/a.jpg", 400, 400, .jpeg),
    ("/unsafe/300x/smart/a.jpg", 300, 300, .jpeg), ("/unsafe/a.jpg", 512, 512, .jpeg),
    ("/unsafe/fit-in/9x9/sub/b%20c.jpg", 9, 9, .jpeg), ("/unsafe/1000x10/smart/a.jpg", 1_000, 10, .jpeg),
    ("/unsafe/10x20:310x420/a.jpg", 300, 400, .jpeg), ("/unsafe/10x20:310x420/150x/a.jpg", 150, 200, .jpeg),
    ("/unsafe/10x20:9000x420/100x100/left/a.jpg", 100, 100, .jpeg),
    ("/unsafe/0x0:200x400/adaptive-fit-in/300x200/a.jpg", 150, 300, .jpeg),
    ("/unsafe/0x0:400x200/adaptive-full-fit-in/90x300/a.jpg", 300, 150, .jpeg),
    ("/unsafe/0x0:400x200/adaptive-fit-in/90x30/a.jpg", 60, 30, .jpeg),
    ("/crop/avatar/200.png?src=a.jpg", 200, 200, .png), ("/crop/avatar/200?src=sub%2Fb%20c.jpg", 200, 200, .jpeg),
    ("/crop/portrait/80x100.webp?src=a.jpg&quality=50", 80, 100, .webp),
    ("/crop/avatar/100.avif?src=a.jpg", 100, 100, .avif),
    ("/crop/avatar/64.webp?src=a.jpg&shape=circle", 64, 64, .webp),
    ("/crop/portrait/80x100.png?src=a.jpg&bg=transparent", 80, 100, .png),
    ("/crop/portrait/80x100.png?src=a.jpg&bg=336699&keep-people=true", 80, 100, .png),
    ("/crop/passport%3Aus/64.png?src=a.jpg", 64, 64, .png),
  ])
  func sizesAndFormats(path: String, width: Int, height: Int, format: ImageFormat) async throws {
    try await Self.withFolder { settings, _ in
      try await Server(settings).application.test(.live) { client in
        let response = try await client.execute(uri: path, method: .get)
        #expect(response.status == .ok, "\(String(buffer: response.body))")
        #expect(response.headers[.contentType] == format.mediaType)
        let info = try await info(response)
        #expect(info.format == format)
        #expect(info.size == PixelSize(width: width, height: height))
        #expect(info.hasTransparency == (path.contains("circle") || path.contains("transparent")))
      }
    }
  }

  /// Another format replaces one that the server chose, and that cannot hold the image.
  @Test func tallImagesHaveAFormatThatHoldsThem() async throws {
    // A GIF of 4 × 17000 pixels, all but one transparent.
    let tall: [UInt8] =
      Array("GIF89a".utf8) + [4, 0, 0x68, 0x42, 0x80, 0, 0, 255, 255, 255, 0, 0, 0]
      + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
    try await Server().application.test(.live) { client in
      func send(_ format: String, accept: String) async throws -> TestResponse {
        try await client.execute(
          uri: "/blur?format=\(format)", method: .post, headers: [.accept: accept], body: ByteBuffer(bytes: tall))
      }
      let chosen = try await send("auto", accept: "image/webp,image/jpeg")
      #expect(chosen.status == .ok && chosen.headers[.contentType] == "image/png", "\(String(buffer: chosen.body))")
      let named = try await send("webp", accept: "*/*")
      #expect(
        named.status == .unprocessableContent && String(buffer: named.body).contains("at most 16383 pixels"),
        "\(String(buffer: named.body))")
    }
  }

  /// A cut-out of noise is unsure, which is an error if the URL says so.
  @Test func unsureCutoutsCanBeRefused() async throws {
    try await Self.withFolder { settings, _ in
      try await Server(settings).application.test(.live) { client in
        let noise = try await Pictures.faceless()
        for (query, status) in [("", HTTPResponse.Status.ok), ("&fail-if-unsure=true", .unprocessableContent)] {
          let response = try await client.execute(
            uri: "/crop/crop/64.png?bg=white\(query)", method: .post, body: ByteBuffer(bytes: noise))
          #expect(response.status == status)
          if status != .ok { #expect(String(buffer: response.body).contains(#""cutout""#)) }
        }
      }
    }
  }

  /// Corners are in pixels of the image, and the size is that of the region.
  @Test(arguments: [
    ("10x20:310x420", PixelRect(x: 10, y: 20, width: 300, height: 400)),
    ("10x20:9000x420", PixelRect(x: 10, y: 20, width: 502, height: 400)),
    ("100x100:500x300/50x100/left", PixelRect(x: 100, y: 100, width: 100, height: 200)),
    ("100x100:500x300/50x100/right", PixelRect(x: 400, y: 100, width: 100, height: 200)),
    ("100x100:500x300/100x25/bottom", PixelRect(x: 100, y: 200, width: 400, height: 100)),
  ])
  func corners(path: String, rect: PixelRect) async throws {
    try await Self.withFolder { settings, _ in
      try await Server(settings).application.test(.live) { client in
        let response = try await client.execute(uri: "/unsafe/meta/\(path)/a.jpg", method: .get)
        let object = try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any]
        let region = try #require(object?["region"] as? [String: Double])
        let found = ["x", "y", "width", "height"].map { Int(((region[$0] ?? -1) * 512).rounded()) }
        #expect(found == [rect.x, rect.y, rect.width, rect.height])
        let outside = try await client.execute(uri: "/unsafe/512x0:600x400/a.jpg", method: .get)
        #expect(outside.status == .badRequest)
      }
    }
  }

  /// A size is requested, except that of `fit-in`, which is an upper bound.
  @Test(arguments: [
    ("/meta/avatar/2000?src=a.jpg", true), ("/meta/avatar/64?src=a.jpg", false),
    ("/unsafe/meta/600x600/smart/filters:no_upscale()/a.jpg", true), ("/unsafe/meta/600x600/smart/a.jpg", false),
    ("/unsafe/meta/fit-in/600x600/a.jpg", false),
  ])
  func smallerOutputsAreTold(path: String, isTold: Bool) async throws {
    try await Self.withFolder { settings, _ in
      try await Server(settings).application.test(.live) { client in
        let response = try await client.execute(uri: path, method: .get)
        let object = try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any]
        let warnings = try #require(object?["warnings"] as? [String], "\(String(buffer: response.body))")
        #expect(warnings.contains { $0.contains("smaller than the requested") } == isTold, "\(warnings)")
      }
    }
  }

  /// A smart crop has the face and its hair, which a center crop loses.
  @Test func smartKeepsTheFace() async throws {
    try await Self.withFolder { settings, _ in
      try await Server(settings).application.test(.live) { client in
        func faces(_ path: String) async throws -> Int {
          let response = try await client.execute(uri: path, method: .get)
          return try await FaceCropper().plan(for: .bytes(Array(buffer: response.body))).faces.count
        }
        let (smart, bottom) = (
          try await faces("/unsafe/512x200/smart/a.jpg"), try await faces("/unsafe/512x200/bottom/a.jpg")
        )
        #expect((smart, bottom) == (1, 0))
      }
    }
  }

  @Test func bothDialectsGiveOneAnswer() async throws {
    try await Self.withFolder { settings, _ in
      let server = Server(settings)
      try await server.application.test(.live) { client in
        var tags: [String?] = []
        for path in ["/unsafe/300x400/smart/a.jpg", "/unsafe/300x400/smart/filters:upscale()/a.jpg"] {
          let response = try await client.execute(uri: path, method: .get)
          tags.append(response.headers[.eTag])
          #expect(response.headers[.cacheControl] == "public, max-age=86400")
          #expect(response.headers[.xContentTypeOptions] == "nosniff")
        }
        #expect(tags[0] != nil && tags[0] == tags[1])
        // A known tag gets a response without the bytes.
        for known in [tags[0]!, "\"x\", W/\(tags[0]!)", "\"x\",\t\(tags[0]!)\t,\"y\"", "*"] {
          let same = try await client.execute(
            uri: "/unsafe/300x400/smart/a.jpg", method: .get, headers: [.ifNoneMatch: known])
          #expect(same.status == .notModified)
          #expect(same.headers[.eTag] == tags[0])
          #expect(same.body.readableBytes == 0)
        }
        let other = try await client.execute(
          uri: "/unsafe/300x400/smart/a.jpg", method: .get, headers: [.ifNoneMatch: "\"x\""])
        #expect(other.status == .ok)
        let head = try await client.execute(uri: "/unsafe/300x400/smart/a.jpg", method: .head)
        #expect(head.status == .ok)
        #expect(head.headers[.contentLength] == "\(other.body.readableBytes)")
        #expect(head.body.readableBytes == 0)
      }
      // All but the first were cached.
      #expect(server.manager.statistics.detections == 1)
      #expect(server.manager.statistics.decodes == 1)
    }
  }

  /// The least of the URL's expiry, the setting, and the remote image's freshness counts.
  @Test(
    arguments: [
      (nil, nil, 86_400), (1_006, nil, 6), (nil, 3_600, 3_500), (1_006, 3_600, 6), (9_000_000, 9_000, 8_900),
      (.max, nil, 86_400), (999, nil, 0), (.min, nil, 0), (nil, 50, 0), (5_000, 3_600, 3_500),
    ] as [(Int?, Int?, Int)])
  func cachesKeepNothingForLonger(end: Int?, freshness: Int?, maxAge: Int) {
    let answer = Answer(mediaType: "image/jpeg", bytes: [1], time: 900)
    let age = freshness.map { Duration.seconds($0) }
    let value = answer.cacheControl(Settings(), until: end, freshFor: age, now: 1_000)
    #expect(value == "public, max-age=\(maxAge)")
  }

  @Test func expiryReachesCaches() async throws {
    try await Self.withFolder { settings, _ in
      try await Server(settings).application.test(.live) { client in
        for method in [HTTPRequest.Method.get, .head] {
          let end = Int(Date().timeIntervalSince1970) + 1_000
          let response = try await client.execute(uri: "/crop/avatar/64?exp=\(end)&src=a.jpg", method: method)
          #expect(response.status == .ok)
          let age = try #require(
            response.headers[.cacheControl]?.split(separator: "=").last.flatMap { Int($0) })
          #expect((700...1_000).contains(age), "\(method)")
        }
      }
    }
  }

  /// Browsers do not show TIFF.
  @Test func ownFormatsAreThoseThatBrowsersShow() async throws {
    let tiff = try await ImageManager().image(for: .bytes(Pictures.astronaut)).encoded(as: .tiff)
    try await Self.withFolder { settings, folder in
      try Data(tiff).write(to: folder.appending(path: "a.tiff"))
      try await Server(settings).application.test(.live) { client in
        let response = try await client.execute(uri: "/unsafe/64x64/smart/a.tiff", method: .get)
        #expect(response.headers[.contentType] == "image/jpeg")
        #expect(try await info(response).format == .jpeg)
      }
    }
  }

  /// Encoding counts against the memory budget by the requested format.
  @Test func encodingCountsInTheBudget() async throws {
    try await Self.withFolder { settings, _ in
      var settings = settings
      settings.memory = 40 << 20
      let server = Server(settings)
      try await server.application.test(.live) { client in
        for (format, status) in [("jpg", HTTPResponse.Status.ok), ("avif", .unprocessableContent)] {
          let response = try await client.execute(
            uri: "/unsafe/1200x1200/filters:format(\(format))/a.jpg", method: .get)
          #expect(response.status == status, "\(format): \(String(buffer: response.body))")
        }
      }
      #expect(server.isIdle)
    }
  }

  /// A decode that hangs is abandoned, and its place is free again.
  @Test func aDecodeThatDoesNotEndIsGivenUp() async throws {
    try await Self.withFolder { settings, _ in
      var settings = settings
      // It is abandoned after six times the deadline.
      (settings.concurrency, settings.deadline) = (1, .seconds(1))
      let detector = GatedDetector()
      let server = Server(settings, detector: detector)
      try await server.application.test(.live) { client in
        let stuck = try await client.execute(uri: "/crop/avatar/64?src=a.jpg", method: .get)
        #expect(stuck.status == .gatewayTimeout)
        try await eventually("given up") { server.manager.statistics.abandonedRunning == 1 }
        let good = try await client.execute(uri: "/unsafe/50x50/left/a.jpg", method: .get)
        #expect(good.status == .ok)
        let text = String(buffer: try await client.execute(uri: "/metrics", method: .get).body)
        #expect(try Exposition(text).samples["facecrop_decodes_abandoned_total"] == 1)
        #expect(try Exposition(text).samples["facecrop_decodes_abandoned_running"] == 1)
        detector.open()
        try await eventually("ended") { server.isIdle && server.manager.statistics.abandonedRunning == 0 }
      }
    }
  }

  @Test func anotherSizeNeedsNoSecondLook() async throws {
    try await Self.withFolder { settings, _ in
      let server = Server(settings)
      try await server.application.test(.live) { client in
        for path in ["/unsafe/30x40/smart/a.jpg", "/unsafe/31x41/smart/a.jpg", "/unsafe/90x41/smart/a.jpg"] {
          let response = try await client.execute(uri: path, method: .get)
          #expect(response.status == .ok)
        }
        for size in [40, 41, 42] {
          let response = try await client.execute(uri: "/crop/avatar/\(size)?src=a.jpg", method: .get)
          #expect(response.status == .ok)
        }
      }
      #expect(server.manager.statistics.detections == 2, "one for all faces, one for the largest")
    }
  }

  @Test func choosesTheAcceptedFormat() async throws {
    try await Self.withFolder { settings, _ in
      try await Server(settings).application.test(.live) { client in
        for path in ["/crop/avatar/64.auto?src=a.jpg", "/unsafe/64x64/smart/filters:format(auto)/a.jpg"] {
          for (accept, type) in [
            ("image/avif,image/webp,*/*", "image/avif"), ("image/webp,*/*", "image/webp"), ("*/*", "image/jpeg"),
          ] {
            let response = try await client.execute(uri: path, method: .get, headers: [.accept: accept])
            #expect(response.headers[.contentType] == type)
            #expect(response.headers[.vary] == "Accept")
          }
        }
      }
    }
  }

  @Test func metaSaysWhatWasFound() async throws {
    struct Meta: Decodable {
      var source: [String: Int]
      var size: [String: Int]
      var region: [String: Double]
      var faces: [[String: Value]]
      struct Value: Decodable { init(from decoder: any Decoder) {} }
    }
    try await Self.withFolder { settings, _ in
      try await Server(settings).application.test(.live) { client in
        let own = "/meta/avatar/128?src=a.jpg"
        for path in [own, "\(own)&mesh=true", "\(own)&mesh=false", "/unsafe/meta/128x128/smart/a.jpg"] {
          let response = try await client.execute(uri: path, method: .get)
          #expect(response.headers[.contentType] == "application/json")
          let meta = try JSONDecoder().decode(Meta.self, from: Data(buffer: response.body))
          #expect(meta.faces.count == 1)
          #expect(meta.source == ["width": 512, "height": 512])
          #expect(meta.size == ["width": 128, "height": 128])
          #expect(meta.region["width"]! > 0.1)
          #expect((meta.faces.first?["mesh"] != nil) == path.hasSuffix("mesh=true"))
        }
      }
    }
  }

  @Test func bodiesAreTakenToo() async throws {
    try await Self.withFolder { settings, _ in
      try await Server(settings).application.test(.live) { client in
        let named = try await client.execute(uri: "/crop/avatar/90.webp?src=a.jpg", method: .get)
        for method in [HTTPRequest.Method.post, .put] {
          let sent = try await client.execute(
            uri: "/crop/avatar/90.webp", method: method, body: ByteBuffer(bytes: Pictures.astronaut))
          #expect(sent.status == .ok)
          #expect(sent.body == named.body)
          #expect(sent.headers[.eTag] == named.headers[.eTag])
          // A client keeps no copy of this response.
          let again = try await client.execute(
            uri: "/crop/avatar/90.webp", method: method, headers: [.ifNoneMatch: named.headers[.eTag] ?? ""],
            body: ByteBuffer(bytes: Pictures.astronaut))
          #expect(again.status == .ok && again.body == named.body)
        }
      }
      var closed = settings
      closed.uploads = false
      try await Server(closed).application.test(.live) { client in
        let sent = try await client.execute(
          uri: "/crop/avatar/90.webp", method: .post, body: ByteBuffer(bytes: Pictures.astronaut))
        #expect([HTTPResponse.Status.notFound, .methodNotAllowed].contains(sent.status))
      }
    }
  }

  @Test(arguments: [
    ("/unsafe/9x9/smart/none.jpg", 404), ("/unsafe/9x9/smart/text.jpg", 415), ("/unsafe/9x9/smart/../a.jpg", 404),
    ("/unsafe/9x9/smart/sub/%2e%2e/a.jpg", 404), ("/unsafe/9x9/smart/..%2fa.jpg", 404),
    ("/unsafe/9x9/smart/http://127.0.0.1/a.jpg", 403), ("/unsafe/9x9/smart/s3://bucket/a.jpg", 403),
    ("/unsafe/trim/9x9/a.jpg", 400), ("/a.jpg", 404), ("/", 404), ("/crop/avatar/9?src=none.jpg", 404),
    ("/crop/avatar/9", 400), ("/wrongsignature/9x9/a.jpg", 404), ("/crop/avatar/9?src=http%3A%2F%2F127.0.0.1%2F", 403),
  ])
  func refusesBadPaths(path: String, status: Int) async throws {
    try await Self.withFolder { settings, _ in
      try await Server(settings).application.test(.live) { client in
        let response = try await client.execute(uri: path, method: .get)
        #expect(response.status.code == status, "\(String(buffer: response.body))")
      }
    }
  }

  /// The message names the cause, and not an image that nobody meant.
  @Test(arguments: [
    ("/foo", 404, "no such URL (write one of /crop/PRESET"), ("/review", 404, "/health"), ("/", 404, "/health"),
    ("/crop", 404, "/crop/PRESET"), ("/crop/", 404, "/crop/PRESET"), ("/meta", 404, "/meta/blur"),
    ("/foo/bar.jpg", 404, "/unsafe/SIZE/IMAGE"), ("//crop/avatar/9?src=a.jpg", 404, "write one of /crop/PRESET"),
    ("/images/crop/avatar/9?src=a.jpg", 404, "write one of /crop/PRESET"),
    ("/crop/avatar/9?src=none.jpg", 404, "the image was not found"),
    ("/unsafe/orig/none.jpg", 400, "orig"), ("/unsafe/orig/smart/a.jpg", 400, "orig"),
    ("/unsafe/enc/YS5qcGc", 400, "encrypted"), ("/unsafe/w:9/enc/YS5qcGc", 400, "encrypted"),
    ("/crop/avatar/9?src=ftp%3A%2F%2Fexample.com%2Fa.jpg", 400, "scheme ftp"),
    ("/unsafe/9x9/file:///etc/passwd", 400, "scheme file"),
    ("/crop/avatar/9?src=HTTP%3A%2F%2Fa.com%2Fa.jpg", 403, "the setting hosts"),
    ("/meta/blur/?src=a.jpg", 400, "/meta/blur?src=IMAGE"),
    ("/crop/crop/112?src=a.jpg&template=arcface-112&no-face=whole", 400, "no-face=whole has no effect"),
    ("/crop/crop/112?src=a.jpg&no-face=center&template=arcface-112", 400, "(use maybe, person or fail)"),
    ("/crop/crop/112?src=a.jpg&no-face=attention&template=arcface-112", 400, "no-face=attention"),
    ("/crop/avatar/9?sig=abc&src=a.jpg", 400, "sig must be the last part"),
    ("/crop/avatar/9?src=a.jpg&faces=largest&person=Ada", 400, "person already chooses the face (leave out faces)"),
  ])
  func messagesNameTheCause(path: String, status: Int, words: String) async throws {
    try await Self.withFolder { settings, _ in
      try await Server(settings).application.test(.live) { client in
        let response = try await client.execute(uri: path, method: .get)
        let text = String(buffer: response.body)
        #expect(response.status.code == status && text.contains(words), "\(text)")
      }
    }
  }

  /// A folder may have the name of thumbor's size, or of imgproxy's encrypted sources.
  @Test(arguments: ["orig", "enc"]) func aFolderCanHaveAnyName(name: String) async throws {
    try await Self.withFolder { settings, folder in
      try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
      try Data(Pictures.astronaut).write(to: folder.appending(path: "\(name)/a.jpg"))
      try await Server(settings).application.test(.live) { client in
        let response = try await client.execute(uri: "/unsafe/\(name)/a.jpg", method: .get)
        #expect(response.status == .ok)
      }
    }
  }

  @Test(arguments: ["/crop/avatar/9", "/blur", "/health", "/foo"]) func otherMethodsAre405(path: String) async throws {
    try await Server().application.test(.live) { client in
      for name in ["TRACE", "DELETE", "OPTIONS", "PURGE", "PROPFIND", "SEARCH", "QUERY"] {
        let method = try #require(HTTPRequest.Method(name))
        let response = try await client.execute(uri: path, method: method)
        #expect(response.status == .methodNotAllowed && response.headers[.allow]?.hasPrefix("GET, HEAD") == true)
      }
    }
  }

  @Test func unsignedURLsAre403() async throws {
    try await Self.withFolder({ $0.unsafe = false }) { settings, _ in
      try await Server(settings).application.test(.live) { client in
        for path in [
          "/unsafe/9x9/smart/a.jpg", "/crop/avatar/9?src=a.jpg", "/QkGCh3xFiRldNmYCgOZ8Ajui0ng=/9x9/a.jpg",
          "/crop/avatar/9?src=a.jpg&sig=x",
        ] {
          let response = try await client.execute(uri: path, method: .get)
          #expect(response.status == .forbidden)
        }
      }
      // A new connection each, since the body of a refused request is not read.
      for path in ["/avatar?size=64", "/crop/avatar/64.jpg", "/meta/avatar/64"] {
        try await Server(settings).application.test(.live) { client in
          let response = try await client.execute(
            uri: path, method: .post, body: ByteBuffer(bytes: Pictures.astronaut))
          #expect([HTTPResponse.Status.forbidden, .notFound, .methodNotAllowed].contains(response.status), "\(path)")
        }
      }
    }
  }

  @Test func aFileThatChangesIsAnotherPicture() async throws {
    try await Self.withFolder { settings, folder in
      try await Server(settings).application.test(.live) { client in
        let path = "/unsafe/64x64/smart/a.jpg"
        let before = try await client.execute(uri: path, method: .get)
        try Data(try await Pictures.faceless()).write(to: folder.appending(path: "a.jpg"))
        let after = try await client.execute(uri: path, method: .get)
        #expect(after.status == .ok)
        #expect(before.headers[.eTag] != after.headers[.eTag])
      }
    }
  }

  /// Another server, or a restarted one, finds the cached responses.
  @Test func answersAreKeptInAFolder() async throws {
    let cache = FileManager.default.temporaryDirectory.appending(path: "answers-\(UUID())")
    defer { try? FileManager.default.removeItem(at: cache) }
    try await Self.withFolder({ $0.cacheFolder = cache.path }) { settings, _ in
      var bodies: [ByteBuffer] = []
      for round in 0..<3 {
        let server = Server(settings)
        let body = try await server.application.test(.live) { client in
          let response = try await client.execute(uri: "/crop/avatar/64.webp?src=a.jpg", method: .get)
          #expect(response.status == .ok)
          return response.body
        }
        bodies.append(body)
        #expect(server.manager.statistics.decodes == (round == 1 ? 0 : 1))
        let counts = server.results.statistics
        #expect(counts.folderHits == (round == 1 ? 1 : 0) && counts.folderMisses == (round == 1 ? 0 : 1))
        // A response that is damaged on the disk is made again.
        if round == 1 {
          let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: cache.path).first { $0.hasSuffix(".answer") })
          var torn = try Data(contentsOf: cache.appending(path: name))
          torn[torn.count - 5] ^= 1
          try torn.write(to: cache.appending(path: name))
        }
      }
      #expect(Set(bodies).count == 1)
    }
    // A response of another type, which others may have planted, is none.
    for (type, isOurs) in [
      ("image/webp", true), ("application/json", true), ("text/html", false), ("image/svg+xml", false),
    ] {
      let planted = Answer(mediaType: type, bytes: Array("<script>".utf8)).stored
      #expect((planted.flatMap(Answer.init(stored:)) != nil) == isOurs, "\(type)")
    }
    #expect(throws: SettingsError.self) {
      try Server(
        .patient { $0.cacheFolder = "/proc/none" }, metrics: PrometheusMetrics(help: ServiceMetrics.help))
    }
  }

  // MARK: Hosts

  /// Returns a host that behaves according to the requested path.
  private static func host() -> some ApplicationProtocol {
    let router = Router()
    router.get("a.jpg") { _, _ in ByteBuffer(bytes: Pictures.astronaut) }
    router.get("large.jpg") { _, _ in ByteBuffer(repeating: 7, count: 1 << 20) }
    router.get("private") { _, _ in
      Response(status: .found, headers: [.location: "http://169.254.169.254/latest/meta-data"])
    }
    router.get("elsewhere") { _, _ in Response(status: .found, headers: [.location: "http://example.com/a.jpg"]) }
    router.get("here") { _, _ in Response(status: .found, headers: [.location: "a.jpg"]) }
    router.get("round") { _, _ in Response(status: .found, headers: [.location: "/round"]) }
    router.get("forbidden") { _, _ in Response(status: .forbidden) }
    router.get("broken") { _, _ in Response(status: .internalServerError) }
    router.get("early.jpg") { _, _ in
      Response(
        status: .ok, headers: [.contentLength: "\(Pictures.astronaut.count)"],
        body: ResponseBody { writer in
          try await writer.write(ByteBuffer(bytes: Pictures.astronaut.prefix(100)))
          throw CancellationError()
        })
    }
    router.get("slow.jpg") { _, _ in
      Response(
        status: .ok,
        body: ResponseBody { writer in
          for byte in Pictures.astronaut {
            try await writer.write(ByteBuffer(bytes: [byte]))
            try await Task.sleep(for: .milliseconds(50))
          }
          try await writer.finish(nil)
        })
    }
    return Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      logger: Logger(label: "host") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test func picturesOfHosts() async throws {
    try await Self.host().test(.live) { host in
      let port = try #require(host.port)
      let settings = Settings.patient {
        $0.unsafe = true
        $0.hosts = ["localhost:\(port)", "127.0.0.1:\(port)"]
        $0.allowPrivateAddresses = true
        $0.fetchTimeout = .seconds(5)
        $0.bodyLimit = 1 << 19
      }
      let server = Server(settings)
      try await server.application.test(.live) { client in
        func get(_ path: String) async throws -> TestResponse {
          try await client.execute(uri: "/unsafe/64x64/smart/http://localhost:\(port)/\(path)", method: .get)
        }
        #expect(try await get("a.jpg").status == .ok)
        let (moved, own) = (try await get("here"), try await get("a.jpg"))
        #expect(moved.headers[.eTag] == own.headers[.eTag])
        for (path, status) in [
          ("none.jpg", 404), ("private", 403), ("elsewhere", 403), ("forbidden", 403), ("round", 502), ("broken", 502),
          ("large.jpg", 413), ("slow.jpg", 502),
        ] {
          let response = try await get(path)
          #expect(response.status.code == status, "\(path): \(String(buffer: response.body))")
        }
        for (path, words) in [
          ("early.jpg", "ended the connection before"), ("large.jpg", "see the setting max-body"),
        ] {
          let text = String(buffer: try await get(path).body)
          #expect(text.contains(words), "\(text)")
        }
        let strange = try await client.execute(uri: "/unsafe/9x9/http://example.com/a.jpg", method: .get)
        #expect(strange.status == .forbidden)
        #expect(server.bodies.held == 0)
      }
      // A host that must be public gives the same result.
      var closed = settings
      closed.allowPrivateAddresses = false
      try await Server(closed).application.test(.live) { client in
        for name in ["localhost", "127.0.0.1"] {
          let response = try await client.execute(uri: "/unsafe/9x9/http://\(name):\(port)/a.jpg", method: .get)
          #expect(response.status == .forbidden)
        }
      }
    }
  }

  /// The timeout does not hide why no connection was possible.
  @Test func aClosedPortIsNamedSo() async throws {
    // Nobody listens at this port, and no other test can get it.
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        #expect(unsafe bind(socket, address, length) == 0 && getsockname(socket, address, &length) == 0)
      }
    }
    let closed = Int(UInt16(bigEndian: address.sin_port))
    let settings = Settings.patient {
      $0.hosts = ["localhost:\(closed)"]
      $0.allowPrivateAddresses = true
      $0.fetchTimeout = .seconds(4)
    }
    try await Server(settings).application.test(.ahc(.http)) { client in
      let response = try await client.execute(uri: "/unsafe/9x9/http://localhost:\(closed)/a.jpg", method: .get)
      let text = String(buffer: response.body)
      #expect(response.status.code == 502 && text.contains("cannot be reached: Connection refused"), "\(text)")
    }
  }

  @Test func aHostWithoutTLSIsNamedSo() async throws {
    try await Self.host().test(.live) { host in
      let port = try #require(host.port)
      let settings = Settings.patient {
        $0.hosts = ["localhost:\(port)"]
        $0.allowPrivateAddresses = true
        // Less than the HTTP client's timeout for connections.
        $0.fetchTimeout = .seconds(4)
      }
      try await Server(settings).application.test(.ahc(.http)) { client in
        let response = try await client.execute(uri: "/unsafe/9x9/https://localhost:\(port)/a.jpg", method: .get)
        #expect(response.status.code == 502 && String(buffer: response.body).contains("(TLS)"), "\(response.body)")
      }
    }
  }

  /// A host's name is resolved once for each image, and the connection goes to that address.
  @Test func aNameStandsForTheAddressThatWasLookedAt() async throws {
    try await Self.host().test(.live) { host in
      let port = try #require(host.port)
      let asked = Mutex<[String]>([])
      let fetcher = Fetcher(timeout: .seconds(20), limit: 1 << 20) { (name, _) async throws(ServiceError) in
        asked.withLock { $0.append(name) }
        return try await Fetcher.address(of: "localhost", allowsPrivate: true)
      }
      let url = try #require(URL(string: "http://rebinding.invalid:\(port)/here"))
      let image = try await fetcher.bytes(
        of: url, allowsPrivate: false, isAllowed: { _ in true }, BodyMemory.Lease(of: BodyMemory(budget: 1 << 20)))
      #expect(image.bytes == Pictures.astronaut)
      // Once more for the redirect.
      #expect(asked.withLock { $0 } == ["rebinding.invalid", "rebinding.invalid"])
      await fetcher.shutDown()
    }
  }

  /// Clients may read as slowly as they like.
  @Test func largeResponsesCountUntilTheyAreSent() throws {
    let bodies = BodyMemory(budget: 200 << 10)
    let answer = Answer(mediaType: "image/jpeg", bytes: [UInt8](repeating: 7, count: 150 << 10))
    func response(_ method: HTTPRequest.Method = .get, _ client: String = "a") throws -> Response {
      let head = HTTPRequest(method: method, scheme: nil, authority: nil, path: "/")
      let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
      return try Response(answer, to: request, [:], bodies, client)
    }
    var first: Response? = try response()
    #expect(first?.body.contentLength == 150 << 10 && bodies.held == 150 << 10)
    #expect(throws: ServiceError.busy) { try response() }
    _ = try response(.head)
    first = nil
    #expect(bodies.held == 0)
    _ = try response()
    #expect(bodies.held == 0)
  }

  /// A client that reads none of its responses leaves room for others.
  @Test func aClientHasItsShareOfTheMemory() throws {
    let bodies = BodyMemory(budget: 1_600)
    func held(by client: String, _ count: Int) -> BodyMemory.Lease? {
      let lease = BodyMemory.Lease(of: bodies, for: client)
      return (try? lease.extend(by: count)) == nil ? nil : lease
    }
    let first = (0..<16).compactMap { _ in held(by: "a", 100) }
    #expect(first.count == 12 && !bodies.isFull)
    let second = (0..<16).compactMap { _ in held(by: "b", 100) }
    #expect(second.count == 3)
    // The only body of a client needs no share.
    let third = try #require(held(by: "c", 99))
    #expect(bodies.isFull && held(by: "c", 1) == nil && (try? third.extend(by: 1)) != nil)
    first.forEach { $0.end() }
    #expect(bodies.held == 400)
  }

  /// Letters of another case, and redirects to them, do not lead past the address that was looked at.
  @Test(arguments: [
    "http://REBINDING.invalid:PORT/a.jpg", "http://rebinding.invalid:PORT/upper", "http://Rebinding.Invalid:PORT/upper",
  ])
  func namesOfAnyCaseAreLookedAt(text: String) async throws {
    let router = Router()
    router.get("a.jpg") { request, _ in "\(request.head.authority ?? "")" }
    router.get("upper") { request, _ in
      let port = (request.head.authority ?? "").split(separator: ":").last ?? ""
      return Response(status: .found, headers: [.location: "HTTP://user@REBINDING.INVALID:\(port)/a.jpg"])
    }
    try await Self.host(router).test(.live) { host in
      let port = try #require(host.port)
      let asked = Mutex<Set<String>>([])
      let fetcher = Fetcher(timeout: .seconds(20), limit: 1 << 20) { (name, _) async throws(ServiceError) in
        asked.withLock { _ = $0.insert(name) }
        return try await Fetcher.address(of: "localhost", allowsPrivate: true)
      }
      let image = try await fetcher.bytes(
        of: try #require(URL(string: text.replacing("PORT", with: "\(port)"))), allowsPrivate: false,
        isAllowed: { _ in true }, BodyMemory.Lease(of: BodyMemory(budget: 1 << 20)))
      #expect(String(decoding: image.bytes, as: UTF8.self) == "rebinding.invalid:\(port)")
      #expect(asked.withLock { $0 } == ["rebinding.invalid"])
      await fetcher.shutDown()
    }
  }

  /// If the client reads the host in another way than this server, no request is sent.
  @Test func requestsGoOnlyToTheAddressThatWasLookedAt() async throws {
    try await Self.host().test(.live) { host in
      let port = try #require(host.port)
      let clients = FetchClients(mostFetches: 8)
      for (address, isSent) in [("127.0.0.1", true), ("127.0.0.2", false)] {
        let client = clients.take(FetchClients.Pin(host: "other.invalid", address: address))
        let response = try? await client.execute(
          HTTPClientRequest(url: "http://127.0.0.1:\(port)/a.jpg"), deadline: .now() + .seconds(20))
        #expect((response != nil) == isSent, "\(address)")
      }
      await clients.shutDown()
    }
  }

  /// A name server does not delay the end of a fetch.
  @Test(.timeLimit(.minutes(1))) func aSlowNameServerIsWithinTheTimeout() async throws {
    let fetcher = Fetcher(timeout: .milliseconds(200), limit: 1) { (_, _) async throws(ServiceError) in
      _ = try? await Task.sleep(for: .seconds(600))
      throw .hungUp
    }
    let url = try #require(URL(string: "http://a.invalid/"))
    let error = await #expect(throws: ServiceError.self) {
      try await fetcher.bytes(
        of: url, allowsPrivate: false, isAllowed: { _ in true }, BodyMemory.Lease(of: BodyMemory(budget: 1)))
    }
    #expect(error?.message.contains("exceeded the fetch timeout") == true)
  }

  /// Slow files of a host do not delay its others, and more hosts than clients are kept do not end running fetches.
  @Test(.timeLimit(.minutes(2))) func slowFilesDelayNoOthers() async throws {
    let waiting = Mutex(0)
    let isOpen = Mutex(false)
    let router = Router()
    router.get("a.jpg") { _, _ in "quick" }
    router.get("slow.jpg") { _, _ in
      waiting.withLock { $0 += 1 }
      while !isOpen.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
      return "slow"
    }
    try await Self.host(router).test(.live) { host in
      let port = try #require(host.port)
      let fetcher = Fetcher(timeout: .seconds(90), limit: 1 << 20, mostFetches: 512) {
        (_, _) async throws(ServiceError) in
        "127.0.0.1"
      }
      @Sendable func get(_ host: String, _ path: String) async throws -> String {
        let image = try await fetcher.bytes(
          of: URL(string: "http://\(host).invalid:\(port)/\(path)")!, allowsPrivate: false,
          isAllowed: { _ in true }, BodyMemory.Lease(of: BodyMemory(budget: 1 << 20)))
        return String(decoding: image.bytes, as: UTF8.self)
      }
      // A client that is not shut down ends the process, also after a failure.
      do {
        try await withThrowingTaskGroup(of: String.self) { group in
          for _ in 0..<100 { group.addTask { try await get("a", "slow.jpg") } }
          try await eventually("the slow ones wait") { waiting.withLock { $0 } == 100 }
          #expect(try await get("a", "a.jpg") == "quick")
          for number in 0..<80 { group.addTask { try await get("h\(number)", "slow.jpg") } }
          try await eventually("all hosts wait") { waiting.withLock { $0 } == 180 }
          isOpen.withLock { $0 = true }
          for try await text in group { #expect(text == "slow") }
        }
        // Idle clients of many hosts end.
        for number in 0..<200 { #expect(try await get("i\(number)", "a.jpg") == "quick") }
      } catch {
        await fetcher.shutDown()
        throw error
      }
      await fetcher.shutDown()
    }
  }

  private static func host(_ router: Router<BasicRequestContext>) -> some ApplicationProtocol {
    Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      logger: Logger(label: "host") { _ in SwiftLogNoOpLogHandler() })
  }

  private final class Counter: Sendable {
    let count = Mutex(0)
  }

  /// Returns a host of one image that counts its requests.
  private static func host(_ counter: Counter) -> some ApplicationProtocol {
    let router = Router()
    router.get("a.jpg") { _, _ in
      counter.count.withLock { $0 += 1 }
      return ByteBuffer(bytes: Pictures.astronaut)
    }
    return Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      logger: Logger(label: "host") { _ in SwiftLogNoOpLogHandler() })
  }

  /// A request that cannot wait for a decode is refused before its image is fetched.
  @Test func fetchesNothingWhenTheQueueIsFull() async throws {
    let (counter, detector) = (Counter(), GatedDetector())
    try await Self.host(counter).test(.live) { host in
      let port = try #require(host.port)
      let settings = Settings.patient {
        $0.hosts = ["localhost:\(port)"]
        $0.allowPrivateAddresses = true
        $0.concurrency = 1
        $0.waiting = 1
      }
      let server = Server(settings, detector: detector)
      try await server.application.test(.ahc(.http)) { client in
        let path = "/crop/avatar/64?src=http%3A%2F%2Flocalhost%3A\(port)%2Fa.jpg"
        try await withThrowingTaskGroup { group in
          group.addTask { try await client.expect(.ok, "100.jpg", Pictures.astronaut(and: 1)) }
          try await eventually("one runs") { server.manager.statistics.running == 1 }
          group.addTask { try await client.expect(.ok, "100.jpg", Pictures.astronaut(and: 2)) }
          try await eventually("one waits") { server.manager.statistics.waiting == 1 }
          let refused = try await client.execute(uri: path, method: .get)
          #expect(refused.status == .tooManyRequests)
          #expect(counter.count.withLock { $0 } == 0)
          detector.open()
          try await group.waitForAll()
        }
        let answered = try await client.execute(uri: path, method: .get)
        #expect(answered.status == .ok)
        #expect(counter.count.withLock { $0 } == 1)
      }
    }
  }

  /// A host can forbid shared caches to keep an image.
  @Test(arguments: ["no-store", "Private, max-age=60"])
  func hostsForbidCaches(directives: String) async throws {
    let fetches = Mutex(0)
    let router = Router()
    router.get("a.jpg") { _, _ in
      fetches.withLock { $0 += 1 }
      return Response(
        status: .ok, headers: [.cacheControl: directives],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: Pictures.astronaut)))
    }
    let host = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      logger: Logger(label: "host") { _ in SwiftLogNoOpLogHandler() })
    try await host.test(.live) { host in
      let port = try #require(host.port)
      let settings = Settings.patient {
        $0.hosts = ["localhost:\(port)"]
        $0.allowPrivateAddresses = true
      }
      try await Server(settings).application.test(.live) { client in
        for _ in 0..<2 {
          let response = try await client.execute(
            uri: "/crop/avatar/64?src=http%3A%2F%2Flocalhost%3A\(port)%2Fa.jpg", method: .get)
          #expect(response.status == .ok && response.headers[.cacheControl] == "no-store")
        }
      }
    }
    #expect(fetches.withLock { $0 } == 2)
  }

  @Test func aHostsPictureIsFetchedOnce() async throws {
    let counter = Counter()
    try await Self.host(counter).test(.live) { host in
      let port = try #require(host.port)
      let settings = Settings.patient {
        $0.unsafe = true
        $0.hosts = ["localhost:\(port)"]
        $0.allowPrivateAddresses = true
      }
      let server = Server(settings)
      try await server.application.test(.ahc(.http)) { client in
        try await withThrowingTaskGroup { group in
          for _ in 0..<8 {
            group.addTask {
              let path = "/crop/avatar/64?src=http%3A%2F%2Flocalhost%3A\(port)%2Fa.jpg"
              let response = try await client.execute(uri: path, method: .get)
              #expect(response.status == .ok)
            }
          }
          try await group.waitForAll()
        }
      }
      #expect(counter.count.withLock { $0 } == 1)
      #expect(server.manager.statistics.decodes == 1)
    }
  }

  // MARK: Clients

  @Test func aClientHasItsShare() async throws {
    try await Self.withFolder({
      $0.rate = 1
      $0.burst = 3
      $0.trustForwardedFor = true
    }) { settings, _ in
      try await Server(settings).application.test(.live) { client in
        func statuses(_ address: String) async throws -> [Int] {
          var found: [Int] = []
          // A slow machine refills the share meanwhile. Each connection has a port of its own, which proxies may forward.
          while found.last != 429 && found.count < 500 {
            let forwarded = "8.8.8.8, \(address):\(8_000 + found.count)"
            let response = try await client.execute(
              uri: "/unsafe/16x16/a.jpg", method: .get, headers: [.init("X-Forwarded-For")!: forwarded])
            found.append(response.status.code)
          }
          return found
        }
        let first = try await statuses("10.0.0.1")
        #expect(first.prefix(3).allSatisfy { $0 == 200 } && first.contains(429))
        let second = try await statuses("10.0.0.2")
        #expect(second.prefix(3).allSatisfy { $0 == 200 })
        for path in ["/health", "/health/ready"] {
          let response = try await client.execute(uri: path, method: .get)
          #expect(response.status == .ok)
        }
      }
    }
  }

  @Test func aKeyHasItsShare() async throws {
    let keys = ["the first of two keys", "the second of two keys"]
    try await Self.withFolder({
      $0.unsafe = false
      $0.signingKeys = keys
      $0.keyRate = 1
      $0.keyBurst = 3
    }) { settings, _ in
      try await Server(settings).application.test(.live) { client in
        func statuses(_ key: String) async throws -> [Int] {
          let url = "/crop/avatar/16.jpg?src=a.jpg"
          var found: [Int] = []
          for _ in 0..<12 {
            let response = try await client.execute(
              uri: "\(url)&sig=\(Signature.own(of: url, key: key))", method: .get)
            found.append(response.status.code)
            // A client must not be looked for.
            if response.status == .tooManyRequests {
              #expect(String(buffer: response.body).contains("signed with this key"))
            }
          }
          return found
        }
        let first = try await statuses(keys[0])
        #expect(first.prefix(3).allSatisfy { $0 == 200 } && first.contains(429))
        let second = try await statuses(keys[1])
        #expect(second.prefix(3).allSatisfy { $0 == 200 })
        // Clients without a key use none of its requests, and get 403.
        let none = try await statuses("no key that is known")
        #expect(none.allSatisfy { $0 == 403 })
      }
    }
  }

  /// One client has all IPv6 addresses with the same first 64 bits. IPv4 addresses in IPv6 ones are different clients.
  @Test(arguments: [
    ("2001:db8:1:2::3", "2001:db8:1:2:ffff::9", true), ("2001:db8:1:2::3", "2001:db8:1:3::3", false),
    ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false), ("::ffff:192.0.2.1", "192.0.2.1", true),
    ("192.0.2.1", "192.0.2.2", false), ("unknown", "unknown", true),
  ])
  func clientsHaveNames(one: String, other: String, isEqual: Bool) {
    #expect((ClientName.of(one) == ClientName.of(other)) == isEqual)
  }

  /// Each connection has a port of its own, which some proxies forward.
  @Test(arguments: [
    ("192.0.2.1:8080", "192.0.2.1"), ("[2001:db8::1]:8080", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"),
    ("2001:db8::1", "2001:db8::1"), ("192.0.2.1", "192.0.2.1"), ("unknown", "unknown"),
  ])
  func portsAreNoPartOfAClient(address: String, client: String) {
    #expect(ClientName.withoutPort(address) == client)
  }

  @Test func tokensComeBack() {
    let limit = TokenBuckets(rate: 2, burst: 2)
    let start = ContinuousClock.now
    func takes(_ seconds: Double) -> Bool { (try? limit.take(for: "a", at: start + .seconds(seconds))) != nil }
    #expect(
      [0, 0, 0, 0.25, 0.5, 0.6, 1.0, 9, 9, 9].map(takes) == [
        true, true, false, false, true, false, true, true, true, false,
      ])
  }
}
