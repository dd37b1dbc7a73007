public import SystemPackage

/// Finds faces, turned and tilted ones too, with their landmarks, by the neural network YuNet (W. Wu, H. Peng, S. Yu,
/// "YuNet: A Tiny Millisecond-level Face Detector", Machine Intelligence Research 20, 2023; the file of March 2023).
///
/// One value serves any number of tasks: each detection borrows a network from a pool, because OpenCV's are not
/// thread-safe.
public struct YuNetFaceDetector: FaceDetector {
  private let networks: LoanPool<Network>

  /// - Parameter modelFolder: where the network's file is. By default it is looked for as ``HaarFaceDetector`` does.
  public init(modelFolder: FilePath? = nil) {
    networks = LoanPool { () throws(FaceCropError) in try Network(.yuNet, folder: modelFolder) }
  }

  public var name: String { "yunet" }
  public var pixelFormat: PixelBuffer.Format { .rgb }

  /// Loads a network, unless one is idle.
  ///
  /// - Throws: ``FaceCropError/modelMissing(name:searched:)`` or ``FaceCropError/modelUnusable(path:reason:)``.
  public func prepare() throws {
    try networks.prepare()
  }

  /// Boxes from hairline to chin.
  public func faces(in picture: PixelBuffer) throws -> [Face] {
    try faces(in: picture, threshold: Self.threshold)
  }

  /// The longer side at which the network looks: faces that fill a larger picture confuse it. Pictures are brought to it
  /// from below too, so that the same picture at any size gives the same faces.
  static let side = 640

  static let threshold = 0.75

  func faces(in picture: PixelBuffer, threshold: Double) throws(FaceCropError) -> [Face] {
    let sized = try picture.resized(toLongSide: Self.side)
    return try networks.withItem { (network) throws(FaceCropError) in
      try network.faces(in: sized, threshold: threshold)
    }
  }
}
