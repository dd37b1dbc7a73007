extension FormatDescriptor {
  static let jpeg = FormatDescriptor(
    format: .jpeg, name: "JPEG", fileExtensions: ["jpg", "jpeg", "jpe", "jfif"], mediaType: "image/jpeg",
    encoder: Encoder(
      features: [.quality, .progressive, .subsampling], largestSide: JPEGHeader.largestSide, isUsual: true),
    imageParts: { JPEGSegments.imageParts(of: $0) }, begins: { $0.starts(with: [0xFF, 0xD8, 0xFF]) },
    open: { (bytes, allowsDamage, job) throws(FaceCropError) in
      try JPEGSession(bytes, allowsDamage: allowsDamage, job: job)
    })
}
