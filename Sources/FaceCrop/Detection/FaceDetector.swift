/// Finds faces in a small picture. Bring your own by conforming to it.
///
/// One value is shared by all tasks, which call it from several threads at once. What it wants is fixed while it is in use; what
/// it can do is settled by ``prepare()``, before anyone looks.
public protocol FaceDetector: Sendable {
  /// A short name, written into plans and reports.
  var name: String { get }

  /// Which small picture it wants.
  var input: DetectorInput { get }

  /// Loads what looking needs, and returns what looks.
  ///
  /// Called once per request, while the picture's first decode runs, so a second call must be cheap. A detector that needs nothing
  /// conforms to ``ReadyFaceDetector`` itself and returns itself.
  ///
  /// - Throws: What keeps it from looking at any picture, such as a missing model: the request ends with it, before the search. Errors other
  ///   than ``FaceCropError`` become ``FaceCropError/detectorFailed(_:)``.
  func prepare() throws -> any ReadyFaceDetector

  /// Whether ``prepare()`` takes no time, so that no other thread is woken for it. Default false.
  var isReadyAtOnce: Bool { get }
}

extension FaceDetector {
  public var isReadyAtOnce: Bool { false }
}

/// A detector that is ready to look: all that it needs is loaded.
public protocol ReadyFaceDetector: Sendable {
  /// The faces in a picture.
  ///
  /// Called from several threads at once. A cancelled request waits for it.
  ///
  /// - Parameters:
  ///   - picture: Upright, in the format of the detector's ``FaceDetector/input``, of 1 to 640 pixels on its longer side.
  ///   - purpose: What the faces are for. A detector that makes no difference may find all for each, in any order.
  /// - Returns: The faces, with boxes in fractions of `picture`; those outside of it are dropped. For
  ///   ``DetectionPurpose/landmarks(of:)`` the one face, or none where it has nothing to add.
  /// - Throws: As ``FaceDetector/prepare()``.
  func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face]
}
