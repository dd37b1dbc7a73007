internal import CJPEGShim

/// One component of an overview: luma, or chroma, which may be sampled more coarsely.
struct OverviewPlane {
  let size: PixelSize
  /// Pixels of the overview that one of the plane's stands for.
  let horizontal: Int
  let vertical: Int

  init(_ plane: FCJPEGPlane) {
    size = PixelSize(width: Int(plane.width), height: Int(plane.height))
    horizontal = Int(plane.horizontal)
    vertical = Int(plane.vertical)
  }
}

extension PixelBuffer {
  /// A picture of its luma, or of luma and chroma, which is repeated where it is coarser.
  ///
  /// - Parameters:
  ///   - planes: luma's, then, or not, those of chroma.
  ///   - format: without alpha.
  ///   - rowsAtOnce: how many rows of a plane are read together; fewer at its lower edge.
  ///   - read: reads a plane's rows, from one of them on.
  init(
    overview planes: [OverviewPlane], format: Format, rowsAtOnce: Int = 1,
    read: (_ plane: Int, _ first: Int, _ rows: UnsafeMutableBufferPointer<UInt8>) throws(FaceCropError) -> Void
  ) throws(FaceCropError) {
    let rows = planes.indices.map { PlaneRows(planes[$0], number: $0, atOnce: rowsAtOnce) }
    // Their memory is read until the last row is done.
    defer { withExtendedLifetime(rows) {} }
    let isInColor = format == .rgb && planes.count > 1
    let size = planes[0].size
    let bytesPerRow = size.width * (isInColor ? 3 : 1)
    // What chroma adds to luma is worked out once for all rows that share it.
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

/// Some rows of a plane, which follow the rows of the picture.
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

  /// The samples of a row of the picture; they live until the next call.
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
