import FaceCrop
import Hummingbird

/// `POST /avatar?size=256`: takes an image as the body and returns the square avatar of its largest face.
///
/// A minimal service with the library. `Server` in this repository adds the protection that a public service needs:
/// time limits on bodies, hang-ups, metrics, and a cache.
@main
struct AvatarService {
  /// Shared by all requests: it holds the models, the queue, and cached face positions.
  let manager: ImageManager

  static func main() async throws {
    var configuration = ImageManager.Configuration()
    // Bounds the memory of images decoded at once, by their headers; a few more may wait for a short time.
    configuration.memoryBudget = 256 << 20
    configuration.maximumWaitingRequests = 32
    configuration.deadline = .seconds(10)
    configuration.limits.fileBytes = largestBody
    configuration.limits.pixels = 50_000_000
    let service = AvatarService(manager: ImageManager(configuration: configuration))

    let router = Router()
    router.post("avatar", use: service.avatar)
    let address = BindAddress.hostname("127.0.0.1", port: 8080)
    try await Application(router: router, configuration: ApplicationConfiguration(address: address)).runService()
  }

  static let largestBody = 20 << 20

  @Sendable
  func avatar(_ request: Request, context: some RequestContext) async throws -> Response {
    let side = request.uri.queryParameters["size"].flatMap { Int($0) } ?? 256
    guard (16...1024).contains(side) else { throw HTTPError(.badRequest, message: "size is from 16 to 1024") }
    let body = try await request.body.collect(upTo: Self.largestBody)
    do {
      let jpeg = try await avatar(of: Array(buffer: body), side: side)
      return Response(
        status: .ok, headers: [.contentType: "image/jpeg"], body: ResponseBody(byteBuffer: ByteBuffer(bytes: jpeg)))
    } catch let error as ImageRequestError {
      throw HTTPError(error.status, message: "\(error)")
    }
  }

  /// Runs the detection pass on a small image, which is cached for other sizes, then decodes only the crop region.
  private func avatar(of picture: [UInt8], side: Int) async throws -> [UInt8] {
    var options = ImageRequestOptions()
    options.crop = .faces(framing: .avatar, noFace: .fail)
    options.deliveryMode = .highQuality
    options.encoding = ImageEncoding(.jpeg(quality: 85))
    let avatar = try await manager.image(
      for: .bytes(picture), targetSize: PixelSize(width: side, height: side), options: options)
    return avatar.file!.bytes
  }
}

extension ImageRequestError {
  /// The status to respond with.
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .overloaded: .tooManyRequests
    case .deadlineExceeded: .gatewayTimeout
    case .overBudget: .contentTooLarge
    case .notFound: .notFound
    case .accessDenied, .networkAccessNotAllowed: .forbidden
    case .loadingFailed: .badGateway
    case .wouldBlock: .internalServerError
    case .image(let error):
      switch error {
      case .cancelled: HTTPResponse.Status(code: 499)
      case .overLimit(.time, _, _): .gatewayTimeout
      case .outOfMemory: .serviceUnavailable
      case .modelMissing, .modelUnusable, .detectorFailed, .libraryMissing: .internalServerError
      case .invalidRequest, .planMismatch: .badRequest
      case .unsupported: .unsupportedMediaType
      case .overLimit(.fileBytes, _, _): .contentTooLarge
      case .unreadable, .corrupt, .truncated, .overLimit: .unprocessableContent
      case .noFace, .tooSmall, .formatLimit, .tooLarge, .unsureCutout: .unprocessableContent
      }
    }
  }
}
