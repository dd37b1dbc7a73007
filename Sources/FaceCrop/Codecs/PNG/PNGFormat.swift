extension FormatDescriptor {
  static let png = FormatDescriptor(
    format: .png, name: "PNG", fileExtensions: ["png"], mediaType: "image/png",
    encoder: Encoder(features: .transparency, isUsual: true),
    imageParts: { chunks.imageParts(of: $0) },
    begins: { $0.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) },
    open: PNGSession.init)

  /// PNG, third edition, 5.3 and 11.3.
  private static let chunks = ChunkFormat(
    start: 8, typeOffset: 4, lengthOffset: 0, order: .bigEndian, trailer: { _ in 4 }, exif: "eXIf",
    metadata: ["eXIf", "tEXt", "zTXt", "iTXt", "tIME"])
}
