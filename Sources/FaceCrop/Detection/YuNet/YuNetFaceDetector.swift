internal import Synchronization

/// Finds faces, turned and tilted ones too, with their landmarks, by the neural network YuNet-n (W. Wu, H. Peng, S. Yu,
/// "YuNet: A Tiny Millisecond-level Face Detector", Machine Intelligence Research 20, 2023), on kernels and weights of the
/// library's own: nothing is loaded.
///
/// One value serves any number of tasks: each detection borrows what its looks work in, some 1.5 MiB, from a pool.
public struct YuNetFaceDetector: FaceDetector {
  private let networks: LoanPool<Network>

  /// - Parameter keepsMemory: whether what looks work in stays for the next picture.
  public init(keepsMemory: Bool = true) {
    networks = LoanPool(keepsItems: keepsMemory) { () throws(FaceCropError) in try Network() }
  }

  /// `yunet`.
  public var name: String { "yunet" }
  /// RGB, and 400 pixels, from which on a JPEG's eighth gives as many faces as 640 pixels do.
  public var input: DetectorInput { DetectorInput(format: .rgb, sufficientSide: 400) }

  /// What it needs is made when it is first used. The boxes of what is found go from hairline to chin; scores are at least 0.65.
  /// For exact landmarks it looks closely at the face and turns it until its eyes are level: in a face that is small or leans,
  /// the network sees landmarks that hardly lean.
  public func prepare() -> any ReadyFaceDetector { Ready(networks: networks) }

  /// True: weights and kernels are part of the program.
  public var isReadyAtOnce: Bool { true }

  /// The score from which a candidate is a face.
  static let acceptance = 0.65
  /// The score from which a candidate may be a face.
  static let possibility = 0.4
}

extension YuNetFaceDetector {
  private final class Ready: ReadyFaceDetector {
    private let networks: LoanPool<Network>
    /// What was found last: who asks for what may be a face has asked for faces before.
    private let last = Mutex<(picture: PixelBuffer, candidates: [Face])?>(nil)

    init(networks: LoanPool<Network>) {
      self.networks = networks
    }

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] {
      switch purpose {
      case .allFaces: try candidates(in: picture).filter { $0.score >= YuNetFaceDetector.acceptance }
      case .possibleFaces: try lastCandidates(in: picture).filter { $0.score >= YuNetFaceDetector.possibility }
      case .landmarks(let face): try withExactLandmarks(face, in: picture)
      }
    }

    /// All that may be a face, in the picture and cut at its edge, highest score first.
    private func candidates(in picture: PixelBuffer) throws(FaceCropError) -> [Face] {
      let seen = picture.inColor().withFullContrast()
      let candidates = try networks.withItem { (network) throws(FaceCropError) in
        try YuNetSearch(picture: seen, network: network).candidates()
          .filter(\.isInPicture).map(\.clamped)
      }
      last.withLock { $0 = (picture, candidates) }
      return candidates
    }

    private func lastCandidates(in picture: PixelBuffer) throws(FaceCropError) -> [Face] {
      if let last = last.withLock({ $0 }), last.picture == picture { return last.candidates }
      return try candidates(in: picture)
    }

    private func withExactLandmarks(_ face: Face, in picture: PixelBuffer) throws(FaceCropError) -> [Face] {
      guard face.landmarks != nil else { return [] }
      let picture = picture.inColor()
      return try networks.withItem { (network) throws(FaceCropError) in
        [try LandmarkSearch(picture: picture, network: network).exact(face)]
      }
    }
  }
}
