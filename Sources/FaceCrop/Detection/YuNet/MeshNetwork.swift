import CNetworks

/// MediaPipe's face mesh, which finds points of an upright face. The library contains its kernels and weights.
///
/// One thread at a time may use a network, which ``ObjectPool`` ensures.
@safe final class MeshNetwork: ShimObject {
  /// The sides of the network's image in pixels.
  static let side = Int(FCMESH_SIDE)

  init() throws(FaceCropError) {
    try unsafe super.init(fcmesh_create(nil), fcmesh_destroy)
  }

  /// Returns the points in fractions of a color image of ``side`` pixels, and the probability of a face in it.
  func mesh(of image: PixelBuffer) throws(FaceCropError) -> (points: [NormalizedPoint], score: Double) {
    var (points, score) = ([FCMeshPoint](repeating: FCMeshPoint(), count: Int(FCMESH_POINTS)), Float(0))
    try unsafe image.run(longestSide: FCMESH_SIDE) { image in
      unsafe points.withUnsafeMutableBufferPointer { unsafe fcmesh_run(handle, image, $0.baseAddress!, &score) }
    }
    let side = Double(Self.side)
    return (points.map { NormalizedPoint(x: Double($0.x) / side, y: Double($0.y) / side) }, Double(score))
  }
}

extension FaceLandmarks {
  /// Creates the landmarks of a mesh: the means of each eye's corners and of its lids' middles, the tip of the nose, and
  /// the corners of the mouth. People mark these points within 0.065 of the eyes' distance.
  init(mesh: [NormalizedPoint]) {
    func mean(_ indices: Int...) -> NormalizedPoint { indices.map { mesh[$0] }.mean }
    self.init(
      rightEye: mean(33, 133, 159, 145), leftEye: mean(263, 362, 386, 374), nose: mesh[4], mouthRight: mesh[61],
      mouthLeft: mesh[291])
  }
}
