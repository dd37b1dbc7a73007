extension FormatDescriptor {
  static let webp = FormatDescriptor(
    format: .webp, name: "WebP", fileExtensions: ["webp"], mediaType: "image/webp",
    encoder: Encoder(features: [.quality, .losslessQuality, .transparency, .animation], isUsual: true),
    begins: { $0.contains("RIFF", at: 0) && $0.contains("WEBP", at: 8) },
    open: { (bytes, allowsDamage, job) throws(FaceCropError) in
      try WebPSession(bytes, allowsDamage: allowsDamage, job: job)
    })
}
