internal import COpenCVShim

extension PixelBuffer {
  /// Returns the most salient point of the image.
  func attention() throws(FaceCropError) -> NormalizedPoint {
    var point = NormalizedPoint(x: 0.5, y: 0.5)
    var message = FCMessage()
    let status = unsafe inGray().withPicture { picture in
      unsafe fcvision_attention(picture, &point.x, &point.y, &message)
    }
    try check(status, message)
    return point
  }
}
