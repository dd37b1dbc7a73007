/// A destination of a region's rows: a buffer, a resampler, or several at once.
protocol RowSink {
  /// Discards all rows. A method that failed on damage is replaced by another, which starts with the first row.
  mutating func restart()

  /// Takes the next rows, 1 or more, as stored and without gaps, valid during the call.
  mutating func take(_ rows: Span<UInt8>, count: Int)

  /// The memory for all of the region's rows as stored, for a decoder that writes them in one piece. Nil if the sink
  /// takes rows one by one.
  var whole: UnsafeMutableBufferPointer<UInt8>? { get }
}

extension RowSink {
  var whole: UnsafeMutableBufferPointer<UInt8>? { nil }
}

/// The number of rows to pass on at once.
enum Band {
  /// Returns 16, or fewer within 4 MiB, because a row may have any length.
  static func rows(of bytesPerRow: Int, height: Int) -> Int {
    min(max((4 << 20) / max(bytesPerRow, 1), 1), 16, height)
  }
}

extension PixelBuffer {
  /// Calls `body` with bands of a part's rows, from the top, without gaps.
  func forEachBand(of part: PixelRect, _ body: (_ rows: Span<UInt8>, _ count: Int) -> Void) {
    let isWhole = part.width == width
    let atOnce = Band.rows(of: part.width * format.channels, height: part.height)
    var band: [UInt8] = []
    for top in stride(from: part.y, to: part.y + part.height, by: atOnce) {
      let rows = top..<min(top + atOnce, part.y + part.height)
      if isWhole {
        body(bytes.span.extracting(rows.lowerBound * bytesPerRow..<rows.upperBound * bytesPerRow), rows.count)
        continue
      }
      band.removeAll(keepingCapacity: true)
      for row in rows {
        let start = row * bytesPerRow + part.x * format.channels
        band += bytes[start..<start + part.width * format.channels]
      }
      body(band.span, rows.count)
    }
  }
}

extension Array: RowSink where Element: RowSink {
  mutating func restart() {
    for index in indices { self[index].restart() }
  }

  mutating func take(_ rows: Span<UInt8>, count: Int) {
    for index in indices { self[index].take(rows, count: count) }
  }
}

/// A sink that writes rows into an image's memory, upright. The memory must outlive it.
@safe struct PictureSink: RowSink {
  fileprivate let turner: BandTurner
  fileprivate let pixels: UnsafeMutableBufferPointer<UInt8>
  fileprivate var next = 0

  var whole: UnsafeMutableBufferPointer<UInt8>? { unsafe turner.isUpright ? pixels : nil }

  mutating func restart() { next = 0 }

  mutating func take(_ rows: Span<UInt8>, count: Int) {
    unsafe rows.withUnsafeBufferPointer { rows in unsafe turner.turn(rows, first: next, count: count, into: pixels) }
    next += count
  }
}

extension PixelBuffer {
  /// Creates an image from the stored rows that `body` writes, turned by `orientation`, and returns it with the result
  /// of `body`.
  static func decoded<Value>(
    _ stored: PixelSize, _ format: Format, turned orientation: Orientation = .up,
    by body: (inout PictureSink) throws(FaceCropError) -> Value
  ) throws(FaceCropError) -> (picture: PixelBuffer, value: Value) {
    let turner = BandTurner(orientation, stored: stored, format: format)
    return try unsafe filled(size: turner.size, format: format) { (pixels) throws(FaceCropError) in
      var sink = unsafe PictureSink(turner: turner, pixels: pixels)
      return try body(&sink)
    }
  }
}
