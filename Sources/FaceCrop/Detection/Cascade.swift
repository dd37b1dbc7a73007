import COpenCVShim
import SystemPackage

/// One of OpenCV's cascade classifiers. It keeps state while it runs: whoever holds it uses it alone, which
/// ``LoanPool`` sees to.
@safe final class Cascade {
  private let handle: OpaquePointer

  convenience init(_ file: ModelFile, folder: FilePath?) throws(FaceCropError) {
    let (path, xml) = try file.read(folder: folder)
    try self.init(xml: xml, path: path)
  }

  init(xml: [UInt8], path: FilePath) throws(FaceCropError) {
    guard !xml.isEmpty else { throw .modelUnusable(path: path.string, reason: "it is empty") }
    var handle: OpaquePointer?
    var message = FCVisionMessage()
    let status = unsafe xml.withUnsafeBytes { bytes in
      unsafe fcvision_cascade_create(
        bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count, &handle, &message)
    }
    guard status == .ok, let made = unsafe handle else {
      throw status == .outOfMemory
        ? .outOfMemory : .modelUnusable(path: path.string, reason: "it is no cascade that OpenCV can read")
    }
    unsafe self.handle = made
  }

  deinit {
    unsafe fcvision_cascade_destroy(handle)
  }

  struct Hit {
    var rect: PixelRect
    /// Sum of the last stage, greatest among the hits that were merged.
    var weight: Double
  }

  /// Hits in a gray picture, in a fixed order: by weight, size and place.
  func hits(in picture: PixelBuffer, settings: FCCascadeSettings) throws(FaceCropError) -> [Hit] {
    let capacity = 1_024
    var message = FCVisionMessage()
    var status = FCVisionStatus.failed
    let found = unsafe [FCCascadeHit](unsafeUninitializedCapacity: capacity) { hits, count in
      status = unsafe picture.withPicture { picture in
        unsafe fcvision_cascade_detect(handle, picture, settings, hits.baseAddress!, capacity, &count, &message)
      }
    }
    try check(status, message)
    return found.map { hit in
      Hit(
        rect: PixelRect(x: Int(hit.x), y: Int(hit.y), width: Int(hit.width), height: Int(hit.height)),
        weight: hit.weight)
    }
  }
}
