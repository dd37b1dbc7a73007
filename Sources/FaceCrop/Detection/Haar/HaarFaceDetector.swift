public import SystemPackage

/// Finds faces with OpenCV's Haar cascades alone (R. Lienhart, after P. Viola and M. Jones, "Rapid Object Detection using a
/// Boosted Cascade of Simple Features", 2001): seen from the front, leaning, and from the side.
///
/// A coarse search of the whole picture proposes places, and a close look at each decides. One value serves any number of
/// tasks: each detection borrows its cascades from a pool, because OpenCV's are not thread-safe.
public struct HaarFaceDetector: FaceDetector {
  let cascades: LoanPool<HaarCascades>

  /// - Parameters:
  ///   - modelFolder: where the cascades' files are. By default they are looked for in the folder named by the environment
  ///     variable `FACECROP_MODELS`, beside the program, in the installation, and in OpenCV's own folder.
  ///   - keepsModels: whether what was loaded stays for the next picture. A program that looks at one alone has its memory, some
  ///     20 MB, back before the region is decoded.
  public init(modelFolder: FilePath? = nil, keepsModels: Bool = true) {
    cascades = LoanPool(keepsItems: keepsModels) { HaarCascades(folder: modelFolder) }
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
    return Ready(cascades: cascades)
  }
}

extension HaarFaceDetector {
  /// Its cascades are loaded.
  private struct Ready: ReadyFaceDetector {
    let cascades: LoanPool<HaarCascades>

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] {
      switch purpose {
      case .allFaces: return try faces(in: picture, smallest: HaarFaceDetector.smallest)
      case .largestFace:
        // The smaller the faces looked for, the longer it takes: for all only where there is no large one.
        let large = try faces(in: picture, smallest: HaarFaceDetector.large)
        return large.isEmpty ? try faces(in: picture, for: .allFaces) : large
      case .possibleFaces, .landmarks: return []
      }
    }

    private func faces(in picture: PixelBuffer, smallest: Double) throws -> [Face] {
      let picture = picture.inGray()
      let candidates = try cascades.withItem { (cascades) throws(FaceCropError) in
        let evidence = HaarEvidence(picture: picture, cascades: cascades)
        var candidates: [Face] = []
        for proposal in try HaarSearch(cascades: cascades).proposals(in: picture, smallest: smallest) {
          let box = HaarFaceDetector.faceBox(of: proposal).normalized(in: picture.size)
          candidates.append(Face(box: box, score: try evidence.score(of: proposal)))
        }
        return candidates
      }
      return candidates.suppressed(above: 0.4) { $0.intersectionOverSmaller($1) }
        .filter { $0.score >= HaarFaceDetector.acceptance }
        .map(\.clamped)
    }
  }

  /// Side of the smallest face looked for, as a fraction of the picture's shorter side.
  static let smallest = 0.05

  /// The same, while only the largest face is wanted.
  private static let large = 0.1

  static let acceptance = 0.5

  /// A cascade's square runs from brow to chin and beyond the cheeks; of one that found profiles alone, farther. Medians over
  /// the annotated faces of an internal set.
  private static func faceBox(of proposal: HaarSearch.Proposal) -> Frame {
    let (width, height) = proposal.profiles == proposal.all ? (0.70, 0.95) : (0.83, 1.10)
    let square = proposal.square
    return Frame(
      x: square.midX - square.width * width / 2, y: square.midY - square.height * height / 2,
      width: square.width * width, height: square.height * height)
  }
}
