import FaceCrop
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import FaceCropServer

/// Headers for caches of others: tags, stale responses, and the client's screen.
@Suite(.timeLimit(.minutes(5))) struct CDNTests {
  private static let tag = HTTPField.Name("Cache-Tag")!
  private static let key = HTTPField.Name("Surrogate-Key")!
  private static let hints = HTTPField.Name("Accept-CH")!

  /// Runs `body` with a client of a server, whose folder has the portrait as `a.jpg`.
  private static func withClient(
    _ change: (inout Settings) -> Void = { _ in },
    _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cdn-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(Pictures.astronaut).write(to: folder.appending(path: "a.jpg"))
    let settings = Settings.patient {
      $0.folder = folder.path
      change(&$0)
    }
    try await Server(settings).application.test(.live) { client in try await body(client) }
  }

  /// A CDN may send a stale response while it fetches another one, but none of an expired URL.
  @Test(
    arguments: [
      (0, nil, "public, max-age=86400"), (60, nil, "public, max-age=86400, stale-while-revalidate=60"),
      (60, 1_006, "public, max-age=6"), (60, 87_410, "public, max-age=86400, stale-while-revalidate=10"),
      (60, 999, "public, max-age=0"), (60, .min, "public, max-age=0"),
    ] as [(Int, Int?, String)])
  func staleResponsesEndWithTheURL(stale: Int, end: Int?, value: String) {
    var settings = Settings()
    settings.staleWhileRevalidate = stale
    var answer = Answer(mediaType: "image/jpeg", bytes: [1], time: 900)
    #expect(answer.cacheControl(settings, until: end, freshFor: nil, now: 1_000) == value)
    answer.isStorable = false
    #expect(answer.cacheControl(settings, until: end, freshFor: nil, now: 1_000) == "no-store")
  }

  /// All responses of an image have one tag, which others can compute.
  @Test func responsesHaveTheTagOfTheirImage() async throws {
    try await Self.withClient({ $0.cacheTags = true }) { client in
      // printf a.jpg | sha256sum | cut -c-32
      let tag = "509b0d4641a7c3ba088ffa28559d1f57"
      for path in [
        "/crop/avatar/64?src=a.jpg", "/unsafe/64x64/smart/a.jpg", "/unsafe/w:64/plain/a.jpg", "/blur?src=a.jpg",
      ] {
        let response = try await client.execute(uri: path, method: .get)
        #expect(response.headers[Self.tag] == tag && response.headers[Self.key] == tag, "\(path)")
        let known = try await client.execute(
          uri: path, method: .get, headers: [.ifNoneMatch: response.headers[.eTag] ?? ""])
        #expect(known.status == .notModified && known.headers[Self.tag] == tag, "\(path)")
      }
      let upload = try await client.avatar("64")
      #expect(upload.headers[Self.tag] == nil && upload.headers[.cacheControl] == "private, no-store")
    }
    try await Self.withClient { client in
      let response = try await client.execute(uri: "/crop/avatar/64?src=a.jpg", method: .get)
      #expect(response.headers[Self.tag] == nil && response.headers[Self.key] == nil)
    }
  }

  /// The client's screen multiplies the size, in few steps, and never beyond the largest side. A ratio in the URL wins.
  @Test(
    arguments: [
      ("/crop/avatar/64.png?src=a.jpg", nil, 64, true), ("/crop/avatar/64.png?src=a.jpg", "1.1", 96, true),
      ("/crop/avatar/64.png?src=a.jpg", "1.49999", 96, true), ("/crop/avatar/64.png?src=a.jpg", "2", 128, true),
      ("/crop/avatar/64.png?src=a.jpg", "0.5", 64, true), ("/crop/avatar/64.png?src=a.jpg", "wide", 64, true),
      ("/crop/avatar/64.png?src=a.jpg", "1e9", 200, true), ("/unsafe/64x64/smart/a.jpg", "2.6", 192, true),
      ("/unsafe/w:64/plain/a.jpg", "2", 128, true), ("/unsafe/w:64/dpr:1/plain/a.jpg", "2", 64, false),
      ("/blur?src=a.jpg", "2", 512, false), ("/unsafe/a.jpg", "2", 512, false),
    ] as [(String, String?, Int, Bool)])
  func sizesFollowTheScreen(path: String, ratio: String?, width: Int, varies: Bool) async throws {
    try await Self.withClient({
      $0.clientHints = true
      $0.largestSide = 200
    }) { client in
      for name in ["Sec-CH-DPR", "DPR"] {
        var headers = HTTPFields()
        headers[HTTPField.Name(name)!] = ratio
        let response = try await client.execute(uri: path, method: .get, headers: headers)
        let size = try await FaceCropper().info(of: .bytes(Array(buffer: response.body))).size
        #expect(size.width == width, "\(name)")
        #expect(response.headers[.vary] == (varies ? "Sec-CH-DPR, DPR" : nil))
        #expect(response.headers[Self.hints] == (varies ? "Sec-CH-DPR, DPR" : nil))
      }
    }
  }

  /// A ratio that is no finite decimal number above 0 counts as none, so the other header can have one.
  @Test(arguments: ["nan", "-nan", "inf", "infinity", "1e999", "-2", "0", "-1e999", "0x2", "0x1p1", "2,3", "wide"])
  func screensWithoutARatioAreIgnored(ratio: String) async throws {
    try await Self.withClient({ $0.clientHints = true }) { client in
      for (other, width) in [(nil, 64), ("2", 128)] as [(String?, Int)] {
        var headers = HTTPFields()
        headers[HTTPField.Name("Sec-CH-DPR")!] = ratio
        headers[HTTPField.Name("DPR")!] = other
        let response = try await client.execute(uri: "/crop/avatar/64.png?src=a.jpg", method: .get, headers: headers)
        #expect(try await FaceCropper().info(of: .bytes(Array(buffer: response.body))).size.width == width)
      }
    }
  }

  /// Without the setting, the client's screen changes nothing, so that a CDN keeps one response.
  @Test func screensAreIgnoredByDefault() async throws {
    try await Self.withClient { client in
      let hint = HTTPField.Name("Sec-CH-DPR")!
      let response = try await client.execute(
        uri: "/crop/avatar/64.auto?src=a.jpg", method: .get, headers: [hint: "2", .accept: "image/png"])
      #expect(response.headers[.vary] == "Accept" && response.headers[Self.hints] == nil)
      #expect(try await FaceCropper().info(of: .bytes(Array(buffer: response.body))).size.width == 64)
    }
  }
}
