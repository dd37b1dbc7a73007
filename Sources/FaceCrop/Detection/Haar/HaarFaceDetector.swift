public import SystemPackage

/// Finds faces that OpenCV's Haar cascades see (R. Lienhart, after P. Viola and M. Jones, "Rapid Object Detection using a
/// Boosted Cascade of Simple Features", 2001): from the front, leaning, and from the side.
///
/// The face network proposes places, hardly likely ones among them, and the cascades' close look at each decides. One value serves any
/// number of tasks: each detection borrows its cascades from a pool, because OpenCV's are not thread-safe.
public struct HaarFaceDetector: FaceDetector {
  let cascades: LoanPool<HaarCascades>
  private let networks: LoanPool<Network>

  /// - Parameters:
  ///   - modelFolder: where the cascades' files are. By default they are looked for in the folder named by the environment
  ///     variable `FACECROP_MODELS`, beside the program, in the installation, and in OpenCV's own folder.
  ///   - keepsModels: whether what was loaded stays for the next picture. A program that looks at one alone has its memory, some
  ///     20 MB, back before the region is decoded.
  public init(modelFolder: FilePath? = nil, keepsModels: Bool = true) {
    cascades = LoanPool(keepsItems: keepsModels) { HaarCascades(folder: modelFolder) }
    networks = LoanPool(keepsItems: keepsModels) { () throws(FaceCropError) in try Network() }
  }

  /// `haar`.
  public var name: String { "haar" }

  /// Gray, and 640 pixels: with 453 it finds 304 of 409 faces instead of 313.
  public var input: DetectorInput { DetectorInput(format: .gray, sufficientSide: Overview.side) }

  /// Loads the cascades that every search needs, unless they are idle. The boxes of what is found go from hairline to chin.
  ///
  /// - Throws: ``FaceCropError/modelMissing(name:searched:)`` or ``FaceCropError/modelUnusable(path:reason:)``.
  public func prepare() throws -> any ReadyFaceDetector {
    try cascades.prepare { (cascades) throws(FaceCropError) in
      _ = try cascades.frontal()
      _ = try cascades.profile()
    }
    return Ready(cascades: cascades, networks: networks)
  }
}

extension HaarFaceDetector {
  /// Its cascades are loaded.
  private struct Ready: ReadyFaceDetector {
    let cascades: LoanPool<HaarCascades>
    let networks: LoanPool<Network>

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

  /// Side of the smallest face looked for, as a fraction of the picture's shorter side.
  static let smallest = 0.05

  static let acceptance = 0.5

  /// The square that a cascade sees of a face, from brow to chin and beyond the cheeks. Medians over the annotated faces of an internal
  /// set.
  static func square(of box: NormalizedRect, in size: PixelSize) -> Frame {
    let frame = box.frame(in: size)
    let side = (frame.width / 0.83 + frame.height / 1.10) / 2
    return Frame(x: frame.midX - side / 2, y: frame.midY - side / 2, width: side, height: side)
  }
}
