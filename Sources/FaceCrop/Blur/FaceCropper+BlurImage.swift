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
