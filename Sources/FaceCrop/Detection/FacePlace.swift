/// The position, size, and tilt of a face, in pixels.
struct FacePlace {
  var x: Double
  var y: Double
  /// The side of a square from brow to chin, in pixels.
  var side: Double
  /// The counterclockwise angle that makes it upright.
  var degrees = 0.0

  func turned(by degrees: Double) -> FacePlace { FacePlace(x: x, y: y, side: side, degrees: degrees) }
}

extension PixelBuffer {
  /// Returns a square of `size` pixels around the face, upright, in which the face's side is `face` pixels.
  func patch(at place: FacePlace, face: Double, size: Int) throws(FaceCropError) -> PixelBuffer {
    let scale = face / place.side
    // The margin has room for the corners of a rotated square.
    let half = Double(size) / scale * 0.75
    let (left, top) = (Int(place.x - half), Int(place.y - half))
    let around = PixelRect(x: left, y: top, width: Int(2 * half) + 1, height: Int(2 * half) + 1)
      .intersection(PixelRect(x: 0, y: 0, width: width, height: height))
    guard around.width > 0, around.height > 0 else {
      return PixelBuffer(
        size: PixelSize(width: size, height: size), format: format,
        bytes: [UInt8](repeating: 0, count: size * size * format.channels))
    }
    var region = cropped(to: around)
    var shrink = 1.0
    if scale * 1.5 < 1 {
      // Linear interpolation alone would skip pixels.
      region = try region.shrunk(toLongSide: max(Int(Double(around.size.longSide) * scale * 1.5), 1))
      shrink = Double(region.size.longSide) / Double(around.size.longSide)
    }
    let middle = Double(size) / 2
    let map = AffineMap(
      degrees: place.degrees, scale: scale / shrink,
      center: ((place.x - Double(around.x)) * shrink, (place.y - Double(around.y)) * shrink), target: (middle, middle))
    return try region.warped(by: map, to: PixelSize(width: size, height: size))
  }
}
