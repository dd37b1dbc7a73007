extension PixelBuffer {
  /// Passes the rows to an encoder in bands from the top, and reports progress. RGBA is composited over `background`,
  /// which gives RGB; nil passes the pixels unchanged.
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
