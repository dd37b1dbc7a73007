public import SystemPackage

/// A detector based on OpenCV's Haar cascades (R. Lienhart, after P. Viola and M. Jones, "Rapid Object Detection using
/// a Boosted Cascade of Simple Features", 2001): frontal, tilted, and profile faces.
///
/// The face network proposes candidates, unlikely ones included, and the cascades decide on a close-up of each. The
/// detector is thread-safe: each detection borrows its cascades from a pool, because OpenCV's are not.
public struct HaarFaceDetector: FaceDetector {
  let cascades: ObjectPool<HaarCascades>
  private let networks: ObjectPool<Network>

  /// Creates a detector.
  ///
  /// - Parameters:
  ///   - modelFolder: The folder of the cascades' files. Default nil, which searches the folder in the environment
  ///     variable `FACECROP_MODELS`, the program's resources, the installation, and OpenCV's own folder.
  ///   - keepsModels: Whether to keep the loaded cascades for the next image. Default true. A program for a single
  ///     image saves about 20 MB of memory without it.
  public init(modelFolder: FilePath? = nil, keepsModels: Bool = true) {
    cascades = ObjectPool(keepsItems: keepsModels) { HaarCascades(folder: modelFolder) }
    networks = ObjectPool(keepsItems: keepsModels) { () throws(FaceCropError) in try Network() }
  }

  /// The name `haar`.
  public var name: String { "haar" }

  /// Gray, and 640 pixels: with 453 it finds only 304 of 409 faces, instead of 313.
  public var input: DetectorInput { .exact }

  /// Loads the cascades that every search needs, unless they are already loaded. Face boxes span hairline to chin.
  ///
  /// - Throws: ``FaceCropError/modelMissing(name:searched:)`` or ``FaceCropError/modelUnusable(path:reason:)``.
  public func prepare() throws -> any ReadyFaceDetector {
    try cascades.prepare { (cascades) throws(FaceCropError) in
      _ = try cascades(.frontalFace)
      _ = try cascades(.profileFace)
    }
    return Ready(cascades: cascades, networks: networks)
  }
}

extension HaarFaceDetector {
  /// A detector with loaded cascades.
  private struct Ready: ReadyFaceDetector {
    let cascades: ObjectPool<HaarCascades>
    let networks: ObjectPool<Network>

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] {
      switch purpose {
      case .allFaces: return try faces(in: picture)
      case .possibleFaces, .landmarks: return []
      }
    }

    private func faces(in picture: PixelBuffer) throws -> [Face] {
      let picture = picture.inGray()
      let boxes = try networks.withItem { (network) throws(FaceCropError) in
        try HaarProposals(network: network).boxes(in: picture, smallest: HaarFaceDetector.smallest)
      }
      let found = try cascades.withItem { (cascades) throws(FaceCropError) in
        let evidence = HaarEvidence(picture: picture, cascades: cascades)
        var found: [Face] = []
        for box in boxes {
          let score = try evidence.score(of: HaarFaceDetector.square(of: box, in: picture.size))
          if score >= HaarFaceDetector.acceptance { found.append(Face(box: box.clamped(), score: score)) }
        }
        return found
      }
      return found.suppressed(above: 0.4) { $0.intersectionOverSmaller($1) }
    }
  }

  /// The minimum side of a face, as a fraction of the image's shorter side.
  static let smallest = 0.05

  static let acceptance = 0.5

  /// Returns the square that a cascade needs for a face: brow to chin, and beyond the cheeks. The factors are medians
  /// over the annotated faces of an internal set.
  static func square(of box: NormalizedRect, in size: PixelSize) -> Frame {
    let frame = box.frame(in: size)
    let side = (frame.width / 0.83 + frame.height / 1.10) / 2
    return Frame(x: frame.midX - side / 2, y: frame.midY - side / 2, width: side, height: side)
  }
}
