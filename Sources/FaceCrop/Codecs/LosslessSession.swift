/// A session whose file can be cut without decoding pixels.
protocol LosslessSession: ImageSession {
  /// Cuts out a rectangle of the picture as stored, grown to what the format can cut.
  ///
  /// - Parameters:
  ///   - rect: inside the picture.
  ///   - part: which of how many regions this is, for progress that does not go back.
  ///   - exif: gives the EXIF data for a picture of that size, with JPEG's "Exif\0\0".
  /// - Returns: a file, and what it shows.
  func losslessCut(
    of rect: PixelRect, part: (index: Int, count: Int), exif: (_ size: PixelSize) -> [UInt8]?
  ) throws(FaceCropError) -> (bytes: [UInt8], rect: PixelRect)
}
