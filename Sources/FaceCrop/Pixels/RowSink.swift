/// Where a region's rows go: a buffer, a resampler, or several at once.
protocol RowSink {
  /// The region is decoded from its first row: what came before, on a way that damage has ended, is void.
  mutating func restart()

  /// The next rows, as stored.
  ///
  /// - Parameters:
  ///   - rows: without gaps; they live as long as the call.
  ///   - count: how many, 1 or more.
  mutating func take(_ rows: Span<UInt8>, count: Int)

  /// The memory of all of the region's rows as stored, for a decoder that needs it in one piece and then hands on no rows; nil where
  /// they are wanted one after the other.
  var whole: UnsafeMutableBufferPointer<UInt8>? { get }
}

extension RowSink {
  var whole: UnsafeMutableBufferPointer<UInt8>? { nil }
}

/// How many rows are handed on together.
enum Band {
  /// 16, or as few as 4 MiB hold: a row may be of any length.
  static func rows(of bytesPerRow: Int, height: Int) -> Int {
    min(max((4 << 20) / max(bytesPerRow, 1), 1), 16, height)
  }
}

extension PixelBuffer {
  /// The rows of a part, from the top, some at once, without gaps.
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

/// Writes rows into a picture's memory, turned upright.
@safe struct PictureSink: RowSink {
  private let pixels: UnsafeMutableBufferPointer<UInt8>
  private let turner: BandTurner
  private var next = 0

  /// - Parameter pixels: outlive it.
  init(_ turner: BandTurner, into pixels: UnsafeMutableBufferPointer<UInt8>) {
    unsafe self.pixels = pixels
    self.turner = turner
  }

  var whole: UnsafeMutableBufferPointer<UInt8>? { unsafe turner.isUpright ? pixels : nil }

  mutating func restart() { next = 0 }

  mutating func take(_ rows: Span<UInt8>, count: Int) {
    unsafe rows.withUnsafeBufferPointer { rows in unsafe turner.turn(rows, first: next, count: count, into: pixels) }
    next += count
  }
}

extension PixelBuffer {
  /// The picture that `body` gives the rows of, and what `body` gives.
  ///
  /// - Parameters:
  ///   - stored: the rows' size.
  ///   - orientation: by which they are turned.
  static func decoded<Value>(
    _ stored: PixelSize, _ format: Format, turned orientation: Orientation = .up,
    by body: (inout PictureSink) throws(FaceCropError) -> Value
  ) throws(FaceCropError) -> (picture: PixelBuffer, value: Value) {
    let turner = BandTurner(orientation, stored: stored, format: format)
    return try unsafe filled(size: turner.size, format: format) { (pixels) throws(FaceCropError) in
      var sink = unsafe PictureSink(turner, into: pixels)
      return try body(&sink)
    }
  }
}
