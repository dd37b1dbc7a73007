/// A loader that fetches remote images.
///
/// One loader serves all requests, several at once.
public protocol AssetLoader: Sendable {
  /// Fetches a whole file.
  ///
  /// It runs on Swift's cooperative pool. Its task is cancelled once no request waits for the image. The requests end
  /// immediately, and the loader should stop too.
  ///
  /// - Parameters:
  ///   - id: The identifier of the requested asset.
  ///   - limit: The upper bound in bytes. Stop and throw beyond it.
  ///   - progress: Call it as bytes arrive, from any thread, but not concurrently. It takes the bytes so far, and the
  ///     expected total, nil if unknown. It becomes the phase ``CropProgress/Phase/fetch``. Decreasing values are
  ///     ignored, and a value above the total replaces it.
  /// - Returns: The bytes of the whole file, whatever total was expected.
  /// - Throws: Any error. Requests fail with ``ImageRequestError/loadingFailed(_:)`` and its description, or with
  ///   ``FaceCropError/cancelled`` after `CancellationError`. Throw if the connection closes early, because the bytes
  ///   are only part of an image.
  func load(
    _ id: ImageAsset.ID, atMost limit: Int, progress: @escaping @Sendable (_ received: Int, _ expected: Int?) -> Void
  ) async throws -> [UInt8]
}
