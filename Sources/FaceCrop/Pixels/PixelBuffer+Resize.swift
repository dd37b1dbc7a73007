internal import COpenCVShim

extension PixelBuffer {
  /// Lends the pixels to OpenCV.
  func withPicture<Result>(_ body: (FCPicture) -> Result) -> Result {
    unsafe bytes.withUnsafeBufferPointer { pixels in
      unsafe body(
        FCPicture(
          pixels: pixels.baseAddress!, width: Int32(width), height: Int32(height), channels: Int32(format.channels),
          stride: bytesPerRow))
    }
  }

  /// The picture made smaller by area average, so that its longer side is at most `longSide`.
  func shrunk(toLongSide longSide: Int) throws(FaceCropError) -> PixelBuffer {
    size.longSide > longSide ? try resized(toLongSide: longSide) : self
  }

  /// The picture at another size: by area average where that is smaller, else by linear interpolation.
  func resized(toLongSide longSide: Int) throws(FaceCropError) -> PixelBuffer {
    guard size.longSide != longSide else { return self }
    func scaled(_ side: Int) -> Int { max((side * longSide + size.longSide / 2) / size.longSide, 1) }
    let small = PixelSize(width: scaled(width), height: scaled(height))
    var message = FCVisionMessage()
    var status = FCVisionStatus.failed
    let byteCount = small.width * small.height * format.channels
    let pixels = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
      status = unsafe withPicture { picture in
        unsafe fcvision_resize(picture, output.baseAddress!, Int32(small.width), Int32(small.height), &message)
      }
      count = status == .ok ? byteCount : 0
    }
    try check(status, message)
    return PixelBuffer(size: small, format: format, bytes: pixels)
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
