enum JPEGCodec: Codec {
  static let formats = [ImageFormat.jpeg]
  static var encoder: any ImageEncoder.Type { JPEGEncoder.self }

  static func format(of bytes: Span<UInt8>) -> ImageFormat? {
    bytes.starts(with: [0xFF, 0xD8, 0xFF]) ? .jpeg : nil
  }

  static func session(
    _ bytes: ImageBytes, format: ImageFormat, allowsDamage: Bool, job: Job
  ) throws(FaceCropError) -> any ImageSession {
    try JPEGSession(bytes, allowsDamage: allowsDamage, job: job)
  }
}
