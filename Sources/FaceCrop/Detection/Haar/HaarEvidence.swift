internal import Glibc

/// The evidence of the cascades for one candidate. A small copy of its surroundings, in which a face is 28 pixels wide,
/// is searched densely, and the windows that pass are counted.
struct HaarEvidence {
  let picture: PixelBuffer
  let cascades: HaarCascades

  /// Returns the score of a face in a square from brow to chin, 0…1. It is a logistic regression over the counts at
  /// 1,218 candidates in an internal set of 230 images, with rounded weights.
  func score(of square: Frame) throws(FaceCropError) -> Double {
    let place = FacePlace(x: square.midX, y: square.midY, side: square.width)
    let patch = try patch(at: place)
    var leaning = 0.0
    for degrees in [20.0, -20.0] {
      leaning += try count(cascades(.frontalFace), in: self.patch(at: place.turned(by: degrees)))
    }
    let sum =
      2 * log1p(try count(cascades(.frontalFace), in: patch))
      + 1.2 * log1p(try count(cascades(.frontalFaceStumps), in: patch))
      + 2.3 * log1p(try profiles(in: patch))
      + 2.4 * log1p(leaning)
      + 1.2 * (try hasEyes(at: place) ? 1 : 0)
      + 1.4 * min(Self.contrast(of: patch) / 40, 1)
    return 1 / (1 + exp(3.3 - sum))
  }

  // MARK: Patches

  private func patch(at place: FacePlace, face: Double = 28, size: Int = 56) throws(FaceCropError) -> PixelBuffer {
    try picture.patch(at: place, face: face, size: size)
  }

  /// Returns the number of windows at the face: with centers up to 7 pixels from the patch's center.
  private func count(_ cascade: Cascade, in patch: PixelBuffer) throws(FaceCropError) -> Double {
    let middle = Double(patch.width) / 2
    let hits = try cascade.hits(in: patch, sides: 22...36, scaleFactor: 1.1)
    return Double(hits.count { abs($0.midX - middle) <= 7 && abs($0.midY - middle) <= 7 })
  }

  private func profiles(in patch: PixelBuffer) throws(FaceCropError) -> Double {
    let profile = try cascades(.profileFace)
    return try count(profile, in: patch) + count(profile, in: patch.upright(.upMirrored))
  }

  private func hasEyes(at place: FacePlace) throws(FaceCropError) -> Bool {
    let upper = try patch(at: place, face: 64, size: 80).cropped(to: PixelRect(x: 8, y: 8, width: 64, height: 44))
    return try !cascades(.eyes).hits(in: upper, sides: 20...32, scaleFactor: 1.2).isEmpty
  }

  /// Returns the standard deviation at the center of the face.
  private static func contrast(of patch: PixelBuffer) -> Double {
    let inner = patch.cropped(to: PixelRect(x: 21, y: 21, width: 14, height: 14)).bytes.map(Double.init)
    let mean = inner.reduce(0, +) / Double(inner.count)
    return (inner.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(inner.count)).squareRoot()
  }
}
