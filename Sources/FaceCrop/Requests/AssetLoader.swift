/// Fetches pictures that are elsewhere.
///
/// One value serves all requests, several at once.
public protocol AssetLoader: Sendable {
  /// Fetches a whole file.
  ///
  /// Called on Swift's cooperative pool, in a task that is cancelled as soon as no request waits for the picture any more. The
  /// requests end at once, whatever the loader does; it should stop too.
  ///
  /// - Parameters:
  ///   - id: Of the asset asked for.
  ///   - limit: Bytes; it should stop and throw when there are more.
  ///   - progress: To be called as bytes come, from any thread, one call after the other: how many have come in all, and how many there will be, nil
  ///     where nobody says. It becomes the requests' phase ``CropProgress/Phase/fetch``. What would go back is passed over; where
  ///     more come than were announced, that many are taken to be all.
  /// - Returns: The file's bytes, which count as all of it, however many were announced.
  /// - Throws: Any error; the requests end with ``ImageRequestError/loadingFailed(_:)`` and its description. A connection that is
  ///   closed before the last byte should be one, as what came is the beginning of a picture. `CancellationError` is
  ///   ``FaceCropError/cancelled``.
  func load(
    _ id: ImageAsset.ID, atMost limit: Int, progress: @escaping @Sendable (_ received: Int, _ expected: Int?) -> Void
  ) async throws -> [UInt8]
}
