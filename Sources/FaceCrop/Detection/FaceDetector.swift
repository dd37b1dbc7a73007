/// Finds faces in a small picture. Bring your own by conforming to it.
///
/// One value is shared by all tasks; both methods are called from several threads at once.
public protocol FaceDetector: Sendable {
  /// A short name, written into plans and reports.
  var name: String { get }

  /// Which pixels the detector wants. Default gray, which costs less to decode; without alpha.
  var pixelFormat: PixelBuffer.Format { get }

  /// How many pixels on its longer side a JPEG's eighth has to have to be enough, though a larger picture would be nearer to
  /// 640: the eighth comes with the file's index, or its first scan, and anything larger takes the whole file once more.
  ///
  /// Default 453, which is 640 / √2: from there on the eighth is the nearest, and more than that changes nothing.
  var smallestOverview: Int { get }

  /// What is wrong with the detector and does not keep it from working; known once it is prepared. Default nothing.
  var warnings: [CropWarning] { get }

  /// Loads what the detector needs. Called once per request, while the picture's first decode runs, so a second call must
  /// be cheap.
  func prepare() throws

  /// The faces in `picture`, which is upright, in ``pixelFormat``, and about 640 pixels on its longer side: 640 of a PNG or
  /// WebP, 453 to 640 of a JPEG, or ``smallestOverview`` if that is less, 320 to 640 of a HEIC or AVIF picture with a thumbnail;
  /// or all the pixels that there are, if they are fewer.
  ///
  /// - Returns: boxes in fractions of `picture`, in any order.
  func faces(in picture: PixelBuffer) throws -> [Face]

  /// The same where no more than the largest face is wanted: a detector may leave out small ones while there are others. By
  /// default it finds all.
  func largestFaces(in picture: PixelBuffer) throws -> [Face]

  /// A face of `picture` with its landmarks as exactly as the detector can say, for an output whose eyes are to be level. By
  /// default it is as it was found.
  func withExactLandmarks(_ face: Face, in picture: PixelBuffer) throws -> Face
}

extension FaceDetector {
  public var pixelFormat: PixelBuffer.Format { .gray }
  public var smallestOverview: Int { Overview.smallest }
  public func largestFaces(in picture: PixelBuffer) throws -> [Face] { try faces(in: picture) }
  public func withExactLandmarks(_ face: Face, in picture: PixelBuffer) throws -> Face { face }
  public var warnings: [CropWarning] { [] }
  public func prepare() throws {}
}
