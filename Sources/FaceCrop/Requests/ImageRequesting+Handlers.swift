internal import Dispatch
internal import Synchronization

/// A request whose answers come to a handler.
public struct ImageTask: Hashable, Sendable {
  private let task: Task<Void, Never>

  init(_ body: @escaping @Sendable () async -> Void) {
    task = Task(operation: body)
  }

  /// Ends the request. One that is over is left as it is.
  public func cancel() {
    task.cancel()
  }
}

extension ImageRequesting {
  /// The pictures that come for a request, as `images(for:)` gives them, for callers without tasks.
  ///
  /// - Parameters:
  ///   - asset: The picture.
  ///   - targetSize: In pixels. Default all that there are.
  ///   - contentMode: Whether the target size is to be filled, or fitted into. Default fitted.
  ///   - options: The crop, the quality, the deadline.
  ///   - progress: Called with each step; may stop the request.
  ///   - resultHandler: Called with each picture, or once with the error; after ``ImageTask/cancel()``, with
  ///     ``FaceCropError/cancelled``. From any thread, one call after the other.
  /// - Returns: What ends it. Nobody has to keep it.
  @discardableResult
  public func requestImage(
    for asset: ImageAsset, targetSize: PixelSize = .maximum, contentMode: ContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions(),
    progress: (@Sendable (CropProgress) -> ProgressAction)? = nil,
    resultHandler: @escaping @Sendable (Result<ImageResponse, ImageRequestError>) -> Void
  ) -> ImageTask {
    ImageTask {
      do {
        for try await response in images(
          for: asset, targetSize: targetSize, contentMode: contentMode, options: options, progress: progress)
        {
          resultHandler(.success(response))
        }
        // A cancelled stream ends without an error.
        if Task.isCancelled { resultHandler(.failure(.cancelled)) }
      } catch {
        resultHandler(.failure(error as? ImageRequestError ?? .loadingFailed("\(error)")))
      }
    }
  }

  /// The picture that was asked for, while the calling thread waits: for programs without tasks.
  ///
  /// - Throws: Any ``ImageRequestError``; ``ImageRequestError/wouldBlock`` when called from a task, a progress closure or a
  ///   detector, whose threads the work itself needs.
  public func waitForImage(
    for asset: ImageAsset, targetSize: PixelSize = .maximum, contentMode: ContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions()
  ) throws(ImageRequestError) -> ImageResponse {
    guard !Job.isWorkThread, unsafe withUnsafeCurrentTask(body: { unsafe $0 == nil }) else { throw .wouldBlock }
    let isDone = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<ImageResponse, ImageRequestError>?>(nil)
    requestImage(
      for: asset, targetSize: targetSize, contentMode: contentMode, options: options.highQuality
    ) { result in
      outcome.withLock { $0 = result }
      isDone.signal()
    }
    isDone.wait()
    return try outcome.withLock { $0! }.get()
  }
}

extension ImageRequestOptions {
  /// The same options, but for one answer.
  fileprivate var highQuality: ImageRequestOptions {
    var options = self
    if options.deliveryMode == .opportunistic { options.deliveryMode = .highQuality }
    return options
  }
}
