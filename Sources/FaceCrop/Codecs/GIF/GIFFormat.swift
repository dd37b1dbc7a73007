extension FormatDescriptor {
  static let gif = FormatDescriptor(
    format: .gif, name: "GIF", fileExtensions: ["gif"], mediaType: "image/gif",
    encoder: Encoder(features: [.transparency, .animation], largestSide: Int(UInt16.max)),
    begins: { $0.contains("GIF8", at: 0) },
    open: GIFSession.init)
}
