import CMatting

/// A person cut out of an output: opacity and colors of its pixels. See `CMatting` for the method.
@safe struct Cutout {
  private let matting: Matting
  private let size: PixelSize
  /// The output at the size at which the coefficients were found.
  private let small: PixelBuffer

  /// The owner of the shim's memory.
  @safe private final class Matting {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe fcmatting_destroy(handle) }
  }

  /// Finds the coefficients for an output by a map of its people.
  init(of people: PersonMap, in output: PixelBuffer, _ job: Job) throws(FaceCropError) {
    size = output.size
    let small = output.quicklyResized(to: Self.smallSize(of: size)).inColor()
    let mask = PixelBuffer(size: people.size, format: .gray, bytes: people.probabilities).quicklyResized(to: small.size)
    let handle = unsafe small.bytes.withUnsafeBufferPointer { pixels in
      unsafe mask.bytes.withUnsafeBufferPointer { mask in
        unsafe fcmatting_create(
          pixels.baseAddress!, mask.baseAddress!, UInt32(small.width), UInt32(small.height))
      }
    }
    guard let handle = unsafe handle else { throw .outOfMemory }
    unsafe matting = Matting(handle)
    self.small = small
    try job.check()
  }

  /// Returns the size for the coefficients: the largest one of the same shape within the shim's bounds.
  static func smallSize(of size: PixelSize) -> PixelSize {
    let area = (Double(FCMATTING_MOST_PIXELS) / size.area).squareRoot()
    let scale = min(area, Double(FCMATTING_LONGEST_SIDE) / Double(size.longSide), 1)
    func side(_ length: Int) -> Int { max(Int(Double(length) * scale), 1) }
    return PixelSize(width: side(size.width), height: side(size.height))
  }

  /// Returns some rows of the output in RGBA. Transparent pixels have no color. `rows` are those of the output, in RGB.
  func rows(_ rows: PixelBuffer, from first: Int) -> PixelBuffer {
    pixels(of: rows, in: size, from: first)
  }

  private func pixels(of rows: PixelBuffer, in size: PixelSize, from first: Int) -> PixelBuffer {
    precondition(rows.format == .rgb && rows.width == size.width && first + rows.height <= size.height)
    let byteCount = rows.width * rows.height * 4
    let cut = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { cut, filled in
      unsafe rows.bytes.withUnsafeBufferPointer { pixels in
        unsafe fcmatting_rows(
          matting.handle, pixels.baseAddress!, UInt32(size.width), UInt32(size.height), UInt32(first),
          UInt32(rows.height), cut.baseAddress!)
      }
      filled = byteCount
    }
    return PixelBuffer(size: rows.size, format: .rgba, bytes: cut)
  }

  /// Returns the output without its people, blurred, at a small size. The strength is a standard deviation in fractions of
  /// the longer side.
  func blurredBackground(strength: Double) throws(FaceCropError) -> PixelBuffer {
    let cut = pixels(of: small, in: small.size, from: 0)
    var isDone = false
    let blurred = unsafe [UInt8](unsafeUninitializedCapacity: small.bytes.count) { blurred, filled in
      unsafe small.bytes.withUnsafeBufferPointer { pixels in
        unsafe cut.bytes.withUnsafeBufferPointer { cut in
          isDone = unsafe fcmatting_blur(
            pixels.baseAddress!, cut.baseAddress!, UInt32(small.width), UInt32(small.height), Float(strength),
            blurred.baseAddress!)
        }
      }
      filled = isDone ? small.bytes.count : 0
    }
    guard isDone else { throw .outOfMemory }
    return PixelBuffer(size: small.size, format: .rgb, bytes: blurred)
  }
}

extension PixelBuffer {
  /// Composites RGBA rows over the rows of this RGB image from `first` on.
  mutating func replaceRows(from first: Int, with cut: PixelBuffer, over backdrop: PixelBuffer) {
    precondition(format == .rgb && cut.format == .rgba && backdrop.format == .rgb && cut.size == backdrop.size)
    precondition(cut.width == width && first + cut.height <= height)
    let start = first * bytesPerRow
    unsafe bytes.withUnsafeMutableBufferPointer { output in
      unsafe cut.bytes.withUnsafeBufferPointer { cut in
        unsafe backdrop.bytes.withUnsafeBufferPointer { backdrop in
          unsafe fcmatting_composite(
            cut.baseAddress!, backdrop.baseAddress!, output.baseAddress! + start, backdrop.count / 3)
        }
      }
    }
  }
}
