import CBasics
import CJPEGShim
import FaceCrop

/// A file's index: the overview from a walk over the whole file, and regions, using only the shim's calls.
///
/// Borrows the file, which must outlive it. Close it after use.
@safe struct IndexSession {
  private let cancellation: OpaquePointer
  private let index: OpaquePointer
  private let mcu: PixelSize

  /// Walks over the whole file.
  init(_ file: UnsafeBufferPointer<UInt8>) throws {
    guard let cancellation = unsafe fc_cancellation_create(),
      let index = unsafe fcjpeg_index_create(Self.source(file, cancellation))
    else { throw BenchError("there is no memory for an index") }
    unsafe self.cancellation = cancellation
    unsafe self.index = index
    try Self.check(unsafe fcjpeg_index_start(index, 1, false))
    let grid = unsafe fcjpeg_index_grid(index)
    try Self.check(unsafe fcjpeg_index_scan(index, grid.rows))
    mcu = PixelSize(width: Int(grid.mcuWidth), height: Int(grid.mcuHeight))
  }

  func close() {
    unsafe fcjpeg_index_destroy(index)
    unsafe fc_cancellation_destroy(cancellation)
  }

  /// Bytes of luma at 1/8.
  var overviewBytes: Int { Int(luma.width) * Int(luma.height) }

  private var luma: FCJPEGPlane { unsafe fcjpeg_index_plane(index, 0) }

  /// Writes luma at 1/8 into `pixels`, which must have room for it.
  func readOverview(into pixels: UnsafeMutablePointer<UInt8>) throws {
    let plane = luma
    for row in 0..<plane.height {
      let line = unsafe pixels + Int(row) * Int(plane.width)
      try Self.check(unsafe fcjpeg_index_read_overview(index, 0, row, line, plane.width))
    }
  }

  /// Cuts out a region with a margin of one MCU, and decodes it to RGB into `pixels`, which must have room for it.
  func decode(_ region: PixelRect, into pixels: UnsafeMutablePointer<UInt8>) throws {
    func span(_ start: Int, _ length: Int, _ mcu: Int, _ count: UInt32) -> Range<Int> {
      max(start / mcu - 1, 0)..<min((start + length + mcu - 1) / mcu + 1, Int(count))
    }
    let grid = unsafe fcjpeg_index_grid(index)
    let columns = span(region.x, region.width, mcu.width, grid.columns)
    let rows = span(region.y, region.height, mcu.height, grid.rows)
    let cut = FCJPEGRect(
      x: UInt32(columns.lowerBound), y: UInt32(rows.lowerBound), width: UInt32(columns.count),
      height: UInt32(rows.count))
    var bytes = unsafe FCBytes()
    try Self.check(unsafe fcjpeg_index_cut(index, cut, &bytes))

    let source = unsafe Self.source(UnsafeBufferPointer(start: bytes.bytes, count: bytes.count), cancellation)
    guard let decoder = unsafe fcjpeg_decoder_create(source) else {
      throw BenchError("there is no memory for a decoder")
    }
    defer { unsafe fcjpeg_decoder_destroy(decoder) }
    let inner = FCJPEGRegion(
      scale: 8, color: .RGB, x: UInt32(region.x - columns.lowerBound * mcu.width),
      y: UInt32(region.y - rows.lowerBound * mcu.height), width: UInt32(region.width), height: UInt32(region.height))
    try Self.check(unsafe fcjpeg_decoder_start_region(decoder, inner))
    let stride = region.width * 3
    var done = 0
    while done < region.height {
      var read: UInt32 = 0
      try Self.check(
        unsafe fcjpeg_decoder_read_rows(
          decoder, pixels + done * stride, stride, (region.height - done) * stride, UInt32(mcu.height), &read))
      done += Int(read)
    }
  }

  /// Creates a source with the library's default limits.
  private static func source(_ bytes: UnsafeBufferPointer<UInt8>, _ cancellation: OpaquePointer) -> FCJPEGSource {
    let limits = Limits()
    return unsafe FCJPEGSource(
      bytes: bytes.baseAddress!, count: bytes.count, isFileMapping: false, maximumScans: Int32(limits.scans),
      maximumCoefficientBytes: limits.coefficientBytes, cancellation: cancellation)
  }

  private static func check(_ status: FCStatus) throws {
    guard status == .ok else { throw BenchError("the index failed: \(status)") }
  }
}
