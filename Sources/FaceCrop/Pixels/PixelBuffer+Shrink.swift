internal import COpenCVShim

extension PixelBuffer {
  /// Lends the pixels of a gray picture to OpenCV.
  func withGrayPicture<Result>(_ body: (FCGrayPicture) -> Result) -> Result {
    precondition(format == .gray, "a gray picture is needed")
    return unsafe bytes.withUnsafeBufferPointer { pixels in
      unsafe body(
        FCGrayPicture(
          pixels: pixels.baseAddress!, width: Int32(width), height: Int32(height), stride: bytesPerRow))
    }
  }

  /// A gray picture made smaller by area average, so that its longer side is at most `longSide`.
  func shrunk(toLongSide longSide: Int) throws(FaceCropError) -> PixelBuffer {
    guard size.longSide > longSide else { return self }
    func scaled(_ side: Int) -> Int { max((side * longSide + size.longSide / 2) / size.longSide, 1) }
    let small = PixelSize(width: scaled(width), height: scaled(height))
    var message = FCVisionMessage()
    var status = FCVisionStatus.failed
    let pixels = unsafe [UInt8](unsafeUninitializedCapacity: small.width * small.height) { output, count in
      status = unsafe withGrayPicture { gray in
        unsafe fcvision_shrink(gray, output.baseAddress!, Int32(small.width), Int32(small.height), &message)
      }
      count = status == .ok ? output.count : 0
    }
    try check(status, message)
    return PixelBuffer(size: small, format: .gray, bytes: pixels)
  }
}

/// Turns a failure of the vision shim into an error.
func check(_ status: FCVisionStatus, _ message: FCVisionMessage) throws(FaceCropError) {
  switch status {
  case .ok: return
  case .outOfMemory: throw .outOfMemory
  case .cannotLoad, .failed:
    var text = message.text
    throw .detectorFailed(
      unsafe withUnsafeBytes(of: &text) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
  }
}
