/// The interface of a format. A new format needs a folder with a descriptor, a case of ``ImageFormat``, and a line in
/// ``Codecs/all``.
struct FormatDescriptor: Sendable {
  /// A function that opens a file of the format and reads its header.
  typealias Open =
    @Sendable (_ bytes: ImageBytes, _ allowsDamage: Bool, _ job: Job) throws(FaceCropError) -> any ImageSession

  /// The properties of a format's encoder.
  struct Encoder: Sendable {
    var features: ImageFormat.EncoderFeatures
    /// The upper bound of a side in pixels, by the format or its library.
    var largestSide = Int(Int32.max)
    /// Whether crops of such an image are written in this format by default, and not as JPEG.
    var isUsual = false
  }

  let format: ImageFormat
  let name: String
  /// The extensions in lower case, the most common one first.
  let fileExtensions: [String]
  let mediaType: String
  /// Whether this build can read the format. If not, error messages still name it.
  var isRead = true
  /// The encoder; nil if crops cannot be written in the format.
  var encoder: Encoder?
  /// A function that finds the parts of a file that make its image; nil if metadata are not told apart.
  var imageParts: (@Sendable (_ file: Span<UInt8>) -> ImageParts)?
  /// A test of the first bytes, up to ``ImageKind/bytesNeeded``.
  let begins: @Sendable (Span<UInt8>) -> Bool
  let open: Open
}
