extension FormatDescriptor {
  static let png = FormatDescriptor(
    format: .png, name: "PNG", fileExtensions: ["png"], mediaType: "image/png",
    encoder: Encoder(features: .transparency, isUsual: true),
    begins: { $0.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) },
    open: { (bytes, allowsDamage, job) throws(FaceCropError) in
      try PNGSession(bytes, allowsDamage: allowsDamage, job: job)
    })
}
