/// A detector that finds faces in a small image. Conform to it to use your own.
///
/// All tasks share one detector, and call it from several threads at once. Its properties must not change while it is
/// in use.
public protocol FaceDetector: Sendable {
  /// A short name for plans and reports.
  var name: String { get }

  /// The overview that the detector needs.
  var input: DetectorInput { get }

  /// Loads the detector's data, and returns the loaded detector.
  ///
  /// It is called once per request, during the image's first decode, so later calls must be cheap. A detector without
  /// data can conform to ``ReadyFaceDetector`` and return itself.
  ///
  /// - Throws: An error that prevents every search, such as a missing model. The request fails with it. Errors other
  ///   than ``FaceCropError`` become ``FaceCropError/detectorFailed(_:)``.
  func prepare() throws -> any ReadyFaceDetector

  /// Whether ``prepare()`` takes no time, so that it needs no other thread. Default false.
  var isReadyAtOnce: Bool { get }
}

extension FaceDetector {
  public var isReadyAtOnce: Bool { false }
}

/// A detector with all its data loaded.
public protocol ReadyFaceDetector: Sendable {
  /// Finds the faces in an image.
  ///
  /// It is called from several threads at once. A cancelled request waits for it.
  ///
  /// - Parameters:
  ///   - picture: The upright image, in the format of the detector's ``FaceDetector/input``, with a longer side of 1 to
  ///     640 pixels.
  ///   - purpose: The purpose. You may ignore it and return all faces, in any order.
  /// - Returns: The faces, with boxes from hairline to chin in fractions of `picture`, and scores of 0…1. A box that
  ///   reaches over the edge is cut there. A face is dropped if the center of its box is outside, its box has no area,
  ///   or a number is not finite. An invalid ``Face/head`` or ``Face/sharpness`` is measured anew. For ``DetectionPurpose/landmarks(of:)``, the one face, or none to leave it unchanged.
  /// - Throws: The errors of ``FaceDetector/prepare()``.
  func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face]
}

/// A ready detector whose search for one person ends early.
protocol PersonDetector: ReadyFaceDetector {
  /// Finds the faces in an image, and among them the rivals. Without `findsAll`, it ends once only the rivals can be
  /// the person that ``FaceSelection/prominent`` takes.
  func search(_ picture: PixelBuffer, findsAll: Bool) throws(FaceCropError) -> FoundFaces
}

/// The faces of a search. The rivals do not depend on whether it ended early.
struct FoundFaces {
  /// The faces among which ``FaceSelection/prominent`` chooses.
  var rivals: [Face]
  var others: [Face] = []
  var areComplete = true

  /// All faces, highest score first.
  var all: [Face] { (rivals + others).sorted(by: Face.precedes) }

  /// Returns both lists, each changed by `change`.
  func map(_ change: ([Face]) -> [Face]) -> FoundFaces {
    FoundFaces(rivals: change(rivals), others: change(others), areComplete: areComplete)
  }
}

/// A ready detector that can search a view in one pass.
protocol ViewDetector: ReadyFaceDetector {
  /// Returns the faces of a color image with scores of at least `threshold`.
  func faces(inView view: PixelBuffer, threshold: Double) throws(FaceCropError) -> [Face]
}

/// The purpose of a search for faces.
public enum DetectionPurpose: Hashable, Sendable {
  /// A search for all faces.
  case allFaces
  /// A search for boxes with scores below those of faces, after no face was found. A detector may return none.
  case possibleFaces
  /// A search for exact landmarks of a known face, to align its output, or to place it in a document's photo.
  case landmarks(of: Face)
}
