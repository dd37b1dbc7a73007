extension PixelBuffer {
  /// Gives an encoder the rows, from the top, some at once, and reports them.
  func forEachBand(
    _ job: Job, _ write: (_ rows: UnsafeBufferPointer<UInt8>, _ count: Int) throws(FaceCropError) -> Void
  ) throws(FaceCropError) {
    let rowsAtOnce = 16
    for top in stride(from: 0, to: height, by: rowsAtOnce) {
      let count = min(rowsAtOnce, height - top)
      try unsafe bytes.span.withBuffer { (bytes) throws(FaceCropError) in
        try unsafe write(bytes.extracting((top * bytesPerRow)...), count)
      }
      job.report(.encode, top + count, of: height)
    }
  }
}
