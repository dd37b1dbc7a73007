internal import COpenCVShim
internal import CResampling

extension PixelBuffer {
  func withPicture<Result>(_ body: (FCPicture) -> Result) -> Result {
    unsafe bytes.withUnsafeBufferPointer { pixels in
      unsafe body(
        FCPicture(
          pixels: pixels.baseAddress!, width: Int32(width), height: Int32(height), channels: Int32(format.channels),
          stride: bytesPerRow))
    }
  }

  /// Reduces the image by area average to a longer side of up to `longSide` pixels.
  func shrunk(toLongSide longSide: Int) throws(FaceCropError) -> PixelBuffer {
    size.longSide > longSide ? try resized(toLongSide: longSide) : self
  }

  /// Resizes the image to this longer side; see ``resized(to:)``.
  func resized(toLongSide longSide: Int) throws(FaceCropError) -> PixelBuffer {
    try resized(to: size.scaled(toLongSide: longSide))
  }

  /// Resizes the image: reduces it by area average, or enlarges it by linear interpolation. Above half the size the
  /// pixels equal OpenCV's. For images without alpha.
  func resized(to output: PixelSize) throws(FaceCropError) -> PixelBuffer {
    guard output != size else { return self }
    guard output.width <= width && output.height <= height else { return interpolated(to: output) }
    let isHalf = 2 * output.width <= width && 2 * output.height <= height
    return isHalf ? resampled(to: output, filter: .average) : reduced(to: output)
  }

  /// Resizes the image like ``resized(to:)``, at a third of the cost for reductions. For detectors without thresholds
  /// tuned on OpenCV's pixels.
  func quicklyResized(to output: PixelSize) -> PixelBuffer {
    guard output != size else { return self }
    return output.width <= width && output.height <= height
      ? resampled(to: output, filter: .average) : interpolated(to: output)
  }

  /// Reduces the image by a whole factor, 2 to 4. Each pixel is the rounded mean of a square. At the right and lower
  /// edges the last pixels repeat. For images without alpha.
  func averaged(by factor: Int) -> PixelBuffer {
    let output = size.divided(by: factor)
    return unsafe PixelBuffer(size: output, format: format) { means in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 4 * (width + 4)) { sums in
          unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<UInt8>.self, capacity: factor) { rows in
            for row in 0..<output.height {
              for index in 0..<factor {
                let start = min(row * factor + index, height - 1) * bytesPerRow
                unsafe rows.initializeElement(at: index, to: bytes.baseAddress! + start)
              }
              unsafe fcresampling_fastest().pointee.mean(
                rows.baseAddress!, factor, width, format.channels, sums.baseAddress!,
                means.baseAddress! + row * output.width * format.channels)
            }
          }
        }
      }
    }
  }

  /// Returns the image rotated, moved, and scaled by a map between pixel centers. With `isFine`, the interpolation is
  /// cubic instead of linear, for images without alpha, or premultiplied ones. Outside of the image is the pixel
  /// `border`, or its repeated edge.
  func warped(
    by map: AffineMap, to output: PixelSize, isFine: Bool = false, border: [UInt8]? = nil
  ) throws(FaceCropError) -> PixelBuffer {
    let outside = border.map { pixel in (0..<4).map { $0 < pixel.count ? Double(pixel[$0]) : 0 } }
    return try unsafe seen(at: output) { picture, pixels, message in
      unsafe fcvision_warp(
        picture, map.rows, isFine, outside, pixels, Int32(output.width), Int32(output.height), &message)
    }
  }

  /// Returns the image that a function of the vision shim makes.
  func seen(
    at output: PixelSize, by make: (FCPicture, UnsafeMutablePointer<UInt8>, inout FCMessage) -> FCStatus
  ) throws(FaceCropError) -> PixelBuffer {
    var message = FCMessage()
    var status = FCStatus.failed
    let picture = unsafe PixelBuffer(size: output, format: format) { pixels in
      status = unsafe withPicture { picture in unsafe make(picture, pixels.baseAddress!, &message) }
    }
    try check(status, message)
    return picture
  }

  /// Returns a part inside the image.
  func cropped(to rect: PixelRect) -> PixelBuffer {
    let channels = format.channels
    var cropped: [UInt8] = []
    cropped.reserveCapacity(rect.width * rect.height * channels)
    for y in rect.y..<rect.y + rect.height {
      let start = (y * width + rect.x) * channels
      cropped.append(contentsOf: bytes[start..<start + rect.width * channels])
    }
    return PixelBuffer(size: rect.size, format: format, bytes: cropped)
  }
}

/// Throws a failure of the vision shim as an error.
func check(_ status: FCStatus, _ message: FCMessage) throws(FaceCropError) {
  switch status {
  case .ok: return
  case .outOfMemory: throw .outOfMemory
  case .unsupported: throw .libraryMissing(message.string)
  default: throw .detectorFailed(message.string)
  }
}
