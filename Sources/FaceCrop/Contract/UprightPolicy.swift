/// The treatment of images that lie sideways or upside down without saying so, such as scans and screenshots.
public enum UprightPolicy: String, Hashable, Sendable, CaseIterable, StableKeyed {
  /// Displays the image by its orientation tag alone.
  case off
  /// Rotates the image by quarter turns, after its orientation tag, until the faces are upright.
  ///
  /// A confident upright face ends the search at once. Otherwise the detector searches the image in the three other
  /// turns. If the result is doubtful, nothing is rotated, and ``CropWarning/notTurned(_:)`` has the reason. The scores
  /// that decide were tuned for ``YuNetFaceDetector``.
  case auto
}

/// The reason why an image without a confident upright face was not rotated.
public enum TurnObstacle: Hashable, Sendable, Codable {
  /// The best face of another turn has this score, which is too low.
  case lowScore(Double)
  /// Faces in several turns have nearly the same score.
  case severalTurns
}
