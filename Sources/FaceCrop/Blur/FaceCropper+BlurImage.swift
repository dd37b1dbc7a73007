extension FaceCropper {
  /// Reads a picture for ``BlurMode/image``, and decodes it: in sRGB, with up to 512 pixels on its longer side. An
  /// animation gives its first frame.
  ///
  /// - Parameter source: The picture, in any format that facecrop reads. The cropper's limits count.
  /// - Throws: Any ``FaceCropError`` about the picture.
  public func blurImage(from source: ImageSource) async throws(FaceCropError) -> BlurImage {
    try await run(source, allowsDamage: false, progress: nil) { (session, job) throws(FaceCropError) in
      let size = session.header.displaySize
      let output = CropOutput(sizes: [.longSide(min(size.longSide, 512))], gainMap: .drop)
      let made = try render(CropPlan(showing: .whole, of: size), session, output, job) { _ in }
      guard let picture = made.last else { throw .invalidRequest("the picture has no pixels") }
      return BlurImage(picture.pixels)
    }
  }
}

extension BlurRequest {
  /// Returns the request with its picture in the colors of a profile, which the result keeps. It stays in sRGB without
  /// one, and with one that has no curves and colorants, such as for CMYK.
  func colored(for profile: [UInt8]?, _ job: Job) throws(FaceCropError) -> BlurRequest {
    guard let image, let profile, let fitted = try ICCProfile.fitted(profile, to: .rgb, job),
      case .matrix(let curves, let colorants)? = ICCModel(fitted, for: .rgb),
      let conversion = MatrixConversion(to: curves, colorants: colorants)
    else { return self }
    var (request, picture) = (self, image.sizes[0])
    unsafe picture.bytes.withUnsafeMutableBufferPointer { unsafe conversion.convert($0, format: .rgb) }
    request.image = BlurImage(picture)
    return request
  }
}
