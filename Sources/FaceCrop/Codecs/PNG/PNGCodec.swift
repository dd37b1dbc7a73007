enum PNGCodec: Codec {
  static let formats = [ImageFormat.png]
  static var encoder: any ImageEncoder.Type { PNGEncoder.self }

  static func format(of bytes: Span<UInt8>) -> ImageFormat? {
    bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) ? .png : nil
  }

  static func session(
    _ bytes: ImageBytes, format: ImageFormat, allowsDamage: Bool, job: Job
  ) throws(FaceCropError) -> any ImageSession {
    try PNGSession(bytes, allowsDamage: allowsDamage, job: job)
  }
}
