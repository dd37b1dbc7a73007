import FaceCrop

/// The compared detectors.
enum Detectors {
  /// Creates the detectors, the baseline first. Times are ratios to the baseline's.
  static func all() throws -> [any FaceDetector] {
    [try PlainCascadeDetector(), HaarFaceDetector(), YuNetFaceDetector()]
  }
}
