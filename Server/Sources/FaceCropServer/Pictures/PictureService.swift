import FaceCrop
import Foundation

/// Makes answers: finds the picture, and what was made of it before; else reads it, looks, renders, encodes.
struct PictureService: Sendable {
  let settings: Settings
  let pictures: CachingImageManager
  let origins: Origins
  let results: ResultCache
  let bodies: BodyMemory
  private let header: FaceCropper
  private let running = SharedAnswers()

  init(_ settings: Settings, pictures: CachingImageManager, origins: Origins, results: ResultCache, bodies: BodyMemory)
  {
    self.settings = settings
    self.pictures = pictures
    self.origins = origins
    self.results = results
    self.bodies = bodies
    header = FaceCropper(detector: pictures.manager.configuration.detector, limits: settings.limits)
  }

  /// - Parameter accept: The client's list of media types.
  func answer(to request: PictureRequest, accept: String, _ context: CallContext) async throws(ServiceError) -> Answer {
    let found = try await origins.find(request.source)
    // What a source's own format is, is not known before it is read; it is another answer then than any that is named.
    let format = request.isMeta ? nil : Self.format(request.format, accept, needs(request))
    let key = ResultCache.Key(request, version: found.version, format: format)
    let age = found.isCertain ? nil : settings.remoteFreshness
    if let answer = await results.answer(key, noOlderThan: age) {
      context.report.cached()
      return answer
    }
    return try await running.answer(key) { () async throws(ServiceError) in
      // Sooner than after a picture that would be fetched for nothing.
      try pictures.manager.checkRoom(settings)
      let lease = BodyMemory.Lease(of: bodies)
      defer { lease.end() }
      context.trace.begin(.fetch)
      let bytes = try await found.read(lease)
      context.report.bodyRead(bytes.count)
      // A picture elsewhere is known by its bytes, so that one that has changed is another.
      let id = found.isCertain ? ImageAsset.ID(rawValue: found.version) : nil
      let answer = try await make(request, .bytes(bytes, id: id), bytes, format, context)
      if let fault = await results.store(answer, key) {
        context.logger.warning(
          "the cache folder keeps no responses", metadata: ["folder": "\(settings.cacheFolder)", "error": "\(fault)"])
      }
      return answer
    }
  }

  /// The same of a picture that was sent.
  func answer(
    to request: PictureRequest, of bytes: [UInt8], accept: String, _ context: CallContext
  ) async throws(ServiceError) -> Answer {
    let format = request.isMeta ? nil : Self.format(request.format, accept, needs(request))
    return try await make(request, .bytes(bytes), bytes, format, context)
  }

  private func needs(_ request: PictureRequest) -> ImageFormat.EncoderFeatures {
    if case .faces(let crop) = request.part, crop.output.shape == .circle { .transparency } else { [] }
  }

  /// Nil for the source's own.
  private static func format(
    _ format: PictureRequest.Format, _ accept: String, _ features: ImageFormat.EncoderFeatures
  ) -> ImageFormat? {
    switch format {
    case .accepted: .accepted(by: accept, needing: features)
    case .own: nil
    case .named(let format): format
    }
  }

  // MARK: One picture

  private func make(
    _ request: PictureRequest, _ asset: ImageAsset, _ bytes: [UInt8], _ format: ImageFormat?, _ context: CallContext
  ) async throws(ServiceError) -> Answer {
    do throws(ImageRequestError) {
      context.trace.begin(.admission)
      let rendered = try await PictureWork(
        pictures: pictures, header: header, request: request, asset: asset, bytes: bytes, trace: context.trace
      )
      .response()
      context.report.found(faces: rendered.faces.count)
      if request.isMeta { return try Answer(meta: rendered) }
      do throws(FaceCropError) {
        let format = format ?? (rendered.format.isWritten ? rendered.format : .jpeg)
        context.trace.begin(.encode)
        defer { context.trace.begin(nil) }
        let output = Self.output(format, quality: request.quality)
        return Answer(mediaType: format.mediaType, bytes: try await rendered.encoded(as: output))
      } catch {
        throw .picture(error)
      }
    } catch {
      throw .image(error)
    }
  }

  private static func output(_ format: ImageFormat, quality: Int?) -> OutputFormat {
    switch format {
    case .png: .png
    case .webp: .webp(quality: quality ?? 80)
    case .avif: .avif(quality: quality ?? 60)
    default: .jpeg(quality: quality ?? 85)
    }
  }
}

extension ImageManager {
  /// - Throws: ``ServiceError/busy`` where as many wait for a decode as may.
  func checkRoom(_ settings: Settings) throws(ServiceError) {
    guard statistics.waiting < max(settings.mostWaiting, 1) else { throw .busy }
  }
}
