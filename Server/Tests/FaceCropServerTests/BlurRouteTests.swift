import FaceCrop
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

@testable import FaceCropServer

/// Whole images with hidden faces, over sockets.
@Suite(.timeLimit(.minutes(5))) struct BlurRouteTests {
  /// Finds a face, and another one with a low score, in the first image: the overview, and not its tiles.
  private final class Stub: FaceDetector, ReadyFaceDetector {
    let name = "stub"
    let input = DetectorInput(format: .gray, sufficientSide: 453)
    private let hasFound = Mutex(false)

    func prepare() -> any ReadyFaceDetector { self }

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] {
      let isFirst = hasFound.withLock { hasFound in
        defer { hasFound = true }
        return !hasFound
      }
      guard isFirst else { return [] }
      return [
        Face(box: NormalizedRect(x: 0.3, y: 0.1, width: 0.2, height: 0.25), score: 1),
        Face(box: NormalizedRect(x: 0.7, y: 0.6, width: 0.1, height: 0.15), score: 0.5),
      ]
    }
  }

  /// The portrait with EXIF data of an artist and a position.
  private static let located: [UInt8] = {
    func short(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
    func long(_ value: Int) -> [UInt8] { short(value & 0xFFFF) + short(value >> 16) }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      short(tag) + short(type) + long(count) + value + Array(repeating: 0, count: 4 - value.count)
    }
    var tiff = Array("II*\0".utf8) + long(8)
    tiff += short(2) + entry(0x013B, 2, 4, Array("Ada\0".utf8)) + entry(0x8825, 4, 1, long(38)) + long(0)
    tiff += short(2) + entry(1, 2, 2, Array("N\0".utf8)) + entry(2, 5, 3, long(68)) + long(0)
    for degrees in [latitude, 31, 12] { tiff += long(degrees) + long(1) }
    let segment = Array("Exif\0\0".utf8) + tiff
    let length = segment.count + 2
    var file = Pictures.astronaut
    file.insert(contentsOf: [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + segment, at: 2)
    return file
  }()
  private static let latitude = 0x3412_7856

  /// Returns whether a file contains the position, in either byte order.
  private static func isLocated(_ file: [UInt8]) -> Bool {
    let orders: [[UInt8]] = [[0x56, 0x78, 0x12, 0x34], [0x34, 0x12, 0x78, 0x56]]
    return orders.contains { file.firstRange(of: $0) != nil }
  }

  private static func withFolder(
    _ change: (inout Settings) -> Void = { _ in }, _ body: (Settings) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "blur-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(located).write(to: folder.appending(path: "a.jpg"))
    try Data(try await png()).write(to: folder.appending(path: "a.png"))
    try await body(
      .patient {
        $0.folder = folder.path
        change(&$0)
      })
  }

  private static func png() async throws -> [UInt8] {
    try await ImageManager().image(for: .bytes(Pictures.astronaut)).encoded(as: .png)
  }

  private static func post(
    _ client: some TestClientProtocol, _ uri: String = "/blur", _ body: [UInt8] = Pictures.astronaut,
    method: HTTPRequest.Method = .post
  ) async throws -> TestResponse {
    try await client.execute(uri: uri, method: method, body: ByteBuffer(bytes: body))
  }

  private static func expect(
    _ status: HTTPResponse.Status, _ client: some TestClientProtocol, _ uri: String = "/blur",
    _ body: [UInt8] = Pictures.astronaut, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let response = try await post(client, uri, body)
    #expect(response.status == status, sourceLocation: sourceLocation)
  }

  private static func pixels(_ file: [UInt8]) async throws -> PixelView {
    try await ImageManager().image(for: .bytes(file)).image
  }

  // MARK: Bytes

  struct Case: CustomTestStringConvertible {
    var query: String
    var blur = BlurRequest()
    var format: OutputFormat?
    var source = "a.jpg"
    var testDescription: String { "\(source) \(query)" }
  }

  private static let cases = [
    Case(query: ""), Case(query: "&format=jpg"), Case(query: "&format=jpg&quality=40", format: .jpeg(quality: 40)),
    Case(query: "&quality=85", format: .jpeg(quality: 85)), Case(query: "&format=webp", format: .webp(quality: 85)),
    Case(query: "&format=avif&quality=50", format: .avif(quality: 50)), Case(query: "&format=png", format: .png),
    Case(query: "&mode=pixelate&shape=box", blur: BlurRequest(mode: .pixelate, shape: .box)),
    Case(query: "&mode=solid&shape=head&margin=0.5", blur: BlurRequest(mode: .solid, shape: .head, margin: 0.5)),
    Case(query: "&faces=1", blur: BlurRequest(faces: .only([1]))),
    Case(query: "&except=1", blur: BlurRequest(faces: .except([1]))),
    Case(query: "&min-face=99%25", blur: BlurRequest(smallestFace: .fraction(0.99))),
    Case(query: "&metadata=strip", blur: BlurRequest(metadata: .strip)),
    Case(query: "&metadata=copyright", blur: BlurRequest(metadata: .copyright)),
    Case(query: "&keep-location=true", blur: BlurRequest(keepsLocation: true)),
    Case(query: "", source: "a.png"), Case(query: "&format=jpg", format: .jpeg(quality: 85), source: "a.png"),
  ]

  /// The response has the bytes of the library, and so of the command, for a name and for a body.
  @Test(arguments: cases) func bytesAreThoseOfTheLibrary(wanted: Case) async throws {
    let file = wanted.source == "a.jpg" ? Self.located : try await Self.png()
    let made = try await FaceCropper().blur(.bytes(file), request: wanted.blur, as: wanted.format)
    try await Self.withFolder { settings in
      try await Server(settings).application.test(.live) { client in
        let named = try await client.execute(uri: "/blur?src=\(wanted.source)\(wanted.query)", method: .get)
        #expect(named.status == .ok, "\(String(buffer: named.body))")
        #expect(named.headers[.contentType] == made.format.mediaType)
        let isSame = Array(buffer: named.body) == made.bytes
        #expect(isSame)
        let sent = try await Self.post(client, "/blur?\(wanted.query.dropFirst())", file, method: .put)
        #expect(sent.status == .ok && sent.headers[.eTag] == named.headers[.eTag])
        #expect(sent.headers[.cacheControl] == "private, no-store")
        #expect(Self.isLocated(Array(buffer: named.body)) == wanted.blur.keepsLocation)
      }
    }
  }

  /// Without a face, only the metadata change.
  @Test func imagesWithoutAFaceStay() async throws {
    let faceless = try await Pictures.faceless()
    try await Server().application.test(.live) { client in
      let response = try await Self.post(client, "/blur", faceless)
      #expect(response.status == .ok)
      let bytes = Array(buffer: response.body)
      let (before, after) = (try await Self.pixels(faceless), try await Self.pixels(bytes))
      let isSame = before == after
      #expect(isSame)
      let meta = try Self.meta(try await Self.post(client, "/meta/blur", faceless))
      #expect(meta.hidden == 0 && meta.faces.isEmpty && meta.doubtful.isEmpty && meta.lossless)
    }
  }

  /// Browsers get a format that they show, with the first frame.
  @Test func otherFormatsBecomeJPEG() async throws {
    let wave = try await AnimationRouteTests.wave()
    let tiff = try await ImageManager().image(for: .bytes(Pictures.astronaut)).encoded(as: .tiff)
    try await Server().application.test(.live) { client in
      for file in [wave, tiff] {
        let wanted = try await FaceCropper().blur(.bytes(file), as: .jpeg(quality: 85)).bytes
        let response = try await Self.post(client, "/blur", file)
        #expect(response.status == .ok && response.headers[.contentType] == "image/jpeg")
        let isSame = Array(buffer: response.body) == wanted
        #expect(isSame)
      }
    }
  }

  @Test func choosesTheAcceptedFormat() async throws {
    try await Self.withFolder { settings in
      try await Server(settings).application.test(.live) { client in
        for (accept, type) in [
          ("image/avif,image/webp,*/*", "image/avif"), ("image/webp,*/*", "image/webp"), ("*/*", "image/jpeg"),
        ] {
          for path in ["/blur", "/meta/blur"] {
            let response = try await client.execute(
              uri: "\(path)?src=a.jpg&format=auto", method: .get, headers: [.accept: accept])
            #expect(response.headers[.vary] == "Accept")
            if path == "/blur" {
              #expect(response.headers[.contentType] == type)
            } else {
              #expect("image/\(try Self.meta(response).format)" == type)
            }
          }
        }
      }
    }
  }

  // MARK: Metadata

  private struct Meta: Decodable {
    struct Face: Decodable {
      var number: Int
      var hidden: Bool
      var score: Double
      var x: Double
    }

    var size: [String: Int]
    var format: String
    var faces: [Face]
    var hidden: Int
    var doubtful: [Int]
    var lossless: Bool
    var warnings: [String]?
  }

  private static func meta(_ response: TestResponse) throws -> Meta {
    #expect(response.status == .ok, "\(String(buffer: response.body))")
    #expect(response.headers[.contentType] == "application/json")
    return try JSONDecoder().decode(Meta.self, from: Data(buffer: response.body))
  }

  @Test func metaListsHiddenAndDoubtfulFaces() async throws {
    try await Self.withFolder { settings in
      try await Server(settings, detector: Stub()).application.test(.live) { client in
        func meta(_ query: String) async throws -> Meta {
          try Self.meta(try await client.execute(uri: "/meta/blur?src=a.jpg\(query)", method: .get))
        }
        let all = try await meta("")
        #expect(all.faces.map(\.number) == [1, 2] && all.faces.map(\.hidden) == [true, true])
        #expect(all.faces.map(\.score) == [1, 0.5] && all.faces.map(\.x) == [0.3, 0.7])
        #expect(all.hidden == 2 && all.doubtful == [2])
        #expect(all.size == ["width": 512, "height": 512] && all.format == "jpeg" && all.lossless)
        #expect(all.warnings?.count == 1 && all.warnings?[0].contains("2") == true)
        let first = try await meta("&except=2,9&format=webp")
        #expect(first.faces.map(\.hidden) == [true, false] && first.hidden == 1 && first.doubtful.isEmpty)
        #expect(first.format == "webp" && !first.lossless)
        #expect(first.warnings?.count == 1 && first.warnings?[0].contains("9 (/meta/blur lists") == true)
        let again = try await meta("&quality=50")
        #expect(again.format == "jpeg" && !again.lossless)
      }
    }
  }

  /// A client may publish the response, so a face that it wants hidden and that is not there is an error.
  @Test(arguments: ["/blur", "/meta/blur"]) func numbersWithoutAFaceAre422(path: String) async throws {
    try await Self.withFolder { settings in
      try await Server(settings, detector: Stub()).application.test(.live) { client in
        #expect(try await client.execute(uri: "\(path)?src=a.jpg&faces=1,2", method: .get).status == .ok)
        // The second face is lower than 100 pixels.
        #expect(try await client.execute(uri: "\(path)?src=a.jpg&faces=1&min-face=100", method: .get).status == .ok)
        for (numbers, words) in [
          ("9", "number 9 (the numbers are 1 to 2;"), ("1,3,4", "number 3, 4 ("),
          ("2&min-face=100", "face 2 is lower than min-face"), ("1,2&min-face=100", "face 2 is lower than min-face"),
          ("1,2&min-face=50%25", "faces 1, 2 are lower"), ("2,3&min-face=100", "number 3 (the numbers are 1 to 2;"),
        ] {
          let response = try await client.execute(uri: "\(path)?src=a.jpg&faces=\(numbers)", method: .get)
          let text = String(buffer: response.body)
          #expect(
            response.status == .unprocessableContent && text.contains("\"no-face\"") && text.contains(words), "\(text)")
          #expect(response.headers[.cacheControl] == nil)
        }
        // All others are hidden.
        #expect(try await client.execute(uri: "\(path)?src=a.jpg&except=9", method: .get).status == .ok)
      }
      try await Server(settings).application.test(.live) { client in
        let faceless = try await Pictures.faceless()
        let response = try await Self.post(client, "\(path)?faces=9", faceless)
        #expect(
          response.status == .unprocessableContent && String(buffer: response.body).contains("the image has no face"))
      }
    }
  }

  /// The warnings are those of the command.
  @Test func metaSaysWhyNothingIsHidden() async throws {
    try await Self.withFolder { settings in
      try await Server(settings, detector: Stub()).application.test(.live) { client in
        for (query, words) in [
          ("&except=1,2", "all faces are excepted; nothing was hidden (leave out except"),
          ("&min-face=50%25", "no face to hide has the minimum height; nothing was hidden (lower min-face"),
          ("&except=1&min-face=100", "no face to hide has the minimum height"),
        ] {
          let meta = try Self.meta(try await client.execute(uri: "/meta/blur?src=a.jpg\(query)", method: .get))
          #expect(meta.hidden == 0 && meta.warnings?.count == 1, "\(query)")
          #expect(meta.warnings?[0].contains(words) == true, "\(query)")
        }
        // The first face is hidden, as it should be.
        let one = try Self.meta(try await client.execute(uri: "/meta/blur?src=a.jpg&min-face=100", method: .get))
        #expect(one.hidden == 1 && one.warnings == [])
      }
      try await Server(settings).application.test(.live) { client in
        let meta = try Self.meta(try await Self.post(client, "/meta/blur", try await Pictures.faceless()))
        #expect(meta.warnings?.map { $0.hasPrefix("no face was found; nothing was hidden (") } == [true])
      }
    }
  }

  // MARK: Caches and shared work

  /// Equal requests are answered from the cache, also by another server, and every option has its own response.
  @Test func responsesAreCached() async throws {
    let cache = FileManager.default.temporaryDirectory.appending(path: "answers-\(UUID())")
    defer { try? FileManager.default.removeItem(at: cache) }
    let queries = [
      "", "&mode=pixelate", "&mode=solid", "&shape=box", "&shape=head", "&margin=0.5", "&except=1", "&quality=50",
      "&format=png", "&metadata=strip", "&keep-location=true",
    ]
    try await Self.withFolder({ $0.cacheFolder = cache.path }) { settings in
      var tags: [[String?]] = []
      for round in 0..<2 {
        let server = Server(settings)
        tags += try await server.application.test(.live) { client in
          var rounds: [[String?]] = []
          for status in round == 0 ? ["facecrop-server; fwd=miss", "facecrop-server; hit"] : ["facecrop-server; hit"] {
            var found: [String?] = []
            for query in queries {
              let response = try await client.execute(uri: "/blur?src=a.jpg\(query)", method: .get)
              #expect(response.status == .ok)
              #expect(response.headers[.init("Cache-Status")!] == status, "\(query)")
              #expect(response.headers[.cacheControl] == "public, max-age=86400")
              found.append(response.headers[.eTag])
            }
            rounds.append(found)
          }
          return rounds
        }
        #expect(server.manager.statistics.decodes == (round == 0 ? queries.count : 0))
        #expect(server.manager.statistics.detections == (round == 0 ? 1 : 0), "all options share the search")
      }
      #expect(Set(tags).count == 1 && Set(tags[0]).count == queries.count)
    }
  }

  @Test func knownTagsGetNoBody() async throws {
    try await Self.withFolder { settings in
      try await Server(settings).application.test(.live) { client in
        let first = try await client.execute(uri: "/blur?src=a.jpg", method: .get)
        let tag = try #require(first.headers[.eTag])
        let same = try await client.execute(uri: "/blur?src=a.jpg", method: .get, headers: [.ifNoneMatch: tag])
        #expect(same.status == .notModified && same.body.readableBytes == 0)
        let head = try await client.execute(uri: "/blur?src=a.jpg", method: .head)
        #expect(head.headers[.contentLength] == "\(first.body.readableBytes)" && head.headers[.eTag] == tag)
        let end = Int(Date().timeIntervalSince1970) + 1_000
        let soon = try await client.execute(uri: "/blur?src=a.jpg&exp=\(end)", method: .get)
        let age = try #require(soon.headers[.cacheControl]?.split(separator: "=").last.flatMap { Int($0) })
        #expect((700...1_000).contains(age) && soon.headers[.eTag] == tag)
      }
    }
  }

  @Test func equalRequestsShareADecode() async throws {
    let detector = GatedDetector()
    let server = Server(detector: detector)
    try await server.application.test(.ahc(.http)) { client in
      try await withThrowingTaskGroup { group in
        for _ in 0..<5 {
          group.addTask { try await Self.expect(.ok, client) }
        }
        try await eventually("five came") { server.manager.statistics.requests == 5 }
        detector.open()
        try await group.waitForAll()
      }
    }
    #expect(server.manager.statistics.decodes == 1 && server.manager.statistics.shared == 4)
    #expect(server.isIdle)
  }

  // MARK: Limits

  @Test(arguments: ["/blur", "/meta/blur"]) func limitsHold(path: String) async throws {
    func expect(
      _ status: Int, _ kind: String, _ body: [UInt8] = Pictures.astronaut, _ change: (inout Settings) -> Void
    ) async throws {
      let server = Server(.patient(change))
      try await server.application.test(.live) { client in
        let response = try await Self.post(client, path, body)
        #expect(response.status.code == status && String(buffer: response.body).contains("\"\(kind)\""))
      }
      #expect(server.isIdle)
    }
    try await expect(422, "limit") { $0.pixels = 512 * 512 - 1 }
    try await expect(413, "too-large") { $0.bodyLimit = Pictures.astronaut.count - 1 }
    try await expect(413, "too-large") { $0.bodyMemory = Pictures.astronaut.count - 1 }
    try await expect(415, "unsupported", Array("no picture".utf8)) { _ in }
    try await expect(422, "truncated", Array(Pictures.astronaut.prefix(Pictures.astronaut.count / 2))) { _ in }
    let needed = try await FaceCropper().info(of: .bytes(Pictures.astronaut)).memory(for: BlurRequest())
    try await expect(422, "limit") { $0.memory = needed - 1 }
    let enough = Server(.patient { $0.memory = needed })
    try await enough.application.test(.live) { client in
      try await Self.expect(.ok, client, path)
    }
  }

  @Test func theDeadlineIs504() async throws {
    let detector = GatedDetector()
    let server = Server(.patient { $0.deadline = .milliseconds(200) }, detector: detector)
    try await server.application.test(.live) { client in
      try await Self.expect(.gatewayTimeout, client)
      detector.open()
      try await eventually("it has ended") { server.isIdle }
    }
  }

  @Test func aFullQueueIs429() async throws {
    let detector = GatedDetector()
    let server = Server(.patient { ($0.concurrency, $0.waiting) = (1, 1) }, detector: detector)
    try await server.application.test(.ahc(.http)) { client in
      try await withThrowingTaskGroup { group in
        group.addTask { try await Self.expect(.ok, client, "/blur", Pictures.astronaut(and: 1)) }
        try await eventually("one runs") { server.manager.statistics.running == 1 }
        group.addTask { try await client.expect(.ok, "100.jpg", Pictures.astronaut(and: 2)) }
        try await eventually("one waits") { server.manager.statistics.waiting == 1 }
        try await Self.expect(.tooManyRequests, client, "/blur", Pictures.astronaut(and: 3))
        detector.open()
        try await group.waitForAll()
      }
    }
    #expect(server.isIdle)
  }

  @Test func otherPathsAndMethodsAreRefused() async throws {
    try await Self.withFolder { settings in
      try await Server(settings).application.test(.live) { client in
        for (path, status) in [
          ("/blur", 400), ("/blur/a.jpg", 400), ("/blur?src=none.jpg", 404), ("/blur?src=..%2Fa.jpg", 404),
          ("/blur?src=http%3A%2F%2F127.0.0.1%2Fa.jpg", 403), ("/blur?src=a.jpg&mode=none", 400),
        ] {
          #expect(try await client.execute(uri: path, method: .get).status.code == status, "\(path)")
        }
        let deleted = try await client.execute(uri: "/blur?src=a.jpg", method: .delete)
        #expect(deleted.status == .methodNotAllowed && deleted.headers[.allow] == "GET, HEAD, POST, PUT")
      }
      let key = "a key of sixteen or more"
      var signed = settings
      (signed.unsafe, signed.signingKeys, signed.uploads) = (false, [key], false)
      try await Server(signed).application.test(.live) { client in
        let url = "/blur?src=a.jpg"
        #expect(try await client.execute(uri: url, method: .get).status == .forbidden)
        let signature = Signature.own(of: url, key: key)
        #expect(try await client.execute(uri: "\(url)&sig=\(signature)", method: .get).status == .ok)
        #expect(try await client.execute(uri: "\(url)&mode=solid&sig=\(signature)", method: .get).status == .forbidden)
        try await Self.expect(.methodNotAllowed, client)
      }
    }
  }

  /// Metrics have the requests, and the log the number of faces.
  @Test func metricsHaveTheRequests() async throws {
    let server = Server()
    try await server.application.test(.live) { client in
      try await Self.expect(.ok, client)
      let metrics = try await client.execute(uri: "/metrics", method: .get)
      let samples = try Exposition(String(buffer: metrics.body)).samples
      #expect(samples[#"facecrop_requests_total{route="/blur",status="200"}"#] == 1)
      #expect(samples["facecrop_decodes_total"] == 1 && samples["facecrop_looks_total"] == 1)
    }
  }
}
