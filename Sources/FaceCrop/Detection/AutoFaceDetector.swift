public import SystemPackage

internal import Glibc
internal import Synchronization

/// Finds faces by YuNet, and has OpenCV's Haar cascades look closely at each: what the network doubts they can confirm, and
/// each face says who found it. Where only the largest face is wanted they are asked only if their word can change which it is.
/// The default.
///
/// Without the network's file it goes on with ``HaarFaceDetector`` alone, with ``CropWarning/networkMissing(name:)``.
public struct AutoFaceDetector: FaceDetector {
  private let modelFolder: FilePath?
  private let network: YuNetFaceDetector
  private let haar: HaarFaceDetector
  private let isAlone = IsAlone()

  /// Whether the network's file is missing; known once the detector is prepared.
  private final class IsAlone: Sendable {
    let value = Mutex(false)
  }

  /// - Parameters:
  ///   - modelFolder: where the models are, as in ``HaarFaceDetector``.
  ///   - keepsModels: whether what was loaded stays for the next picture. A program that looks at one alone has its memory, some
  ///     20 MB, back before the region is decoded.
  public init(modelFolder: FilePath? = nil, keepsModels: Bool = true) {
    self.modelFolder = modelFolder
    network = YuNetFaceDetector(modelFolder: modelFolder, keepsModels: keepsModels)
    haar = HaarFaceDetector(modelFolder: modelFolder, keepsModels: keepsModels)
  }

  public var name: String { "auto" }
  public var pixelFormat: PixelBuffer.Format { .rgb }
  /// The network's; without its file that of ``HaarFaceDetector``, which needs more.
  public var smallestOverview: Int {
    // The file itself is asked for: the picture is decoded while the detector is prepared.
    ModelFile.yuNet.exists(folder: modelFolder) ? network.smallestOverview : haar.smallestOverview
  }
  public var warnings: [CropWarning] {
    isAlone.value.withLock { $0 } ? [.networkMissing(name: ModelFile.yuNet.name)] : []
  }

  /// Loads the network, unless it is idle; cascades are loaded when a face needs them.
  ///
  /// - Throws: ``FaceCropError/modelUnusable(path:reason:)``; without the network what ``HaarFaceDetector`` throws.
  public func prepare() throws {
    do {
      try network.prepare()
    } catch FaceCropError.modelMissing {
      isAlone.value.withLock { $0 = true }
      return try haar.prepare()
    }
    isAlone.value.withLock { $0 = false }
  }

  /// Boxes from hairline to chin.
  public func faces(in picture: PixelBuffer) throws -> [Face] {
    if isAlone.value.withLock({ $0 }) { return try haar.faces(in: picture).map(signed) }
    return try accepted(network.candidates(in: picture).filter(\.isInPicture), in: picture)
  }

  /// The same as far as ``FaceSelection/largest`` goes: the network looks as ``YuNetFaceDetector/largestFaces(in:)`` has it, and the
  /// cascades, whose loading takes longer than its search, are asked only about faces that are larger than those that it is sure
  /// of. The others keep its score and bear its name alone, and smaller ones that it doubts are left out.
  public func largestFaces(in picture: PixelBuffer) throws -> [Face] {
    if isAlone.value.withLock({ $0 }) { return try haar.largestFaces(in: picture).map(signed) }
    let candidates = try network.largestCandidates(in: picture).filter(\.isInPicture)
    let largest =
      candidates.filter { $0.score >= FaceSelection.sureScore }.map(\.clamped.box.area).max() ?? 0
    func isDecided(_ face: Face) -> Bool { face.score >= FaceSelection.sureScore || face.clamped.box.area < largest }
    let decided = candidates.filter { isDecided($0) && $0.score >= YuNetFaceDetector.acceptance }
    return try decided.map { signed($0.clamped, by: network.name) }
      + accepted(candidates.filter { !isDecided($0) }, in: picture)
  }

  public func withExactLandmarks(_ face: Face, in picture: PixelBuffer) throws -> Face {
    try isAlone.value.withLock({ $0 }) ? face : network.withExactLandmarks(face, in: picture)
  }

  private func signed(_ face: Face) -> Face { signed(face, by: haar.name) }

  private func signed(_ face: Face, by name: String) -> Face {
    var face = face
    face.detectors = [name]
    return face
  }

  /// Those of the network's candidates that are faces with the cascades' say.
  private func accepted(_ candidates: [Face], in picture: PixelBuffer) throws -> [Face] {
    if candidates.isEmpty { return [] }
    let gray = picture.inGray()
    let judged = try haar.cascades.withItem { (cascades) throws(FaceCropError) in
      let evidence = HaarEvidence(picture: gray, cascades: cascades)
      var judged: [Face] = []
      for face in candidates { judged.append(try self.judged(face, by: evidence)) }
      return judged
    }
    return judged.filter { $0.score >= YuNetFaceDetector.acceptance }.map(\.clamped)
  }

  /// A candidate with the cascades' say: windows that pass are proof, of half the network's weight.
  private func judged(_ candidate: Face, by evidence: HaarEvidence) throws(FaceCropError) -> Face {
    var face = candidate
    let windows = try evidence.windows(
      at: Self.place(of: face, in: evidence.picture.size), isDoubtful: face.score < YuNetFaceDetector.acceptance)
    face.detectors = windows >= 3 ? [haar.name, network.name] : [network.name]
    face.score = 1 - (1 - face.score) * (1 - windows / (windows + 3) / 2)
    return face
  }

  /// Turned as its eyes are. A cascade's square is a little larger than a box of the same area.
  private static func place(of face: Face, in size: PixelSize) -> FacePlace {
    let box = face.box.frame(in: size)
    var degrees = 0.0
    if let marks = face.landmarks {
      let across = (marks.leftEye.x - marks.rightEye.x) * Double(size.width)
      let down = (marks.leftEye.y - marks.rightEye.y) * Double(size.height)
      let slope = atan2(down, max(across, 1e-6)) * 180 / .pi
      if abs(slope) < 60 { degrees = slope }
    }
    return FacePlace(
      x: box.midX, y: box.midY, side: max(1.05 * (box.width * box.height).squareRoot(), 1), degrees: degrees)
  }
}
