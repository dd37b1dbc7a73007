/// Makes a file of a picture whose rows come from the top, some at once; used by one thread at a time.
protocol RowEncoder: AnyObject {
  /// - Parameters:
  ///   - rows: Without gaps.
  ///   - count: Of them.
  func write(_ rows: UnsafeBufferPointer<UInt8>, count: Int) throws(FaceCropError)

  /// What the file has grown by since the last call.
  func taken() -> [UInt8]

  /// Ends the file, after its last row.
  func finish() throws(FaceCropError) -> EncodedEnd
}

/// The end of a file.
struct EncodedEnd {
  /// What was not taken yet.
  var bytes: [UInt8]
  /// What is to stand in the place of the file's first bytes, now that all is known; empty where they are right.
  var beginning: [UInt8] = []
}

extension RowEncoder {
  /// A file of all of a picture.
  ///
  /// - Parameter background: RGBA is given as RGB in front of it; nil gives the pixels as they are.
  func file(
    of pixels: PixelBuffer, on background: BackgroundColor? = nil, _ job: Job
  ) throws(FaceCropError) -> [UInt8] {
    try unsafe pixels.forEachBand(job, on: background) { (rows, count) throws(FaceCropError) in
      try job.check()
      try unsafe write(rows, count: count)
    }
    var end = try finish()
    end.bytes.replaceSubrange(..<end.beginning.count, with: end.beginning)
    return end.bytes
  }
}
