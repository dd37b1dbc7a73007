import FaceCrop
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// `POST` and `PUT` of `/crop/…`, `/blur` and `/meta/…`, with the image as the body.
struct UploadRoute: Sendable {
  let live: LiveSettings
  let service: PictureService
  let manager: ImageManager
  let bodies: BodyMemory
  let keys: TokenBuckets

  @Sendable
  func respond(to request: Request, context: CallContext) async throws(ServiceError) -> Response {
    let settings = live.value
    let url = OwnURL(path: request.uri.path, query: request.uri.query, settings: settings, hasBody: true)
    let signed = try url.request()
    try context.admit(signed, keys)
    let wanted = signed.picture
    let accept = request.headers[.accept] ?? ""
    return try await context.withBody(of: request, settings, manager, bodies) { bytes async throws(ServiceError) in
      let answer: Answer
      do throws(ServiceError) {
        answer = try await service.answer(to: wanted, of: bytes, accept: accept, context)
      } catch {
        throw error.about(bodyOfType: request.headers[.contentType])
      }
      let maxAge = answer.maxAge(settings, until: signed.end, freshFor: nil)
      return try Response(
        answer, to: request, isByAccept: wanted.format == .accepted, maxAge: maxAge, bodies, context.client)
    }
  }
}

extension CallContext {
  /// Receives a body into memory and runs `body` with it, until the client hangs up.
  func withBody(
    of request: Request, _ settings: Settings, _ manager: ImageManager, _ bodies: BodyMemory,
    _ body: @escaping @Sendable ([UInt8]) async throws(ServiceError) -> Response
  ) async throws(ServiceError) -> Response {
    // Before receiving a body that would be refused.
    try manager.checkRoom(settings)
    let reader = BodyReader(limit: settings.bodyLimit, timeout: settings.bodyTimeout)
    try reader.check(request.headers, memory: settings.bodyMemory)
    return try await untilHangUp { () async throws(ServiceError) in
      let lease = BodyMemory.Lease(of: bodies, for: client)
      defer { lease.end() }
      try await letContinue(request)
      var bytes = try await reader.read(request, lease, self)
      report.note(\.bodyBytes, bytes.count)
      try MultipartBody.keepFile(in: &bytes, contentType: request.headers[.contentType])
      return try await body(bytes)
    }
  }

  /// Responds to a client that asks before it sends a large body (RFC 9110, 10.1.1).
  private func letContinue(_ request: Request) async throws(ServiceError) {
    guard request.headers[.expect]?.lowercased() == "100-continue" else { return }
    do {
      try await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
    } catch {
      throw .hungUp
    }
  }
}
