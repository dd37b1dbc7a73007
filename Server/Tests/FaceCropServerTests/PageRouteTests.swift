import FaceCrop
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import FaceCropServer

/// The option `page`, over sockets.
@Suite(.timeLimit(.minutes(5))) struct PageRouteTests {
  private static let levels: [UInt8] = [10, 90, 200]
  private static let side = 64

  /// Returns a TIFF with a gray page of each level.
  private static func scan(_ levels: [UInt8]) -> [UInt8] {
    func number(_ value: Int, _ width: Int) -> [UInt8] { (0..<width).map { UInt8(value >> (8 * $0) & 0xFF) } }
    var file = Array("II*\0".utf8) + number(8, 4)
    for (index, level) in levels.enumerated() {
      let entries = [
        (256, side), (257, side), (258, 8), (259, 1), (262, 1), (273, 0), (277, 1), (278, side), (279, side * side),
      ]
      let strip = file.count + 2 + 12 * entries.count + 4
      file += number(entries.count, 2)
      for (tag, value) in entries {
        // Bits, compression, colors and samples are numbers of two bytes.
        let type = [258, 259, 262, 277].contains(tag) ? 3 : 4
        file += number(tag, 2) + number(type, 2) + number(1, 4) + number(tag == 273 ? strip : value, 4)
      }
      let next = strip + side * side
      file += number(index == levels.count - 1 ? 0 : next, 4) + [UInt8](repeating: level, count: side * side)
    }
    return file
  }

  private static func get(
    _ client: some TestClientProtocol, _ path: String, _ query: String
  ) async throws -> TestResponse {
    try await client.execute(uri: "\(path)?\(query)", method: .get)
  }

  /// Every kind of response is that of a file with only this page, also from the cache, and for an uploaded image.
  @Test(arguments: ["/crop/crop/32.png", "/meta/crop/32", "/blur", "/meta/blur"])
  func pagesHaveResponsesOfTheirOwn(path: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(Self.scan(Self.levels)).write(to: folder.appending(path: "all.tif"))
    for (index, level) in Self.levels.enumerated() {
      try Data(Self.scan([level])).write(to: folder.appending(path: "\(index + 1).tif"))
    }
    let form = path == "/blur" ? "&format=png" : ""
    let settings = Settings.patient {
      $0.folder = folder.path
      $0.cacheFolder = folder.appending(path: "cache").path
    }
    for _ in 0..<2 {
      try await Server(settings).application.test(.live) { client in
        var bodies: Set<ByteBuffer> = []
        for page in [3, 1, 2, 3] {
          let all = try await Self.get(client, path, "src=all.tif&page=\(page)\(form)")
          let one = try await Self.get(client, path, "src=\(page).tif\(form)")
          #expect(all.status == .ok && all.body == one.body, "\(String(buffer: all.body))")
          bodies.insert(all.body)
          let sent = try await client.execute(
            uri: "\(path)?page=\(page)\(form)", method: .post, body: ByteBuffer(bytes: Self.scan(Self.levels)))
          #expect(sent.body == one.body)
        }
        // JSON has no pixels.
        #expect(path.hasPrefix("/meta") || bodies.count == 3)
        let first = try await Self.get(client, path, "src=all.tif\(form)")
        let wanted = try await Self.get(client, path, "src=1.tif\(form)")
        #expect(first.body == wanted.body)
      }
    }
  }

  @Test func pagesAreChecked() async throws {
    try await Server().application.test(.ahc(.http)) { client in
      func status(_ uri: String) async throws -> (HTTPResponse.Status, String) {
        let response = try await client.execute(
          uri: uri, method: .post, body: ByteBuffer(bytes: Self.scan(Self.levels)))
        return (response.status, String(buffer: response.body))
      }
      for path in ["/crop/crop/32.png", "/blur", "/meta/crop/32"] {
        for page in ["0", "-1", "1.5", "x", "", "65537"] {
          let (found, text) = try await status("\(path)?page=\(page)")
          #expect(found == .badRequest && text.contains("page must be a whole number from 1 to 65536"), "\(text)")
        }
        let (found, text) = try await status("\(path)?page=4")
        #expect(found == .badRequest && text.contains("the file has no page 4, but 3"), "\(text)")
      }
      try await client.expect(.badRequest, "64.jpg?page=2")
      try await client.expect(.ok, "64.jpg?page=1")
    }
  }
}
