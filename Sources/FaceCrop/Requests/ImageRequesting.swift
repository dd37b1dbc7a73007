internal import Dispatch
internal import Synchronization

/// What happens while a request is answered. Closures are called from the thread that works, and hold it up.
public struct RequestEvents: Sendable {
  /// A picture before the last one; nil does without.
  public var degraded: (@Sendable (ImageResponse) -> Void)?
  /// Called with each step; may stop the request.
  public var progress: (@Sendable (CropProgress) -> ProgressAction)?

  /// By default nothing is told.
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

  /// The same for callers without tasks.
  ///
  /// - Parameters:
  ///   - asset: The picture.
  ///   - targetSize: In pixels. Default all that there are.
  ///   - contentMode: Whether the target size is to be filled, or fitted into. Default fitted.
  ///   - options: The crop, the quality, the deadline.
  ///   - progress: Called with each step; may stop the request.
  ///   - resultHandler: Called with each picture, or once with the error; after ``cancel(_:)``, with
  ///     ``FaceCropError/cancelled``. From any thread, one call after the other.
  /// - Returns: What ``cancel(_:)`` takes.
  @discardableResult
  public func requestImage(
    for asset: ImageAsset, targetSize: PixelSize = .maximum, contentMode: ContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions(),
    progress: (@Sendable (CropProgress) -> ProgressAction)? = nil,
    resultHandler: @escaping @Sendable (Result<ImageResponse, ImageRequestError>) -> Void
  ) -> RequestID {
    RunningRequests.shared.start {
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

  /// Ends a request. One that is over is left as it is.
  public func cancel(_ id: RequestID) {
    RunningRequests.shared.cancel(id)
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
  /// With one answer.
  fileprivate var highQuality: ImageRequestOptions {
    var options = self
    if options.deliveryMode == .opportunistic { options.deliveryMode = .highQuality }
    return options
  }
}

/// Requests whose callers hold no task.
private final class RunningRequests: Sendable {
  static let shared = RunningRequests()
  private let state = Mutex(State())

  private struct State {
    var next: UInt64 = 1
    var tasks: [RequestID: Task<Void, Never>] = [:]
  }

  func start(_ body: @escaping @Sendable () async -> Void) -> RequestID {
    state.withLock { state in
      let id = RequestID(number: state.next)
      state.next += 1
      state.tasks[id] = Task {
        await body()
        self.state.withLock { $0.tasks[id] = nil }
      }
      return id
    }
  }

  func cancel(_ id: RequestID) {
    state.withLock { $0.tasks[id] }?.cancel()
  }
}
