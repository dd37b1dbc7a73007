import FaceCrop

/// What is compared.
enum Detectors {
  /// The baseline first, to whose time the others' is a ratio.
  static func all() throws -> [any FaceDetector] {
    [try PlainCascadeDetector(), HaarFaceDetector(), YuNetFaceDetector()]
  }
}
