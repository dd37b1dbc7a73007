/// What happens while a crop is made.
public enum CropEvent: Sendable {
  /// A step was made.
  case progress(CropProgress)
  /// The last event.
  case finished(CropResult)
}

extension FaceCropper {
  /// ``crop(_:request:progress:)`` as a stream: progress, the newest where the reader is slow, then the result.
  ///
  /// The stream always ends: after `finished`, or by throwing a ``FaceCropError``. When the reader stops, the work is
  /// cancelled.
  public func events(
    _ source: ImageSource, request: CropRequest = CropRequest()
  ) -> AsyncThrowingStream<CropEvent, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do {
          let result = try await crop(source, request: request) { continuation.yield(.progress($0)) }
          continuation.yield(.finished(result))
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
