/// The candidates for the cascades, from the face network with a low threshold.
///
/// A search of the whole image by the cascades took as long as three full decodes of 12 MP, and found fewer faces.
struct HaarProposals {
  let network: Network

  /// The longer sides of the passes in pixels: a small one for large faces, a large one for small ones.
  private static let sides = [192, 512]
  /// The minimum score, low enough to include many false candidates.
  private static let threshold = 0.12
  /// The overlap from which two boxes are one face.
  private static let sameFace = 0.4

  /// Returns boxes from hairline to chin in a gray image, not clipped, the largest first. `smallest` is the minimum
  /// side of a face's square from brow to chin, as a fraction of the image's shorter side.
  func boxes(in picture: PixelBuffer, smallest: Double) throws(FaceCropError) -> [NormalizedRect] {
    let seen = picture.inColor().withFullContrast()
    var faces: [Face] = []
    for side in Self.sides {
      let size = picture.size.scaled(toLongSide: min(side, 3 * picture.size.longSide / 2))
      faces += try network.faces(in: seen.quicklyResized(to: size), threshold: Self.threshold)
    }
    let least = smallest * Double(picture.size.shortSide)
    // Candidates in the padding lie outside the image.
    return faces.filter(\.isInPicture).suppressed(above: Self.sameFace) { $0.intersectionOverUnion($1) }
      .map(\.box)
      .filter { HaarFaceDetector.square(of: $0, in: picture.size).width >= least }
      .sorted { ($0.area, $0.x, $0.y) > ($1.area, $1.x, $1.y) }
  }
}
