extension FormatDescriptor {
  static let tiff = FormatDescriptor(
    format: .tiff, name: "TIFF", fileExtensions: ["tiff", "tif"], mediaType: "image/tiff",
    encoder: Encoder(features: [.transparency]), begins: { TIFFFile.Kind($0) != nil },
    open: TIFFSession.init)
}
