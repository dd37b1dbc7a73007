internal import Dispatch
internal import Synchronization

extension ImageRequesting {
  /// Requests an image with a handler, for callers without tasks. The results and parameters are those of
  /// `images(for:)`.
  ///
  /// `resultHandler` is called with each image, or once with the error, from any thread but not concurrently. After the
  /// task is cancelled, the error is ``FaceCropError/cancelled``.
  ///
  /// - Returns: The task that you can cancel. You need not keep it.
  @discardableResult
  public func requestImage(
    for asset: ImageAsset, targetSize: PixelSize = .maximum, contentMode: ContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions(),
    progress: (@Sendable (CropProgress) -> ProgressAction)? = nil,
    resultHandler: @escaping @Sendable (Result<ImageResponse, ImageRequestError>) -> Void
  ) -> Task<Void, Never> {
    Task {
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

  /// Returns the requested image, and blocks the calling thread, for programs without tasks. The parameters are those
  /// of `image(for:)`.
  ///
  /// - Throws: Any ``ImageRequestError``; ``ImageRequestError/wouldBlock`` if called from a task, a progress closure,
  ///   or a detector, whose threads the work needs.
  public func waitForImage(
    for asset: ImageAsset, targetSize: PixelSize = .maximum, contentMode: ContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions()
  ) throws(ImageRequestError) -> ImageResponse {
    guard !Job.isWorkThread, unsafe withUnsafeCurrentTask(body: { unsafe $0 == nil }) else { throw .wouldBlock }
    let isDone = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<ImageResponse, ImageRequestError>?>(nil)
    Task {
      do throws(ImageRequestError) {
        let image = try await image(for: asset, targetSize: targetSize, contentMode: contentMode, options: options)
        outcome.withLock { $0 = .success(image) }
      } catch {
        outcome.withLock { $0 = .failure(error) }
      }
      isDone.signal()
    }
    isDone.wait()
    return try outcome.withLock { $0! }.get()
  }
}
