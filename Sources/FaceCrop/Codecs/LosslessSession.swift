/// A session that can cut its file without decoding pixels.
protocol LosslessSession: ImageSession {
  /// Cuts out a rectangle of the image as stored, extended to the format's block borders.
  ///
  /// - Parameters:
  ///   - rect: A rectangle inside the image.
  ///   - metadata: Returns the metadata for an image of a size.
  /// - Returns: The file, and the rectangle that it shows.
  func losslessCut(
    of rect: PixelRect, progress: ProgressSpan, metadata: (_ size: PixelSize) -> CropMetadata
  ) throws(FaceCropError) -> Decoded<(bytes: [UInt8], rect: PixelRect)>

  /// Completes a cut file with its gain map, if any, and with the metadata that depend on it.
  ///
  /// - Parameters:
  ///   - cut: A file of ``losslessCut(of:progress:metadata:)`` without XMP.
  ///   - xmp: The XMP packet; nil for none.
  func completed(_ cut: [UInt8], xmp: [UInt8]?, _ map: GainMap?, _ job: Job) throws(FaceCropError) -> [UInt8]
}
