import FaceCrop
import HTTPTypes
import Hummingbird
import NIOCore

/// `POST /avatar`: takes an image as the body and returns the square avatar of its largest face, never enlarged.
struct AvatarRoute: Sendable {
  let configuration: Settings
  let manager: ImageManager
  let bodies: BodyMemory

  @Sendable
  func respond(to request: Request, context: CallContext) async throws(ServiceError) -> Response {
    let query = try AvatarQuery(request, configuration)
    return try await context.withBody(of: request, configuration, manager, bodies) { bytes async throws(ServiceError) in
      let avatar = try await avatar(of: bytes, query)
      context.report.found(faces: avatar.faces.count)
      let file = avatar.file!
      return Response(
        status: .ok, headers: [.contentType: file.format.mediaType, .cacheControl: "private, no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
    }
  }

  private func avatar(of bytes: [UInt8], _ query: AvatarQuery) async throws(ServiceError) -> ImageResponse {
    do {
      return try await manager.image(
        for: .bytes(bytes), targetSize: PixelSize(width: query.size, height: query.size), contentMode: .aspectFill,
        options: query.imageOptions)
    } catch {
      throw .image(error)
    }
  }
}
