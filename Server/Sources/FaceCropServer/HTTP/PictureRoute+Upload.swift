import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

extension PictureRoute {
  /// Handles `POST` and `PUT` of `/crop/…`, `/blur` and `/meta/…`, with the image as the body.
  @Sendable
  func upload(_ request: Request, context: CallContext) async throws(ServiceError) -> Response {
    let settings = live.value
    let url = OwnURL(path: request.uri.path, query: request.uri.query, settings: settings, hasBody: true)
    let signed = try url.request()
    try context.admit(signed, keys)
    let wanted = signed.picture
    let accept = request.headers[.accept] ?? ""
    // Before receiving a body that would be refused.
    try service.pictures.manager.checkRoom(settings)
    let reader = BodyReader(limit: settings.bodyLimit, timeout: settings.bodyTimeout)
    try reader.check(request.headers, memory: settings.bodyMemory)
    return try await context.untilHangUp { () async throws(ServiceError) in
      let lease = BodyMemory.Lease(of: service.bodies, for: context.client)
      defer { lease.end() }
      try await context.letContinue(request)
      var bytes = try await reader.read(request, lease, context)
      context.report.note(\.bodyBytes, bytes.count)
      try MultipartBody.keepFile(in: &bytes, contentType: request.headers[.contentType])
      let answer: Answer
      do throws(ServiceError) {
        answer = try await service.answer(to: wanted, of: bytes, accept: accept, context)
      } catch {
        throw error.about(bodyOfType: request.headers[.contentType])
      }
      // An uploaded image is private to its client.
      var headers: HTTPFields = [.cacheControl: "private, no-store"]
      if wanted.format == .accepted { headers[.vary] = "Accept" }
      return try Response(answer, to: request, headers, service.bodies, context.client)
    }
  }
}

extension CallContext {
  /// Responds to a client that asks before it sends a large body (RFC 9110, 10.1.1).
  fileprivate func letContinue(_ request: Request) async throws(ServiceError) {
    guard request.headers[.expect]?.lowercased() == "100-continue" else { return }
    do {
      try await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
    } catch {
      throw .hungUp
    }
  }
}
