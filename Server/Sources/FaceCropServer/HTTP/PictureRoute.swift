import FaceCrop
import HTTPTypes
import Hummingbird
import NIOCore

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

  /// Handles all other paths.
  @Sendable
  func thumbor(_ request: Request, context: CallContext) async throws(ServiceError) -> Response {
    // In thumbor's dialect, a question mark belongs to the image's URL.
    let signed = try ThumborURL(path: request.uri.string, settings: settings).request()
    do {
      return try await respond(to: signed, request, context)
    } catch let error where error.status == .notFound && signed.picture.source.hasPrefix("orig/") {
      // A folder may have this name, so it is only a size if it holds no such image.
      throw .invalidQuery("the size orig is not supported (omit it)")
    }
  }

  private func respond(
    to signed: SignedRequest, _ request: Request, _ context: CallContext
  ) async throws(ServiceError) -> Response {
    try context.admit(signed, keys)
    let wanted = signed.picture
    context.report.note(\.image, wanted.source)
    let accept = request.headers[.accept] ?? ""
    let reply = try await context.untilHangUp { () async throws(ServiceError) in
      try await service.answer(to: wanted, accept: accept, context)
    }
    let maxAge = reply.answer.maxAge(settings, until: signed.end, freshFor: reply.age)
    var response = try Response(
      reply.answer, to: request, isByAccept: wanted.format == .accepted, maxAge: maxAge, service.bodies, context.client)
    response.headers[Self.cacheStatus] = "facecrop-server; \(context.report.values.isCached ? "hit" : "fwd=miss")"
    return response
  }

  /// Whether this server's cache had the response (RFC 9211).
  private static let cacheStatus = HTTPField.Name("Cache-Status")!
}

extension CallContext {
  /// Charges a request to its key. Throws ``ServiceError/tooManyOfKey`` at the key's limit.
  func admit(_ request: SignedRequest, _ keys: TokenBuckets) throws(ServiceError) {
    guard let signer = request.signer else { return }
    report.note(\.signer, signer)
    do throws(ServiceError) { try keys.take(for: signer) } catch { throw .tooManyOfKey }
  }
}

extension Response {
  /// Creates a response that caches may keep for `maxAge` seconds, or 304 if the client has it (RFC 9110, 13.1.2). Its
  /// bytes count in `bodies` for the client.
  init(
    _ answer: Answer, to request: Request, isByAccept: Bool, maxAge: Int, _ bodies: BodyMemory, _ client: String
  ) throws(ServiceError) {
    // An uploaded image is private to its client.
    let isUpload = request.method != .get && request.method != .head
    var headers: HTTPFields = [
      .contentType: answer.mediaType, .eTag: answer.tag,
      .cacheControl: isUpload ? "private, no-store" : answer.isStorable ? "public, max-age=\(maxAge)" : "no-store",
      // Stops browsers from guessing another media type.
      .xContentTypeOptions: "nosniff",
    ]
    if isByAccept { headers[.vary] = "Accept" }
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
