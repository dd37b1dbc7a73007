import CNetworks

/// The working memory of the YuNet network, for one thread at a time, which ``ObjectPool`` ensures. All instances share
/// the weights in the program.
@safe final class Network: ShimObject {
  /// The pixels of all passes.
  private(set) var pixels = 0

  init() throws(FaceCropError) {
    try unsafe super.init(fcyunet_create(nil), fcyunet_destroy)
  }

  /// Detects faces in a color image with scores of at least `threshold`, highest first. Boxes may reach out of the
  /// image, or lie in its padding.
  func faces(in picture: PixelBuffer, threshold: Double) throws(FaceCropError) -> [Face] {
    pixels += picture.width * picture.height
    try unsafe picture.run(longestSide: FCYUNET_LONGEST_SIDE) { unsafe fcyunet_run(handle, $0) }
    var status = FCStatus.ok
    let found = unsafe [FCYuNetFace](unsafeUninitializedCapacity: Self.mostFaces) { faces, count in
      status = unsafe fcyunet_faces(handle, Float(threshold), faces.baseAddress!, faces.count, &count)
    }
    try status.check("")
    return found.map { Face($0, in: picture.size) }
  }

  /// The upper bound of faces in one pass.
  private static let mostFaces = 1_024
}

extension Face {
  fileprivate init(_ face: FCYuNetFace, in size: PixelSize) {
    let (width, height) = (Double(size.width), Double(size.height))
    let places = face.landmarks
    func point(_ x: Float, _ y: Float) -> NormalizedPoint {
      NormalizedPoint(x: Double(x) / width, y: Double(y) / height)
    }
    self.init(
      box: NormalizedRect(
        x: Double(face.x) / width, y: Double(face.y) / height,
        width: Double(face.width) / width, height: Double(face.height) / height
      ),
      score: Double(face.score),
      landmarks: FaceLandmarks(
        rightEye: point(places.0, places.1), leftEye: point(places.2, places.3), nose: point(places.4, places.5),
        mouthRight: point(places.6, places.7), mouthLeft: point(places.8, places.9)))
  }
}
