extension PixelBuffer {
  /// Gives an encoder the rows, from the top, some at once, and reports them.
  ///
  /// - Parameter background: RGBA is given as RGB in front of it; nil gives the pixels as they are.
  func forEachBand(
    _ job: Job, on background: BackgroundColor? = nil,
    _ write: (_ rows: UnsafeBufferPointer<UInt8>, _ count: Int) throws(FaceCropError) -> Void
  ) throws(FaceCropError) {
    let rowsAtOnce = 16
    for top in stride(from: 0, to: height, by: rowsAtOnce) {
      let count = min(rowsAtOnce, height - top)
      if let background, format == .rgba {
        let band = cropped(to: PixelRect(x: 0, y: top, width: width, height: count)).flattened(on: background)
        try unsafe band.bytes.span.withBuffer { (bytes) throws(FaceCropError) in try unsafe write(bytes, count) }
      } else {
        try unsafe bytes.span.withBuffer { (bytes) throws(FaceCropError) in
          try unsafe write(bytes.extracting((top * bytesPerRow)...), count)
        }
      }
      job.report(.encode, top + count, of: height)
    }
  }
}
