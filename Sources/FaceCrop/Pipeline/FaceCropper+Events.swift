/// An event of a running crop.
public enum CropEvent: Sendable {
  /// A progress report.
  case progress(CropProgress)
  /// The result, as the last event.
  case finished(CropResult)
}

extension FaceCropper {
  /// Detects faces and renders the crops, like ``crop(_:request:progress:)``, and streams progress and the result. A
  /// slow reader gets only the newest event.
  ///
  /// The stream ends after `finished`, or by throwing a ``FaceCropError``. The work is cancelled if the reader stops.
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
