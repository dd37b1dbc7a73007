/// A session whose file can be cut without decoding pixels.
protocol LosslessSession: ImageSession {
  /// Cuts out a rectangle of the picture as stored, grown to what the format can cut.
  ///
  /// - Parameters:
  ///   - rect: inside the picture.
  ///   - exif: gives the EXIF data for a picture of that size.
  /// - Returns: a file, and what it shows.
  func losslessCut(
    of rect: PixelRect, progress: ProgressSpan, exif: (_ size: PixelSize) -> [UInt8]?
  ) throws(FaceCropError) -> Decoded<(bytes: [UInt8], rect: PixelRect)>
}
