/// A session whose file can be cut without decoding pixels.
protocol LosslessSession: ImageSession {
  /// Cuts out a rectangle of the picture as stored, grown to what the format can cut.
  ///
  /// - Parameters:
  ///   - rect: inside the picture.
  ///   - metadata: gives those for a picture of that size.
  /// - Returns: a file, and what it shows.
  func losslessCut(
    of rect: PixelRect, progress: ProgressSpan, metadata: (_ size: PixelSize) -> CropMetadata
  ) throws(FaceCropError) -> Decoded<(bytes: [UInt8], rect: PixelRect)>
}
