/// An encoder that takes the rows of an image from the top, for one thread at a time.
protocol RowEncoder: AnyObject {
  /// Encodes rows without gaps.
  func write(_ rows: UnsafeBufferPointer<UInt8>, count: Int) throws(FaceCropError)

  /// Returns the bytes of the file since the previous call.
  func taken() -> [UInt8]

  /// Ends the file, after the last row.
  func finish() throws(FaceCropError) -> EncodedEnd
}

/// The end of a file.
struct EncodedEnd {
  /// The bytes that ``RowEncoder/taken()`` did not return yet.
  var bytes: [UInt8]
  /// The bytes that replace the start of the file, now that all is known; empty to keep it.
  var beginning: [UInt8] = []
}

extension RowEncoder {
  /// Encodes a whole image. RGBA is composited over `background`, which gives RGB; nil passes the pixels unchanged.
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

/// An encoder that takes the frames of an animation, all of one size, in order.
protocol AnimationEncoder: AnyObject {
  /// Adds a frame that shows for a time.
  func add(_ frame: PixelBuffer, milliseconds: Int) throws(FaceCropError)

  /// Ends the file. The encoder takes no more frames.
  func finish() throws(FaceCropError) -> [UInt8]
}

/// An image for an encoder, with the metadata to write into its file.
struct EncoderInput {
  var pixels: PixelBuffer
  /// The profile that describes `pixels`; nil for sRGB.
  var colorProfile: [UInt8]?
  /// The EXIF data as a TIFF structure.
  var exif: [UInt8]?
  var xmp: [UInt8]?
  /// The resolution in pixels per inch; nil writes none.
  var resolution: Double?
  /// The gain map; only JPEG has one.
  var gainMap: GainMap?

  /// Returns the profile for formats that store gray as RGB.
  func profileOfRGB(_ job: Job) throws(FaceCropError) -> [UInt8]? {
    guard let colorProfile, pixels.format == .gray else { return colorProfile }
    return try ICCProfile.fitted(colorProfile, to: .rgb, job)
  }
}
