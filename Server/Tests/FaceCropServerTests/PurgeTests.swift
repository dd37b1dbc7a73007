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

/// Purges of the server's own cache, by the names of images.
@Suite(.timeLimit(.minutes(5))) struct PurgeTests {
  private static let key = "0123456789abcdef"
  private static let crop = "/crop/avatar/64.png?src=a.jpg"

  private static func signed(_ url: String) -> String { "\(url)&sig=\(Signature.own(of: url, key: key))" }

  /// Calls `body` with settings whose folder has the portrait as `a.jpg`, and with the path of a cache folder.
  private static func withSettings(_ body: (Settings, _ cache: String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "purge-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let photos = folder.appending(path: "photos")
    try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
    try Data(Pictures.astronaut).write(to: photos.appending(path: "a.jpg"))
    let settings = Settings.patient {
      $0.folder = photos.path
      $0.signingKeys = [Self.key]
    }
    try await body(settings, folder.appending(path: "cache").path)
  }

  /// Returns whether the cache had the response.
  @discardableResult
  private static func isHit(_ client: any TestClientProtocol, _ url: String = crop) async throws -> Bool {
    let response = try await client.execute(uri: url, method: .get)
    #expect(response.status == .ok)
    return response.headers[HTTPField.Name("Cache-Status")!] == "facecrop-server; hit"
  }

  private static func expect(
    _ hit: Bool, _ client: any TestClientProtocol, _ url: String = crop,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await isHit(client, url)
    #expect(found == hit, "\(url)", sourceLocation: sourceLocation)
  }

  private static func expectPurge(
    _ client: any TestClientProtocol, _ url: String = signed("/purge?src=a.jpg"), status: Int = 204,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let response = try await client.execute(uri: url, method: .post)
    #expect(response.status.code == status, "\(url)", sourceLocation: sourceLocation)
  }

  /// Responses and faces of the image are made again, in all dialects, and those of other images stay.
  @Test(arguments: [false, true])
  func aPurgedImageIsMadeAgain(hasFolder: Bool) async throws {
    try await Self.withSettings { settings, cache in
      var settings = settings
      if hasFolder { settings.cacheFolder = cache }
      // All three never share the mark of the first one.
      let others = (1...3).map { "/crop/avatar/64.png?src=\($0).jpg" }
      for number in 1...3 {
        let path = URL(filePath: settings.folder).appending(path: "\(number).jpg")
        try Data(Pictures.astronaut(and: number)).write(to: path)
      }
      let server = Server(settings)
      try await server.application.test(.ahc(.http)) { client in
        let urls = [Self.crop, "/unsafe/64x64/smart/a.jpg", "/blur?src=a.jpg", "/meta/avatar/64.png?src=a.jpg"]
        for url in urls + others { try await Self.isHit(client, url) }
        for url in urls { try await Self.expect(true, client, url) }
        let detections = server.manager.statistics.detections
        try await Self.expectPurge(client)
        for url in urls { try await Self.expect(false, client, url) }
        #expect(server.manager.statistics.detections >= detections + 2)
        for url in urls { try await Self.expect(true, client, url) }
        var hits = 0
        for url in others where try await Self.isHit(client, url) { hits += 1 }
        #expect(hits > 0)
        // Each purge counts.
        try await Self.expectPurge(client)
        try await Self.expect(false, client)
      }
    }
  }

  /// Servers that share the folder notice a purge, and so do servers that start later.
  @Test func otherServersKnowAPurge() async throws {
    try await Self.withSettings { settings, cache in
      let shared = with(settings) { $0.cacheFolder = cache }
      let urls = (64...66).map { "/crop/avatar/\($0).png?src=a.jpg" }
      try await Server(shared).application.test(.ahc(.http)) { other in
        for url in urls { try await Self.isHit(other, url) }
        try await Server(shared).application.test(.ahc(.http)) { client in
          try await Self.expect(true, client, urls[0])
          try await Self.expectPurge(client)
          try await Self.expect(false, client, urls[0])
        }
        try await eventually("the other server reads the mark again") { try await !Self.isHit(other, urls[1]) }
        try await Self.expect(true, other, urls[0])
      }
      try await Server(shared).application.test(.ahc(.http)) { client in
        try await Self.expect(false, client, urls[2])
        try await Self.expect(true, client, urls[2])
      }
      let marks = try FileManager.default.contentsOfDirectory(atPath: cache + "/purged").filter { !$0.hasPrefix(".") }
      #expect(marks.count == 1)
      for mark in marks { try FileManager.default.removeItem(atPath: "\(cache)/purged/\(mark)") }
      // Without the mark, the responses from before the purge would be found.
      try await Server(shared).application.test(.ahc(.http)) { client in
        try await Self.expect(true, client, urls[2])
      }
    }
  }

  /// A host's new image is fetched at once, not after `remote-freshness`.
  @Test func aPurgedImageIsFetchedAgain() async throws {
    let bytes = Mutex(Pictures.astronaut)
    let router = Router()
    router.get("a.jpg") { _, _ in
      Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes.withLock { $0 })))
    }
    let host = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      logger: Logger(label: "host") { _ in SwiftLogNoOpLogHandler() })
    let faceless = try await Pictures.faceless()
    try await host.test(.ahc(.http)) { host in
      let port = try #require(host.port)
      let settings = Settings.patient {
        $0.hosts = ["localhost:\(port)"]
        $0.allowPrivateAddresses = true
        $0.signingKeys = [Self.key]
      }
      try await Server(settings).application.test(.ahc(.http)) { client in
        let source = "src=http%3A%2F%2Flocalhost%3A\(port)%2Fa.jpg"
        func answer() async throws -> ByteBuffer {
          try await client.execute(uri: "/crop/avatar/64.png?\(source)", method: .get).body
        }
        let before = try await answer()
        bytes.withLock { $0 = faceless }
        let cached = try await answer()
        #expect(cached == before)
        // Another spelling of the same host.
        let purge = "/purge?\(source.replacing("localhost", with: "LocalHost"))"
        try await Self.expectPurge(client, Self.signed(purge))
        let after = try await answer()
        #expect(after != before)
      }
    }
  }

  /// A response from before the purge, which is still being made, answers nobody who asks later.
  @Test func runningWorkIsNotFoundAgain() async throws {
    try await Self.withSettings { settings, _ in
      let detector = GatedDetector()
      let server = Server(with(settings) { $0.concurrency = 2 }, detector: detector)
      // With several connections.
      try await server.application.test(.ahc(.http)) { client in
        async let first = Self.isHit(client)
        try await eventually("the first request detects") { detector.callCount > 0 }
        try await Self.expectPurge(client)
        async let second = Self.isHit(client)
        try await eventually("the second one shares nothing") { detector.callCount > 1 }
        detector.open()
        _ = try await (first, second)
        try await Self.expect(true, client)
        #expect(server.manager.statistics.shared == 0)
      }
    }
  }

  /// Whoever can read the URL of an image cannot purge it, not even where URLs need no signature.
  @Test func onlyTheKeyPurges() async throws {
    let (url, late) = ("/purge?src=a.jpg", "/purge?src=a.jpg&exp=1")
    let image = Signature.own(of: "/crop/avatar/64.png?src=a.jpg", key: Self.key)
    let refused: [(url: String, status: Int)] = [
      (url, 403), ("\(url)&sig=\(image)", 403), (Self.signed(url).replacing("sig=", with: "sig=A"), 403),
      (Self.signed(late), 403), (Self.signed("/purge?"), 400), (Self.signed("/purge?src=a.jpg&quality=9"), 400),
      (Self.signed("/purge?src=none.jpg"), 404), (Self.signed("/purge?src=https%3A%2F%2Fa.example%2Fa.jpg"), 403),
    ]
    try await Self.withSettings { settings, _ in
      try await Server(settings).application.test(.ahc(.http)) { client in
        try await Self.isHit(client)
        for (url, status) in refused { try await Self.expectPurge(client, url, status: status) }
        let get = try await client.execute(uri: Self.signed(url), method: .get)
        #expect(get.status == .methodNotAllowed && get.headers[.allow] == "POST")
        try await Self.expect(true, client)
      }
    }
  }

  /// The page signs URLs of images for everyone with its token, but no purge.
  @Test func thePlaygroundSignsNoPurge() async throws {
    try await Self.withSettings { settings, _ in
      let server = Server(with(settings) { $0.playground = true })
      try await server.application.test(.ahc(.http)) { client in
        let client = SignedIn(client: client, token: server.pageToken)
        let response = try await client.execute(
          uri: "/playground/sign", method: .post,
          headers: [.contentType: "application/json", HTTPField.Name("Sec-Fetch-Site")!: "same-origin"],
          body: ByteBuffer(string: #"{"urls": ["/purge?src=a.jpg"]}"#))
        #expect(response.status == .badRequest)
      }
    }
  }

  /// A mark that no other server can know is an error.
  @Test func aFolderThatKeepsNoMarkIsAnError() async throws {
    try await Self.withSettings { settings, cache in
      let shared = with(settings) { $0.cacheFolder = cache }
      try await Server(shared).application.test(.ahc(.http)) { client in
        try FileManager.default.removeItem(atPath: cache + "/purged")
        try await Self.expectPurge(client, status: 500)
      }
    }
  }
}

/// Returns settings with a change.
private func with(_ settings: Settings, _ change: (inout Settings) -> Void) -> Settings {
  var settings = settings
  change(&settings)
  return settings
}
