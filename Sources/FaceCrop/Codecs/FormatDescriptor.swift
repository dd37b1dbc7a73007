/// A format as it is seen from outside its folder, where its descriptor stands. To add one is such a folder, a case of
/// ``ImageFormat`` and a line in ``Codecs/all``.
struct FormatDescriptor: Sendable {
  /// Opens a file of the format and reads its header.
  typealias Open =
    @Sendable (_ bytes: ImageBytes, _ allowsDamage: Bool, _ job: Job) throws(FaceCropError) -> any ImageSession

  /// How a format is written.
  struct Encoder: Sendable {
    var features: ImageFormat.EncoderFeatures
    /// What crops of such a picture are written as where nothing else is said; nil is JPEG.
    var usual: OutputFormat?
  }

  let format: ImageFormat
  /// What it calls itself.
  let name: String
  /// In lower case; the usual one is the first.
  let fileExtensions: [String]
  let mediaType: String
  /// False in a build without its decoder, which knows the format all the same, to say so.
  var isRead = true
  /// Nil when it is not written.
  var encoder: Encoder?
  /// Whether a file that begins like this is of the format, by up to ``ImageKind/bytesNeeded`` bytes.
  let begins: @Sendable (Span<UInt8>) -> Bool
  let open: Open
}
