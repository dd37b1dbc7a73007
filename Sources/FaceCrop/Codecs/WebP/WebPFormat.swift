extension FormatDescriptor {
  static let webp = FormatDescriptor(
    format: .webp, name: "WebP", fileExtensions: ["webp"], mediaType: "image/webp",
    encoder: Encoder(
      features: [.quality, .losslessQuality, .transparency, .animation], largestSide: 16_383, isUsual: true),
    imageParts: { chunks.imageParts(of: $0) }, begins: { $0.contains("RIFF", at: 0) && $0.contains("WEBP", at: 8) },
    open: WebPSession.init)

  /// RFC 9649, 2.3 and 2.7. The chunk VP8X tells whether the file has metadata.
  private static let chunks = ChunkFormat(
    start: 12, typeOffset: 0, lengthOffset: 4, order: .littleEndian, trailer: { $0 % 2 }, exif: "EXIF",
    metadata: ["VP8X", "EXIF", "XMP "])
}
