extension ImageResponse {
  /// Encodes the image as a file in memory, without metadata. Its memory is outside the manager's budget;
  /// ``ImageRequestOptions/encoding`` stays inside it.
  ///
  /// - Parameters:
  ///   - format: The file format, with its quality or level.
  ///   - background: The color behind transparent pixels in formats without transparency. Default white.
  /// - Throws: ``FaceCropError/invalidRequest(_:)``, ``FaceCropError/outOfMemory`` or ``FaceCropError/cancelled``.
  public func encoded(
    as format: OutputFormat, background: BackgroundColor = .white
  ) async throws(FaceCropError) -> [UInt8] {
    try await Job.run(limits: Limits(), progress: nil) { (job) throws(FaceCropError) in
      try bytes(as: format, background: background, job)
    }
  }

  /// Returns the response with the requested file, unless it has one.
  func with(_ encoding: ImageEncoding?, _ job: Job) throws(FaceCropError) -> ImageResponse {
    guard file == nil, let encoding else { return self }
    let (output, warning) = encoding.output(for: format, size: image.size, hasAlpha: image.format == .rgba)
    var response = self
    if let warning { response.warnings.append(warning) }
    job.report(.encode, 0, of: 1)
    response.file = EncodedImage(
      format: output.imageFormat, bytes: try bytes(as: output, background: .white, job))
    return response
  }

  /// Returns an upper bound of the bytes for encoding, with a copy of the pixels.
  func encodingBytes(_ encoding: ImageEncoding, limits: Limits) -> Int {
    let area = image.size.area
    return Int(
      saturating: area * Double(image.format.channels)
        + Codecs.encodingBytes(
          as: encoding.output(for: format), area: area, format: image.format, limits: limits))
  }

  private func bytes(
    as format: OutputFormat, background: BackgroundColor, _ job: Job
  ) throws(FaceCropError) -> [UInt8] {
    try Codecs.encode(
      EncoderInput(pixels: image.buffer(), colorProfile: colorProfile), as: format, background: background, job: job)
  }
}
