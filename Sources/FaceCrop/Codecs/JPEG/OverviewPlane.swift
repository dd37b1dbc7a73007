internal import CJPEGShim

/// A component of an overview: luma, or chroma, which may be subsampled.
struct OverviewPlane {
  let size: PixelSize
  /// The overview's pixels for each of the plane's.
  let horizontal: Int
  let vertical: Int

  init(_ plane: FCJPEGPlane) {
    size = PixelSize(width: Int(plane.width), height: Int(plane.height))
    horizontal = Int(plane.horizontal)
    vertical = Int(plane.vertical)
  }
}

extension PixelBuffer {
  /// Creates an image, without alpha, from a luma plane, optionally followed by those of chroma, which are repeated if
  /// subsampled. `read` reads a plane's rows from a first one on, `rowsAtOnce` together, or fewer at its lower edge.
  init(
    overview planes: [OverviewPlane], format: Format, rowsAtOnce: Int = 1,
    read: (_ plane: Int, _ first: Int, _ rows: UnsafeMutableBufferPointer<UInt8>) throws(FaceCropError) -> Void
  ) throws(FaceCropError) {
    let rows = planes.indices.map { PlaneRows(planes[$0], number: $0, atOnce: rowsAtOnce) }
    // Their memory is in use until the last row is complete.
    defer { withExtendedLifetime(rows) {} }
    let isInColor = format == .rgb && planes.count > 1
    let size = planes[0].size
    let bytesPerRow = size.width * (isInColor ? 3 : 1)
    // The chroma shifts are computed once for all rows that share them.
    var shifts = [Int16](repeating: 0, count: isInColor ? 3 * size.width : 0)
    let picture = try unsafe PixelBuffer.filled(size: size, format: isInColor ? .rgb : .gray) {
      (pixels) throws(FaceCropError) in
      for y in 0..<size.height {
        let target = unsafe pixels.baseAddress! + y * bytesPerRow
        let luma = try unsafe rows[0].samples(at: y, read)
        if isInColor {
          if y.isMultiple(of: planes[1].vertical) || y.isMultiple(of: planes[2].vertical) {
            let blue = try unsafe rows[1].samples(at: y, read)
            let red = try unsafe rows[2].samples(at: y, read)
            unsafe fcjpeg_fill_shifts(blue, red, &shifts, UInt32(size.width))
          }
          unsafe fcjpeg_shift_luma(luma.samples, shifts, target, UInt32(size.width))
        } else {
          unsafe target.update(from: luma.samples, count: size.width)
        }
      }
    }.picture
    self = picture.format == format ? picture : picture.inColor()
  }
}

/// A buffer for some rows of a plane, which follows the rows of the image.
@safe private final class PlaneRows {
  private let plane: OverviewPlane
  private let number: Int
  private let atOnce: Int
  private let memory: UnsafeMutableBufferPointer<UInt8>
  private var first: Int?

  init(_ plane: OverviewPlane, number: Int, atOnce: Int) {
    self.plane = plane
    self.number = number
    self.atOnce = atOnce
    unsafe memory = .allocate(capacity: plane.size.width * atOnce)
  }

  deinit {
    unsafe memory.deallocate()
  }

  /// Returns the samples for a row of the image, valid until the next call.
  func samples(
    at y: Int,
    _ read: (_ plane: Int, _ first: Int, _ rows: UnsafeMutableBufferPointer<UInt8>) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> FCJPEGSamples {
    let row = min(y / plane.vertical, plane.size.height - 1)
    let start = row - row % atOnce
    if first != start { try unsafe read(number, start, memory) }
    first = start
    return unsafe FCJPEGSamples(
      samples: memory.baseAddress! + (row - start) * plane.size.width, count: UInt32(plane.size.width),
      steps: UInt32(plane.horizontal))
  }
}
