import FaceCrop
import Foundation

/// The source of responses: it finds an image and a cached response, or else reads, detects, renders and encodes.
struct PictureService: Sendable {
  let settings: Settings
  let pictures: CachingImageManager
  let origins: Origins
  let results: ResultCache
  let bodies: BodyMemory
  private let running = Coalescer<ResultCache.Key, Made, ServiceError>(cancelled: .hungUp)

  /// An outcome, and the facts for the log of each request that shares it.
  private typealias Made = (outcome: Result<Answer, ServiceError>, facts: RequestReport.State)

  /// Responds to a request for an image; `accept` is the client's list of media types. Also returns the freshness of its
  /// source; nil if the source is known to be unchanged.
  func answer(
    to request: PictureRequest, accept: String, _ context: CallContext
  ) async throws(ServiceError) -> (answer: Answer, age: Duration?) {
    let found = try await origins.find(request.source)
    let mark = await results.purges.mark(of: found.version)
    // The source's own format is unknown before it is read, so it has a cache key of its own.
    let formats = formats(request, accept)
    let key = ResultCache.Key(request, version: mark + found.version, formats: formats)
    let age = found.isCertain ? nil : settings.remoteFreshness
    if let answer = await results.answer(key, noOlderThan: age) {
      context.report.note(\.isCached, true)
      return (answer, age)
    }
    let made = try await running.value(of: key, joined: results.noteShared) {
      () async throws(ServiceError) in
      do throws(ServiceError) {
        let answer = try await fresh(found, mark, request, key, formats, context)
        return (.success(answer), context.report.values)
      } catch {
        return (.failure(error), context.report.values)
      }
    }
    // Another request may have done the work.
    context.report.note(\.bodyBytes, made.facts.bodyBytes)
    context.report.note(\.faces, made.facts.faces)
    return (try made.outcome.get(), age)
  }

  /// Reads an image, and makes and caches its response.
  private func fresh(
    _ found: Origins.ResolvedImage, _ mark: String, _ request: PictureRequest, _ key: ResultCache.Key,
    _ formats: [ImageFormat], _ context: CallContext
  ) async throws(ServiceError) -> Answer {
    // Before fetching an image that would be refused.
    try pictures.manager.checkRoom(settings)
    let lease = BodyMemory.Lease(of: bodies, for: context.client)
    defer { lease.end() }
    context.trace.begin(.fetch)
    let image = try await found.read(lease)
    context.report.note(\.bodyBytes, image.bytes.count)
    // A remote image is identified by its bytes, so that a changed one gets a new identity.
    let id = found.isCertain ? found.version : ImageAsset.bytes(image.bytes).id.rawValue
    var answer = try await make(request, image.bytes, id: ImageAsset.ID(rawValue: mark + id), formats, context)
    answer.isStorable = image.isStorable
    guard answer.isStorable else { return answer }
    if let fault = await results.store(answer, key) {
      context.logger.warning(
        "the cache folder keeps no responses", metadata: ["folder": "\(settings.cacheFolder)", "error": "\(fault)"])
    }
    return answer
  }

  /// Makes the cached responses, pixels and faces of an image unreachable.
  func purge(_ source: String) async throws(ServiceError) {
    guard let fault = await results.purges.change(of: try await origins.find(source).version) else { return }
    throw ServiceError("the cache folder cannot keep the purge", fault.rawValue)
  }

  /// Responds to a request for an uploaded image.
  func answer(
    to request: PictureRequest, of bytes: [UInt8], accept: String, _ context: CallContext
  ) async throws(ServiceError) -> Answer {
    try await make(request, bytes, id: nil, formats(request, accept), context)
  }

  /// Chooses the format, and another one for an animation if all frames are kept. Empty for the source's own, and
  /// without a file.
  private func formats(_ request: PictureRequest, _ accept: String) -> [ImageFormat] {
    guard request.needsFile else { return [] }
    switch request.format {
    case .accepted:
      let features: ImageFormat.EncoderFeatures = request.transparentOption == nil ? [] : .transparency
      let animated = request.keepsFrames ? [ImageFormat.accepted(by: accept, needing: features.union(.animation))] : []
      return [.accepted(by: accept, needing: features)] + animated
    case .own: return []
    case .named(let format): return [format]
    }
  }

  // MARK: One image

  private func make(
    _ request: PictureRequest, _ bytes: [UInt8], id: ImageAsset.ID?, _ formats: [ImageFormat], _ context: CallContext
  ) async throws(ServiceError) -> Answer {
    try Self.checkTransparency(request, of: bytes)
    var asset = ImageAsset.bytes(bytes, id: id)
    asset.page = request.page
    context.trace.begin(.admission)
    defer { context.trace.begin(nil) }
    let work = PictureWork(
      pictures: pictures, request: request, asset: asset, encoding: Self.encoding(request, formats),
      trace: context.trace)
    if let blur = request.blur {
      let hidden = try await work.hidden(blur)
      context.report.note(\.faces, hidden.plan.faces.count)
      if request.isMeta { return try Answer(meta: hidden) }
      return Answer(mediaType: hidden.format.mediaType, bytes: hidden.bytes)
    }
    let rendered = try await work.rendered()
    context.report.note(\.faces, rendered.faces.count)
    guard !request.isMeta, let file = rendered.file else {
      return try Answer(meta: rendered, of: request.part, misses: try await work.misses(of: rendered))
    }
    return Answer(mediaType: file.format.mediaType, bytes: file.bytes)
  }

  /// The formats without one in the URL: those that browsers show. GIF is only for animations.
  private static func ownFormats(_ request: PictureRequest) -> [ImageFormat] {
    ImageFormat.stills + (request.keepsFrames ? [.gif] : [])
  }

  /// Refuses a response that needs transparency, and whose format follows an image without it, as the command does.
  private static func checkTransparency(_ request: PictureRequest, of bytes: [UInt8]) throws(ServiceError) {
    guard request.format == .own, let option = request.transparentOption,
      // Decoding tells why others are no images.
      let source = try? ImageSource.bytes(bytes).format()
    else { return }
    let format = ownFormats(request).first { $0 == source } ?? .jpeg
    guard !format.encoderFeatures.contains(.transparency) else { return }
    throw .invalidQuery(
      "\(option) needs transparency, and without a format in the URL, the output of a \(source.name) image is "
        + "\(format.name) (\(OwnURL.transparentFormats))")
  }

  /// Returns the encoding; nil without a file.
  private static func encoding(_ request: PictureRequest, _ formats: [ImageFormat]) -> ImageEncoding? {
    guard request.needsFile else { return nil }
    var encoding = ImageEncoding(
      sourceFormatAmong: (formats.isEmpty ? ownFormats(request) : formats).map {
        OutputFormat($0, quality: request.quality ?? OutputFormat.usualQuality)
      })
    if case .named = request.format {} else { encoding.allowsOtherFormats = true }
    return encoding
  }
}

extension ImageManager {
  /// Throws ``ServiceError/busy`` if too many requests wait for a decode.
  func checkRoom(_ settings: Settings) throws(ServiceError) {
    guard statistics.waiting < max(settings.mostWaiting, 1) else { throw .busy }
  }
}
