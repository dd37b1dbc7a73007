enum WebPCodec: Codec {
  static let formats = [ImageFormat.webp]
  static var encoder: any ImageEncoder.Type { WebPEncoder.self }

  static func format(of bytes: Span<UInt8>) -> ImageFormat? {
    bytes.contains("RIFF", at: 0) && bytes.contains("WEBP", at: 8) ? .webp : nil
  }

  static func session(
    _ bytes: ImageBytes, format: ImageFormat, allowsDamage: Bool, job: Job
  ) throws(FaceCropError) -> any ImageSession {
    try WebPSession(bytes, allowsDamage: allowsDamage, job: job)
  }
}
