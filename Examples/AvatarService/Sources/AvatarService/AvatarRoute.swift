import FaceCrop
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// `POST /avatar`: the body is a picture, the answer the square avatar of its largest face, never enlarged.
struct AvatarRoute: Sendable {
  let configuration: Configuration
  let manager: ImageManager
  let bodies: BodyMemory

  @Sendable
  func respond(to request: Request, context: ServiceContext) async throws(ServiceError) -> Response {
    let query = try AvatarQuery(request, configuration)
    // Sooner than after a body that would be received for nothing.
    guard manager.statistics.waiting < max(configuration.mostWaiting, 1) else { throw .busy }
    let reader = BodyReader(limit: configuration.bodyLimit, timeout: configuration.bodyTimeout)
    try reader.check(request.headers)
    return try await context.untilHangUp { () async throws(ServiceError) in
      let lease = BodyMemory.Lease(of: bodies)
      defer { lease.end() }
      try await letContinue(request, context)
      let bytes = try await reader.read(request, lease)
      context.report.bodyRead(bytes.count)
      let (avatar, faces) = try await avatar(of: bytes, query)
      context.report.found(faces: faces)
      return Response(
        status: .ok, headers: [.contentType: query.format.mediaType],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: avatar)))
    }
  }

  private func avatar(of bytes: [UInt8], _ query: AvatarQuery) async throws(ServiceError) -> ([UInt8], Int) {
    do throws(ImageRequestError) {
      let response = try await manager.image(
        for: .bytes(bytes), targetSize: PixelSize(width: query.size, height: query.size), contentMode: .aspectFill,
        options: query.imageOptions)
      do throws(FaceCropError) {
        return (try await response.encoded(as: query.format.output), response.faces.count)
      } catch {
        throw .picture(error)
      }
    } catch {
      throw .image(error)
    }
  }

  /// A client with much to send may ask first (RFC 9110, 10.1.1).
  private func letContinue(_ request: Request, _ context: ServiceContext) async throws(ServiceError) {
    guard request.headers[.expect]?.lowercased() == "100-continue" else { return }
    do {
      try await context.channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
    } catch {
      throw .hungUp
    }
  }
}
