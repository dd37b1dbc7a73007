import AsyncHTTPClient
import FaceCrop
import Foundation
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import SystemPackage

/// A fetcher of images over HTTP, from addresses that it has checked. A host's name is resolved once, and the
/// connection goes to that address, even if the name changes meanwhile.
final class Fetcher: Service {
  private let timeout: Duration
  private let limit: Int
  private let resolve: Resolver
  private let clients: FetchClients

  /// A function that returns the address of a host as text, and throws for a private one without permission.
  typealias Resolver = @Sendable (_ host: String, _ allowsPrivate: Bool) async throws(ServiceError) -> String

  /// Creates a fetcher of `mostFetches` images at once, each of at most `limit` bytes. `timeout` includes redirects. By
  /// default the system resolves host names.
  init(
    timeout: Duration, limit: Int, mostFetches: Int = 128,
    resolve: @escaping Resolver = Fetcher.address(of:allowsPrivate:)
  ) {
    self.timeout = timeout
    self.limit = limit
    clients = FetchClients(mostFetches: mostFetches)
    self.resolve = resolve
  }

  /// Ends the connections with the server.
  func run() async throws {
    try? await gracefulShutdown()
    await shutDown()
  }

  func shutDown() async { await clients.shutDown() }

  /// Fetches an image.
  ///
  /// - Parameters:
  ///   - url: A URL whose host is allowed.
  ///   - allowsPrivate: Whether the host may have an address in a private network.
  ///   - isAllowed: Returns whether a redirect to a URL is allowed.
  ///   - headers: Request headers, which are not sent after a redirect.
  ///   - lease: Counts the received bytes.
  func bytes(
    of url: URL, allowsPrivate: Bool, isAllowed: @Sendable (URL) -> Bool, headers: HTTPHeaders = [:],
    _ lease: BodyMemory.Lease
  ) async throws(ServiceError) -> Origins.Image {
    let deadline = ContinuousClock.now + timeout
    var (url, headers) = (url, headers)
    for _ in 0...3 {
      switch try await answer(to: url, allowsPrivate, headers, deadline, lease) {
      case .image(let image): return image
      case .elsewhere(let next):
        guard isAllowed(next) else { throw .forbidden("a redirect leads to a host that is not allowed") }
        (url, headers) = (next, [:])
      }
    }
    throw .origin("the host redirects too often")
  }

  private enum Answer: Sendable {
    case image(Origins.Image)
    case elsewhere(URL)
  }

  private func answer(
    to named: URL, _ allowsPrivate: Bool, _ headers: HTTPHeaders, _ deadline: ContinuousClock.Instant,
    _ lease: BodyMemory.Lease
  ) async throws(ServiceError) -> Answer {
    guard let host = HostName.of(named), let authority = HostName.authority(of: named),
      let url = HostName.checked(named)
    else {
      throw .invalidQuery("the image's URL has no host, or an invalid one")
    }
    try clients.enter(host)
    defer { clients.leave(host) }
    var request = HTTPClientRequest(url: url.absoluteString)
    request.headers = headers
    request.headers.replaceOrAdd(name: "Host", value: authority)
    request.headers.replaceOrAdd(name: "User-Agent", value: "facecrop-server")
    do {
      let wait = { @Sendable in try await Task.sleep(until: deadline, clock: .continuous) }
      return try await withFault(.origin("the host exceeded the fetch timeout"), after: wait) { [self, request] in
        let pin = FetchClients.Pin(host: host, address: try await resolve(host, allowsPrivate))
        let client = clients.take(pin)
        defer { clients.giveBack(pin) }
        let response = try await client.execute(request, deadline: .distantFuture)
        switch response.status.code {
        case 200: break
        case 301, 302, 303, 307, 308:
          guard let next = response.headers.first(name: "Location").flatMap({ URL(string: $0, relativeTo: url) }) else {
            throw ServiceError.origin("the host redirects without a location")
          }
          return .elsewhere(next.absoluteURL)
        case 404, 410: throw ServiceError.notFound
        case 401, 403: throw ServiceError.forbidden("the image's host denies access")
        default: throw ServiceError.origin("the host responds with status \(response.status.code)")
        }
        let announced = response.headers.first(name: "Content-Length").flatMap { Int($0) }
        var bytes: [UInt8] = []
        for try await part in response.body {
          guard bytes.count + part.readableBytes <= limit else {
            throw ServiceError.image(.image(.overLimit(.fileBytes, actual: announced ?? limit + 1, allowed: limit)))
          }
          try lease.extend(by: part.readableBytes)
          bytes.append(contentsOf: part.readableBytesView)
        }
        if let announced, bytes.count != announced { throw ServiceError.origin(Self.closedEarly) }
        // RFC 9111, 5.2.2. Names of fields behind `private` concern only these.
        let directives = response.headers[canonicalForm: "Cache-Control"].map { $0.lowercased() }
        return .image(
          Origins.Image(bytes: bytes, isStorable: !directives.contains("no-store") && !directives.contains("private")))
      }
    } catch is CancellationError {
      throw .hungUp
    } catch {
      throw error as? ServiceError ?? .origin(Self.clause(for: error))
    }
  }

  private static let closedEarly = "the host ended the connection before the image was complete"

  private static func clause(for error: any Error) -> String {
    switch error {
    case let error as HTTPClientError where error == .remoteConnectionClosed: closedEarly
    case let error as HTTPClientError where error == .connectTimeout || error == .readTimeout:
      "the host does not respond"
    case let error as HTTPClientError where error == .tlsHandshakeTimeout: insecure
    case HTTPParserError.invalidEOFState: closedEarly
    case is HTTPParserError: "the host's response is not HTTP"
    case let error as IOError: "the host cannot be reached: \(Errno(rawValue: error.errnoCode))"
    // The package of TLS is one of the HTTP client's own.
    case _ where String(reflecting: type(of: error)).hasPrefix("NIOSSL."): insecure
    default: "the host cannot be reached"
    }
  }

  private static let insecure = "no secure connection (TLS) to the host is possible (check its certificate and port)"

  /// Returns the first of a host's addresses that is allowed, as text.
  static func address(of host: String, allowsPrivate: Bool) async throws(ServiceError) -> String {
    let all = try await HostLookups.shared.addresses(of: host)
    guard !all.isEmpty else { throw .origin("the host \(host) is unknown") }
    guard let address = all.first(where: { allowsPrivate || AddressRules.isPublic($0.bytes) }) else {
      throw .forbidden("the image's host is in a private network (see the setting allow-private-addresses)")
    }
    return address.text
  }
}
