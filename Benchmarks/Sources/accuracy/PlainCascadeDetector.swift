import COpenCVShim
import FaceCrop
import FoundationEssentials
import Synchronization

/// OpenCV's `detectMultiScale` as in its examples, the baseline for times: `frontalface_alt2`, factor 1.1, 3 neighbors.
final class PlainCascadeDetector: FaceDetector, ReadyFaceDetector {
  /// Used by one call at a time, since OpenCV's class keeps state while it runs.
  private let cascade: Mutex<Cascade>

  /// Sendable because only the holder of the lock uses it.
  @safe private struct Cascade: @unchecked Sendable {
    let handle: OpaquePointer
  }

  private static let settings = FCCascadeSettings(scaleFactor: 1.1, minimumNeighbors: 3, minimumSide: 0, maximumSide: 0)

  /// Loads a cascade.
  ///
  /// - Parameter path: The cascade's file; by default relative to the package's folder, where `make` runs.
  init(path: String = "models/haarcascade_frontalface_alt2.xml") throws {
    let xml = Array(try Data(readingFile: path))
    var cascade: OpaquePointer?
    var message = FCMessage()
    let status = unsafe xml.withUnsafeBytes { bytes in
      unsafe fcvision_cascade_create(
        bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count, &cascade, &message)
    }
    guard status == .ok, let made = unsafe cascade else {
      throw AccuracyError("\(path) is no cascade that OpenCV can read")
    }
    unsafe self.cascade = Mutex(Cascade(handle: made))
  }

  deinit {
    cascade.withLock { unsafe fcvision_cascade_destroy($0.handle) }
  }

  var name: String { "plain" }
  /// Equal to ``HaarFaceDetector``'s.
  var input: DetectorInput { DetectorInput(format: .gray, sufficientSide: 640) }

  func prepare() -> any ReadyFaceDetector { self }

  func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] {
    let capacity = 1_024
    var message = FCMessage()
    var status = FCStatus.failed
    let hits = unsafe [FCCascadeHit](unsafeUninitializedCapacity: capacity) { hits, count in
      status = unsafe picture.bytes.withUnsafeBufferPointer { pixels in
        let picture = unsafe FCPicture(
          pixels: pixels.baseAddress!, width: Int32(picture.width), height: Int32(picture.height), channels: 1,
          stride: picture.bytesPerRow)
        return cascade.withLock { cascade in
          unsafe fcvision_cascade_detect(
            cascade.handle, picture, Self.settings, hits.baseAddress!, capacity, &count, &message)
        }
      }
    }
    guard status == .ok else { throw AccuracyError("OpenCV failed") }
    return hits.map { hit in
      let rect = PixelRect(x: Int(hit.x), y: Int(hit.y), width: Int(hit.side), height: Int(hit.side))
      // The cascade gives no scores.
      return Face(box: rect.normalized(in: picture.size).clamped(), score: 0.5)
    }
  }
}
