public import SystemPackage

/// Finds faces, turned and tilted ones too, with their landmarks, by the neural network YuNet (W. Wu, H. Peng, S. Yu,
/// "YuNet: A Tiny Millisecond-level Face Detector", Machine Intelligence Research 20, 2023; the file of March 2023).
///
/// One value serves any number of tasks: each detection borrows its networks from a pool, because OpenCV's are not
/// thread-safe.
public struct YuNetFaceDetector: FaceDetector {
  let networks: LoanPool<YuNetNetworks>

  /// - Parameters:
  ///   - modelFolder: where the network's file is. By default it is looked for as ``HaarFaceDetector`` does.
  ///   - keepsModels: whether what was loaded stays for the next picture. A program that looks at one alone has its memory, some
  ///     20 MB, back before the region is decoded.
  public init(modelFolder: FilePath? = nil, keepsModels: Bool = true) {
    networks = LoanPool(keepsItems: keepsModels) { () throws(FaceCropError) in try YuNetNetworks(folder: modelFolder) }
  }

  /// `yunet`.
  public var name: String { "yunet" }
  /// RGB.
  public var pixelFormat: PixelBuffer.Format { .rgb }
  /// 400: of 409 faces in pictures of 8 MP it finds as many in an eighth, 408 pixels, as in 640 (recall 0.951, precision 0.990
  /// instead of 0.992).
  public var smallestOverview: Int { 400 }

  /// Loads a network, unless one is idle.
  ///
  /// - Throws: ``FaceCropError/modelMissing(name:searched:)`` or ``FaceCropError/modelUnusable(path:reason:)``.
  public func prepare() throws {
    try networks.prepare()
  }

  /// Boxes from hairline to chin.
  public func faces(in picture: PixelBuffer) throws -> [Face] {
    try candidates(in: picture).filter { $0.score >= Self.acceptance && $0.isInPicture }.map(\.clamped)
  }

  /// The same as far as ``FaceSelection/largest`` goes: a face that is sure, and larger than anything else that may be one, is
  /// looked at alone, which takes a fifth to two thirds of the time. Its box is that of a look at everything to within a few
  /// hundredths of its height. Small faces may be left out then.
  public func largestFaces(in picture: PixelBuffer) throws -> [Face] {
    try largestCandidates(in: picture).filter { $0.score >= Self.acceptance && $0.isInPicture }.map(\.clamped)
  }

  /// The score from which a candidate is a face.
  static let acceptance = 0.8

  /// Looks closely at the face and turns it until its eyes are level: in a face that is small or leans, the network sees
  /// landmarks that hardly lean. Faces turned by 10 to 40 degrees come within 2 degrees of them in the median, and within 5 in
  /// nine of ten; at first sight it is three quarters of the turn that is missed.
  public func withExactLandmarks(_ face: Face, in picture: PixelBuffer) throws -> Face {
    guard face.landmarks != nil else { return face }
    return try networks.withItem { (networks) throws(FaceCropError) in
      try LandmarkSearch(picture: picture.inColor(), network: networks.second()).exact(face)
    }
  }

  // MARK: Looks

  /// The longer side at which the network looks. Smaller pictures are brought to it too, so that the same picture at any size
  /// gives the same faces.
  static let side = 640
  /// The longer side of a second look, where the first one finds nothing and where it finds a large face.
  static let (sideForNothing, sideForLarge) = (192, 320)
  /// Candidates that a look keeps.
  static let threshold = 0.3
  /// From here to acceptance a second look has a say.
  private static let doubtful = 0.5
  /// Height of a face, in longer sides of the picture, from which on the network is confused: its second look counts.
  static let large = 0.4
  /// Height of the smallest face, in shorter sides of the picture.
  private static let smallest = 0.04

  /// Everything that may be a face, unclamped: a look at 640 pixels and, where that leaves doubts, a second one, smaller.
  ///
  /// The sizes and limits were chosen on an internal set of 230 pictures.
  func candidates(in picture: PixelBuffer) throws(FaceCropError) -> [Face] {
    try networks.withItem { (networks) throws(FaceCropError) in
      try candidates(in: picture.inColor(), by: networks)
    }
  }

  func candidates(in picture: PixelBuffer, by networks: YuNetNetworks) throws(FaceCropError) -> [Face] {
    let sides = picture.size
    func height(_ face: Face) -> Double { face.box.height * Double(sides.height) }
    func isLarge(_ face: Face) -> Bool { height(face) > Self.large * Double(sides.longSide) }

    let faces = try networks.first.faces(in: picture, atLongSide: Self.side)
      .filter { height($0) >= Self.smallest * Double(sides.shortSide) }

    var others: [Face]
    if !faces.contains(where: { $0.score >= Self.doubtful }) {
      others = try networks.second().faces(in: picture, atLongSide: Self.sideForNothing)
    } else if faces.contains(where: isLarge) {
      others = try networks.second().faces(in: picture, atLongSide: Self.sideForLarge)
    } else if faces.contains(where: { $0.score >= Self.doubtful && $0.score < Self.acceptance }) {
      others = try networks.second().faces(in: picture, atLongSide: 448)
    } else {
      return faces
    }
    var merged = faces.map { face in
      let twin = others.indices.max { face.overlap(others[$0]) < face.overlap(others[$1]) }
        .flatMap { face.overlap(others[$0]) > 0.4 ? others.remove(at: $0) : nil }
      return Self.merged(face, with: twin, isLarge: isLarge(face))
    }
    merged += others.filter(isLarge)
    return merged.suppressed(above: 0.3) { $0.intersectionOverUnion($1) }
  }

  /// A face of the first look with what the second one says of it.
  private static func merged(_ face: Face, with twin: Face?, isLarge: Bool) -> Face {
    if isLarge, let twin { return twin }
    var face = face
    if isLarge {
      face.score /= 2
    } else if let twin {
      // Two witnesses, of which the second is half as good.
      face.score = 1 - (1 - face.score) * (1 - twin.score / 2)
    }
    return face
  }
}

/// The networks of one detection at a time: one for each look, because OpenCV plans a network anew when its input's size
/// changes, which takes a third of a look.
final class YuNetNetworks {
  let first: Network
  private let folder: FilePath?
  private var other: Network?

  init(folder: FilePath?) throws(FaceCropError) {
    self.folder = folder
    first = try Network(.yuNet, folder: folder)
  }

  func second() throws(FaceCropError) -> Network {
    if let other { return other }
    let made = try Network(.yuNet, folder: folder)
    other = made
    return made
  }
}

extension Network {
  /// Candidates in a picture brought to that longer side.
  func faces(in picture: PixelBuffer, atLongSide side: Int) throws(FaceCropError) -> [Face] {
    try faces(in: picture.resized(toLongSide: side), threshold: YuNetFaceDetector.threshold)
  }
}

extension Face {
  func overlap(_ other: Face) -> Double { box.intersectionOverUnion(other.box) }

  /// Whether the box's middle lies in the picture and not in what was added to its sides.
  var isInPicture: Bool { (0..<1).contains(box.midX) && (0..<1).contains(box.midY) && clamped.isValid }
}
