import COpenCVShim
import SystemPackage

/// A cascade classifier of OpenCV. It has state while it runs, so ``ObjectPool`` gives it to one thread at a time.
@safe final class Cascade: ShimObject {
  convenience init(_ file: ModelFile, folder: FilePath?) throws(FaceCropError) {
    let (path, xml) = try file.read(folder: folder)
    try self.init(xml: xml, path: path)
  }

  init(xml: [UInt8], path: FilePath) throws(FaceCropError) {
    guard !xml.isEmpty else { throw .modelUnusable(path: path.string, reason: "the file is empty") }
    var handle: OpaquePointer?
    var message = FCMessage()
    let status = unsafe xml.withUnsafeBytes { bytes in
      unsafe fcvision_cascade_create(
        bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count, &handle, &message)
    }
    if status == .corrupt {
      throw .modelUnusable(path: path.string, reason: "OpenCV cannot read it as a cascade")
    }
    try FaceCrop.check(status, message)
    try unsafe super.init(handle, fcvision_cascade_destroy)
  }

  /// Returns the squares of a gray image that pass the cascade, in a fixed order. Their faces have sides in this range
  /// in pixels. A face has several overlapping squares.
  func hits(in picture: PixelBuffer, sides: ClosedRange<Int>, scaleFactor: Double) throws(FaceCropError) -> [Frame] {
    let capacity = 4_096
    let settings = FCCascadeSettings(
      scaleFactor: scaleFactor, minimumNeighbors: 0, minimumSide: Int32(sides.lowerBound),
      maximumSide: Int32(sides.upperBound))
    var message = FCMessage()
    var status = FCStatus.failed
    let found = unsafe [FCCascadeHit](unsafeUninitializedCapacity: capacity) { hits, count in
      status = unsafe picture.withPicture { picture in
        unsafe fcvision_cascade_detect(handle, picture, settings, hits.baseAddress!, capacity, &count, &message)
      }
    }
    try FaceCrop.check(status, message)
    return found.map { Frame(x: Double($0.x), y: Double($0.y), width: Double($0.side), height: Double($0.side)) }
  }
}
