/// A format as it is seen from outside its folder. To add one is such a folder, a case of ``ImageFormat`` and a line in
/// ``Codecs/all``.
protocol Codec: SendableMetatype {
  /// That its files may be of.
  static var formats: [ImageFormat] { get }

  /// Which of them a file is of that begins like this: by up to ``ImageKind/bytesNeeded`` bytes; nil if it is of none.
  static func format(of bytes: Span<UInt8>) -> ImageFormat?

  /// Opens a file, of one of its formats, and reads its header.
  static func session(
    _ bytes: ImageBytes, format: ImageFormat, allowsDamage: Bool, job: Job
  ) throws(FaceCropError) -> any ImageSession

  /// What a crop of a file is written as, if nothing else is said.
  static var encoder: any ImageEncoder.Type { get }
}

/// A format's encoder, as far as what it takes is known beforehand.
protocol ImageEncoder {
  /// Bytes that it may hold beside the pixels and the file that it makes.
  ///
  /// - Parameter area: pixels.
  static func memory(area: Double, channels: Int, limits: Limits) -> Double

  /// Bytes of a pixel in the largest file, without metadata.
  static func largestPixel(channels: Int) -> Double
}

extension ImageEncoder {
  static func memory(area: Double, channels: Int, limits: Limits) -> Double { 0 }
}
