import CNetworks

/// MediaPipe's face mesh, which finds points of an upright face. The library contains its kernels and weights.
///
/// One thread at a time may use a network, which ``ObjectPool`` ensures.
@safe final class MeshNetwork {
  private let handle: OpaquePointer

  /// The sides of the network's image in pixels.
  static let side = Int(FCMESH_SIDE)

  init() throws(FaceCropError) {
    guard let handle = unsafe fcmesh_create(nil) else { throw .outOfMemory }
    unsafe self.handle = handle
  }

  deinit {
    unsafe fcmesh_destroy(handle)
  }

  /// Returns the points in fractions of a color image of ``side`` pixels, and the probability of a face in it.
  func mesh(of image: PixelBuffer) throws(FaceCropError) -> (points: [NormalizedPoint], score: Double) {
    precondition(image.format == .rgb)
    var (status, score) = (FCStatus.ok, Float(0))
    let points = unsafe [FCMeshPoint](unsafeUninitializedCapacity: Int(FCMESH_POINTS)) { points, count in
      status = unsafe image.bytes.withUnsafeBufferPointer { pixels in
        unsafe fcmesh_run(
          handle,
          FCNetworkImage(
            pixels: pixels.baseAddress!, width: UInt32(image.width), height: UInt32(image.height),
            stride: image.bytesPerRow), points.baseAddress!, &score)
      }
      count = status == .ok ? points.count : 0
    }
    try FaceCropError.check(status, longestSide: FCMESH_SIDE)
    let side = Double(Self.side)
    return (points.map { NormalizedPoint(x: Double($0.x) / side, y: Double($0.y) / side) }, Double(score))
  }
}

extension FaceLandmarks {
  /// Creates the landmarks of a mesh: the means of each eye's corners and of its lids' middles, the tip of the nose, and
  /// the corners of the mouth. People mark these points within 0.065 of the eyes' distance.
  init(mesh: [NormalizedPoint]) {
    func mean(_ indices: Int...) -> NormalizedPoint {
      let count = Double(indices.count)
      return NormalizedPoint(
        x: indices.reduce(0) { $0 + mesh[$1].x } / count, y: indices.reduce(0) { $0 + mesh[$1].y } / count)
    }
    self.init(
      rightEye: mean(33, 133, 159, 145), leftEye: mean(263, 362, 386, 374), nose: mesh[4], mouthRight: mesh[61],
      mouthLeft: mesh[291])
  }
}
