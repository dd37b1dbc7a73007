import COpenCVShim
import Testing

@testable import FaceCrop

/// OpenCV's exceptions end in the shim, even through functions that were resolved at run time.
@Suite struct OpenCVFailureTests {
  private static let byte: [UInt8] = [7]

  @Test func anAssertionThatFailsIsAnErrorWithItsText() throws {
    var message = FCMessage()
    var pixels = Self.byte
    let status = unsafe Self.byte.withUnsafeBufferPointer { bytes in
      let picture = unsafe FCPicture(pixels: bytes.baseAddress!, width: 1, height: 1, channels: 1, stride: 1)
      // No image is 0 pixels wide.
      return unsafe fcvision_resize(picture, &pixels, 0, 1, &message)
    }
    #expect(status == .failed)
    guard case .detectorFailed(let text)? = error(status, message) else {
      Issue.record("another error: \(String(describing: error(status, message)))")
      return
    }
    // The failure, without OpenCV's version and file.
    #expect(text.contains("inv_scale_x") && !text.contains("OpenCV("))
  }

  /// OpenCV throws its own exception for a lack of memory, which only its number identifies.
  @Test func memoryThatIsNotThereIsAnErrorOfItsOwn() throws {
    let (_, xml) = try ModelFile.frontalFace.read(folder: nil)
    var cascade: OpaquePointer?
    var message = FCMessage()
    let created = unsafe xml.withUnsafeBytes { bytes in
      unsafe fcvision_cascade_create(
        bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count, &cascade, &message)
    }
    try #require(created == .ok)
    defer { unsafe fcvision_cascade_destroy(cascade!) }
    // More than the address space; the copy fails before any pixel is read.
    let side: Int32 = 20_000_000
    let settings = FCCascadeSettings(scaleFactor: 2, minimumNeighbors: 0, minimumSide: 20, maximumSide: 20)
    var hit = FCCascadeHit()
    var count = 0
    let status = unsafe Self.byte.withUnsafeBufferPointer { bytes in
      let picture = unsafe FCPicture(
        pixels: bytes.baseAddress!, width: side, height: side, channels: 1, stride: Int(side))
      return unsafe fcvision_cascade_detect(cascade!, picture, settings, &hit, 1, &count, &message)
    }
    #expect(error(status, message) == .outOfMemory)
    #expect(count == 0)
  }

  private func error(_ status: FCStatus, _ message: FCMessage) -> FaceCropError? {
    do throws(FaceCropError) {
      try check(status, message)
      return nil
    } catch {
      return error
    }
  }
}
