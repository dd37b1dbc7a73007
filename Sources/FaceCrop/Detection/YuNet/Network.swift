import COpenCVShim
import SystemPackage

/// The face network YuNet. It keeps state while it runs: whoever holds it uses it alone, which ``LoanPool`` sees to.
@safe final class Network {
  /// Pixels of an input's sides, at least: what is smaller is padded, so that small looks have one size and one plan.
  static let smallestInput = 160

  private let handle: OpaquePointer

  init(_ file: ModelFile, folder: FilePath?) throws(FaceCropError) {
    let (path, onnx) = try file.read(folder: folder)
    var handle: OpaquePointer?
    var message = FCVisionMessage()
    let status = unsafe onnx.withUnsafeBufferPointer { bytes in
      unsafe fcvision_network_create(bytes.baseAddress!, bytes.count, &handle, &message)
    }
    guard status == .ok, let made = unsafe handle else {
      throw status == .outOfMemory
        ? .outOfMemory : .modelUnusable(path: path.string, reason: "it is no network that OpenCV can read")
    }
    unsafe self.handle = made
  }

  deinit {
    unsafe fcvision_network_destroy(handle)
  }

  /// Faces in a color picture with scores of at least `threshold`, highest first. Boxes may reach out of the picture, or lie
  /// in what was added to its sides.
  func faces(in picture: PixelBuffer, threshold: Double) throws(FaceCropError) -> [Face] {
    let capacity = 1_024
    var message = FCVisionMessage()
    var status = FCVisionStatus.failed
    let found = unsafe [FCNetworkFace](unsafeUninitializedCapacity: capacity) { faces, count in
      status = unsafe picture.withPicture { picture in
        unsafe fcvision_network_detect(
          handle, picture, Int32(Self.smallestInput), Float(threshold), faces.baseAddress!, capacity, &count, &message)
      }
    }
    try check(status, message)
    return found.map { Face($0, in: picture.size) }
  }
}

extension Face {
  fileprivate init(_ face: FCNetworkFace, in size: PixelSize) {
    let (width, height) = (Double(size.width), Double(size.height))
    let places = face.landmarks
    func point(_ x: Float, _ y: Float) -> NormalizedPoint {
      NormalizedPoint(x: Double(x) / width, y: Double(y) / height)
    }
    self.init(
      box: NormalizedRect(
        x: Double(face.x) / width, y: Double(face.y) / height,
        width: Double(face.width) / width, height: Double(face.height) / height
      ),
      score: Double(face.score),
      landmarks: FaceLandmarks(
        rightEye: point(places.0, places.1), leftEye: point(places.2, places.3), nose: point(places.4, places.5),
        mouthRight: point(places.6, places.7), mouthLeft: point(places.8, places.9)))
  }
}
