/// What happens while a request is answered. Closures are called from the thread that works, and hold it up.
public struct RequestEvents: Sendable {
  /// A picture before the last one; nil does without.
  public var degraded: (@Sendable (ImageResponse) -> Void)?
  /// Called with each step; may stop the request.
  public var progress: (@Sendable (CropProgress) -> ProgressAction)?

  /// Tells nothing by default.
  public init(
    degraded: (@Sendable (ImageResponse) -> Void)? = nil,
    progress: (@Sendable (CropProgress) -> ProgressAction)? = nil
  ) {
    self.degraded = degraded
    self.progress = progress
  }
}

/// Answers requests for pictures: ``ImageManager``, and ``CachingImageManager`` before it.
public protocol ImageRequesting: Sendable {
  /// The picture that was asked for. When the task is cancelled, decoding stops within milliseconds, unless an equal request
  /// waits for it too.
  func response(
    to request: ImageRequest, events: RequestEvents
  ) async throws(ImageRequestError) -> ImageResponse
}

extension ImageRequesting {
  /// The picture that was asked for.
  ///
  /// - Parameters:
  ///   - asset: The picture.
  ///   - targetSize: In pixels. Default all that there are.
  ///   - contentMode: Whether the target size is to be filled, or fitted into. Default fitted.
  ///   - options: The crop, the quality, the deadline.
  ///   - progress: Called with each step; may stop the request.
  /// - Throws: Any ``ImageRequestError``. A cancelled task ends with ``FaceCropError/cancelled``.
  public func image(
    for asset: ImageAsset, targetSize: PixelSize = .maximum, contentMode: ContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions(),
    progress: (@Sendable (CropProgress) -> ProgressAction)? = nil
  ) async throws(ImageRequestError) -> ImageResponse {
    let request = ImageRequest(asset, targetSize: targetSize, contentMode: contentMode, options: options)
    return try await response(to: request, events: RequestEvents(progress: progress))
  }

  /// The pictures that come for a request: under ``DeliveryMode/opportunistic`` a degraded one first, unless the final one is
  /// ready, or no larger; then the final one.
  ///
  /// The stream ends after the final picture or by throwing an ``ImageRequestError``. When the reader stops, so does the work.
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
