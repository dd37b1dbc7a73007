internal import Synchronization

/// A detector that finds faces and landmarks with the neural network YuNet-n (W. Wu, H. Peng, S. Yu, "YuNet: A Tiny
/// Millisecond-level Face Detector", Machine Intelligence Research 20, 2023). It finds rotated and tilted faces too.
/// The library contains the kernels and weights, so it loads nothing.
///
/// The detector is thread-safe: each detection borrows about 1.5 MiB of working memory from a pool, and
/// 0.3 MiB for exact landmarks.
public struct YuNetFaceDetector: FaceDetector {
  private let networks: ObjectPool<Network>
  private let meshes: ObjectPool<MeshNetwork>

  /// Creates a detector.
  ///
  /// - Parameter keepsMemory: Whether to keep the working memory for the next image. Default true.
  public init(keepsMemory: Bool = true) {
    networks = ObjectPool(keepsItems: keepsMemory) { () throws(FaceCropError) in try Network() }
    meshes = ObjectPool(keepsItems: keepsMemory) { () throws(FaceCropError) in try MeshNetwork() }
  }

  /// The name `yunet`.
  public var name: String { "yunet" }
  /// RGB, and 400 pixels: a JPEG at an eighth of its size then gives as many faces as 640 pixels.
  public var input: DetectorInput { DetectorInput(format: .rgb, sufficientSide: 400) }

  /// Returns the detector, which allocates at the first use. Face boxes span hairline to chin, with scores from 0.65.
  ///
  /// Exact landmarks come from MediaPipe's face mesh (Y. Kartynnik and others, "Real-time Facial Surface Geometry from
  /// Monocular Video on Mobile GPUs", 2019), in close-ups that are rotated until the eyes are level.
  public func prepare() -> any ReadyFaceDetector { Ready(networks: networks, meshes: meshes) }

  /// True, because weights and kernels are part of the program.
  public var isReadyAtOnce: Bool { true }

  /// The pixels of all passes on one thread, for benchmarks of a detector that keeps its memory.
  package func pixels() throws(FaceCropError) -> Int {
    try networks.withItem { (network) throws(FaceCropError) in network.pixels }
  }

  /// The minimum score of a face.
  static let acceptance = 0.65
  /// The minimum score of a possible face.
  static let possibility = 0.4
}

extension YuNetFaceDetector {
  private final class Ready: ViewDetector, PersonDetector {
    private let networks: ObjectPool<Network>
    private let meshes: ObjectPool<MeshNetwork>
    /// The last candidates. A search for possible faces follows one for faces in the same image.
    private let last = Mutex<(picture: PixelBuffer, candidates: [Face])?>(nil)

    init(networks: ObjectPool<Network>, meshes: ObjectPool<MeshNetwork>) {
      (self.networks, self.meshes) = (networks, meshes)
    }

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] {
      switch purpose {
      case .allFaces: try search(picture, findsAll: true).all
      case .possibleFaces: try lastCandidates(in: picture).filter { $0.score >= YuNetFaceDetector.possibility }
      case .landmarks(let face): try withExactLandmarks(face, in: picture)
      }
    }

    func faces(inView view: PixelBuffer, threshold: Double) throws(FaceCropError) -> [Face] {
      try networks.withItem { (network) throws(FaceCropError) in try network.faces(in: view, threshold: threshold) }
    }

    func search(_ picture: PixelBuffer, findsAll: Bool) throws(FaceCropError) -> FoundFaces {
      try candidates(in: picture, findsAll).map { $0.filter { $0.score >= YuNetFaceDetector.acceptance } }
    }

    /// Returns the candidates whose center lies in the image, clipped to it.
    private func candidates(in picture: PixelBuffer, _ findsAll: Bool) throws(FaceCropError) -> FoundFaces {
      let seen = picture.inColor().withFullContrast()
      let candidates = try networks.withItem { (network) throws(FaceCropError) in
        try YuNetSearch(picture: seen, network: network).candidates(findsAll: findsAll)
          .map { $0.filter(\.isInPicture).map(\.clamped) }
      }
      last.withLock { $0 = (picture, candidates.all) }
      return candidates
    }

    private func lastCandidates(in picture: PixelBuffer) throws(FaceCropError) -> [Face] {
      if let last = last.withLock({ $0 }), last.picture == picture { return last.candidates }
      return try candidates(in: picture, true).all
    }

    private func withExactLandmarks(_ face: Face, in picture: PixelBuffer) throws(FaceCropError) -> [Face] {
      guard face.landmarks != nil else { return [] }
      let picture = picture.inColor()
      return try meshes.withItem { (network) throws(FaceCropError) in
        [try LandmarkSearch(picture: picture, network: network).exact(face)]
      }
    }
  }
}
