/// A session that can cut its file without decoding pixels.
protocol LosslessSession: ImageSession {
  /// Cuts out a rectangle inside the image as stored, extended to the format's block borders. `metadata` returns the
  /// metadata for an image of a size. Returns the file, and the rectangle that it shows.
  func losslessCut(
    of rect: PixelRect, progress: ProgressSpan, metadata: (_ size: PixelSize) -> CropMetadata
  ) throws(FaceCropError) -> Decoded<(bytes: [UInt8], rect: PixelRect)>

  /// Completes a file of ``losslessCut(of:progress:metadata:)`` without XMP. It adds the gain map, if any, and the XMP
  /// packet, which depends on it.
  func completed(_ cut: [UInt8], xmp: [UInt8]?, _ map: GainMap?, _ job: Job) throws(FaceCropError) -> [UInt8]
}
