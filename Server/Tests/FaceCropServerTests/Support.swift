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

enum Pictures {
  /// 512 × 512 pixels with one face.
  static let astronaut = Array(
    FileManager.default.contents(
      atPath: #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        + "/Tests/Fixtures/astronaut.jpg")!)

  /// Returns the portrait with different bytes.
  static func astronaut(and number: Int) -> [UInt8] { astronaut + Array("\(number)".utf8) }

  /// Returns a corner of the portrait without a face.
  static func faceless() async throws -> [UInt8] {
    var options = ImageRequestOptions()
    options.crop = .normalizedCropRect(NormalizedRect(x: 0, y: 0.7, width: 0.25, height: 0.3))
    return try await ImageManager().image(for: .bytes(astronaut), options: options).encoded(as: .jpeg(quality: 85))
  }
}

extension Settings {
  /// Returns changed settings without signatures, with timeouts beyond any slow machine.
  static func patient(_ change: (inout Settings) -> Void = { _ in }) -> Settings {
    var configuration = Settings()
    configuration.unsafe = true
    configuration.given = ["uploads": "uploads"]
    configuration.deadline = .seconds(300)
    configuration.bodyTimeout = .seconds(300)
    configuration.idleTimeout = .seconds(300)
    change(&configuration)
    return configuration
  }
}

extension Server {
  init(
    _ settings: Settings = .patient(), detector: any FaceDetector = YuNetFaceDetector(), desk: ReviewDesk? = nil
  ) {
    do throws(SettingsError) {
      try self.init(settings, metrics: PrometheusMetrics(help: ServiceMetrics.help), detector: detector, desk: desk)
    } catch {
      fatalError("\(error)")
    }
  }

  var application: some ApplicationProtocol {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return application(address: .hostname("127.0.0.1", port: 0), logger: logger)
  }

  /// Whether nothing runs, waits or is held.
  var isIdle: Bool {
    let statistics = manager.statistics
    return statistics.readingHeaders == 0 && statistics.running == 0 && statistics.waiting == 0
      && statistics.reservedBytes == 0 && bodies.held == 0
  }
}

extension TestClientProtocol {
  /// Uploads an image for an avatar. `file` is the end of the path, and may have a query.
  func avatar(_ file: String = "256.jpg", _ body: [UInt8] = Pictures.astronaut) async throws -> TestResponse {
    try await execute(uri: "/crop/avatar/\(file)", method: .post, body: ByteBuffer(bytes: body))
  }

  func expect(
    _ status: HTTPResponse.Status, _ file: String = "256.jpg", _ body: [UInt8] = Pictures.astronaut,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let response = try await avatar(file, body)
    #expect(response.status == status, sourceLocation: sourceLocation)
  }
}

/// A client with the token of the pages, unless a request has its own.
struct SignedIn: TestClientProtocol {
  let client: any TestClientProtocol
  let token: String
  var port: Int? { client.port }

  func executeRequest(
    uri: String, method: HTTPRequest.Method, headers: HTTPFields, body: ByteBuffer?
  ) async throws -> TestResponse {
    var headers = headers
    if headers[.authorization] == nil { headers[.authorization] = "Bearer \(token)" }
    return try await client.executeRequest(uri: uri, method: method, headers: headers, body: body)
  }
}

/// A detector that finds one face once it is released.
final class GatedDetector: FaceDetector, ReadyFaceDetector {
  let name = "gated"
  let input = DetectorInput(format: .gray, sufficientSide: 453)
  private let isOpen: Mutex<Bool>
  private let calls = Mutex(0)

  init(isOpen: Bool = false) {
    self.isOpen = Mutex(isOpen)
  }

  var callCount: Int { calls.withLock { $0 } }

  func open() {
    isOpen.withLock { $0 = true }
  }

  func prepare() -> any ReadyFaceDetector { self }

  func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] {
    calls.withLock { $0 += 1 }
    while !isOpen.withLock({ $0 }) { usleep(1_000) }
    return [Face(box: NormalizedRect(x: 0.3, y: 0.1, width: 0.2, height: 0.25), score: 1)]
  }
}

/// Waits until the condition holds. It waits very long before it fails, since the machine may be slow.
func eventually(
  _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
  for _ in 0..<6_000 {
    if try await condition() { return }
    try await Task.sleep(for: .milliseconds(10))
  }
  Issue.record(what, sourceLocation: sourceLocation)
}
