extension ImageResponse {
  /// The picture as the bytes of a file, without metadata.
  ///
  /// - Parameters:
  ///   - format: The file's, with its quality or level.
  ///   - background: Shows through what is transparent where the format knows no transparency. Default white.
  /// - Throws: ``FaceCropError/invalidRequest(_:)``, ``FaceCropError/outOfMemory`` or ``FaceCropError/cancelled``.
  public func encoded(
    as format: OutputFormat, background: BackgroundColor = .white
  ) async throws(FaceCropError) -> [UInt8] {
    try await Job.run(limits: Limits(), progress: nil) { (job) throws(FaceCropError) in
      let crop = RenderedCrop(
        pixels: image.buffer(), region: PixelRect(covering: region, in: sourceSize), faces: [], crop: 0,
        colorProfile: colorProfile, exif: nil, path: .sequential)
      return try Codecs.encode(crop, as: format, background: background, job: job)
    }
  }
}
