import Crypto
import FaceCrop
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// The routes of images: `GET` and `HEAD` of one by its URL, and uploads.
struct PictureRoute: Sendable {
  let live: LiveSettings
  let service: PictureService
  /// The buckets of the keys that sign URLs.
  let keys: TokenBuckets
  private var settings: Settings { live.value }

  /// Handles `/crop/…`, `/blur` and `/meta/…`.
  @Sendable
  func own(_ request: Request, context: CallContext) async throws(ServiceError) -> Response {
    let url = OwnURL(path: request.uri.path, query: request.uri.query, settings: settings)
    return try await respond(to: try url.request(), request, context)
  }

  /// Handles all other paths, in the dialects of thumbor and imgproxy.
  @Sendable
  func others(_ request: Request, context: CallContext) async throws(ServiceError) -> Response {
    // In these dialects, a question mark belongs to the image's URL.
    let path = request.uri.string
    if ImgproxyURL.isOne(path) {
      return try await respond(to: try ImgproxyURL(path: path, settings: settings).request(), request, context)
    }
    let signed = try ThumborURL(path: path, settings: settings).request()
    do {
      return try await respond(to: signed, request, context)
    } catch let error where error.status == .notFound && signed.picture.source.hasPrefix("orig/") {
      // A folder may have this name, so it is only a size if it holds no such image.
      throw .invalidQuery("the size orig is not supported (omit it)")
    } catch let error where [.notFound, .forbidden].contains(error.status) && path.hasPrefix("/unsafe/enc/") {
      // Likewise, a folder or a host without a dot.
      throw ImgproxyURL.encryptedSource
    }
  }

  /// Handles `POST /purge`. The cached responses of an image are not sent again.
  @Sendable
  func purge(_ request: Request, context: CallContext) async throws(ServiceError) -> Response {
    let signed = try OwnURL(path: request.uri.path, query: request.uri.query, settings: settings).purge()
    try context.admit(signed, keys)
    context.report.note(\.image, signed.picture.source)
    try await service.purge(signed.picture.source)
    return Response(status: .noContent)
  }

  /// Handles `POST` and `PUT` of `/crop/…`, `/blur` and `/meta/…`, with the image as the body.
  @Sendable
  func upload(_ request: Request, context: CallContext) async throws(ServiceError) -> Response {
    let settings = live.value
    let url = OwnURL(path: request.uri.path, query: request.uri.query, settings: settings, hasBody: true)
    let signed = try url.request()
    try context.admit(signed, keys)
    let wanted = signed.picture
    // Before receiving a body that would be refused.
    try service.pictures.manager.checkRoom(settings)
    let reader = BodyReader(limit: settings.bodyLimit, timeout: settings.bodyTimeout)
    try reader.check(request.headers, memory: settings.bodyMemory)
    return try await context.untilHangUp { () async throws(ServiceError) in
      let lease = BodyMemory.Lease(of: service.bodies, for: context.client)
      defer { lease.end() }
      try await context.letContinue(request)
      var bytes = try await reader.read(request, lease, context)
      try MultipartBody.keepFile(in: &bytes, contentType: request.headers[.contentType])
      let answer: Answer
      do throws(ServiceError) {
        answer = try await service.answer(to: wanted, of: bytes, accept: request.headers[.accept] ?? "", context)
      } catch {
        throw error.about(bodyOfType: request.headers[.contentType])
      }
      // An uploaded image is private to its client.
      var headers: HTTPFields = [.cacheControl: "private, no-store"]
      if wanted.format == .accepted { headers[.vary] = "Accept" }
      return try Response(answer, to: request, headers, service.bodies, context.client)
    }
  }

  private func respond(
    to signed: SignedRequest, _ request: Request, _ context: CallContext
  ) async throws(ServiceError) -> Response {
    try context.admit(signed, keys)
    let settings = self.settings
    let isByScreen = settings.clientHints && !signed.hasRatio && (signed.picture.width ?? signed.picture.height) != nil
    let ratio = isByScreen ? Self.pixelRatio(request.headers) : 1
    let wanted = signed.picture.scaled(by: ratio, within: settings.largestSide)
    context.report.note(\.image, wanted.source)
    let reply = try await context.untilHangUp { () async throws(ServiceError) in
      try await service.answer(to: wanted, accept: request.headers[.accept] ?? "", context)
    }
    var headers: HTTPFields = [
      .cacheControl: reply.answer.cacheControl(settings, until: signed.end, freshFor: reply.age),
      Self.cacheStatus: "facecrop-server; \(context.report.values.isCached ? "hit" : "fwd=miss")",
    ]
    let hints = isByScreen ? Self.ratioFields.map(\.rawName) : []
    let varying = (wanted.format == .accepted ? ["Accept"] : []) + hints
    if !varying.isEmpty { headers[.vary] = varying.joined(separator: ", ") }
    if isByScreen { headers[HTTPField.Name("Accept-CH")!] = hints.joined(separator: ", ") }
    if settings.cacheTags {
      let tag = Hexadecimal.text(SHA256.hash(data: Array(wanted.source.utf8)).prefix(16))
      for name in Self.tagFields { headers[name] = tag }
    }
    return try Response(reply.answer, to: request, headers, service.bodies, context.client)
  }

  /// Returns the client's pixels for each CSS pixel, rounded up to a step, so that a URL has few responses.
  private static func pixelRatio(_ headers: HTTPFields) -> Double {
    let ratios = ratioFields.lazy.compactMap { headers[$0].flatMap { Double(decimal: $0) } }
    let ratio = ratios.first { $0 > 0 } ?? 1
    return [1, 1.5, 2, 3].first { ratio <= $0 } ?? 4
  }

  /// Whether this server's cache had the response (RFC 9211).
  private static let cacheStatus = HTTPField.Name("Cache-Status")!
  /// The tag of a response, and the pixels of the client's screen for each CSS pixel, by both of their names.
  private static let tagFields = [HTTPField.Name("Cache-Tag")!, HTTPField.Name("Surrogate-Key")!]
  private static let ratioFields = [HTTPField.Name("Sec-CH-DPR")!, HTTPField.Name("DPR")!]
}

extension CallContext {
  /// Charges a request to its key. Throws ``ServiceError/tooManyOfKey`` at the key's limit.
  func admit(_ request: SignedRequest, _ keys: TokenBuckets) throws(ServiceError) {
    guard let signer = request.signer else { return }
    report.note(\.signer, signer)
    do throws(ServiceError) { try keys.take(for: signer) } catch { throw .tooManyOfKey }
  }

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

extension Response {
  /// Creates a response with some headers, or 304 if the client has it (RFC 9110, 13.1.2). Its bytes count in `bodies`
  /// for the client.
  init(
    _ answer: Answer, to request: Request, _ headers: HTTPFields, _ bodies: BodyMemory, _ client: String
  ) throws(ServiceError) {
    let isUpload = request.method != .get && request.method != .head
    var headers = headers
    (headers[.contentType], headers[.eTag]) = (answer.mediaType, answer.tag)
    // Stops browsers from guessing another media type.
    headers[.xContentTypeOptions] = "nosniff"
    // Only GET and HEAD have 304 (RFC 9110, 15.4.5).
    let known =
      isUpload
      ? nil
      : request.headers[.ifNoneMatch]?.split(separator: ",").map { tag in
        let tag = tag.drop { " \t".contains($0) }
        return String((tag.hasPrefix("W/") ? tag.dropFirst(2) : tag).prefix { !" \t".contains($0) })
      }
    if let known, known == ["*"] || known.contains(answer.tag) {
      headers[.contentType] = nil
      self.init(status: .notModified, headers: headers)
    } else if request.method == .head {
      headers[.contentLength] = "\(answer.bytes.count)"
      self.init(status: .ok, headers: headers)
    } else {
      self.init(status: .ok, headers: headers, body: try ResponseBody(answer.bytes, bodies, client))
    }
  }
}

extension ResponseBody {
  /// The largest body that is sent in one piece. Larger ones count in a memory budget.
  static let piece = 64 << 10

  /// Creates a body that counts in a budget until it is sent, because clients may read as slowly as they like. Throws
  /// ``ServiceError/busy`` if others hold too many bytes.
  fileprivate init(_ bytes: [UInt8], _ bodies: BodyMemory, _ client: String) throws(ServiceError) {
    guard bytes.count > Self.piece else {
      self.init(byteBuffer: ByteBuffer(bytes: bytes))
      return
    }
    let lease = BodyMemory.Lease(of: bodies, for: client)
    // A response that exceeds the whole budget waits until it is alone.
    try lease.extend(by: min(bytes.count, bodies.budget))
    self.init(contentLength: bytes.count) { writer in
      defer { lease.end() }
      for start in stride(from: 0, to: bytes.count, by: Self.piece) {
        try await writer.write(ByteBuffer(bytes: bytes[start..<min(start + Self.piece, bytes.count)]))
      }
      try await writer.finish(nil)
    }
  }
}
