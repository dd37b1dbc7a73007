/// The callbacks of a request. They run on the working thread, and delay it.
public struct RequestEvents: Sendable {
  /// The callback for a smaller image before the last one; nil if not wanted. Default nil.
  public var degraded: (@Sendable (ImageResponse) -> Void)?
  /// The callback for each report, which may stop the request. Default nil.
  public var progress: (@Sendable (CropProgress) -> ProgressAction)?

  /// Creates callbacks; none by default.
  public init(
    degraded: (@Sendable (ImageResponse) -> Void)? = nil,
    progress: (@Sendable (CropProgress) -> ProgressAction)? = nil
  ) {
    self.degraded = degraded
    self.progress = progress
  }
}

/// A type that answers image requests: ``ImageManager``, or ``CachingImageManager`` in front of it.
public protocol ImageRequesting: Sendable {
  /// Returns the requested image. If the task is cancelled, decoding stops within milliseconds, unless an equal request
  /// also waits for it.
  ///
  /// - Throws: Any ``ImageRequestError``. A cancelled task ends with ``FaceCropError/cancelled``.
  func response(
    to request: ImageRequest, events: RequestEvents
  ) async throws(ImageRequestError) -> ImageResponse
}

extension ImageRequesting {
  /// Returns the requested image.
  ///
  /// - Parameters:
  ///   - asset: The image.
  ///   - targetSize: The size in pixels. Default all pixels.
  ///   - contentMode: The fit between image and target. Default `aspectFit`.
  ///   - options: The crop, quality, and deadline.
  ///   - progress: Called with each report; may stop the request.
  /// - Throws: Any ``ImageRequestError``. A cancelled task ends with ``FaceCropError/cancelled``.
  public func image(
    for asset: ImageAsset, targetSize: PixelSize = .maximum, contentMode: ContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions(),
    progress: (@Sendable (CropProgress) -> ProgressAction)? = nil
  ) async throws(ImageRequestError) -> ImageResponse {
    let request = ImageRequest(asset, targetSize: targetSize, contentMode: contentMode, options: options)
    return try await response(to: request, events: RequestEvents(progress: progress))
  }

  /// Streams the images of a request. Under ``DeliveryMode/opportunistic`` a smaller image may come before the final
  /// one. The parameters are those of `image(for:)`.
  ///
  /// The stream ends after the final image, or by throwing an ``ImageRequestError``. The work stops with the reader.
  public func images(
    for asset: ImageAsset, targetSize: PixelSize = .maximum, contentMode: ContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions(),
    progress: (@Sendable (CropProgress) -> ProgressAction)? = nil
  ) -> AsyncThrowingStream<ImageResponse, any Error> {
    let request = ImageRequest(asset, targetSize: targetSize, contentMode: contentMode, options: options)
    return AsyncThrowingStream { continuation in
      let task = Task {
        do {
          var events = RequestEvents(progress: progress)
          if options.deliveryMode == .opportunistic { events.degraded = { _ = continuation.yield($0) } }
          continuation.yield(try await response(to: request, events: events))
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
