/// Where the cascades look: at what the face network takes for a face, even if it hardly does.
///
/// To search all of a picture by the cascades took three full decodes of 12 MP, and found fewer faces.
struct HaarProposals {
  let network: Network

  /// The looks' longer sides: in the small one large faces are seen best, in the large one small ones.
  private static let sides = [192, 512]
  /// The least score, which places without a face have, too.
  private static let threshold = 0.12
  /// The overlap of two boxes of one face.
  private static let sameFace = 0.4

  /// Boxes from hairline to chin in a gray picture, unclamped, the largest first.
  ///
  /// - Parameter smallest: side of the smallest face's square from brow to chin, as a fraction of the picture's shorter side.
  func boxes(in picture: PixelBuffer, smallest: Double) throws(FaceCropError) -> [NormalizedRect] {
    let seen = picture.inColor().withFullContrast()
    var faces: [Face] = []
    for side in Self.sides {
      let size = picture.size.scaled(toLongSide: min(side, 3 * picture.size.longSide / 2))
      faces += try network.faces(in: seen.quicklyResized(to: size), threshold: Self.threshold)
    }
    let least = smallest * Double(picture.size.shortSide)
    // What lies in the padding is no place of the picture.
    return faces.filter(\.isInPicture).suppressed(above: Self.sameFace) { $0.intersectionOverUnion($1) }
      .map(\.box)
      .filter { HaarFaceDetector.square(of: $0, in: picture.size).width >= least }
      .sorted { ($0.area, $0.x, $0.y) > ($1.area, $1.x, $1.y) }
  }
}
