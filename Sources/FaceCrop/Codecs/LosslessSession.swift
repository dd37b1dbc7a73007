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

  /// A cut's file with its part of the picture's gain map, if it has one, and with what was kept back of its metadata until that was
  /// known.
  ///
  /// - Parameters:
  ///   - cut: a file of ``losslessCut(of:progress:metadata:)`` without XMP.
  ///   - xmp: the packet; nil for none.
  func completed(_ cut: [UInt8], xmp: [UInt8]?, _ map: GainMap?, _ job: Job) throws(FaceCropError) -> [UInt8]
}
