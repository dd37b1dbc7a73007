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
}
